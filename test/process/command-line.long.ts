/** The command line as an operator meets it: in an empty folder, from another folder, without keys, with slips of the hand. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-line-"));
});
afterEach(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});
afterAll(endProcesses);

const config = (more: object = {}): string => {
	const file = join(folder, "portico.yaml");
	const database = { url: "file:data/portico.db" };
	writeFileSync(file, JSON.stringify({ server: { port: 0 }, database, plugins: [{ use: "tokens" }], ...more }));
	return file;
};

/** What a config says for a variable. */
const keyReference = ["$", "{SOME_KEY}"].join("");

const chat = { model: "demo", messages: [{ role: "user", content: "Hello" }] };

/** The answer to the call that a greeting shows, as a shell makes it. */
const firstCall = async (greeting: string): Promise<unknown> => {
	const line = /^ {2}(curl .*)$/m.exec(greeting)?.[1] ?? "";
	const curl = spawn("sh", ["-c", `${line} -s`], { stdio: ["ignore", "pipe", "ignore"] });
	let answer = "";
	for await (const piece of curl.stdout) answer += String(piece);
	return JSON.parse(answer);
};

describe("without a config file", () => {
	test("the built-in default serves; the greeting comes first, with the data folder and a call that works", async () => {
		const portico = await startProcess(folder, undefined, { PORTICO_PORT: "0" });
		await portico.says(/"msg":"made the tables of a new database"/);
		const output = portico.output();
		expect(output).toStartWith("Portico serves at http://127.0.0.1:");
		expect(output.indexOf(`data          in ${join(folder, "data")}`)).toBeGreaterThan(0);
		expect(output.indexOf("try it:")).toBeLessThan(output.indexOf('{"level"'));
		expect(await firstCall(output)).toMatchObject({ choices: [{ message: { role: "assistant" } }] });
		expect(readdirSync(folder)).toEqual(["data"]);
		expect(existsSync(join(folder, "data/admin-token"))).toBe(true);
		const made = await runCommand(folder, ["token", "create", "--name", "second", "--json"]);
		expect(made).toMatchObject({ code: 0, errors: expect.stringContaining(`asking the server at ${portico.address}`) });
		const { key } = JSON.parse(made.output) as { key: string };
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const asked = { method: "POST", headers, body: JSON.stringify(chat) };
		expect((await fetch(`${portico.address}/v1/chat/completions`, asked)).status).toBe(200);
		expect(await portico.end("SIGTERM")).toBe(0);
	});

	test("commands that do not serve make nothing, and say why", async () => {
		for (const words of [["token", "list"], ["usage"], ["db", "backup", "copy.db"]]) {
			const { code, errors } = await runCommand(folder, words);
			expect({ code, errors }).toMatchObject({ code: 1, errors: expect.stringContaining("there is no database at") });
			expect(errors).toContain(`${join(folder, "data/portico.db")}, which the built-in default names;`);
		}
		expect(await runCommand(folder, ["check"])).toMatchObject({ code: 0 });
		expect(readdirSync(folder)).toEqual([]);
	});
});

