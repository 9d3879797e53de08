/** Plugins that lie anywhere: written by `portico plugin new`, tested, loaded by path and as packages, on Bun and on Deno. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { soundPackages, soundUses, writePackages } from "../support/plugin-packages.ts";

const root = resolve(import.meta.dir, "../..");
const launcher = join(root, "bin/portico.mjs");
const deno = join(root, "node_modules/.bin/deno");
const kinds = ["policy", "endpoint", "protocol", "task"];
let folder = "";

const { NODE_CHANNEL_FD: _, ...environment } = process.env;
const env = { ...environment, NO_COLOR: "1" };

const run = (program: string, ...words: string[]) => {
	const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: "utf8", env });
	return { status, output: stdout, errors: stderr };
};
const portico = (...words: string[]) => run("node", launcher, ...words);

const main = join(root, "core/main.ts");
const onDeno = (...words: string[]) => run(deno, "run", "-A", "--no-check", main, ...words);

const configFor = (uses: readonly string[]): void => {
	const usual = ["tokens", "chat-completions", "demo", "tasks", "image"];
	const router = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
	const plugins = [...[...usual, ...uses].map((use) => ({ use })), router];
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ server: { port: 0 }, plugins }));
};

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-anywhere-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(kinds)("a new plugin of kind %s", (kind) => {
	test("is written in an empty folder, passes its test on Bun and on Deno, and loads by its path", () => {
		const name = `my-${kind}`;
		expect(portico("plugin", "new", name, `--${kind}`)).toMatchObject({ status: 0, errors: "" });
		expect(readdirSync(join(folder, name))).toEqual(
			expect.arrayContaining(["README.md", "index.test.ts", "index.ts", "package.json", "tsconfig.json"]),
		);
		expect(JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8"))).toMatchObject({
			name,
			peerDependencies: { portico: "*" },
			peerDependenciesMeta: { portico: { optional: true } },
		});
		const tested = portico("bun", "test", `./${name}`);
		// The contract, and a call at least.
		expect([tested.status, tested.errors]).toEqual([0, expect.stringMatching(/[2-9] pass\n 0 fail/)]);
		const testedOnDeno = run(deno, "run", "-A", launcher, "deno", "test", `./${name}`);
		expect([testedOnDeno.status, testedOnDeno.output]).toEqual([0, expect.stringMatching(/[2-9] passed/)]);
		configFor([`./${name}`]);
		expect(portico("check", "--config", "portico.yaml")).toMatchObject({ status: 0, errors: "" });
	}, 60_000);

	test("is never written over", () => {
		const again = portico("plugin", "new", `my-${kind}`);
		expect([again.status, again.errors]).toEqual([1, expect.stringContaining("is there already")]);
	});
});

test("all of them load on Deno, by path and as packages, and as packages on Bun", () => {
	mkdirSync(join(folder, "node_modules"), { recursive: true });
	for (const kind of kinds)
		cpSync(join(folder, `my-${kind}`), join(folder, "node_modules", `my-${kind}`), { recursive: true });
	for (const uses of [kinds.map((kind) => `./my-${kind}`), kinds.map((kind) => `my-${kind}`)]) {
		configFor(uses);
		expect(portico("check", "--config", "portico.yaml")).toMatchObject({ status: 0, errors: "" });
		const checked = onDeno("check", "--config", "portico.yaml");
		expect([checked.status, checked.output]).toEqual([0, expect.stringContaining("ready to start")]);
	}
	expect(existsSync(join(folder, "data"))).toBe(false);
}, 60_000);

test("packages load as authors build them, on Bun and on Deno", () => {
	writePackages(join(folder, "node_modules"), soundPackages);
	configFor(soundUses);
	for (const check of [portico, onDeno])
		expect(check("check", "--config", "portico.yaml")).toMatchObject({
			status: 0,
			output: expect.stringContaining("ready to start"),
		});
}, 60_000);

test("a folder that is named by its path may be built too, on Bun and on Deno", () => {
	const { compiled = {}, typed = {} } = soundPackages;
	const [, source = ""] = Object.values(compiled);
	writePackages(folder, { typed, plain: { "index.js": source } });
	configFor(["./typed", "./plain"]);
	for (const check of [portico, onDeno])
		expect(check("check", "--config", "portico.yaml")).toMatchObject({
			status: 0,
			output: expect.stringContaining("ready to start"),
		});
}, 60_000);

test("a package that is installed and was not built is told from one that is not installed", () => {
	writePackages(join(folder, "node_modules"), { unbuilt: { "package.json": '{ "exports": "./dist/index.js" }' } });
	configFor(["unbuilt", "no-such-package"]);
	for (const check of [portico, onDeno]) {
		const { status, errors } = check("check", "--config", "portico.yaml");
		expect([status, errors]).toEqual([
			1,
			expect.stringContaining("node_modules/unbuilt has no ./dist/index.js; was it built?"),
		]);
		expect(errors).toContain('no built-in plugin "no-such-package" and no installed package of that name');
	}
}, 60_000);

test("a kind that is none is refused with the nearest", () => {
	const refused = portico("plugin", "new", "other", "--polcy");
	expect([refused.status, refused.errors]).toEqual([1, expect.stringContaining('did you mean "--policy"?')]);
	expect(existsSync(join(folder, "other"))).toBe(false);
});

test("a start that never ends is named, though nobody was greeted yet", () => {
	const never = `import { definePlugin, t } from "#core";
export default definePlugin({ name: "endless", summary: "Waits.", config: t.Object({}), setup: () => ({ start: () => new Promise(() => {}) }) });
`;
	writeFileSync(join(folder, "endless.ts"), never);
	configFor(["./endless.ts"]);
	const { status, errors } = portico("serve", "--config", "portico.yaml");
	const named = '"plugin":"endless","seconds":30,"msg":"a plugin has not ended its start, and is waited for"';
	expect([status, errors]).toEqual([1, expect.stringContaining(named)]);
}, 60_000);
