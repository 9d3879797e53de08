/** What a config file says, beside where it is. */
import { expect, test } from "bun:test";
import { isAbsolute } from "node:path";
import { readBlueprint } from "./blueprint.ts";

test("a file is known by its whole path too, from wherever it was named", async () => {
	const named = { file: "not-there/portico.yaml", fallback: "plugins: []\n", environment: {} };
	const { blueprint } = await readBlueprint({ ...named, lent: new Set() });
	expect(blueprint?.file).toBe("not-there/portico.yaml");
	expect(isAbsolute(blueprint?.path ?? "")).toBe(true);
	expect(blueprint?.path).toEndWith("/not-there/portico.yaml");
});

test("a folder in place of the file is told as one", async () => {
	const read = await readBlueprint({ file: import.meta.dir, environment: {}, lent: new Set() });
	expect(read.complaints).toEqual([`${import.meta.dir}: it is a folder; name the config file in it`]);
});
