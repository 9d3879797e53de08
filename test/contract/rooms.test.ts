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

const arrows = new Map<string, Set<string>>();
for (const file of sources.filter((source) => !joins.test(source))) {
	const text = readFileSync(join(root, file), "utf8");
	for (const [, path] of text.matchAll(/(?:from|import)\s*\(?"(\.{1,2}\/[^"]+)"/g)) {
		const [from, to] = [dirname(file), dirname(posix.join(dirname(file), path as string))];
		if (from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
	}
}

const reachable = (from: string): Set<string> => {
	const seen = new Set<string>();
	const open = [...(arrows.get(from) ?? [])];
	for (let room = open.pop(); room !== undefined; room = open.pop()) {
		if (seen.has(room)) continue;
		seen.add(room);
		open.push(...(arrows.get(room) ?? []));
	}
	return seen;
};

test("no room reaches itself again by its imports", () => {
	expect(arrows.size).toBeGreaterThan(20); // the arrows were found
	expect([...arrows.keys()].filter((room) => reachable(room).has(room))).toEqual([]);
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

test("files stay short", () => {
	const lengths = sources
		.map((file) => readFileSync(join(root, file), "utf8").split("\n").length - 1)
		.sort((a, b) => a - b);
	expect(lengths.at(-1)).toBeLessThanOrEqual(260);
	expect(lengths[lengths.length >> 1]).toBeLessThanOrEqual(110);
});
