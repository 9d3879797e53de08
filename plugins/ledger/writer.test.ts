import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { CallRecord, Log } from "#core";
import { createTestClock, type TestClock } from "#core/testing";
import { createScratchStore, type ScratchStore } from "../../test/support/scratch-store.ts";
import { rowOf } from "./row.ts";
import { type LedgerRow, ledgerTables } from "./tables.ts";
import { Writer } from "./writer.ts";

let store: ScratchStore;
let clock: TestClock;
let said: string[];
let writer: Writer;

beforeEach(async () => {
	store = await createScratchStore([ledgerTables("ledger")]);
	clock = createTestClock();
	said = [];
	const note: Log["info"] = (message, fields) =>
		void said.push([message, fields?.["error"]].filter(Boolean).join(": "));
	const log: Log = { debug: note, info: note, warn: note, error: note, of: () => log };
	writer = new Writer(store, clock, log);
});
afterEach(() => store.close());

const call = (id: string, more: Partial<CallRecord> = {}): CallRecord => ({
	id,
	at: 1000,
	route: "/v1/x",
	protocol: "messages",
	operation: "generate",
	model: "m",
	stream: false,
	status: 200,
	outcome: { ending: "completed", sent: true, contentBytes: 0, pieces: 0 },
	attempts: [],
	durationMs: 12.4,
	losses: [],
	...more,
});
const row = (id: string, more: Partial<CallRecord> = {}): LedgerRow => rowOf(call(id, more), new Set());

const written = async (): Promise<readonly string[]> =>
	(await store.run("SELECT id FROM ledger ORDER BY rowid")).map(({ id }) => String(id));

/** Counts the writes that reach the database. */
const countWrites = (): (() => number) => {
	let writes = 0;
	const write = store.write.bind(store);
	store.write = (statements) => {
		writes++;
		return write(statements);
	};
	return () => writes;
};

const untilWritten = async (count: number): Promise<void> => {
	while ((await written()).length < count) await new Promise((resolve) => setImmediate(resolve));
};

describe("rows", () => {
	test("are written behind the calls, those of a moment together", async () => {
		const writes = countWrites();
		for (let index = 0; index < 30; index++) writer.add(row(`c${index}`));
		expect(writes()).toBe(0);
		await clock.advance(49);
		expect(writes()).toBe(0);
		await clock.advance(1);
		await untilWritten(30);
		expect(writes()).toBe(1);
	});

	test("go in the order of their calls, five hundred in a write", async () => {
		const writes = countWrites();
		const ids = Array.from({ length: 1250 }, (_, index) => `c${index}`);
		for (const id of ids) writer.add(row(id));
		await writer.flush();
		expect(await written()).toEqual(ids);
		expect(writes()).toBe(3);
	});

	test("are written with whole amounts, whatever a plugin charged or a journal had kept of them", async () => {
		writer.add({ ...row("c1", { charge: { charged: 1.5, excess: Number.NaN } }), input_tokens: 4.5 });
		writer.add({ ...row("c2"), ...JSON.parse('{"cost":null,"excess":null,"output_tokens":null}') });
		writer.add(row("c3", { charge: { charged: Number.POSITIVE_INFINITY, excess: 2 } }));
		await writer.flush();
		expect(await store.run("SELECT id, cost, excess, input_tokens, output_tokens FROM ledger")).toEqual([
			{ id: "c1", cost: 2, excess: 0, input_tokens: 5, output_tokens: 0 },
			{ id: "c2", cost: null, excess: 0, input_tokens: 0, output_tokens: 0 },
			{ id: "c3", cost: null, excess: 2, input_tokens: 0, output_tokens: 0 },
		]);
	});

	test("are written once, however often the same call is told of", async () => {
		writer.add(row("c1", { model: "first" }));
		await writer.flush();
		writer.add(row("c1", { model: "again" }));
		writer.add(row("c2"));
		await writer.flush();
		expect(await store.run("SELECT id, model FROM ledger")).toEqual([
			{ id: "c1", model: "first" },
			{ id: "c2", model: "m" },
		]);
	});

	test("that the database did not take are tried again every second until it does", async () => {
		store.failWrites = new Error("gone");
		writer.add(row("c1"));
		await clock.advance(50);
		await clock.advance(1000);
		await clock.advance(1000);
		expect(said).toEqual(Array(3).fill("the ledger could not be written and will be tried again: Error: gone"));
		writer.add(row("c2"));
		store.failWrites = undefined;
		await clock.advance(1000);
		await untilWritten(2);
		expect(await written()).toEqual(["c1", "c2"]);
	});

	test("that wait are all there after a flush, and a flush that fails says so", async () => {
		store.failWrites = new Error("gone");
		writer.add(row("c1"));
		await expect(writer.flush()).rejects.toThrow("gone");
		store.failWrites = undefined;
		await writer.flush();
		expect(await written()).toEqual(["c1"]);
	});

	test("are all there though several flush at once while more come in", async () => {
		const flushes: Promise<void>[] = [];
		for (let index = 0; index < 1000; index++) {
			writer.add(row(`c${index}`));
			if (index % 90 === 0) flushes.push(writer.flush());
			if (index % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
		}
		await Promise.all([...flushes, writer.flush(), writer.flush()]);
		expect((await written()).length).toBe(1000);
	});

	test("beyond 200,000 that wait are given up from the oldest, and the log says so", async () => {
		store.failWrites = new Error("gone");
		const one = row("c");
		for (let index = 0; index < 200_050; index++) writer.add({ ...one, id: `c${index}` });
		expect(said).toContain("ledger rows were given up: the database has not taken any for too long");
		const kept = (writer as unknown as { waiting: LedgerRow[] }).waiting;
		expect(kept.length).toBeLessThanOrEqual(200_000);
		expect(kept.at(-1)?.id).toBe("c200049");
	});
});
