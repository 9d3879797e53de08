/** Several workers on one port, on every runtime: both answer, and both end in order. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startSqlServer } from "../support/sql-server.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "portico-workers-"));
const database = startSqlServer(join(folder, "shared.db"));

/** On a connection of its own, so that the kernel chooses the worker anew. Its status. */
const ask = (address: string, key: string): Promise<number> =>
	new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const call = request(`${address}/v1/chat/completions`, { method: "POST", headers, agent: false }, (response) => {
			response.resume();
			response.once("end", () => resolve(response.statusCode ?? 0));
		});
		call.once("error", reject);
		call.end(JSON.stringify({ model: "demo", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] }));
	});

after(async () => {
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

test("two workers share a port and a token, and end with the process that started them", async () => {
	const config = join(folder, "portico.yaml");
	const shipped = readFileSync(join(root, "config/portico.yaml"), "utf8");
	writeFileSync(config, shipped.replace("port: 8787", "port: 0").replace("file:data/portico.db", database.url));
	const runtime = "Deno" in globalThis ? ["run", "-A", "--no-check", "--unstable-net"] : [];
	const words = [...runtime, join(root, "core/main.ts"), "serve", "--workers", "2", "--config", config];
	const server = spawn(process.execPath, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
	const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
	let output = "";
	const begun = new Promise<void>((resolve) => {
		for (const stream of [server.stdout, server.stderr])
			stream.on("data", (data) => {
				output += String(data);
				if (/"worker":2,"process"/.test(output) && /sk-/.test(output)) resolve();
			});
	});
	try {
		await Promise.race([begun, ended.then((code) => assert.fail(`the server ended with ${code}: ${output}`))]);
		const address = /serves at (http:\S+)/.exec(output)?.[1] ?? "";
		const key = /(sk-[0-9A-Za-z]{49})/.exec(output)?.[1] ?? "";
		const statuses = await Promise.all(Array.from({ length: 40 }, () => ask(address, key)));
		assert.deepEqual(statuses, Array(40).fill(200));
		const adminToken = readFileSync(join(folder, "data/admin-token"), "utf8").trim();
		const shown = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
		assert.match(await shown.text(), /^portico_workers 2$/m);
	} finally {
		// Deno's own `kill` tells of the signal instead of the code.
		if (server.pid !== undefined) process.kill(server.pid, "SIGTERM");
	}
	assert.equal(await ended, 0);
});
