/** Commands called by a user who may not look into the data folder. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launcher } from "../support/process.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-hidden-"));
	chmodSync(folder, 0o755);
	mkdirSync(join(folder, "data"));
	chmodSync(join(folder, "data"), 0o000);
});
afterAll(() => {
	chmodSync(join(folder, "data"), 0o700);
	rmSync(folder, { recursive: true, force: true });
});

/** Nobody, where we are root, whom nothing is hidden from. */
const stranger = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const asStranger = (...words: readonly string[]) =>
	spawnSync("node", [launcher, ...words], { cwd: folder, encoding: "utf8", ...stranger });

const mayRun = asStranger("version").status === 0;
if (!mayRun) console.warn("SKIPPED: other users may not read this clone, so nobody tried commands as one of them.");

test.skipIf(!mayRun)("are not told that there is no database where one may well be", () => {
	for (const url of ["file:data/portico.db", "http://127.0.0.1:9"]) {
		const plugins = [{ use: "tokens" }];
		const server = { dataFolder: "data" };
		writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ server, database: { url }, plugins }));
		for (const words of [["token", "list"], ["status"], ["db", "backup", "copy.db"]]) {
			const { status, stderr } = asStranger(...words);
			expect({ status, stderr }).toEqual({
				status: 1,
				stderr: `this user may not look into ${join(folder, "data")}; call the command as the user that serves, or as root\n`,
			});
		}
	}
});
