/**
 * A database of the first release (commit 7fb79c3) is brought up to date by a start: keys go on working, and what was charged
 * is charged still. It holds two tokens, seven calls of one of them at 700 micro-dollars each, and a picture that was made.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createClient } from "@libsql/client";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";
import { sqldProgram, startSqld } from "../support/sqld.ts";

/** 13 input tokens at 10 and 19 output tokens at 30 dollars a million, seven times. */
const charged = 0.0049;
const key = "sk-ZBsyPnP6Yhs2T0exXOhxHfRUnEaJxnz3oFkVfu8FCxl2964AA";

let folder: string;
const configOf = (name: string, url: string): string => {
	const plugins = [
		...["tokens", "expiry", "model-list", "ip-whitelist", "quota", "rate-limit", "messages", "demo", "tasks", "image"],
		...["responses", "webhooks"],
	].map((use) => ({ use }));
	const more = [
		{ use: "prices", with: { models: { demo: { input: 10, output: 30 } } } },
		{ use: "ledger", with: { retentionDays: 36_500 } },
		{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
	];
	const file = join(folder, name);
	writeFileSync(file, JSON.stringify({ server: { port: 0 }, database: { url }, plugins: [...plugins, ...more] }));
	return file;
};

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-upgrade-"));
	mkdirSync(join(folder, "data"));
	const kept = readFileSync(join(import.meta.dir, "fixtures/first-database.gz"));
	writeFileSync(join(folder, "data/portico.db"), gunzipSync(kept));
});
afterAll(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

const run = async (...words: string[]): Promise<string> => {
	const { code, output, errors } = await runCommand(folder, words);
	expect({ words, code, errors }).toMatchObject({ code: 0 });
	return output;
};

const usedOf = async (file: string): Promise<unknown> => {
	const { data } = JSON.parse(await run("token", "list", "--json", "--config", file));
	return data.find(({ name }: { readonly name: string }) => name === "alice")?.used;
};

const costOf = async (file: string): Promise<number> => {
	const { data } = JSON.parse(await run("usage", "--from", "2026-01-01", "--by", "token", "--json", "--config", file));
	return data.reduce((sum: number, { cost }: { readonly cost: number }) => sum + cost, 0);
};

const migrationsIn = async (file: string): Promise<number> => {
	const client = createClient({ url: `file:${file}` });
	try {
		return (await client.execute("SELECT count(*) AS applied FROM portico_migrations")).rows[0]?.["applied"] as number;
	} finally {
		client.close();
	}
};

test("a command leaves it as it is, and a backup of it is what the earlier version takes", async () => {
	const file = configOf("portico.yaml", "file:data/portico.db");
	const database = join(folder, "data/portico.db");
	const before = await migrationsIn(database);
	for (const words of [["token", "list"], ["usage"], ["token", "create", "--name", "early"]])
		expect(await runCommand(folder, [...words, "--config", file])).toMatchObject({
			code: 1,
			errors: expect.stringMatching(
				/^the database is an earlier version's: \d+ migrations are missing, and no command changes it\. Make a backup \(portico db backup FILE\); portico serve then brings it up to date\. Until then the earlier version is good for commands\.\n$/m,
			),
		});
	expect(await run("db", "backup", "before.db", "--config", file)).toBe(`wrote ${join(folder, "before.db")}\n`);
	expect(await run("db", "backup", "--config", file)).toStartWith(`wrote ${join(folder, "data/backups/portico-")}`);
	expect(await migrationsIn(join(folder, "before.db"))).toBe(before);
	expect(await migrationsIn(database)).toBe(before);
});

test("a start brings it up to date; the key works, and nothing that was charged has changed", async () => {
	const file = configOf("portico.yaml", "file:data/portico.db");
	const portico = await startProcess(folder, file);
	expect(portico.key).toBeUndefined();
	expect(await usedOf(file)).toBe(charged);
	expect(await costOf(file)).toBeCloseTo(charged, 6);
	const asked = await fetch(`${portico.address}/v1/messages`, {
		method: "POST",
		headers: { "x-api-key": key, "content-type": "application/json" },
		body: JSON.stringify({
			model: "demo",
			max_tokens: 64,
			messages: [{ role: "user", content: "Hello number 1 of seven" }],
		}),
	});
	expect(await asked.json()).toMatchObject({ usage: { input_tokens: 13, output_tokens: 19 } });
	expect(await portico.end("SIGTERM")).toBe(0);
	expect(await usedOf(file)).toBe(0.0056);
});

test.skipIf(sqldProgram() === undefined)(
	"moved to a server and back it is the same to the micro-dollar",
	async () => {
		const sqld = await startSqld(sqldProgram() ?? "", folder);
		try {
			const file = configOf("portico.yaml", "file:data/portico.db");
			const server = configOf("server.yaml", sqld.url);
			const back = configOf("back.yaml", "file:back/portico.db");
			await run("db", "export", "there.db", "--config", file);
			await run("db", "import", "there.db", "--config", server);
			await run("db", "export", "again.db", "--config", server);
			mkdirSync(join(folder, "back"));
			await run("db", "import", "again.db", "--config", back);
			expect(await usedOf(back)).toBe(0.0056);
			expect(await costOf(back)).toBeCloseTo(0.0056, 6);
		} finally {
			await sqld.close();
		}
	},
	60_000,
);
