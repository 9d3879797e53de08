import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dir, "../..");

const sources = (folder: string): string[] =>
	readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter(
		(file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !/(^|\/)fixtures\//.test(file),
	);

const lines = (folder: string): number =>
	sources(folder).reduce((sum, file) => sum + readFileSync(join(root, folder, file), "utf8").split("\n").length - 1, 0);

test("core stays small enough to be read in an afternoon", () => {
	const count = lines("core");
	expect(count).toBeGreaterThan(1_000); // the count counts
	expect(count).toBeLessThan(2_500);
});
