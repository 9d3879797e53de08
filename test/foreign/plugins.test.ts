/** Plugins of strangers, which know nothing of Portico but `#core`: one named by its path, one installed as a package. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkPlugin, createTestClock, startGateway, type TestGateway } from "#core/testing";
import { inTime } from "../../core/host/in-time.ts";
import { endProcesses, startProcess } from "../support/process.ts";

const root = resolve(import.meta.dir, "../..");
const byPath = join(import.meta.dir, "path/office-hours");
const packaged = join(import.meta.dir, "package");

const demo = [
	{ use: "tokens" },
	{ use: "chat-completions" },
	{ use: "demo", with: { wordMs: 0 } },
	{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
];
const question = { model: "demo", messages: [{ role: "user", content: "Hello" }] };

test("they use nothing of Portico but its public face, and keep the contract that its own plugins keep", async () => {
	for (const folder of [byPath, packaged]) {
		for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
			name.endsWith(".ts"),
		)) {
			const imports = [...readFileSync(join(folder, file), "utf8").matchAll(/from "([^"]+)"/g)].map(([, name]) => name);
			for (const name of imports) expect(name).toMatch(/^(#core|node:.*|\.\/[\w-]+\.ts)$/);
		}
		expect(await checkPlugin(folder)).toEqual([]);
	}
});

describe("a plugin that is named by its path", () => {
	let gateway: TestGateway;
	const clock = createTestClock(Date.UTC(2027, 0, 31, 12, 0));
	beforeAll(async () => {
		gateway = await startGateway({ plugins: [...demo, { use: byPath, with: { shiftMinutes: 60 } }], clock });
	});
	afterAll(() => gateway.stop());

	const ask = (key: string, path = "/v1/chat/completions", body?: object) =>
		gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });

	test("has its token setting in the admin API, checked in its own words", async () => {
		const { id } = await gateway.token({ officeHours: "09:00-17:00" });
		expect(await gateway.admin("GET", `/admin/tokens/${id}`)).toMatchObject({
			settings: { officeHours: "09:00-17:00" },
		});
		await expect(gateway.token({ officeHours: "always" })).rejects.toThrow('such as \\"09:00-17:30\\"');
		expect(await gateway.admin("PATCH", `/admin/tokens/${id}`, { officeHours: null })).toMatchObject({ settings: {} });
	});

	test("has its route, which a token is needed for", async () => {
		const { key } = await gateway.token({ officeHours: "09:00-17:00" });
		expect(await (await ask(key, "/v1/office-hours")).json()).toEqual({ officeHours: "09:00-17:00" });
		expect((await fetch(`${gateway.url}/v1/office-hours`)).status).toBe(401);
	});

	test("refuses calls on every route by its policy, and only those of tokens with the setting", async () => {
		// 12:00 of UTC is 13:00 here.
		const open = await gateway.token({ officeHours: "13:00-14:00" });
		const shut = await gateway.token({ officeHours: "12:00-13:00" });
		const night = await gateway.token({ officeHours: "22:00-13:01" });
		const any = await gateway.token();
		for (const { key } of [open, night, any]) expect((await ask(key, undefined, question)).status).toBe(200);
		for (const [path, body] of [["/v1/chat/completions", question], ["/v1/models"], ["/v1/office-hours"]] as const) {
			const response = await ask(shut.key, path, body);
			expect(response.status).toBe(403);
			expect(await response.json()).toMatchObject({ error: { code: "outside_office_hours" } });
		}
		await clock.advance(3_600_000);
		expect((await ask(open.key, undefined, question)).status).toBe(403);
	});

	test("is listed with what it gives and answers", async () => {
		const { data } = (await gateway.admin("GET", "/admin/plugins")) as { data: Record<string, unknown>[] };
		expect(data.find(({ name }) => name === "office-hours")).toMatchObject({
			use: byPath,
			gives: ["policies", "routes"],
			needs: ["clock"],
			routes: ["GET /v1/office-hours"],
		});
	});
});

describe("a plugin that is installed as a package, in an operator's own project", () => {
	let folder: string;
	const config = (...more: object[]) => {
		const plugins = [...demo, { use: "./plugins/office-hours" }, ...more];
		writeFileSync(
			join(folder, "portico.yaml"),
			JSON.stringify({ server: { port: 0 }, database: { url: "file:data/portico.db" }, plugins }),
		);
	};
	const limited = { use: "portico-prompt-limit", with: { mostBytes: 5000 } };

	/** Runs `portico …` as the operator would, from the project's own `node_modules`. */
	const portico = (...words: string[]) => {
		const launcher = join(folder, "node_modules/portico/bin/portico.mjs");
		const { status, stdout, stderr } = spawnSync("node", [launcher, ...words], { cwd: folder, encoding: "utf8" });
		return { status, output: stdout, errors: stderr };
	};

	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), "portico-operator-"));
		mkdirSync(join(folder, "node_modules"));
		writeFileSync(
			join(folder, "package.json"),
			JSON.stringify({ name: "operator", private: true, type: "module", imports: { "#core": "portico" } }),
		);
		symlinkSync(root, join(folder, "node_modules/portico"));
		cpSync(packaged, join(folder, "node_modules/portico-prompt-limit"), { recursive: true });
		cpSync(byPath, join(folder, "plugins/office-hours"), { recursive: true });
		config(limited);
	});
	afterAll(endProcesses);
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	test("passes the check and is listed, beside one of the operator's own", () => {
		const checked = portico("check", "--config", "portico.yaml");
		expect(checked).toMatchObject({ status: 0, errors: "" });
		const rows = JSON.parse(portico("plugins", "--json", "--config", "portico.yaml").output) as {
			name: string;
			use: string;
		}[];
		expect(rows).toContainEqual(expect.objectContaining({ name: "portico-prompt-limit", use: "portico-prompt-limit" }));
		expect(rows).toContainEqual(expect.objectContaining({ name: "office-hours", use: "./plugins/office-hours" }));
	});

	test("has its settings checked like any other's", () => {
		config({ ...limited, with: { mostBites: 5 } });
		const { status, errors } = portico("check", "--config", "portico.yaml");
		expect(status).toBe(1);
		expect(errors).toContain('mostBites: not a setting here (did you mean "mostBytes"?)');
		config(limited);
	});

	test("brings its token setting to the command line, whether or not the server runs", async () => {
		expect(portico("token", "--help").output).toMatch(/--max-prompt-bytes +The largest request, in bytes\./);
		// The first start makes the database; a command that does not serve never does.
		await (await startProcess(folder, "portico.yaml")).end("SIGTERM");
		const stopped = portico("token", "create", "--name", "a", "--max-prompt-bytes", "200", "--json");
		expect(stopped.errors).not.toContain("error");
		const { key } = JSON.parse(stopped.output) as { key: string };
		const server = await startProcess(folder, "portico.yaml");
		try {
			const running = portico("token", "create", "--name", "b", "--office-hours", "00:00-23:59", "--json");
			expect(JSON.parse(running.output)).toMatchObject({ settings: { officeHours: "00:00-23:59" } });
			const wrong = portico("token", "create", "--name", "c", "--max-prompt-bytes", "0");
			expect([wrong.status, wrong.errors]).toEqual([1, expect.stringContaining("maxPromptBytes")]);
			const ask = (path: string, body?: object) =>
				fetch(server.address + path, {
					method: body ? "POST" : "GET",
					headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
					...(body && { body: JSON.stringify(body) }),
				});
			expect((await ask("/v1/chat/completions", question)).status).toBe(200);
			const large = await ask("/v1/chat/completions", { ...question, padding: "x".repeat(200) });
			expect(large.status).toBe(413);
			expect(await large.json()).toMatchObject({ error: { code: "prompt_too_large" } });
			expect(await (await ask("/v1/prompt-limit")).json()).toEqual({ maxPromptBytes: 200 });
		} finally {
			expect(await server.end("SIGTERM")).toBe(0);
		}
	}, 30_000);

	test("when it is taken out again, tokens that carry its rule are refused rather than let through", async () => {
		const made = portico("token", "create", "--name", "held", "--max-prompt-bytes", "900", "--json");
		const { key } = JSON.parse(made.output) as { key: string };
		config();
		const server = await startProcess(folder, "portico.yaml");
		try {
			const response = await fetch(`${server.address}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
			expect(response.status).toBe(403);
			expect(await response.json()).toMatchObject({ error: { code: "policy_not_loaded" } });
			expect(portico("token", "list").output).toMatch(/held +sk-\S+ +refused/);
			const shown = JSON.parse(portico("token", "show", "held", "--json").output) as object;
			expect(shown).toMatchObject({ unenforced: ["maxPromptBytes"] });
		} finally {
			await server.end("SIGTERM");
			config(limited);
		}
	}, 30_000);
});

describe("a plugin that cannot be used is said to be so, by its name", () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-unusable-"));
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	/** What a start says where this stands in a plugin's description. */
	const said = async (name: string, spec: string): Promise<string> => {
		const file = join(folder, `${name}.ts`);
		const about = `name: "${name}", summary: "Unusable.", config: t.Object({})`;
		writeFileSync(
			file,
			`import { add, commands, definePlugin, policies, t, upstreams } from "${join(root, "core/mod.ts")}";
			export default definePlugin({ ${about}, gives: [commands, policies, upstreams], setup: () => (${spec}) });`,
		);
		return await startGateway({ plugins: [...demo, { use: "expiry" }, { use: file }] }).then(
			async (gateway) => {
				await gateway.stop();
				return "it started";
			},
			(error: Error) => error.message.replaceAll(`${folder}/`, ""),
		);
	};

	test.each([
		[
			"setting",
			"{ offers: [add(policies, { name: 'p', setting: { key: 'expiresAt', schema: t.String(), compile: String } })] }",
			'"expiry" offers the token setting "expiresAt" too; switch one of them off',
		],
		[
			"upstream",
			"{ offers: [add(upstreams, { name: 'demo', protocols: [], send: async () => new Response() })] }",
			'"demo" offers the upstream "demo" too; switch one of them off',
		],
		[
			"command",
			"{ offers: [add(commands, { name: 'token', summary: '', usage: () => '', run: async () => {} })] }",
			'"tokens" offers the command "token" too; switch one of them off',
		],
		["setup", "(() => { throw new Error('no'); })()", "could not be set up: Error: no at unusable-setup.ts:2:175"],
		[
			"start",
			"{ start() { throw new Error('no'); } }",
			'the plugin "unusable-start" could not be started: Error: no at unusable-start.ts:2:178',
		],
	])("%s", async (name, spec, words) => {
		expect(await said(`unusable-${name}`, spec)).toEndWith(words);
	});

	test("one whose module or set-up never ends is not waited for", async () => {
		const endless = new Promise<never>(() => undefined);
		await expect(inTime(endless, "its set-up", 1)).rejects.toThrow("its set-up has not ended after 0.001 seconds");
	});
});
