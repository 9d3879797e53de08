import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plugin } from "./plugin-new.ts";

const folder = mkdtempSync(join(tmpdir(), "portico-plugin-new-"));
const before = process.cwd();
process.chdir(folder);
afterAll(() => {
	process.chdir(before);
	rmSync(folder, { recursive: true, force: true });
});

const run = async (...words: readonly string[]): Promise<string> => {
	const lines: string[] = [];
	try {
		await plugin({ file: "portico.yaml", words, environment: {} }, (line) => void lines.push(line));
		return lines.join("\n");
	} catch (error) {
		return error instanceof Error ? error.message : "";
	}
};

test("the kind may stand before the name or behind it", async () => {
	for (const [name, ...words] of [
		["first", "new", "--task", "first"],
		["second", "new", "second", "--task"],
	] as const) {
		expect(await run(...words)).toContain(`wrote ${join(process.cwd(), name)}`);
		expect(existsSync(join(folder, name, "beeps.ts"))).toBe(true);
	}
});

test.each([
	[["new", "a", "--policy", "--task"], '"--task" is too much: one plugin of one kind is written'],
	[["new", "a", "b"], '"b" is too much: one plugin of one kind is written'],
	[["new", "a", "--polcy"], '"--polcy" is not understood (did you mean "--policy"?)'],
	[["new", "--task"], "Say what to write."],
])("%j is refused, and writes nothing", async (words, message) => {
	expect(await run(...words)).toStartWith(message);
	expect(existsSync(join(folder, "a"))).toBe(false);
});
