/** A database file that is damaged: what can be read on is, what cannot is refused in words, and no money is spent unseen. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	closeSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { asList, asRecord, asText } from "#core";
import { until } from "../support/moved-clock.ts";
import { endProcesses, type PorticoProcess, startProcess } from "../support/process.ts";

const page = 4096;
const calls = 60;
const garbage = Buffer.alloc(page, "Z");

let folder: string;
/** A data folder after calls and an orderly stop, and one after a kill. */
let whole: string;
let killed: string;
let token: { readonly id: string; readonly key: string };
let used: unknown;

const configIn = (at: string): string => join(at, "portico.yaml");

const admin = async (at: string, address: string, path: string, body?: object) => {
	const response = await fetch(address + path, {
		method: body ? "POST" : "GET",
		headers: {
			authorization: `Bearer ${readFileSync(join(at, "data/admin-token"), "utf8").trim()}`,
			"content-type": "application/json",
		},
		...(body && { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: asRecord(await response.json()) };
};

const ask = async (address: string): Promise<number> => {
	const response = await fetch(`${address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
		body: JSON.stringify({ model: "demo", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] }),
	});
	await response.text();
	return response.status;
};

/** A copy of a folder, to be damaged. */
const copyOf = (from: string, name: string): string => {
	const at = join(folder, name);
	cpSync(from, at, { recursive: true });
	return at;
};

const spoil = (file: string, ...offsets: readonly number[]): void => {
	const handle = openSync(file, "r+");
	for (const offset of offsets) writeSync(handle, garbage, 0, page, offset);
	closeSync(handle);
};

/** Where the pages of a database begin, but for the first: that one says what the file is. */
const pagesOf = (file: string): readonly number[] =>
	Array.from({ length: Math.floor(statSync(file).size / page) - 1 }, (_, index) => (index + 1) * page);

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-damaged-"));
	whole = join(folder, "whole");
	mkdirSync(whole);
	const plugins = [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "prices", with: { models: { demo: { input: 100, output: 100 } } } },
		{ use: "quota" },
		{ use: "demo", with: { wordMs: 0 } },
		{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
		{ use: "ledger" },
	];
	writeFileSync(
		configIn(whole),
		JSON.stringify({ server: { port: 0 }, database: { url: "file:data/portico.db" }, plugins }),
	);
	const first = await startProcess(whole, configIn(whole));
	const { body } = await admin(whole, first.address, "/admin/tokens", { name: "metered", quota: 1 });
	token = { id: asText(body["id"]) ?? "", key: asText(body["key"]) ?? "" };
	for (let call = 0; call < calls; call++) expect(await ask(first.address)).toBe(200);
	expect(await first.end("SIGTERM")).toBe(0);
	const second = await startProcess(whole, configIn(whole));
	({ used } = (await admin(whole, second.address, `/admin/tokens/${token.id}`)).body);
	expect(await ask(second.address)).toBe(200);
	killed = copyOf(whole, "killed");
	expect(await second.end("SIGTERM")).toBe(0);
}, 60_000);

afterAll(endProcesses);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the account says of the token, once the ledger says the same: both are written a moment after the answer. */
const agreed = async (at: string, { address }: PorticoProcess) => {
	let account: Readonly<Record<string, unknown>> = {};
	await until(async () => {
		const usage = (await admin(at, address, `/admin/usage?by=token&token=${token.id}`)).body;
		account = (await admin(at, address, `/admin/tokens/${token.id}`)).body;
		return asRecord(asList(usage["data"])[0])["cost"] === account["used"];
	}, "ledger and account agree");
	return account;
};

test("the last frame of the write-ahead log is spoilt: the start goes on from the one before, and the books agree", async () => {
	const log = join(killed, "data/portico.db-wal");
	spoil(log, statSync(log).size - page);
	const portico = await startProcess(killed, configIn(killed));
	expect(await ask(portico.address)).toBe(200);
	const account = await agreed(killed, portico);
	expect(Number(account["used"])).toBeGreaterThan(Number(used));
	expect(Number(account["used"]) + Number(account["remaining"])).toBeCloseTo(1, 6);
	expect(await portico.end("SIGTERM")).toBe(0);
}, 30_000);

test("a spoilt file is not begun with, the start says which, and nothing is written to it", async () => {
	const at = copyOf(whole, "spoilt");
	const file = join(at, "data/portico.db");
	spoil(file, ...pagesOf(file));
	const before = readFileSync(file);
	await expect(startProcess(at, configIn(at))).rejects.toThrow(
		/ended with 1:[\s\S]*the database file \S*data\/portico\.db cannot be used: SQLITE_CORRUPT.*put a backup in its place/,
	);
	expect(readFileSync(file).equals(before)).toBe(true);
}, 30_000);

test("damage behind what is read first is told by the start in the same words", async () => {
	const at = copyOf(whole, "spoilt-behind");
	const file = join(at, "data/portico.db");
	const database = new Database(file);
	const roots = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'tokens'").all().map(asRecord);
	database.close();
	spoil(file, ...roots.map(({ rootpage }) => (Number(rootpage) - 1) * page));
	await expect(startProcess(at, configIn(at))).rejects.toThrow(
		/ended with 1:[\s\S]*the database file \S*data\/portico\.db cannot be used: SQLITE_CORRUPT.*put a backup in its place/,
	);
}, 30_000);

test("a file spoilt while it is used: calls are refused, health is red, and the log says why; a backup mends it", async () => {
	const at = copyOf(whole, "living");
	const file = join(at, "data/portico.db");
	const good = readFileSync(file);
	const portico = await startProcess(at, configIn(at));
	spoil(file, ...pagesOf(file));
	expect((await admin(at, portico.address, "/admin/usage?by=token")).status).toBe(503);
	expect(await ask(portico.address)).toBe(503);
	expect((await fetch(`${portico.address}/readyz`)).status).toBe(503);
	await portico.says(/"code":"SQLITE_CORRUPT".*"msg":"the database fails"/);
	await portico.end("SIGKILL");
	for (const beside of ["-wal", "-shm"]) rmSync(file + beside, { force: true });
	writeFileSync(file, good);
	const next = await startProcess(at, configIn(at));
	expect(await ask(next.address)).toBe(200);
	expect(Number((await agreed(at, next))["used"])).toBeGreaterThan(Number(used));
	expect(await next.end("SIGTERM")).toBe(0);
}, 30_000);
