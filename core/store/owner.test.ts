import { expect, test } from "bun:test";
import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { giveToOwnerOf } from "./owner.ts";

const nobody = 65_534;

test.skipIf(process.getuid?.() !== 0)("a link in somebody's folder gives them nothing of what it leads to", () => {
	const root = mkdtempSync(join(tmpdir(), "portico-owner-"));
	try {
		const [folder, file, secret] = [join(root, "theirs"), join(root, "theirs/made"), join(root, "secret")];
		mkdirSync(folder);
		chownSync(folder, nobody, nobody);
		for (const path of [file, secret]) writeFileSync(path, "");
		symlinkSync(secret, join(folder, "link"));
		giveToOwnerOf(folder, file);
		giveToOwnerOf(folder, join(folder, "link"));
		expect([statSync(file).uid, statSync(secret).uid, lstatSync(join(folder, "link")).uid]).toEqual([
			nobody,
			0,
			nobody,
		]);
	} finally {
		rmSync(root, { recursive: true });
	}
});
