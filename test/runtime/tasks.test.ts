/** A task with its callbacks on every runtime: sockets that are dialled by address, one answered late, files, a stop. Written for `node:test`. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "portico-runtime-tasks-"));
// Deno does not run the `after` of a file; it tells of its end by this event.
globalThis.addEventListener?.("unload", () => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, "portico.yaml");
const runtime = "Deno" in globalThis ? ["run", "-A", "--no-check"] : [];

let server: ChildProcess;
let receiver: Server;
let address = "";
let key = "";
let hook = "";
const callbacks: { readonly path: string; readonly status: string; readonly imageUrl: string }[] = [];

const until = async (condition: () => boolean, what: string): Promise<void> => {
	for (const end = Date.now() + 20_000; !condition(); await pause(20))
		if (Date.now() > end) throw new Error(`${what} did not come`);
};

const ask = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
	const response = await fetch(address + path, {
		method: body === undefined ? "GET" : "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return (await response.json()) as Record<string, unknown>;
};

before(async () => {
	receiver = createServer((request, response) => {
		let text = "";
		request.on("data", (data) => {
			text += String(data);
		});
		request.on("end", () => {
			callbacks.push({ path: request.url ?? "", ...(JSON.parse(text) as { status: string; imageUrl: string }) });
			response.writeHead(request.url === "/failing" ? 500 : 200).end();
		});
	});
	await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
	hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
	const plugins = [
		{ use: "tokens" },
		{ use: "webhooks", with: { allowPrivateNetworks: true } },
		{ use: "tasks" },
		{ use: "image" },
		{ use: "demo", with: { taskSeconds: 0.5, taskModels: ["midjourney"] } },
	];
	writeFileSync(
		config,
		JSON.stringify({ server: { port: 0 }, database: { url: `file:${join(folder, "portico.db")}` }, plugins }),
	);
	server = spawn(process.execPath, [...runtime, join(root, "core/main.ts"), "serve", "--config", config], {
		cwd: folder,
		stdio: ["ignore", "pipe", "pipe"],
	});
	let output = "";
	for (const stream of [server.stdout, server.stderr])
		stream?.on("data", (data) => {
			output += String(data);
		});
	await until(() => /(sk-[0-9A-Za-z]{49})/.test(output), "the greeting");
	key = /(sk-[0-9A-Za-z]{49})/.exec(output)?.[1] ?? "";
	address = /serves at (http:\S+)/.exec(output)?.[1] ?? "";
});

after(async () => {
	const ended = new Promise((resolve) => server.once("exit", resolve));
	server.kill("SIGTERM");
	assert.equal(await ended, 0);
	receiver.close();
	rmSync(folder, { recursive: true, force: true });
});

test("a task is done and called back at every state, and its file opens", async () => {
	const { result } = await ask("/mj/submit/imagine", { prompt: "a lighthouse", notifyHook: `${hook}/ok` });
	const mine = () => callbacks.filter(({ path }) => path === "/ok");
	await until(() => mine().length === 3, "the third callback");
	assert.deepEqual(
		mine().map(({ status }) => status),
		["NOT_START", "IN_PROGRESS", "SUCCESS"],
	);
	const picture = new Uint8Array(await (await fetch(mine()[2]?.imageUrl ?? "")).arrayBuffer());
	assert.deepEqual([...picture.subarray(1, 4)], [0x50, 0x4e, 0x47]);
	// The receiver has the third before Portico has heard that it has.
	let statuses: string[] = [];
	const settled = async (): Promise<boolean> => {
		const { data } = (await ask(`/v1/tasks/${result}/deliveries`)) as { data: { status: string }[] };
		statuses = data.map(({ status }) => status);
		return !statuses.includes("sending");
	};
	for (let asked = 0; asked < 100 && !(await settled()); asked++);
	assert.deepEqual(statuses, ["delivered", "delivered", "delivered"]);
});

test("a form that was cut off makes no task", async () => {
	const part = (name: string, value: string) =>
		`--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
	const parts =
		part("kind", "image") + part("model", "midjourney") + part("prompt", "a lighthouse") + part("seed", "1");
	const send = async (body: string): Promise<number> => {
		const headers = { authorization: `Bearer ${key}`, "content-type": "multipart/form-data; boundary=B" };
		const answer = await fetch(`${address}/v1/tasks`, { method: "POST", headers, body });
		await answer.body?.cancel();
		return answer.status;
	};
	const statuses = [await send(parts), await send(`${parts}--B\r\nContent-Dispo`), await send(`${parts}--B--\r\n`)];
	assert.deepEqual(statuses, [400, 400, 202]);
});

test("a failing receiver and a dead one are logged as what they are", async () => {
	const failing = (await ask("/mj/submit/imagine", { prompt: "x", notifyHook: `${hook}/failing` })).result;
	const dead = (await ask("/mj/submit/imagine", { prompt: "x", notifyHook: "http://127.0.0.1:1/" })).result;
	const errorOf = async (id: unknown): Promise<string | null | undefined> => {
		const { data } = (await ask(`/v1/tasks/${id}/deliveries`)) as { data: { attempts: { error: string | null }[] }[] };
		return data[0]?.attempts[0]?.error;
	};
	for (let look = 0; look < 200 && (await errorOf(failing)) === undefined; look++) await pause(20);
	for (let look = 0; look < 200 && (await errorOf(dead)) === undefined; look++) await pause(20);
	assert.deepEqual([await errorOf(failing), await errorOf(dead)], ["http_500", "connection_refused"]);
});
