/** Statements that stay prepared answer each time as if they were new, and hold nothing open between. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { FileWriter } from "./file-writer.ts";

let folder: string;
let file: string;
let writer: FileWriter;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-writer-"));
	file = join(folder, "portico.db");
	const database = new Database(file);
	database.exec(
		"PRAGMA journal_mode = WAL; CREATE TABLE things (id INTEGER PRIMARY KEY, n INTEGER CHECK (n < 10)) STRICT",
	);
	database.close();
	writer = new FileWriter(file, 50);
});
afterEach(() => {
	writer.close();
	rmSync(folder, { recursive: true, force: true });
});

const insert = { sql: "INSERT INTO things (n) VALUES (?)", args: [1n] };
const raise = { sql: "UPDATE things SET n = n + ? RETURNING id, n", args: [1n] };
const read = { sql: "SELECT n FROM things ORDER BY id", args: [] };

test("rows are those of this time", () => {
	for (let round = 1; round <= 3; round++) {
		const [inserted, raised, found] = writer.write([insert, raise, read]);
		expect(inserted).toEqual({ rows: [], changes: 1 });
		const expected = Array.from({ length: round }, (_, at) => round + 1 - at);
		expect(raised?.changes).toBe(round);
		expect(raised?.rows.map(({ n }) => n)).toEqual(expected);
		expect(found?.rows.map(({ n }) => n)).toEqual(expected);
	}
	// Alone too, without a transaction around it.
	for (let time = 0; time < 2; time++) expect(writer.write([read])[0]?.rows).toHaveLength(3);
});

test("one that failed has left nothing behind", () => {
	writer.write([insert]);
	for (let time = 0; time < 2; time++) {
		expect(() => writer.write([insert, { ...raise, args: [100n] }])).toThrow("CHECK");
		expect(writer.write([read])[0]?.rows).toEqual([{ n: 1 }]);
	}
	expect(writer.write([raise])[0]?.rows).toEqual([{ id: 1, n: 2 }]);
});

test("nothing is read on: the write-ahead log can be emptied, and a table changed, between two writes", () => {
	const other = new Database(file);
	for (let round = 0; round < 2; round++) {
		writer.write([insert, raise, read]);
		writer.write([read]);
		expect(other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()).toMatchObject([{ busy: 0 }]);
	}
	other.exec("ALTER TABLE things ADD COLUMN name TEXT; INSERT INTO things VALUES (9, 5, 'new')");
	expect(writer.write([read])[0]?.rows).toEqual([{ n: 3 }, { n: 2 }, { n: 5 }]);
	other.close();
});
