import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { digestOf, looksLikeKey, makeKey, previewOf } from "./key.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const character = fc.constantFrom(...base62);

describe("a key", () => {
	test("is sk-, 43 characters and 6 of checksum, and never the same twice", () => {
		const keys = Array.from({ length: 200 }, makeKey);
		for (const key of keys) {
			expect(key).toMatch(/^sk-[0-9A-Za-z]{49}$/);
			expect(looksLikeKey(key)).toBe(true);
		}
		expect(new Set(keys).size).toBe(200);
	});

	test("uses every character of base62 about equally", () => {
		const counts = new Map<string, number>();
		for (let round = 0; round < 600; round++)
			for (const letter of makeKey().slice(3, 46)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
		// 600 × 43 / 62 = 416 of each on average; six standard deviations are about 120.
		for (const letter of base62) expect(counts.get(letter) ?? 0).toBeWithin(296, 537);
	});

	test("ends in the CRC-32 of what is before it, in base62", () => {
		const body = `sk-${"0".repeat(43)}`;
		let rest = crcOf(body);
		let checksum = "";
		for (let index = 0; index < 6; index++) {
			checksum = `${base62[rest % 62]}${checksum}`;
			rest = Math.floor(rest / 62);
		}
		expect(looksLikeKey(body + checksum)).toBe(true);
	});

	test("with any one character changed is garbage", () => {
		fc.assert(
			fc.property(fc.integer({ min: 3, max: 51 }), character, (at, letter) => {
				const key = makeKey();
				fc.pre(key[at] !== letter);
				expect(looksLikeKey(key.slice(0, at) + letter + key.slice(at + 1))).toBe(false);
			}),
			{ numRuns: 300 },
		);
	});

	test.each([
		"",
		"sk-",
		"sk-short",
		`sk-${"a".repeat(49)}`,
		`pk-${makeKey().slice(3)}`,
		` ${makeKey()}`,
		`${makeKey()}\n`,
	])("%p is none", (text) => expect(looksLikeKey(text)).toBe(false));

	test("is stored as 64 hexadecimal characters that the pepper decides", () => {
		const key = makeKey();
		expect(digestOf("one", key)).toMatch(/^[0-9a-f]{64}$/);
		expect(digestOf("one", key)).toBe(digestOf("one", key));
		expect(digestOf("one", key)).not.toBe(digestOf("two", key));
	});

	test("is shown by its beginning and its last four", () => {
		expect(previewOf("sk-abcdefghijklmnopqrstuvwxyz")).toBe("sk-abc…wxyz");
	});
});

/** CRC-32 by its definition, a bit at a time. */
const crcOf = (text: string): number => {
	let crc = 0xffffffff;
	for (const byte of new TextEncoder().encode(text)) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
	}
	return (crc ^ 0xffffffff) >>> 0;
};
