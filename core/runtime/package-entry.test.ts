import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { entryOf } from "./package-entry.ts";

const home = mkdtempSync(join(tmpdir(), "portico-entries-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const folderOf = (name: string, description: object | undefined, files: readonly string[]): string => {
	const folder = join(home, name);
	for (const file of files) {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		writeFileSync(join(folder, file), "");
	}
	if (description) writeFileSync(join(folder, "package.json"), JSON.stringify(description));
	return folder;
};

const built = ["dist/index.js", "dist/index.cjs", "parts/a.js", "parts/b/c.js", "index.js"];

test.each([
	["one file", { exports: "./dist/index.js" }, ".", "dist/index.js"],
	["a table", { exports: { ".": "./dist/index.js" } }, ".", "dist/index.js"],
	["types first", { exports: { ".": { types: "./x.d.ts", import: "./dist/index.js" } } }, ".", "dist/index.js"],
	["require first", { exports: { require: "./dist/index.cjs", import: "./dist/index.js" } }, ".", "dist/index.js"],
	["nested", { exports: { node: { browser: "./x.js", import: { default: "./index.js" } } } }, ".", "index.js"],
	["a choice", { exports: { ".": [{ browser: "./x.js" }, "./dist/index.js"] } }, ".", "dist/index.js"],
	["this runtime's", { exports: { deno: "./x.js", bun: "./parts/a.js", default: "./index.js" } }, ".", "parts/a.js"],
	["exports before main", { main: "./dist/index.cjs", exports: "./index.js" }, ".", "index.js"],
	["a part", { exports: { ".": "./index.js", "./a": "./parts/a.js" } }, "./a", "parts/a.js"],
	["a pattern", { exports: { "./*": "./none/*.js", "./p/*": "./parts/*.js" } }, "./p/b/c", "parts/b/c.js"],
	["main", { main: "dist/index.js" }, ".", "dist/index.js"],
	["main, a folder", { main: "./dist" }, ".", "dist/index.js"],
	["nothing said", {}, ".", "index.js"],
	["no package.json", undefined, ".", "index.js"],
	["a part by its path", {}, "./parts/a", "parts/a.js"],
])("%s", (name, description, part, file) => {
	const folder = folderOf(name, description, built);
	expect(entryOf(folder, part)).toEqual({ file: join(folder, file) });
});

test("source beside what is made of it counts where a package says nothing", () => {
	const folder = folderOf("source", { name: "source" }, ["index.ts", "index.js"]);
	expect(entryOf(folder)).toEqual({ file: join(folder, "index.ts") });
});

test.each([
	["not built", { exports: { import: "./build/index.js" } }, ".", "has no ./build/index.js; was it built?"],
	["main is missing", { main: "build/main.js" }, ".", "has no build/main.js; was it built?"],
	["no such part", {}, "./none", "has no ./none; was it built?"],
	[
		"only for require",
		{ exports: { require: "./dist/x.cjs" } },
		".",
		'has a package.json that exports no module as "."',
	],
	["hidden", { exports: { "./*": "./*", "./a": null } }, "./a", 'has a package.json that exports no module as "./a"'],
	["empty", {}, ".", "has no index.ts or index.js"],
])("there is none: %s", (name, description, part, wrong) => {
	expect(entryOf(folderOf(`wrong ${name}`, description, ["README.md"]), part)).toEqual({ wrong });
});
