import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRefusal } from "./system-refusal.ts";

const thrown = (action: () => unknown): Error => {
	try {
		action();
	} catch (error) {
		if (error instanceof Error) return error;
	}
	throw new Error("nothing was thrown");
};

test("a file is told with its whole path, why it was refused, and what to do", () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-refusal-"));
	const file = join(folder, "file");
	writeFileSync(file, "");
	expect(systemRefusal(thrown(() => writeFileSync(folder, "")))).toBe(
		`${folder} cannot be opened: it is a folder (EISDIR); name a file`,
	);
	expect(systemRefusal(thrown(() => mkdirSync(join(file, "inner"))))).toBe(
		`${file}/inner cannot be made: a part of its path is no folder (ENOTDIR); see what stands there`,
	);
	rmSync(folder, { recursive: true });
});

test.each([
	[
		"EACCES",
		"mkdir",
		"made: this user may not (EACCES); give this user the right to, or call it as a user that has it",
	],
	["EROFS", "open", "opened: its file system is read only (EROFS); name another place, or let it be written"],
	["ENOSPC", "copyfile", "used: its disk is full (ENOSPC); make room there"],
])("%s at %s", (code, syscall, words) => {
	const error = Object.assign(new Error(`${code}: no`), { code, syscall, path: "/etc/x" });
	expect(systemRefusal(error)).toBe(`/etc/x cannot be ${words}`);
});

test("what is no such refusal stays what it is", () => {
	expect(systemRefusal(new Error("no"))).toBeUndefined();
	expect(systemRefusal(Object.assign(new Error("no"), { code: "ECONNREFUSED", syscall: "connect" }))).toBeUndefined();
});
