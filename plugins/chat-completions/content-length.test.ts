/** Offsets: characters and units tell the same places, as a reader of every character finds them. */
import { expect, test } from "bun:test";
import { ContentLength } from "./content-length.ts";

test.each(["", "plain", "😀", "a😀b😀😀c", "😀😀😀", "é😀ü"])("of %p, character by character", (text) => {
	const content = new ContentLength();
	content.add(text);
	let units = 0;
	for (const [before, character] of [...text].entries()) {
		expect([before, content.unitsBefore(before)]).toEqual([before, units]);
		expect([units, content.charactersBefore(units)]).toEqual([units, before]);
		units += character.length;
	}
	expect([content.unitsBefore([...text].length), content.charactersBefore(units)]).toEqual([units, [...text].length]);
});
