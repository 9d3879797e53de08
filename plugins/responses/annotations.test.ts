import { expect, test } from "bun:test";
import { decodeAnnotations, encodeAnnotations } from "./annotations.ts";

const cite = (start_index: number, end_index: number) => ({
	type: "url_citation",
	start_index,
	end_index,
	url: "https://a.test",
	title: "A",
});

test("spans count characters on the wire and units within", () => {
	const text = "a😀b😀c";
	const wire = [cite(0, 1), cite(1, 2), cite(2, 5), cite(4, 5)];
	const citations = decodeAnnotations(wire, text);
	expect(citations.map(({ target }) => text.slice(target?.start, target?.end))).toEqual(["a", "😀", "b😀c", "c"]);
	expect(encodeAnnotations(citations, text)).toEqual(wire);
});

test("a long text may be cited as often as a request can", () => {
	const text = `😀${"a".repeat(1_000_000)}`;
	const wire = Array.from({ length: 20_000 }, (_, index) => cite(900_000 + index, 999_999));
	const begun = performance.now();
	const citations = decodeAnnotations(wire, text);
	expect(encodeAnnotations(citations, text)).toEqual(wire);
	// Minutes, where each is counted from the beginning of the text.
	expect(performance.now() - begun).toBeLessThan(5000);
	expect(citations[0]?.target).toEqual({ start: 900_001, end: 1_000_000 });
});
