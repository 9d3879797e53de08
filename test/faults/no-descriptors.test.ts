/** A process whose file descriptors are used up by clients that connect at once: it lives, says so, and goes on. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { endProcesses, startProcess } from "../support/process.ts";

/** Linux's own tool; where it is missing there is nothing to limit descriptors with. */
const canLimit = spawnSync("prlimit", ["--version"]).status === 0;
const limit = 128;

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-descriptors-"));
});
afterAll(endProcesses);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const opened = (address: string): Promise<Socket> => {
	const { hostname, port } = new URL(address);
	const socket = connect(Number(port), hostname);
	socket.on("error", () => undefined);
	return new Promise((resolve) => socket.once("connect", () => resolve(socket)));
};

/** One that begins to ask something: the system may keep a silent one to itself for a second. */
const begun = async (address: string): Promise<Socket> => {
	const socket = await opened(address);
	socket.write("GET /healthz HTTP/1.1\r\n");
	return socket;
};

/** Asks over a connection that is open already; resolves with all of the answer that has come when it is whole. */
const over = (socket: Socket, request: string): Promise<string> => {
	let text = "";
	return new Promise((resolve) => {
		const whole = (): void => resolve(text);
		const hear = (data: unknown): void => {
			text += String(data);
			if (!text.endsWith("}")) return;
			socket.off("data", hear);
			whole();
		};
		socket.once("close", whole);
		socket.on("data", hear);
		socket.write(request);
	});
};

const health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const troublesWith = (admin: string): string =>
	`GET /admin/troubles HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${admin}\r\n\r\n`;
const callWith = (key: string): string => {
	const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }] });
	return `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

test.if(canLimit)(
	"no file descriptor left at the first call: it is refused for that, costs nothing, and later ones are answered",
	async () => {
		const vendor = startUpstream();
		vendor.answer(() => Response.json(chatAnswer()));
		const config = join(folder, "portico.yaml");
		const upstreams = [{ name: "vendor", protocol: "chat-completions", url: vendor.url, key: "k" }];
		const plugins = [
			{ use: "tokens" },
			{ use: "prices", with: { models: { m: { input: 1, output: 1 } } } },
			{ use: "quota" },
			{ use: "chat-completions" },
			{ use: "router", with: { upstreams, models: [{ name: "m", targets: [{ upstream: "vendor" }] }] } },
			{ use: "ledger" },
		];
		const database = { url: "file:data/portico.db" };
		writeFileSync(config, JSON.stringify({ server: { port: 0 }, database, plugins }));
		const portico = await startProcess(folder, config, {}, [], ["prlimit", `--nofile=${limit}:${limit}`, "node"]);
		const { address, key = "" } = portico;

		const first = await opened(address);
		expect(await over(first, health)).toStartWith("HTTP/1.1 200 ");
		const others = await Promise.all(Array.from({ length: limit }, () => begun(address)));
		// It has taken all connections that it can once it answers after they were made.
		for (let round = 0; round < 3; round++) expect(await over(first, health)).toStartWith("HTTP/1.1 200 ");
		const refused = await over(first, callWith(key));
		expect(refused).toStartWith("HTTP/1.1 502 ");
		expect(refused).toContain("This gateway has no socket left to reach");
		const admin = readFileSync(join(folder, "data/admin-token"), "utf8").trim();
		expect(await over(first, troublesWith(admin))).toContain('"what":"open files"');
		for (const socket of others) socket.destroy();

		const later = await opened(address);
		expect(await over(later, callWith(key))).toStartWith("HTTP/1.1 200 ");
		for (const socket of [first, later]) socket.destroy();
		const headers = { authorization: `Bearer ${admin}` };
		const troubles = await fetch(`${address}/admin/troubles`, { headers });
		expect(JSON.parse(await troubles.text())).toMatchObject({ data: [] });
		const calls = await fetch(`${address}/admin/calls`, { headers });
		const { data } = JSON.parse(await calls.text());
		expect(data).toHaveLength(2);
		expect(data[1]).toMatchObject({ status: 502, cost: 0 });
		expect(await portico.end("SIGTERM")).toBe(0);
		await vendor.stop();
	},
	60_000,
);
