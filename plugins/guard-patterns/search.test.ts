import { expect, test } from "bun:test";
import { readPattern, startsAtOnce } from "./patterns.ts";
import { Search } from "./search.ts";

const { signal } = new AbortController();

test.each([
	["4[0-9]{15}", /4[0-9]{15}/gu],
	["[\\w.+-]+@[\\w-]+\\.[\\w.-]+", /[\w.+-]+@[\w-]+\.[\w.-]+/gu],
	["(?<=key )\\w+|^a", /(?<=key )\w+|^a/gu],
	["\\bno\\b(?! one)", /\bno\b(?! one)/gu],
])("%s finds in pieces what it finds in one", async (source, whole) => {
	const pattern = readPattern("found", source);
	const words = ["4111111111111111", "4111", "ann@example.org", "key word", "no one", "no", "\u{1f600}", "a", " "];
	for (let gap = startsAtOnce - 24; gap < startsAtOnce + 4; gap++) {
		const text = words.map((word, at) => " ".repeat(at === 0 ? 0 : gap) + word).join("");
		expect(await new Search(signal).replaced(text, pattern, (found) => `<${found}>`)).toBe(text.replace(whole, "<$&>"));
	}
});

test.each(["\\b", "(?=word)", "(?<=a)b*"])("%s, which may match nothing, ends and hides no nothing", async (source) => {
	const text = "a word, ab and another \u{1f600}";
	const found: string[] = [];
	const changed = await new Search(signal).replaced(text, readPattern("empty", source), (words) => {
		found.push(words);
		return `<${words}>`;
	});
	expect(changed).toBe(text.replace(/(?<=a)b+/g, source.startsWith("(?<=") ? "<$&>" : "$&"));
	expect(found).not.toContain("");
});

test("a search that takes long is given up once nobody waits for it", async () => {
	const pattern = readPattern("mail", "[\\w.+-]+@[\\w-]+");
	const search = new Search(AbortSignal.abort());
	const searching = search.replaced("a".repeat(1_000_000), pattern, (words) => words);
	await expect(searching).rejects.toThrow("The client left.");
});
