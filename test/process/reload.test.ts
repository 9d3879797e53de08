/** A running process is told to read its config again. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { endProcesses, startProcess } from "../support/process.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-reload-"));
});
afterAll(endProcesses);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const later = () => new Promise((resolve) => setTimeout(resolve, 20));

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

	const leaving = { port: 0, shutdownDelaySeconds: 0.1 };
	writeFileSync(config, JSON.stringify({ ...configOf(["demo", "other"]), server: leaving }));
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
	expect(portico.output()).toContain('"told to stop: /readyz says so, calls are still answered"');
}, 30_000);

test.each([
	["on Bun", ["node"]],
	["on Deno", [resolve(import.meta.dir, "../../node_modules/.bin/deno"), "run", "-A"]],
] as const)(
	"SIGHUP from the first moment on ends no server that starts, and is not lost: %s",
	async (_, [program, ...words]) => {
		const config = join(folder, "early.yaml");
		writeFileSync(config, JSON.stringify({ ...configOf(["demo"]), database: { url: "file:early/portico.db" } }));
		const launcher = resolve(import.meta.dir, "../../bin/portico.mjs");
		const child = spawn(program, [...words, launcher, "serve", "--config", config], {
			stdio: ["ignore", "pipe", "pipe"],
		});
		const ended = new Promise<number | null>((exit) => child.once("exit", exit));
		const runs = (): boolean => child.exitCode === null && child.signalCode === null;
		let output = "";
		for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
		// The launcher itself hears signals once Node has read it: it starts Portico in the same moment.
		while (spawnSync("pgrep", ["-P", String(child.pid)]).status !== 0 && runs()) await later();
		const telling = setInterval(() => child.kill("SIGHUP"), 20);
		await Promise.race([ended, new Promise((serves) => child.stdout.once("data", serves))]);
		clearInterval(telling);
		while (!output.includes('"reloaded"') && runs()) await later();
		child.kill("SIGTERM");
		expect(await ended).toBe(0);
		expect(output).toContain("Portico serves at");
	},
	60_000,
);
