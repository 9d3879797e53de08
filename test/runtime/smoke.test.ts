/** The same few steps on every runtime: start, one call, one stream, one token by the command line. Written for `node:test`, which Bun and Deno both run. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "portico-runtime-"));
// Deno does not run the `after` of a file; it tells of its end by this event.
globalThis.addEventListener?.("unload", () => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, "portico.yaml");

/** How this runtime runs a file: the same one that runs this test. */
const runtime = "Deno" in globalThis ? ["run", "-A", "--no-check"] : [];
const command = (...words: string[]) => [...runtime, join(root, "core/main.ts"), ...words, "--config", config];

let server: ChildProcess;
let output = "";
let address = "";
let key = "";

const printed = (pattern: RegExp): Promise<string> =>
	new Promise((resolve, reject) => {
		const look = () => {
			const match = pattern.exec(output)?.[1];
			if (match !== undefined) resolve(match);
		};
		server.stdout?.on("data", (data) => {
			output += String(data);
			look();
		});
		server.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
	});

const run = (...words: string[]): Promise<{ code: number | null; text: string }> =>
	new Promise((resolve) => {
		const child = spawn(process.execPath, command(...words), { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
		let text = "";
		child.stdout.on("data", (data) => {
			text += String(data);
		});
		child.once("close", (code) => resolve({ code, text }));
	});

const ask = (body: object, token = key): Promise<Response> =>
	fetch(`${address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: "Hello" }], ...body }),
	});

before(async () => {
	const shipped = readFileSync(join(root, "config/portico.yaml"), "utf8");
	writeFileSync(config, shipped.replace("port: 8787", "port: 0"));
	server = spawn(process.execPath, command("serve"), { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
	server.stderr?.on("data", (data) => {
		output += String(data);
	});
	key = await printed(/(sk-[0-9A-Za-z]{49})/);
	address = /serves at (http:\S+)/.exec(output)?.[1] ?? "";
});

after(async () => {
	const ended = new Promise((resolve) => server.once("exit", resolve));
	server.kill("SIGTERM");
	assert.equal(await ended, 0);
	rmSync(folder, { recursive: true, force: true });
});

test("a call is answered", async () => {
	const response = await ask({});
	assert.equal(response.status, 200);
	const body = (await response.json()) as { choices: { message: { content: string } }[] };
	assert.match(body.choices[0]?.message.content ?? "", /demo model/);
});

test("a stream comes in pieces and ends with [DONE]", async () => {
	const response = await ask({ stream: true });
	const text = await response.text();
	assert.ok(text.split("\n\n").length > 10);
	assert.ok(text.endsWith("data: [DONE]\n\n"));
});

test("a token made on the command line works while the server runs", async () => {
	const { code, text } = await run("token", "create", "--name", "made", "--json");
	assert.equal(code, 0);
	const made = JSON.parse(text) as { id: string; key: string };
	assert.ok(made.id);
	assert.equal((await ask({}, made.key)).status, 200);
});

test("an unknown key is refused", async () => {
	const response = await ask({}, "sk-nothing");
	assert.equal(response.status, 401);
	await response.body?.cancel();
});
