/** npm hands a signal to the shell that it runs a script in; the server that stands behind it hears of it all the same. */
import { afterAll, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

let npm: ChildProcess | undefined;
const folder = mkdtempSync(join(tmpdir(), "portico-npm-"));
afterAll(() => {
	try {
		// With all that it has started.
		if (npm?.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
	} catch {
		// All of it has ended.
	}
	rmSync(folder, { recursive: true, force: true });
});

test("`npm start` that is told to stop leaves no server behind", async () => {
	const config = join(folder, "portico.yaml");
	writeFileSync(config, JSON.stringify({ server: { port: 0 }, plugins: [{ use: "tokens" }] }));
	const started = spawn("npm", ["start", "--silent", "--", "--config", config], { cwd: root, detached: true });
	npm = started;
	const said: string[] = [];
	started.stderr.on("data", (data: Buffer) => said.push(data.toString()));
	const closed = once(started.stderr, "close");
	const [greeting] = await once(started.stdout, "data");
	const [address = ""] = /http:\S+/.exec(String(greeting)) ?? [];
	expect((await fetch(`${address}/healthz`)).status).toBe(200);
	started.kill("SIGTERM");
	// Whoever is left holds the other end.
	await closed;
	expect(said.join("")).toContain('"msg":"stopped"');
	expect(fetch(`${address}/healthz`)).rejects.toThrow();
}, 30_000);
