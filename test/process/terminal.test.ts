/** What clients write reaches the operator's terminal as something to see, and never as something to obey or to believe. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";

const folder = mkdtempSync(join(tmpdir(), "portico-terminal-"));
afterAll(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

const plugins = ["tokens", "chat-completions", "demo", "router", "ledger"].map((use) => ({ use }));

test("a model's name with a terminal's commands and a line of its own", async () => {
	const config = join(folder, "portico.yaml");
	writeFileSync(config, JSON.stringify({ server: { port: 0 }, database: { url: "file:data/portico.db" }, plugins }));
	const { address, key } = await startProcess(folder, config);
	const model = "\u001b]52;c;cm0gLXJm\u0007\u009b2J\u202e\r\n  charged $9.99";
	const refused = await fetch(`${address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
	});
	expect(refused.status).toBe(404);
	const id = refused.headers.get("x-request-id") ?? "";
	for (const words of [["explain", id], ["calls"], ["usage"], ["calls", "--model", model]]) {
		const { output, errors } = await runCommand(folder, [...words, "--config", config]);
		expect(output + errors).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
		expect(output + errors).not.toMatch(/^ +charged \$9\.99/m);
	}
	expect((await runCommand(folder, ["explain", id, "--config", config])).output).toContain("�]52;c;cm0gLXJm�");
}, 30_000);
