import { expect, test } from "bun:test";
import { readJsonBody } from "./json-body.ts";
import { BoundReader } from "./request-bound.ts";

const longCache = (text: string): boolean =>
	new BoundReader(readJsonBody(new TextEncoder().encode(text))).result().longCache;

test("a mark for a long cache is found wherever it stands, and however its name is written", () => {
	expect(longCache('{"messages":[{"content":[{"text":"a","cache_control":{"ttl":"1h"}}]}]}')).toBe(true);
	expect(longCache('{"tools":[{"cache\\u005fcontrol":{"ttl":"1h"}}]}')).toBe(true);
	expect(longCache('{"cache_control":{"ttl":1}}')).toBe(true);
});

test("neither a short cache nor the word alone is one", () => {
	expect(longCache('{"messages":[{"content":[{"text":"a","cache_control":{"ttl":"5m"}}]}]}')).toBe(false);
	expect(longCache('{"cache_control":{"type":"ephemeral"}}')).toBe(false);
	expect(longCache('{"messages":[{"content":"cache_control \\u00e9"}]}')).toBe(false);
});
