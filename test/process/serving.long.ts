/** How a process serves and leaves: a delay before it stops, and warnings about its config. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-serving-"));
});
afterEach(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

const router = (upstreams: readonly object[] = []) => ({
	use: "router",
	with: { upstreams, models: [{ name: "demo", targets: [{ upstream: "demo" }] }] },
});
const config = (
	server: object,
	plugins: readonly object[] = [{ use: "tokens" }, { use: "demo" }, router()],
): string => {
	const file = join(folder, "portico.yaml");
	const all = [{ use: "chat-completions" }, ...plugins];
	writeFileSync(file, JSON.stringify({ server: { port: 0, ...server }, plugins: all }));
	return file;
};

const chat = (address: string, key: string | undefined) =>
	fetch(`${address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: "Hello" }] }),
	});

test("server.shutdownDelaySeconds: not ready, and calls are answered, before it stops", async () => {
	const portico = await startProcess(folder, config({ shutdownDelaySeconds: 2 }));
	expect((await fetch(`${portico.address}/readyz`)).status).toBe(200);
	const ended = portico.end("SIGTERM");
	await portico.says(/told to stop/);
	const ready = await fetch(`${portico.address}/readyz`);
	expect({ status: ready.status, body: await ready.json() }).toMatchObject({
		status: 503,
		body: { reason: "stopping" },
	});
	expect((await chat(portico.address, portico.key)).status).toBe(200);
	expect(await ended).toBe(0);
	expect(portico.output()).toContain('"msg":"stopped"');
});

test("check warns of what is allowed and probably not meant", async () => {
	const warned = async (file: string, environment: Readonly<Record<string, string>> = {}) => {
		const { code, output } = await runCommand(folder, ["check", "--config", file], environment);
		expect(code).toBe(0);
		return output;
	};
	expect(await warned(config({}))).not.toContain("warning");
	expect(await warned(config({ host: "0.0.0.0" }))).toContain(
		"warning: server.host: 0.0.0.0 is reached from elsewhere over plain HTTP",
	);
	expect(await warned(config({ host: "0.0.0.0", trustedProxies: ["10.0.0.0/8"] }))).not.toContain("warning");
	expect(await warned(config({ memoryBytes: 2 ** 50 }))).toContain("bodies and answers may hold 1073741824 MB of the ");
	expect(await warned(config({ memoryBytes: 64 * 2 ** 20 }))).toContain(
		"bodies of more than 32 MB, half of what all may",
	);
	expect(await warned(config({}, [{ use: "demo" }, router()]))).toContain("warning: plugins: none recognises tokens");
	expect(await warned(config({}, [{ use: "tokens" }]))).toContain('so every call is refused; add "- use: router"');
	const noModels = [{ use: "tokens" }, { use: "router" }];
	expect(await warned(config({}, noModels))).toContain("warning: router: models: none is named");
	const nothingServed = join(folder, "tokens.yaml");
	writeFileSync(nothingServed, "plugins: [{ use: tokens }]\n");
	expect(await warned(nothingServed)).toContain("warning: plugins: none answers calls of models, so every one is 404");
	writeFileSync(nothingServed, "plugins: [{ use: embeddings }]\n");
	expect(await warned(nothingServed)).toContain("warning: plugins: none recognises tokens, so every call is refused");
	const empty = join(folder, "empty.yaml");
	writeFileSync(empty, "server: { port: 0 }\n");
	expect(await warned(empty)).toContain("warning: plugins: none is named, so no call is answered");
	const upstream = (more: object) => ({
		name: "main",
		protocol: "chat-completions",
		url: "http://127.0.0.1:9",
		...more,
	});
	const withKey = (more: object) => config({}, [{ use: "tokens" }, { use: "demo" }, router([upstream(more)])]);
	expect(await warned(withKey({ key: ["$", "{SOME_KEY}"].join("") }), { SOME_KEY: "" })).toContain(
		'"main" has an empty key',
	);
	expect(await warned(withKey({ key: "sk-12345678sk-12345678" }))).toContain("pasted twice");
	expect(await warned(withKey({ key: "Bearer sk-1" }))).toContain('begins with "Bearer"');
	expect(await warned(withKey({ key: "a", keys: ["b", "b"] }))).toMatch(/the same key twice[\s\S]*both key and keys/);
	expect(await warned(withKey({ key: "a", headers: { "X-Api-Key": "b" } }))).toContain("the header X-Api-Key");
	expect(await warned(withKey({ key: "sk-fine" }))).not.toContain("warning");
}, 60_000);
