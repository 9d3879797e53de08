/** The pages that are made from the source say what the source says, and leave nothing out. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { otherWords as otherCodes, refusalCodes, taskFailureCodes } from "./error-codes.ts";
import { answerHeaders, callbackHeaders, otherWords as otherHeaders, requestHeaders } from "./headers.ts";
import { pages } from "./pages.ts";

const root = new URL("../../", import.meta.url);

test.each(Object.keys(pages))("docs/%s is as `npm run docs` writes it", async (name) => {
	const page = readFileSync(new URL(`docs/${name}`, root), "utf8");
	expect(page).toBe((await pages[name]?.()) ?? "");
});

const source = ["core", "plugins"].flatMap((folder) =>
	readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
		.filter((file) => file.endsWith(".ts") && !/\.(test|long)\.ts$|fixtures|templates|console\/page/.test(file))
		.map((file) => readFileSync(new URL(`${folder}/${file}`, root), "utf8")),
);

const found = (...patterns: readonly RegExp[]): readonly string[] => {
	const words = source.flatMap((text) =>
		patterns.flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, ...groups]) => groups)),
	);
	return [...new Set(words.filter((word) => word !== undefined))].toSorted();
};

test("every word that stands as an error's code is explained, and every explained one is there", () => {
	const own = readFileSync(new URL("core/errors/own-errors.ts", root), "utf8");
	const ofKinds = [...own.matchAll(/code: "(\w+)"/g)].map(([, word = ""]) => word);
	const inSource = found(
		/\bcode: "([a-z_]+)"[,\s}]/g,
		/\bcode: [^,"\n]+ \? "([a-z_]+)" : "([a-z_]+)"/g,
		/noRoom = "(\w+)"/g,
		// Handed to what makes the refusal of it.
		/"(owner_[a-z]+)"/g,
		/"([a-z]+_unsupported)"/g,
		/: "(guard_refused)"/g,
		/"(quota_not_enough)"/g,
	);
	const told = [...refusalCodes, ...taskFailureCodes].map(({ code }) => code);
	const explained = new Set([...told, ...ofKinds, ...otherCodes]);
	expect(inSource.filter((word) => !explained.has(word))).toEqual([]);
	expect(told.filter((word) => !inSource.includes(word))).toEqual([]);
});

test("every code that a plugin's README names beside its status is explained", () => {
	const own = readFileSync(new URL("core/errors/own-errors.ts", root), "utf8");
	const explained = new Set([...own.matchAll(/"(\w+)"/g)].map(([, word = ""]) => word));
	for (const { code } of [...refusalCodes, ...taskFailureCodes]) explained.add(code);
	const named = readdirSync(new URL("plugins", root)).flatMap((plugin) => {
		const lines = readFileSync(new URL(`plugins/${plugin}/README.md`, root), "utf8").split("\n");
		return lines.flatMap((line) => {
			const code = /^\|.*\([45]\d\d\).*\|[^|]*`([a-z]+(?:_[a-z]+)+)`[^|]*\|$/.exec(line)?.[1];
			return code === undefined ? [] : [code];
		});
	});
	expect(named.length).toBeGreaterThan(20);
	expect(named.filter((code) => !explained.has(code))).toEqual([]);
});

test("every header beginning with x- in the source is explained, and every explained header is there", () => {
	const told = [...requestHeaders, ...answerHeaders, ...callbackHeaders].map(({ name }) => name);
	const inSource = found(/"(x-[a-z-]+)"/g);
	expect(inSource.filter((name) => !told.includes(name) && !otherHeaders.has(name))).toEqual([]);
	const text = source.join("\n");
	expect(told.filter((name) => !text.includes(name))).toEqual([]);
});

test("every variable that operators set is told of", () => {
	// Between Portico's own processes.
	const inside = [
		"PORTICO_CALLED_AS",
		"PORTICO_IMPORT_MAP",
		"PORTICO_WORKERS_COUNT",
		"PORTICO_WORKERS_DATABASE",
		"PORTICO_WORKERS_DATABASE_TOKEN",
	];
	const names = found(/"(PORTICO_[A-Z_]+)"/g).filter((name) => !inside.includes(name));
	expect(names.length).toBeGreaterThan(3);
	const told = [...readdirSync(new URL("docs", root)).map((name) => `docs/${name}`), "README.md", "CONTRIBUTING.md"]
		.filter((name) => name.endsWith(".md"))
		.map((name) => readFileSync(new URL(name, root), "utf8"))
		.join("\n");
	expect(names.filter((name) => !told.includes(name))).toEqual([]);
});

test("no setting that holds a key or a password is shown again", async () => {
	const page = (await pages["settings.md"]?.()) ?? "";
	const rows = page.split("\n").filter((line) => /^\| `(?:\S+\.)?(?:\w*[kK]eys?|authToken|pepper)`/.test(line));
	expect(rows.length).toBeGreaterThan(5);
	expect(rows.filter((line) => !line.includes("secret") && !line.startsWith("| `tls.key`"))).toEqual([]);
});

test("the README and the list of pages lead to every page", () => {
	const list = readFileSync(new URL("docs/README.md", root), "utf8");
	const names = readdirSync(new URL("docs", root)).filter((name) => name.endsWith(".md") && name !== "README.md");
	expect(names.filter((name) => !list.includes(`(${name})`))).toEqual([]);
	expect(readFileSync(new URL("README.md", root), "utf8")).toContain("(docs/README.md)");
});
