import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupPath, pruneBackups } from "./backup-files.ts";

let folder = "";
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-backups-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (instant: string): string => backupPath(folder, "data/portico.db", Date.parse(instant));

test("the newest stay, the one just made among them; a date that a wrong clock gave makes none newer", () => {
	const [ahead, older, old] = ["2030-01-01T03:00:00Z", "2026-05-01T03:00:00Z", "2026-05-02T03:00:00Z"].map(at);
	const made = at("2026-05-03T03:00:00Z");
	const others = ["other-2020-01-01T00-00-00Z.db", "portico-mine.db", "portico.db"];
	for (const file of [ahead, older, old, made]) writeFileSync(String(file), "");
	for (const name of others) writeFileSync(join(folder, name), "");
	const left = () => readdirSync(folder).filter((name) => !others.includes(name));

	expect(pruneBackups(folder, "data/portico.db", 3, made)).toEqual([String(ahead)]);
	expect(pruneBackups(folder, "data/portico.db", 3, made)).toEqual([]);
	writeFileSync(String(ahead), "");
	expect(pruneBackups(folder, "data/portico.db", 1, made)).toEqual([String(ahead), String(older), String(old)]);
	expect(left()).toEqual(["portico-2026-05-03T03-00-00Z.db"]);
	expect(readdirSync(folder)).toEqual(expect.arrayContaining(others));
});
