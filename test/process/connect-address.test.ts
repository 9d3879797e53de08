/** `portico connect` tells the address at which the server runs, whatever port it was started with. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";

const folder = mkdtempSync(join(tmpdir(), "portico-connect-"));
afterAll(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

test("while it runs, and by the config when it does not", async () => {
	writeFileSync(
		join(folder, "portico.yaml"),
		JSON.stringify({
			server: { port: 8787 },
			database: { url: "file:data/portico.db" },
			plugins: [{ use: "tokens" }, { use: "messages" }],
		}),
	);
	const told = async () => (await runCommand(folder, ["connect", "claude-code"])).output;
	const server = await startProcess(folder, undefined, { PORTICO_PORT: "0" });
	expect(await told()).toContain(`"ANTHROPIC_BASE_URL": "${server.address}"`);
	await server.end("SIGTERM");
	expect(await told()).toContain('"ANTHROPIC_BASE_URL": "http://127.0.0.1:8787"');
}, 30_000);
