/** Every built-in plugin keeps the contract that a stranger's has to keep, and its README's example runs. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkPlugin } from "#core/testing";

const folder = join(import.meta.dir, "../../plugins");
const names = readdirSync(folder, { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);

describe("the plugin", () => {
	test.each(names)("%s keeps the contract", async (name) => {
		expect(await checkPlugin(join(folder, name))).toEqual([]);
	});
});
