/** What is said of a data folder that is another user's. That one of our own is closed, test/attacks tells. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { geteuid, seteuid } from "node:process";
import { createLog } from "../runtime/log.ts";
import { tightenFiles } from "./tighten-files.ts";

const nobody = 65_534;
let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-given-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What is logged by a user that is not the folder's; the lines' levels and words. */
const toldBy = (user: number): readonly (readonly [unknown, unknown])[] => {
	const lines: Record<string, unknown>[] = [];
	seteuid?.(user);
	try {
		tightenFiles(
			folder,
			undefined,
			createLog("info", (line) => lines.push(JSON.parse(line))),
		);
	} finally {
		seteuid?.(0);
	}
	return lines.map(({ level, msg }) => [level, msg]);
};

const modeOf = (name: string): string => (lstatSync(join(folder, name)).mode & 0o777).toString(8);

/** What a start finds in such a volume: all that is in it opened to the group. */
const fill = (): void => {
	mkdirSync(join(folder, "quota"));
	mkdirSync(join(folder, "lost+found"), { mode: 0o700 });
	writeFileSync(join(folder, "node-id"), "x");
	chmodSync(join(folder, "quota"), 0o2770);
	chmodSync(join(folder, "node-id"), 0o660);
	for (const name of ["quota", "node-id"]) chownSync(join(folder, name), nobody, 0);
};

// Only root can take another user's place.
test.if(geteuid?.() === 0)("a volume given by a group is no trouble, and what is in it is closed", () => {
	fill();
	chmodSync(folder, 0o2775);
	expect(toldBy(nobody)).toEqual([
		["info", "the data folder is another user's, who gives it by a group; the files in it are closed to others"],
	]);
	expect([modeOf("quota"), modeOf("node-id")]).toEqual(["700", "600"]);
});

test.if(geteuid?.() === 0)("one that everybody may write to is, and what is in it is closed all the same", () => {
	fill();
	chmodSync(folder, 0o777);
	expect(toldBy(nobody)).toEqual([
		[
			"warn",
			"some of the data folder is open to other users of this machine, and another user's, who alone can close it",
		],
	]);
	expect([modeOf("quota"), modeOf("node-id")]).toEqual(["700", "600"]);
});
