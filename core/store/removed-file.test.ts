import { afterEach, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { createMovedClock, until } from "../../test/support/moved-clock.ts";
import type { Log } from "../contract/log.ts";
import { StoreFault } from "../errors/store-fault.ts";
import { openStore } from "./open.ts";

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
	for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const openFile = async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-removed-"));
	cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
	const file = join(folder, "portico.db");
	const logged: string[] = [];
	const keep = (message: string) => void logged.push(message);
	const log: Log = { debug: keep, info: keep, warn: keep, error: keep, of: () => log };
	const clock = createMovedClock();
	const opened = await openStore({ url: `file:${file}`, clock, log });
	if ("heldBy" in opened) throw new Error("held");
	cleanups.push(() => opened.close());
	const { store, outage } = opened;
	await store.write([sql`CREATE TABLE things (name TEXT) STRICT`, sql`INSERT INTO things VALUES ('first')`]);
	/** Lets the next look come. */
	const look = async (): Promise<void> => {
		clock.advance(2_000);
		await until(() => clock.waiting === 1);
	};
	await look();
	expect(outage()).toBeUndefined();
	// A connection that has read nothing yet would find nothing in a file without a name.
	expect(await store.all(sql`SELECT name FROM things`)).toHaveLength(1);
	const add = (name: string) => store.write([sql`INSERT INTO things VALUES (${name})`]);
	return { file, clock, logged, outage, look, add, things: () => store.all(sql`SELECT name FROM things`) };
};

test.each(["removed", "removed with what is beside it", "replaced", "without its log"])(
	"a file that is open and %s is noticed within two seconds, and nothing is written that would be lost",
	async (how) => {
		const { file, clock, logged, outage, look, add, things } = await openFile();
		if (how === "replaced") copyFileSync(file, `${file}.other`);
		if (how !== "without its log") rmSync(file);
		if (how === "replaced") renameSync(`${file}.other`, file);
		if (how === "removed with what is beside it") rmSync(`${file}-shm`);
		if (how === "removed with what is beside it" || how === "without its log") rmSync(`${file}-wal`);
		await look();
		expect(outage()).toEqual({ since: clock.now(), code: "SQLITE_READONLY_DBMOVED" });
		const fault = await add("lost").catch((error: unknown) => error);
		expect(fault).toBeInstanceOf(StoreFault);
		expect(fault).toMatchObject({ code: "SQLITE_READONLY_DBMOVED", denial: { kind: "overloaded" } });
		expect(await things()).toEqual([{ name: "first" }]);
		// The beat that comes after half a minute neither hides it nor makes a file.
		for (let time = 0; time < 20; time++) await look();
		expect(outage()).toBeDefined();
		if (how.startsWith("removed")) expect(existsSync(file)).toBe(false);
		expect(logged.filter((message) => /removed or replaced/.test(message))).toHaveLength(1);
	},
);

test("a file that is moved back goes on by itself", async () => {
	const { file, logged, outage, look, add, things } = await openFile();
	renameSync(file, `${file}.away`);
	await look();
	expect(outage()).toBeDefined();
	renameSync(`${file}.away`, file);
	await look();
	expect(outage()).toBeUndefined();
	await add("second");
	expect(await things()).toEqual([{ name: "first" }, { name: "second" }]);
	expect(logged).toContain("the database file is back in its place");
});
