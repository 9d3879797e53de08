/** `portico serve --workers N`: several real processes on one port and one database server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { endProcesses, type PorticoProcess, runCommand, startProcess } from "../support/process.ts";
import { type SharedDatabase, startSharedDatabase } from "../support/shared-database.ts";

let folder: string;
let config: string;
let server: SharedDatabase;
let upstream: ScriptedUpstream;

const completion = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "m",
	choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
	usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
};

const write = (name: string, more: object): string => {
	const file = join(folder, name);
	const plugins = [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "prices", with: { models: { m: { input: 1, output: 1 } } } },
		{ use: "quota" },
		{ use: "ledger" },
		{
			use: "router",
			with: {
				upstreams: [{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "sk-secret" }],
				models: [{ name: "m", targets: [{ upstream: "main" }] }],
			},
		},
	];
	writeFileSync(file, JSON.stringify({ server: { port: 0 }, database: { url: server.url }, plugins, ...more }));
	return file;
};

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-workers-"));
	server = await startSharedDatabase(folder);
	upstream = startUpstream(() => Response.json(completion));
	config = write("portico.yaml", {});
});
afterAll(endProcesses);
afterAll(async () => {
	await upstream.stop();
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

/** On a connection of its own, so that the kernel chooses the worker anew. The status, or 0 when the connection broke. */
const ask = (address: string, key: string): Promise<number> =>
	new Promise((resolve) => {
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const call = request(`${address}/v1/chat/completions`, { method: "POST", headers, agent: false }, (response) => {
			response.resume();
			response.on("end", () => resolve(response.statusCode ?? 0));
		});
		call.on("error", () => resolve(0));
		call.end(JSON.stringify({ model: "m", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] }));
	});

/** The processes of a post, in the order in which they took it. */
const processesOf = (portico: PorticoProcess, worker: number): number[] =>
	[...portico.output().matchAll(new RegExp(`"worker":${worker},"process":(\\d+)`, "g"))].map(([, pid]) => Number(pid));

const runs = (pid: number): boolean => existsSync(`/proc/${pid}`);

const start = async (words = ["--workers", "2"]): Promise<PorticoProcess> => {
	const portico = await startProcess(folder, config, {}, words);
	await portico.says(/"worker":2,"process":\d+/);
	return portico;
};

const rowsOf = async (sql: string): Promise<readonly unknown[]> => {
	const database = createClient({ url: server.url });
	const { rows } = await database.execute(sql);
	database.close();
	return rows.map((row) => Object.values(row)[0]);
};

let key = "";

test("two workers share a port, one token and one admin token, and both answer", async () => {
	const portico = await start();
	key = portico.key ?? "";
	expect(portico.output().match(/serves at/g)).toHaveLength(1);
	expect(portico.output().match(/first token/g)).toHaveLength(1);
	const statuses = await Promise.all(Array.from({ length: 40 }, () => ask(portico.address, key)));
	expect(statuses).toEqual(statuses.map(() => 200));
	const ended = portico.end("SIGTERM");
	expect(await ended).toBe(0);
	const nodes = await rowsOf("SELECT DISTINCT holder FROM quota_leases");
	expect(nodes).toHaveLength(2);
	expect(await rowsOf("SELECT count(*) FROM ledger")).toEqual([40]);
}, 60_000);

test("a reload asked of one worker, or by a signal, reaches both", async () => {
	const portico = await start();
	const response = await fetch(`${portico.address}/admin/reload`, {
		method: "POST",
		headers: { authorization: `Bearer ${await adminToken()}` },
	});
	expect(await response.json()).toEqual({ reloaded: true, complaints: [] });
	await portico.says(/"reloaded"[\s\S]*"reloaded"/);
	expect(portico.output()).toMatch(/"worker":1,"msg":"reloaded"/);
	expect(portico.output()).toMatch(/"worker":2,"msg":"reloaded"/);
	void portico.end("SIGHUP");
	await portico.says(/"reloaded"[\s\S]*"reloaded"[\s\S]*"reloaded"[\s\S]*"reloaded"/);
	expect(await portico.end("SIGTERM")).toBe(0);
}, 60_000);

