/**
 * Plugins of strangers beside the packed file, in empty folders: those of the README and of `portico plugin new`, by path
 * and as packages, on Bun and on Deno. Each does its work; loading alone proves nothing. Needs a registry.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { asList, asRecord } from "../../core/neutral/json.ts";
import { soundPackages, soundUses, writePackages } from "../support/plugin-packages.ts";
import { emptyFolder, install, pack, removalMs, remove } from "./packed.ts";

const root = resolve(import.meta.dir, "../..");
const deno = join(root, "node_modules/.bin/deno");

/** What `plugin new` writes, with the most lines that its `index.ts` may take where the order names a number. */
const kinds = { policy: 40, endpoint: 50, protocol: undefined, task: undefined } as const;

let home: string;
let vendor: ScriptedUpstream;
const portico = () => join(home, "node_modules/.bin/portico");

const run = (...words: string[]) => {
	const { status, stdout, stderr } = spawnSync(portico(), words, { cwd: home, encoding: "utf8" });
	return { status, output: stdout, errors: stderr };
};

beforeAll(() => {
	home = emptyFolder("strangers");
	install({ archive: pack(), folder: home });
	vendor = startUpstream(() =>
		Response.json({
			model: "ranker",
			results: [{ index: 0, relevance_score: 0.5 }],
			meta: { billed_units: { search_units: 1 } },
		}),
	);
	for (const kind of Object.keys(kinds)) {
		expect(run("plugin", "new", `my-${kind}`, `--${kind}`)).toMatchObject({ status: 0, errors: "" });
		cpSync(join(home, `my-${kind}`), join(home, "node_modules", `my-${kind}`), { recursive: true });
	}
	const [, shown = ""] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
	writeFileSync(join(home, "my-readme.ts"), shown);
	mkdirSync(join(home, "node_modules/my-readme"));
	writeFileSync(join(home, "node_modules/my-readme/index.ts"), shown);
	writeFileSync(join(home, "node_modules/my-readme/package.json"), '{"type":"module","exports":"./index.ts"}');
}, 120_000);
afterAll(async () => {
	await vendor.stop();
	remove(home);
}, removalMs);

test.each(Object.entries(kinds))("%s: its test passes, and its file is short", (kind, most) => {
	const tested = run("bun", "test", `./my-${kind}`);
	expect([tested.status, tested.errors]).toEqual([0, expect.stringMatching(/[2-9] pass\n 0 fail/)]);
	const lines = readFileSync(join(home, `my-${kind}/index.ts`), "utf8")
		.trimEnd()
		.split("\n").length;
	if (most !== undefined) expect(lines).toBeLessThanOrEqual(most);
});

test("a test that is written for Deno finds what tests are made with", () => {
	const file = join(home, "my-policy/deno.test.ts");
	writeFileSync(
		file,
		`import assert from "node:assert/strict";
		import { test } from "node:test";
		import { checkPlugin } from "#core/testing";
		test("it keeps the contract", async () => assert.deepEqual(await checkPlugin(import.meta.dirname), []));`,
	);
	const { NODE_CHANNEL_FD: _, ...env } = process.env;
	const words = ["run", "-A", join(home, "node_modules/portico/bin/portico.mjs"), "deno", "test", file];
	const { status, stdout, stderr } = spawnSync(deno, words, { cwd: home, encoding: "utf8", env });
	rmSync(file);
	expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: expect.stringContaining("passed") });
}, 60_000);

test.each(Object.keys(kinds))(
	"%s: the compiler finds no fault with it, by the settings that are written beside it",
	(kind) => {
		const types = join(home, "node_modules/@types/bun");
		if (!existsSync(types)) symlinkSync(join(root, "node_modules/@types/bun"), types);
		const stricter = ["--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--verbatimModuleSyntax"];
		const words = ["-p", join(home, `my-${kind}`), ...stricter];
		const { status, stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), words, { encoding: "utf8" });
		expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
	},
	60_000,
);

/** Plugins named by a path, or as packages that are installed. */
const uses = {
	"by path": (name: string) => (name === "my-readme" ? "./my-readme.ts" : `./${name}`),
	"as packages": (name: string) => name,
} as const;

const programs = {
	Bun: (): readonly string[] => [portico()],
	Deno: (): readonly string[] => [deno, "run", "-A", join(home, "node_modules/portico/bin/portico.mjs")],
} as const;

const configOf = (name: (plugin: string) => string): object => ({
	server: { port: 0 },
	database: { url: "file:data/portico.db" },
	plugins: [
		...["people", "tokens", "quota", "ledger", "chat-completions", "responses", "messages", "generate-content"],
		...["embeddings", "demo", "tasks", "image", ...Object.keys(kinds).map((kind) => name(`my-${kind}`))],
	]
		.map((use): object => ({ use }))
		.concat([
			{ use: "prices", with: { models: { "ranker*": { perThousandSearches: 2 } } } },
			{
				use: "router",
				with: {
					upstreams: [
						{
							name: "vendor",
							url: vendor.url,
							protocol: "chat-completions",
							key: "k-vendor",
							endpoints: ["my-endpoint"],
						},
					],
					models: [
						{ name: "demo", targets: [{ upstream: "demo" }] },
						{ name: "ranker", targets: [{ upstream: "vendor" }] },
					],
				},
			},
		]),
});

