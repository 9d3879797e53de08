/** Upstreams are asked by way of the proxy that the config names, those of tasks too; hosts that NO_PROXY names are asked directly. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { endProcesses, type PorticoProcess, startProcess } from "../support/process.ts";

const answer = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "m",
	choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const picture = {
	created: 1,
	data: [
		{ b64_json: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" },
	],
};

const deno = resolve(import.meta.dir, "../../node_modules/.bin/deno");

afterAll(endProcesses);

describe.each([
	["Bun", ["node"]],
	["Deno", [deno, "run", "-A"]],
])("on %s", (_, starter) => {
	const folder = mkdtempSync(join(tmpdir(), "portico-test-"));
	let proxy: ScriptedUpstream;
	let near: ScriptedUpstream;
	let portico: PorticoProcess;

	beforeAll(async () => {
		proxy = startUpstream(({ path }) => Response.json(path.includes("images") ? picture : answer));
		near = startUpstream(() => Response.json(answer));
		const upstreams = [
			{ name: "far", url: "http://provider.example/v1", protocol: "chat-completions" },
			{ name: "near", url: `${near.url}/v1`, protocol: "chat-completions" },
		];
		const models = upstreams.map(({ name }) => ({ name, targets: [{ upstream: name }] }));
		const pictures = { name: "pictures", type: "openai-images", url: "http://provider.example/v1", models: ["pic"] };
		const plugins = [
			{ use: "tokens" },
			{ use: "chat-completions" },
			{ use: "tasks" },
			{ use: "image", with: { upstreams: [pictures] } },
			{ use: "router", with: { upstreams, models } },
		];
		const config = join(folder, "portico.yaml");
		const server = { port: 0, httpProxy: proxy.url };
		writeFileSync(config, JSON.stringify({ server, database: { url: "file:data/portico.db" }, plugins }));
		portico = await startProcess(folder, config, { NO_PROXY: "127.0.0.1" }, [], starter);
	}, 60_000);

	afterAll(async () => {
		await portico.end("SIGTERM");
		await proxy.stop();
		await near.stop();
		rmSync(folder, { recursive: true, force: true });
	});

	const ask = async (path: string, body: unknown): Promise<number> => {
		const headers = { authorization: `Bearer ${portico.key}`, "content-type": "application/json" };
		return (await fetch(portico.address + path, { method: "POST", headers, body: JSON.stringify(body) })).status;
	};

	test("a call goes by the proxy", async () => {
		const before = proxy.received.length;
		const messages = [{ role: "user", content: "Hello" }];
		expect(await ask("/v1/chat/completions", { model: "far", messages })).toBe(200);
		expect(proxy.received).toHaveLength(before + 1);
	});

	test("a task's request does too", async () => {
		const before = proxy.received.length;
		expect(await ask("/v1/images/generations", { model: "pic", prompt: "A door" })).toBe(200);
		expect(proxy.received).toHaveLength(before + 1);
	});

	test("a host that NO_PROXY names is asked directly", async () => {
		const before = proxy.received.length;
		const messages = [{ role: "user", content: "Hello" }];
		expect(await ask("/v1/chat/completions", { model: "near", messages })).toBe(200);
		expect([near.received.length, proxy.received.length]).toEqual([1, before]);
	});
});
