/** A process that is given no more memory: whether it lives on or dies, nothing acknowledged is lost and the next start is clean. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asList, asRecord } from "#core";
import { endProcesses, startProcess } from "../support/process.ts";

/** Linux's own tool; where it is missing there is nothing to limit memory with. */
const canLimit = spawnSync("prlimit", ["--version"]).status === 0;
/** Room for a start and some calls, and not for what is sent then. */
const limitBytes = 450_000_000;
const bodies = 24;
const bodyBytes = 40_000_000;

let folder: string;
let config: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-memory-"));
	config = join(folder, "portico.yaml");
	const plugins = [
		{ use: "tokens" },
		{ use: "prices", with: { models: { demo: { input: 100, output: 100 } } } },
		{ use: "quota" },
		{ use: "chat-completions" },
		{ use: "demo", with: { wordMs: 0 } },
		{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
		{ use: "ledger" },
	];
	const server = { port: 0, bodyLimitBytes: 64_000_000 };
	writeFileSync(config, JSON.stringify({ server, database: { url: "file:data/portico.db" }, plugins }));
});
afterAll(endProcesses);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ask = (address: string, key: string): Promise<Response> =>
	fetch(`${address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ model: "demo", max_tokens: 50, messages: [{ role: "user", content: "Hello" }] }),
		keepalive: false,
	});

/** Sends all but the last byte of a large body and holds it; settles when the other end has let go or taken it all. */
const hold = (address: string, key: string): { readonly socket: Socket; readonly sent: Promise<void> } => {
	const { hostname, port } = new URL(address);
	const filler = Buffer.alloc(bodyBytes - 1, '{"a":1},');
	const { promise: sent, resolve: done } = Promise.withResolvers<void>();
	const socket = connect(Number(port), hostname, () => {
		socket.write(
			`POST /v1/chat/completions HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bodyBytes}\r\n\r\n`,
		);
		socket.write(filler, () => done());
	});
	socket.on("error", () => undefined);
	socket.on("close", () => done());
	socket.resume();
	return { socket, sent };
};

test.if(canLimit)(
	"out of memory: what was answered is charged and written down, and the next start is clean",
	async () => {
		const first = await startProcess(folder, config, {}, [], ["prlimit", `--data=${limitBytes}`, "node"]);
		const admin = async (address: string, method: string, path: string, body?: object) => {
			const token = readFileSync(join(folder, "data/admin-token"), "utf8").trim();
			const response = await fetch(address + path, {
				method,
				headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
				...(body && { body: JSON.stringify(body) }),
			});
			return asRecord(await response.json());
		};
		const { id, key } = await admin(first.address, "POST", "/admin/tokens", { name: "metered", quota: 1 });
		const good = 20;
		for (let call = 0; call < good; call++) expect((await ask(first.address, String(key))).status).toBe(200);
		const { used } = await admin(first.address, "GET", `/admin/tokens/${id}`);
		const each = Number(used) / good;
		expect(each).toBeGreaterThan(0);

		const held = Array.from({ length: bodies }, () => hold(first.address, String(key)));
		await Promise.race([first.ended, Promise.all(held.map(({ sent }) => sent))]);
		for (const { socket } of held) socket.destroy();
		const code = await Promise.race([
			first.ended,
			ask(first.address, String(key)).then(
				(response) => response.status,
				() => first.ended,
			),
		]);
		// It died, or it lives and answers.
		expect(code).not.toBe(0);
		if (code === 200) await first.end("SIGTERM");

		const next = await startProcess(folder, config);
		expect((await ask(next.address, String(key))).status).toBe(200);
		const usage = asRecord(asList((await admin(next.address, "GET", `/admin/usage?by=token&token=${id}`))["data"])[0]);
		const account = await admin(next.address, "GET", `/admin/tokens/${id}`);
		expect(Number(account["used"])).toBeCloseTo(each * (good + (code === 200 ? 2 : 1)), 6);
		expect(usage["cost"]).toBe(account["used"]);
		expect(Number(account["used"]) + Number(account["remaining"])).toBeCloseTo(1, 6);
		expect(await next.end("SIGTERM")).toBe(0);
	},
	120_000,
);
