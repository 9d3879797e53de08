/** The store on every runtime: `bun test` and `deno test -A` run the same file. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eq, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { StoreFault } from "../../core/errors/store-fault.ts";
import { createLog } from "../../core/runtime/log.ts";
import { openStore } from "../../core/store/open.ts";
import { systemClock } from "../../core/wire/system-clock.ts";

const things = sqliteTable("things", { id: integer("id").primaryKey(), name: text("name").notNull() });
const tables = {
	plugin: "things",
	migrations: [
		{ name: "0001", statements: ["CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT"] },
	],
};

test("a store is written, read, refused to a second owner, copied and opened again", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-runtime-"));
	const input = { url: `file:${join(folder, "portico.db")}`, clock: systemClock, log: createLog("silent") };
	try {
		const opened = await openStore(input);
		if ("heldBy" in opened) throw new Error("the file is in use");
		await opened.migrate([tables]);
		const { store } = opened;
		opened.describe({ address: "http://127.0.0.1:1" });
		assert.ok("heldBy" in (await openStore(input)));
		const [first, second] = await Promise.all([
			store.write([
				store.db.insert(things).values({ id: 1, name: "one" }),
				sql`UPDATE things SET name = 'ONE' RETURNING name`,
			]),
			store.write([sql`INSERT INTO things VALUES (${2}, ${"two"})`]),
		]);
		assert.deepEqual(first[1], { rows: [{ name: "ONE" }], changes: 1 });
		assert.deepEqual(second, [{ rows: [], changes: 1 }]);
		assert.deepEqual(await store.db.select().from(things).where(eq(things.id, 2)), [{ id: 2, name: "two" }]);
		await assert.rejects(
			store.write([sql`INSERT INTO things VALUES (1, 'again')`]),
			(error) => error instanceof StoreFault && error.isConstraint,
		);
		await opened.backup(join(folder, "copy.db"));
		await opened.close();
		const again = await openStore({ ...input, url: `file:${join(folder, "copy.db")}` });
		if ("heldBy" in again) throw new Error("the copy is in use");
		assert.deepEqual(await again.store.all(sql`SELECT id, name FROM things ORDER BY id`), [
			{ id: 1, name: "ONE" },
			{ id: 2, name: "two" },
		]);
		await again.close();
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
