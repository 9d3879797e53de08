/** A running process is told to read its config again. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, startProcess } from "../support/process.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-reload-"));
});
afterAll(endProcesses);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const configOf = (models: readonly string[], more: object = {}) => ({
	server: { port: 0 },
	database: { url: "file:data/portico.db" },
	plugins: [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "demo", with: { wordMs: 0 } },
		{ use: "router", with: { models: models.map((name) => ({ name, targets: [{ upstream: "demo" }] })), ...more } },
	],
});

test("SIGHUP brings a sound config in while the server runs, and leaves it alone when the config is not sound", async () => {
	const config = join(folder, "portico.yaml");
	writeFileSync(config, JSON.stringify(configOf(["demo"])));
	const portico = await startProcess(folder, config);
	const ask = async (model: string) => {
		const response = await fetch(`${portico.address}/v1/chat/completions`, {
			method: "POST",
			headers: { authorization: `Bearer ${portico.key}`, "content-type": "application/json" },
			body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
		});
		await response.body?.cancel();
		return response.status;
	};
	expect([await ask("demo"), await ask("other")]).toEqual([200, 404]);

	writeFileSync(config, JSON.stringify(configOf(["demo", "other"])));
	const ended = portico.end("SIGHUP");
	await portico.says(/"reloaded"/);
	expect([await ask("demo"), await ask("other")]).toEqual([200, 200]);

	writeFileSync(config, JSON.stringify(configOf(["demo"], { modles: [] })));
	void portico.end("SIGHUP");
	await portico.says(/the new configuration was refused/);
	expect(portico.output()).toContain('did you mean \\"models\\"?');
	expect(await ask("other")).toBe(200);

	void portico.end("SIGTERM");
	expect(await ended).toBe(0);
}, 30_000);