describe("portico init", () => {
	test("writes a config with comments that is good and serves, and never over one", async () => {
		const first = await runCommand(folder, ["init"], { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", GEMINI_API_KEY: "" });
		expect(first).toMatchObject({ code: 0, output: expect.stringContaining(join(folder, "portico.yaml")) });
		const text = readFileSync(join(folder, "portico.yaml"), "utf8");
		expect(text).toContain("# who may call");
		expect(text).toMatch(/# +- \{ name: openai/);
		expect(await runCommand(folder, ["check"])).toMatchObject({ code: 0 });
		const again = await runCommand(folder, ["init", "--openai"]);
		expect(again).toMatchObject({ code: 1, errors: expect.stringContaining("it is there already") });
		expect(readFileSync(join(folder, "portico.yaml"), "utf8")).toBe(text);
	});

	test.each([
		[["--openai"], { OPENAI_API_KEY: "k" }, ["gpt-5"], ["claude-x", "gemini-x"]],
		[["--anthropic", "--google"], { ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k" }, ["claude-x", "gemini-x"], ["gpt-5"]],
		[[], { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "" }, ["claude-x"], ["gpt-5", "gemini-x"]],
	])("%j switches providers on", async (flags, environment, there, absent) => {
		expect((await runCommand(folder, ["init", ...flags], environment)).code).toBe(0);
		expect(await runCommand(folder, ["check"], environment)).toMatchObject({ code: 0, errors: "" });
		const { output } = await runCommand(folder, ["print-config"], environment);
		const names = [...output.matchAll(/- name: "?([\w.*-]+)"?$/gm)].map(([, name]) => name ?? "");
		const leads = (model: string) => names.some((name) => name.endsWith("*") && model.startsWith(name.slice(0, -1)));
		expect(there.every(leads)).toBe(true);
		expect(absent.some(leads)).toBe(false);
		expect(names).toContain("demo");
	});

	test("a flag that is none is refused with the nearest", async () => {
		const { code, errors } = await runCommand(folder, ["init", "--opnai"]);
		expect({ code, errors }).toMatchObject({ code: 1, errors: expect.stringContaining('did you mean "--openai"') });
		expect(readdirSync(folder)).toEqual([]);
	});
});

test("the call of a greeting is answered, whatever its model is called", async () => {
	const models = [{ name: "who's there", targets: [{ upstream: "demo" }] }];
	const plugins = [
		...["tokens", "chat-completions", "demo"].map((use) => ({ use })),
		{ use: "router", with: { models } },
	];
	const portico = await startProcess(folder, config({ plugins }));
	await portico.says(/"msg":"made the tables of a new database"/);
	expect(await firstCall(portico.output())).toMatchObject({ choices: [{ message: { role: "assistant" } }] });
	await portico.end("SIGTERM");
});

test("a greeting shows no call that would be refused", async () => {
	const portico = await startProcess(folder, config());
	await portico.says(/"warning":|first token/);
	expect(portico.output()).toContain("first token");
	expect(portico.output()).not.toContain("try it");
	await portico.end("SIGTERM");
});

describe("the data belongs to the config file", () => {
	test("from whatever folder it is named", async () => {
		const file = config();
		const elsewhere = join(folder, "elsewhere");
		mkdirSync(elsewhere);
		const portico = await startProcess(elsewhere, file);
		expect(await runCommand(elsewhere, ["token", "list", "--config", file])).toMatchObject({ code: 0 });
		await portico.end("SIGTERM");
		const listed = await runCommand("/", ["token", "list", "--config", file]);
		expect(listed).toMatchObject({ code: 0, output: expect.stringContaining("tok_") });
		expect(listed.errors).toContain(join(folder, "data/portico.db"));
		expect(readdirSync(elsewhere)).toEqual([]);
		expect(existsSync(join(folder, "data/admin-token"))).toBe(true);
	});

	test("a config in config/ keeps it beside that folder, and is found", async () => {
		mkdirSync(join(folder, "config"));
		const text = readFileSync(config(), "utf8");
		rmSync(join(folder, "portico.yaml"));
		writeFileSync(join(folder, "config/portico.yaml"), text);
		const portico = await startProcess(folder, undefined);
		await portico.end("SIGTERM");
		expect(readdirSync(folder).toSorted()).toEqual(["config", "data"]);
		expect(readdirSync(join(folder, "config"))).toEqual(["portico.yaml"]);
	});

	test("a file in the place of its folder is told in one sentence", async () => {
		writeFileSync(join(folder, "data"), "no folder");
		const { code, errors } = await runCommand(folder, ["serve", "--config", config()]);
		expect(code).toBe(1);
		expect(errors).toBe(
			`the data folder ${join(folder, "data")} cannot be used (there is a file in its place). Give this user the right to write there, or name another in database.url or server.dataFolder.\n`,
		);
	});
});

test("a server that stops, or is frozen, is told in a sentence", async () => {
	const plugins = [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "demo", with: { wordMs: 10_000 } },
		{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
	];
	const file = config({ server: { port: 0, drainSeconds: 60 }, plugins });
	const portico = await startProcess(folder, file);
	const { pid } = JSON.parse(readFileSync(join(folder, "data/portico.db.owner"), "utf8")) as { pid: number };
	const told = `asking the server at ${portico.address}\nprocess ${pid} at ${portico.address} is stopping, or does not answer; try again in a moment\n`;
	process.kill(pid, "SIGSTOP");
	const frozen = await runCommand(folder, ["status", "--config", file]);
	process.kill(pid, "SIGCONT");
	expect(frozen).toEqual({ code: 1, output: "", errors: told });
	const stream = await fetch(`${portico.address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${portico.key}`, "content-type": "application/json" },
		body: JSON.stringify({ ...chat, stream: true }),
	});
	const ended = portico.end("SIGTERM");
	await portico.says(/stopping: no new calls/);
	expect(await runCommand(folder, ["status", "--config", file])).toEqual({ code: 1, output: "", errors: told });
	await stream.body?.cancel();
	expect(await ended).toBe(0);
}, 60_000);

test("commands that do not serve need no upstream's key; serving does", async () => {
	const upstreams = [{ name: "main", protocol: "chat-completions", url: "http://127.0.0.1:9", key: keyReference }];
	const router = { use: "router", with: { upstreams, models: [] } };
	const file = config({ plugins: [{ use: "tokens" }, { use: "chat-completions" }, router] });
	const portico = await startProcess(folder, file, { SOME_KEY: "k" });
	await portico.end("SIGTERM");
	for (const words of [["token", "list"], ["db", "backup", "copy.db"], ["plugins"], ["print-config"], ["schema"]])
		expect(await runCommand(folder, [...words, "--config", file])).toMatchObject({ code: 0 });
	for (const words of [["serve"], ["check"]])
		expect(await runCommand(folder, [...words, "--config", file])).toMatchObject({
			code: 1,
			errors: expect.stringContaining("the variable SOME_KEY is not set"),
		});
});

describe("words", () => {
	const commands = [
		"serve",
		"init",
		"check",
		"connect",
		"schema",
		"plugins",
		"print-config",
		"version",
		"help",
		"db",
		"token",
		"usage",
	];

	test("every command explains itself", async () => {
		for (const command of commands) {
			const { code, output } = await runCommand(folder, [command, "--help"]);
			expect({ command, code }).toEqual({ command, code: 0 });
			expect(output).toContain(`portico`);
			expect(output.toLowerCase()).toContain(command === "serve" ? "--port" : command);
		}
		const { output } = await runCommand(folder, ["help"]);
		for (const command of commands) expect(output).toMatch(new RegExp(`^ {2}${command} +\\S`, "m"));
		expect(output).toContain("Exit codes");
		const explained = await runCommand(folder, ["help", "usage"]);
		expect(explained.output).toMatch(/^Shows what was used, and what it cost\.\n\nportico usage \[--by /);
		expect(readdirSync(folder)).toEqual([]);
	}, 60_000);

	test.each([
		[["serv"], 'there is no command "serv" (did you mean "serve"?)'],
		[["tokens", "list"], 'there is no command "tokens" (did you mean "token"?)'],
		[["serve", "--prot", "1"], 'portico serve takes no "--prot" (did you mean "--port"?)'],
		[["--prot=1"], 'there is no option "--prot=1" (did you mean "--port"?)'],
		[["check", "--confg", "x"], 'portico check takes no "--confg" (did you mean "--config"?)'],
		[["plugins", "--jsn"], 'portico plugins takes no "--jsn" (did you mean "--json"?)'],
		[["check", "extra"], 'portico check takes no "extra"'],
		[["help", "tokn"], 'there is no command "tokn" (did you mean "token"?)'],
		[["check", "--config", "."], ".: it is a folder; name the config file in it"],
	])("%j is refused with the nearest", async (words, message) => {
		const { code, errors } = await runCommand(folder, words);
		expect(code).toBe(1);
		expect(errors).toStartWith(message);
		expect(readdirSync(folder)).toEqual([]);
	});

	test("what a built-in plugin brings that the config has not is told with that plugin", async () => {
		const file = config();
		const portico = await startProcess(folder, file);
		await portico.end("SIGTERM");
		const refusedOf = async (...words: string[]) => (await runCommand(folder, [...words, "--config", file])).errors;
		for (const [command, plugin] of [
			["usage", "ledger"],
			["calls", "ledger"],
			["audit", "people"],
			["alerts", "alerts"],
			["deliveries", "webhooks"],
		] as const)
			expect(await refusedOf(command)).toBe(
				`there is no command "${command}": the plugin "${plugin}", which brings it, is not in ${file}; add "- use: ${plugin}" to the plugins\n`,
			);
		for (const [option, plugin] of [
			["--quota", "quota"],
			["--expires-at", "expiry"],
			["--ips", "ip-whitelist"],
		] as const)
			expect(await refusedOf("token", "create", option, "5")).toContain(
				`there is no option "${option}" here: the plugin "${plugin}", which brings it, is not in ${file}; add "- use: ${plugin}" to the plugins\n\nportico token create`,
			);
		expect(await refusedOf("token", "create", "--colour", "5")).toContain('there is no option "--colour" here\n\n');
	}, 30_000);

	test("a plugin that is mistyped is told with the nearest", async () => {
		const { code, errors } = await runCommand(folder, ["check", "--config", config({ plugins: [{ use: "tokns" }] })]);
		expect(code).toBe(1);
		expect(errors).toContain('there is no built-in plugin "tokns" (did you mean "tokens"?)');
	});

	test("an expiry in the past is refused; the log is as it was asked for", async () => {
		const plugins = ["tokens", "expiry"].map((use) => ({ use }));
		const file = config({ plugins });
		const portico = await startProcess(folder, file, {}, ["--log-format", "text", "--log-level", "info"]);
		await portico.says(/info {2}made the tables of a new database {2}migrations=\d+/);
		const words = ["token", "create", "--name", "late", "--config", file, "--expires-at"];
		const late = await runCommand(folder, [...words, "2020-01-01T00:00:00Z"]);
		expect(late).toMatchObject({ code: 1, errors: expect.stringContaining("is in the past, for now it is 20") });
		expect(await runCommand(folder, [...words, "2099-01-01T00:00:00Z"])).toMatchObject({ code: 0 });
		expect(await portico.end("SIGTERM")).toBe(0);
	});

	test("version tells version, commit, schema and runtime", async () => {
		const { output } = await runCommand(folder, ["version"]);
		expect(output).toMatch(/^portico {2}\d+\.\d+\.\d+\ncommit {3}[0-9a-f]{40}\nschema {3}\d{3}-.*\nruntime {2}Bun \d/);
	});
});
