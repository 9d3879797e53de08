/**
 * What was charged stays charged to the micro-dollar: through a kill in the midst of calls, a backup of a running server, a restore
 * after another kill, and a start by a version that is too old.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { endProcesses, type PorticoProcess, runCommand, startProcess } from "../support/process.ts";

/** 13 input tokens at 10 and 19 output tokens at 30 dollars a million. */
const microDollars = 700;

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-sums-"));
	const plugins = [
		...["tokens", "quota", "ledger", "messages", "demo"].map((use) => ({ use })),
		{ use: "prices", with: { models: { demo: { input: 10, output: 30 } } } },
		{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
	];
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ server: { port: 0 }, plugins }));
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

/** One call; whether it was answered whole. */
const call = async (address: string, key: string): Promise<boolean> => {
	const asked = await fetch(`${address}/v1/messages`, {
		method: "POST",
		headers: { "x-api-key": key, "content-type": "application/json", connection: "close" },
		body: JSON.stringify({
			model: "demo",
			max_tokens: 64,
			messages: [{ role: "user", content: "Hello number 1 of seven" }],
		}),
	}).catch(() => undefined);
	const answer = await asked?.text().catch(() => "");
	return asked?.status === 200 && answer?.includes('"output_tokens":19') === true;
};

/** Of so many calls, eight at once, how many were answered; `during` is done when so many have been. */
const calls = async (count: number, address: string, key: string, during?: { after: number; work(): void }) => {
	let [left, answered] = [count, 0];
	const one = async (): Promise<void> => {
		while (left-- > 0) {
			if (!(await call(address, key))) continue;
			answered++;
			if (answered === during?.after) during.work();
		}
	};
	await Promise.all(Array.from({ length: 8 }, one));
	return answered;
};

interface Books {
	/** What tokens have used, and what the rows of the ledger add up to: whole micro-dollars. */
	readonly used: bigint;
	readonly cost: bigint;
	readonly rows: bigint;
}

/** What nodes had set aside and not spent. */
const leased = async (file: string): Promise<bigint> => {
	const client = createClient({ url: `file:${file}`, intMode: "bigint" });
	const { rows } = await client.execute("SELECT sum(leased) AS sum FROM quota_accounts");
	client.close();
	return BigInt(String(rows[0]?.["sum"] ?? 0));
};

const booksOf = async (file: string): Promise<Books> => {
	const client = createClient({ url: `file:${file}`, intMode: "bigint" });
	try {
		const whole = async (sql: string): Promise<bigint> =>
			BigInt(String((await client.execute(sql)).rows[0]?.["sum"] ?? 0));
		return {
			used: await whole("SELECT sum(used) AS sum FROM quota_accounts"),
			cost: await whole("SELECT sum(cost) AS sum FROM ledger"),
			rows: await whole("SELECT count(*) AS sum FROM ledger"),
		};
	} finally {
		client.close();
	}
};

const database = () => join(folder, "data/portico.db");
const books = (rows: number): Books => ({
	used: BigInt(rows * microDollars),
	cost: BigInt(rows * microDollars),
	rows: BigInt(rows),
});

const restarted = async (): Promise<PorticoProcess> => await startProcess(folder, undefined);

test("killed, backed up, restored: the books are what was answered", async () => {
	let portico = await restarted();
	const key = String(JSON.parse(await run("token", "create", "--name", "a", "--quota", "5", "--json")).key);

	// A kill in the midst of calls: each that was answered is charged once; those that were not, at most once.
	const first = await calls(200, portico.address, key, { after: 60, work: () => void portico.end("SIGKILL") });
	await portico.ended;
	expect(first).toBeGreaterThanOrEqual(60);
	portico = await restarted();
	await portico.end("SIGTERM");
	const afterKill = await booksOf(database());
	expect(afterKill.used).toBe(afterKill.cost);
	expect(afterKill.rows).toBeGreaterThanOrEqual(BigInt(first));
	expect(afterKill.rows).toBeLessThanOrEqual(BigInt(first + 8));
	const before = Number(afterKill.rows);
	expect(afterKill.cost).toBeGreaterThanOrEqual(BigInt(first * microDollars));

	// A backup of what is at rest holds it all; a restore after a kill holds that and nothing of what came later.
	portico = await restarted();
	expect(await calls(40, portico.address, key)).toBe(40);
	await portico.end("SIGTERM");
	const kept = await booksOf(database());
	expect(kept).toEqual({
		used: afterKill.used + books(40).used,
		cost: afterKill.cost + books(40).cost,
		rows: BigInt(before + 40),
	});
	portico = await restarted();
	await run("db", "backup", "copy.db");
	expect(await calls(20, portico.address, key)).toBe(20);
	await portico.end("SIGTERM");
	expect((await booksOf(database())).rows).toBe(kept.rows + 20n);
	portico = await restarted();
	await portico.end("SIGKILL");
	await run("db", "restore", "copy.db");
	expect(await booksOf(join(folder, "copy.db"))).toEqual(kept);
	portico = await restarted();
	await portico.end("SIGTERM");
	expect(await booksOf(database())).toEqual(kept);

	// A version that does not know a migration changes nothing.
	const client = createClient({ url: `file:${database()}` });
	await client.execute("INSERT INTO portico_migrations VALUES ('ledger', '999-of-tomorrow', 'x', 0)");
	client.close();
	const refused = await runCommand(folder, ["serve"]);
	expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining("was written by a newer Portico") });
	expect(await booksOf(database())).toEqual(kept);
}, 120_000);

test("a backup of a token in use: what it had set aside and not spent is not charged", async () => {
	rmSync(join(folder, "data"), { recursive: true });
	let portico = await restarted();
	const key = String(JSON.parse(await run("token", "create", "--name", "b", "--quota", "50", "--json")).key);
	expect(await calls(40, portico.address, key)).toBe(40);
	const before = (await booksOf(database())).used;
	await run("db", "backup", "in-use.db");
	expect(await leased(join(folder, "in-use.db"))).toBeGreaterThan(0n);
	expect(await calls(20, portico.address, key)).toBe(20);
	await portico.end("SIGTERM");
	await run("db", "restore", "in-use.db");
	portico = await restarted();
	expect(await leased(database())).toBe(0n);
	expect((await booksOf(database())).used).toBe((await booksOf(join(folder, "in-use.db"))).used);
	expect((await booksOf(database())).used).toBeGreaterThanOrEqual(before);
	await portico.end("SIGTERM");
}, 60_000);
