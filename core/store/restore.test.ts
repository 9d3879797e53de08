import { afterEach, expect, test } from "bun:test";
import {
	chownSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Log } from "../contract/log.ts";
import { systemClock } from "../wire/system-clock.ts";
import { openStore } from "./open.ts";
import { restoreFile } from "./restore.ts";

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, of: () => log };
const tables = [
	{
		plugin: "things",
		migrations: [{ name: "001", statements: ["CREATE TABLE things (name TEXT NOT NULL) STRICT"] }],
	},
];

let folder = "";
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const opened = async (file: string) => {
	const store = await openStore({ url: `file:${file}`, clock: systemClock, log });
	if ("heldBy" in store) throw new Error("held");
	await store.migrate(tables);
	return store;
};

test("a log whose database file is gone is put aside, and not read with the backup", async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-restore-"));
	const [database, backup] = [join(folder, "portico.db"), join(folder, "backup.db")];
	const first = await opened(database);
	await first.store.write([sql`INSERT INTO things VALUES ('kept')`]);
	await first.backup(backup);
	await first.store.write([sql`INSERT INTO things VALUES ('after the backup')`]);
	// As a process leaves it that is killed.
	copyFileSync(`${database}-wal`, join(folder, "left-wal"));
	await first.close();
	rmSync(database);
	copyFileSync(join(folder, "left-wal"), `${database}-wal`);

	const { aside } = restoreFile({ backup, database, tables, now: Date.parse("2026-11-23T12:00:00Z") });
	expect(aside).toBe(`${database}.before-restore-2026-11-23T12-00-00Z-wal`);
	expect(existsSync(aside ?? "")).toBe(true);
	const second = await opened(database);
	expect(await second.store.all(sql`SELECT name FROM things`)).toEqual([{ name: "kept" }]);
	await second.close();
});

test("a folder in place of a backup is told as one, with the newest backup in it", () => {
	folder = mkdtempSync(join(tmpdir(), "portico-restore-"));
	const restore = (backup: string) => () =>
		restoreFile({ backup, database: join(folder, "data/portico.db"), tables, now: 0 });
	writeFileSync(join(folder, "other.db"), "");
	expect(restore(folder)).toThrow(
		`${folder} is a folder, and holds no backup of portico.db; name a file. Nothing was changed.`,
	);
	const [old, newest] = ["2026-05-01", "2026-05-02"].map((day) => join(folder, `portico-${day}T03-00-00Z.db`));
	writeFileSync(String(old), "");
	expect(restore(folder)).toThrow(`name the backup in it, such as ${old} (the only one)`);
	writeFileSync(String(newest), "");
	expect(restore(folder)).toThrow(`such as ${newest} (the newest of 2). Nothing was changed.`);
	expect(restore(join(folder, "gone.db"))).toThrow(`there is no file ${join(folder, "gone.db")}. Nothing was changed.`);
});

test("where there was nothing, nothing is put aside; what there was goes with its log", async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-restore-"));
	const [database, backup] = [join(folder, "portico.db"), join(folder, "backup.db")];
	const first = await opened(database);
	await first.store.write([sql`INSERT INTO things VALUES ('kept')`]);
	await first.backup(backup);
	await first.close();
	const now = Date.parse("2026-11-23T12:00:00Z");
	expect(restoreFile({ backup, database: join(folder, "new.db"), tables, now })).toEqual({});
	expect(restoreFile({ backup, database, tables, now }).aside).toBe(`${database}.before-restore-2026-11-23T12-00-00Z`);
	expect(() => restoreFile({ backup, database, tables, now })).toThrow("exists already; wait a second");
});

/** Nobody, whom only root can give files to. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn("SKIPPED: only root can restore for another user, so nobody tried it.");

test.skipIf(!isRoot)("what root restores belongs to whom the folder does, or the file before it", async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-restore-"));
	const [data, backup] = [join(folder, "data"), join(folder, "backup.db")];
	const first = await opened(join(folder, "portico.db"));
	await first.backup(backup);
	await first.close();
	mkdirSync(data);
	chownSync(data, nobody, nobody);
	const database = join(data, "portico.db");
	for (const hour of [12, 13]) {
		restoreFile({ backup, database, tables, now: Date.UTC(2026, 10, 23, hour) });
		const owners = readdirSync(data).map((name) => [name, statSync(join(data, name)).uid]);
		expect(owners.filter(([, uid]) => uid !== nobody)).toEqual([]);
	}
	chownSync(data, 0, 0);
	restoreFile({ backup, database, tables, now: Date.UTC(2026, 10, 23, 14) });
	expect(statSync(database).uid).toBe(nobody);
});
