/** The rooms of the source: what stands below imports nothing from above, no two rooms import each other, no file is long. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";

const root = resolve(import.meta.dir, "../..");

const sources = ["core", "plugins"].flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
		.map((file) => posix.join(folder, file))
		.filter((file) => /\.tsx?$/.test(file) && !/\.(test|long)\.tsx?$/.test(file) && !/(^|\/)fixtures\//.test(file)),
);

/** What joins a plugin's rooms may reach into all of them. */
const joins = /^plugins\/[^/]+\/(?:index|protocol)\.ts$/;

type Arrows = Map<string, Set<string>>;

/** What each file imports, types too: who reads a type reads where it stands. */
const files: Arrows = new Map(
	sources.map((file) => {
		const text = readFileSync(join(root, file), "utf8");
		const paths = [...text.matchAll(/(?:from|import)\s*\(?"(\.{1,2}\/[^"]+)"/g)].map(([, path = ""]) => path);
		return [file, new Set(paths.map((path) => posix.join(dirname(file), path)))];
	}),
);

const arrows: Arrows = new Map();
for (const [file, imported] of files)
	for (const to of joins.test(file) ? [] : [...imported].map(dirname))
		if (to !== dirname(file)) arrows.set(dirname(file), (arrows.get(dirname(file)) ?? new Set()).add(to));

const reachable = (from: string, among: Arrows): Set<string> => {
	const seen = new Set<string>();
	const open = [...(among.get(from) ?? [])];
	for (let place = open.pop(); place !== undefined; place = open.pop()) {
		if (seen.has(place)) continue;
		seen.add(place);
		open.push(...(among.get(place) ?? []));
	}
	return seen;
};

const circlesIn = (among: Arrows): readonly string[] =>
	[...among.keys()].filter((place) => reachable(place, among).has(place));

test("no room reaches itself again by its imports", () => {
	expect(arrows.size).toBeGreaterThan(20); // the arrows were found
	expect(circlesIn(arrows)).toEqual([]);
});

test("no file reaches itself again by its imports", () => {
	expect(files.size).toBeGreaterThan(500);
	expect(circlesIn(files)).toEqual([]);
});

test("no plugin reaches itself again by what it takes of others", () => {
	const pluginOf = (file: string): string | undefined => /^plugins\/[^/]+/.exec(file)?.[0];
	const plugins: Arrows = new Map();
	for (const [file, imported] of files)
		for (const to of [...imported].map(pluginOf)) {
			const from = pluginOf(file);
			if (from && to && from !== to) plugins.set(from, (plugins.get(from) ?? new Set()).add(to));
		}
	expect(plugins.size).toBeGreaterThan(15);
	expect(circlesIn(plugins)).toEqual([]);
});

test("the contract stands on nothing but the neutral form", () => {
	expect([...(arrows.get("core/contract") ?? [])]).toEqual(["core/neutral"]);
	expect([...(arrows.get("core/neutral") ?? [])]).toEqual([]);
});

test("what authors read says what each thing is, and shows each subject by an example", () => {
	const bare: string[] = [];
	for (const file of sources.filter((source) => source.startsWith("core/contract/"))) {
		const text = readFileSync(join(root, file), "utf8");
		if (!text.includes("@example")) bare.push(`${file} has no example`);
		for (const [, before, name] of text.matchAll(/(.*)\nexport (?:interface|class|const|type) ([A-Za-z]+)/g))
			if (!before?.endsWith("*/")) bare.push(`${file}: ${name} has no comment`);
	}
	expect(bare).toEqual([]);
});

test("every file says at its first line what it is for", () => {
	const first = (file: string): string => readFileSync(join(root, file), "utf8").split("\n", 1)[0] ?? "";
	expect(sources.filter((file) => !/^\/[/*]/.test(first(file)))).toEqual([]);
});

test("files stay short", () => {
	const lengths = sources
		.map((file) => readFileSync(join(root, file), "utf8").split("\n").length - 1)
		.sort((a, b) => a - b);
	expect(lengths.at(-1)).toBeLessThanOrEqual(260);
	expect(lengths[lengths.length >> 1]).toBeLessThanOrEqual(110);
});
