/** npm hands a signal to the shell that it runs a script in; the server that stands behind it hears of it all the same. */
import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** With all that it has started. */
const endGroup = (leader: number | undefined): void => {
	try {
		if (leader !== undefined) process.kill(-leader, "SIGKILL");
	} catch {
		// All of it has ended.
	}
};

test("`npm start` that is told to stop leaves no server behind", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-npm-"));
	const config = join(folder, "portico.yaml");
	writeFileSync(config, JSON.stringify({ server: { port: 0 }, plugins: [{ use: "tokens" }] }));
	const npm = spawn("npm", ["start", "--silent", "--", "--config", config], { cwd: root, detached: true });
	const said: string[] = [];
	npm.stderr.on("data", (data: Buffer) => said.push(data.toString()));
	const closed = once(npm.stderr, "close");
	try {
		const [greeting] = await once(npm.stdout, "data");
		const [address = ""] = /http:\S+/.exec(String(greeting)) ?? [];
		expect((await fetch(`${address}/healthz`)).status).toBe(200);
		npm.kill("SIGTERM");
		// Whoever is left holds the other end.
		await closed;
		expect(said.join("")).toContain('"msg":"stopped"');
		expect(fetch(`${address}/healthz`)).rejects.toThrow();
	} finally {
		endGroup(npm.pid);
		rmSync(folder, { recursive: true, force: true });
	}
}, 30_000);