interface Served {
	ask(path: string, body: object, key: string): Promise<Response>;
	admin(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
	end(): Promise<void>;
}

const serve = async (program: readonly string[], config: object): Promise<Served> => {
	remove(join(home, "data"));
	writeFileSync(join(home, "portico.yaml"), JSON.stringify(config));
	const [first = "", ...words] = [...program, "serve"];
	const child: ChildProcess = spawn(first, words, { cwd: home, stdio: ["ignore", "pipe", "pipe"] });
	let said = "";
	const address = await new Promise<string>((found, failed) => {
		for (const stream of [child.stdout, child.stderr])
			stream?.on("data", (piece) => {
				said += String(piece);
				const [, at] = /serves at (http:\S+)\n/.exec(said) ?? [];
				if (at !== undefined) found(at);
			});
		child.once("exit", () => failed(new Error(said)));
	});
	const admin = readFileSync(join(home, "data/admin-token"), "utf8").trim();
	const send = (method: string, path: string, key: string, body?: object): Promise<Response> =>
		fetch(address + path, {
			method,
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			...(body && { body: JSON.stringify(body) }),
		});
	return {
		ask: (path, body, key) => send("POST", path, key, body),
		admin: async (method, path, body) => asRecord(await (await send(method, path, admin, body)).json()),
		async end() {
			const ended = new Promise((done) => child.once("exit", done));
			child.kill("SIGTERM");
			await ended;
		},
	};
};

const tokenOf = async (served: Served, settings: object): Promise<string> =>
	String((await served.admin("POST", "/admin/tokens", { name: "stranger", ...settings }))["key"]);

/** Every way to say something to a model, an endpoint or a task, by the body that says it. */
const waysToSay = (words: string): readonly (readonly [path: string, body: object])[] => [
	["/v1/chat/completions", { model: "demo", messages: [{ role: "user", content: words }] }],
	["/v1/responses", { model: "demo", input: words }],
	["/v1/messages", { model: "demo", max_tokens: 64, messages: [{ role: "user", content: words }] }],
	["/v1beta/models/demo:generateContent", { contents: [{ role: "user", parts: [{ text: words }] }] }],
	["/my-protocol", { station: "demo", lines: [{ from: "caller", text: words }] }],
	["/v1/embeddings", { model: "demo", input: words }],
	["/v1/my-endpoint", { model: "ranker", query: words, documents: ["a"] }],
	["/v1/tasks", { kind: "image", model: "demo-image", prompt: words }],
];

const runtimes = Object.keys(programs) as (keyof typeof programs)[];
const manners = Object.keys(uses) as (keyof typeof uses)[];

describe.each(runtimes.flatMap((runtime) => manners.map((manner) => [runtime, manner] as const)))(
	"on %s, %s",
	(runtime, manner) => {
		let served: Served;
		beforeAll(async () => {
			served = await serve(programs[runtime](), configOf(uses[manner]));
		}, 60_000);
		afterAll(() => served.end());

		test("the policy reads the words of every kind of call, by its own token setting", async () => {
			const [free, held] = [await tokenOf(served, {}), await tokenOf(served, { forbiddenWords: ["mellon"] })];
			for (const [path, body] of waysToSay("Say mellon and enter")) {
				const refused = await served.ask(path, body, held);
				expect([path, refused.status, await refused.text()]).toEqual([path, 403, expect.stringContaining("mellon")]);
				const answered = await served.ask(path, body, free);
				expect([path, answered.ok, answered.ok || (await answered.text())]).toEqual([path, true, true]);
			}
			for (const [path, body] of waysToSay("Say friend")) expect((await served.ask(path, body, held)).ok).toBe(true);
		});

		test("the endpoint is held by what it may cost and charged by what its vendor says it used", async () => {
			const key = await tokenOf(served, { quota: 0.007 });
			const question = { model: "ranker", query: "why", documents: Array.from({ length: 250 }, () => "a") };
			expect((await served.ask("/v1/my-endpoint", question, key)).status).toBe(200);
			const { data } = await served.admin("GET", "/admin/tokens");
			expect(asList(data)).toContainEqual(expect.objectContaining({ used: 0.002, remaining: 0.005 }));
			expect((await served.ask("/v1/my-endpoint", question, key)).status).toBe(429);
		});
	},
);

test.each(manners)(
	"the README's plugin refuses, %s, on Bun and on Deno",
	async (manner) => {
		const plugin = { use: uses[manner]("my-readme"), with: { from: 0, to: 0 } };
		const { plugins, ...rest } = configOf(uses[manner]) as { readonly plugins: readonly object[] };
		for (const runtime of runtimes) {
			const served = await serve(programs[runtime](), { ...rest, plugins: [...plugins, plugin] });
			try {
				const [[path, body] = ["", {}]] = waysToSay("Hello");
				const refused = await served.ask(path, body, await tokenOf(served, {}));
				expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("answers from 0 to 0")]);
			} finally {
				await served.end();
			}
		}
	},
	60_000,
);

test("packages load as authors build them, on Bun and on Deno", () => {
	writePackages(join(home, "node_modules"), soundPackages);
	const plugins = soundUses.map((use) => ({ use }));
	writeFileSync(join(home, "portico.yaml"), JSON.stringify({ plugins }));
	for (const runtime of runtimes) {
		const [program = "", ...words] = programs[runtime]();
		const { status, stdout, stderr } = spawnSync(program, [...words, "check"], { cwd: home, encoding: "utf8" });
		expect([runtime, status, stdout + stderr]).toEqual([runtime, 0, expect.stringContaining("ready to start")]);
	}
}, 60_000);