const adminToken = (): Promise<string> =>
	Bun.file(join(folder, "data/admin-token"))
		.text()
		.then((text) => text.trim());

test("a worker that is killed is replaced while the other answers, and no charge of it is lost", async () => {
	const portico = await start();
	const before = Number((await rowsOf("SELECT count(*) FROM ledger"))[0]);
	let answered = 0;
	const keepAsking = async (until: Promise<unknown>): Promise<void> => {
		let over = false;
		void until.finally(() => {
			over = true;
		});
		while (!over) if ((await ask(portico.address, key)) === 200) answered++;
	};
	const [first = 0] = processesOf(portico, 1);
	const asked = keepAsking(portico.says(/"a worker ended[\s\S]*"worker":1,"process":\d+/));
	process.kill(first, "SIGKILL");
	await asked;
	expect(portico.output()).toMatch(/"worker":1,"code":137,"afterMilliseconds":500/);
	const [, second = 0] = processesOf(portico, 1);
	expect(runs(first)).toBe(false);
	expect(runs(second)).toBe(true);
	expect(answered).toBeGreaterThan(0);
	expect(await portico.end("SIGTERM")).toBe(0);
	for (const pid of [second, ...processesOf(portico, 2)]) expect(runs(pid)).toBe(false);
	// A call that broke with its worker may have a row as well.
	expect(Number((await rowsOf("SELECT count(*) FROM ledger"))[0]) - before).toBeGreaterThanOrEqual(answered);
}, 60_000);

test("what workers left that were killed is charged by a start that has no place for them", async () => {
	const portico = await start(["--workers", "3"]);
	const made = await runCommand(folder, [
		"token",
		"create",
		"--name",
		"q",
		"--quota",
		"1",
		"--json",
		"--config",
		config,
	]);
	const { key: limited } = JSON.parse(made.output) as { key: string };
	const waiting = Promise.withResolvers<void>();
	let calls = 0;
	upstream.answer(() => {
		if (++calls === 12) waiting.resolve();
		return new Promise<Response>(() => undefined);
	});
	const broken = Promise.all(Array.from({ length: 12 }, () => ask(portico.address, limited)));
	await waiting.promise;
	await portico.end("SIGKILL");
	expect(await broken).toEqual(Array.from({ length: 12 }, () => 0));
	expect(journals().length).toBeGreaterThan(0);

	upstream.answer(() => Response.json(completion));
	const alone = await startProcess(folder, config);
	expect(journals().filter((file) => file.startsWith("worker-"))).toEqual([]);
	expect(await rowsOf("SELECT count(*) FROM ledger WHERE ending = 'crash'")).toEqual([12]);
	expect(await ask(alone.address, limited)).toBe(200);
	expect(await alone.end("SIGTERM")).toBe(0);
	expect(await rowsOf("SELECT sum(leased) FROM quota_accounts")).toEqual([0]);
}, 60_000);

const journals = (): string[] =>
	readdirSync(join(folder, "data"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".journal"));

test("a second supervisor in the same folder is refused", async () => {
	const portico = await start();
	const second = await runCommand(folder, ["serve", "--workers", "2", "--config", config]);
	expect(second.code).toBe(1);
	expect(second.errors).toContain("its data folder is");
	expect(second.errors).toContain("worker 1 could not start");
	expect(await portico.end("SIGTERM")).toBe(0);
}, 60_000);

test("a port that somebody else has is refused", async () => {
	const other = createServer();
	const port = await new Promise<number>((resolve) => {
		other.listen(0, "127.0.0.1", () => {
			const address = other.address();
			resolve(typeof address === "object" && address ? address.port : 0);
		});
	});
	const words = ["serve", "--workers", "2", "--port", String(port), "--config", config];
	const { code, errors } = await runCommand(folder, words);
	other.close();
	expect(code).toBe(1);
	expect(errors).toContain(`127.0.0.1:${port} cannot be listened on`);
}, 30_000);
