import { expect, test } from "bun:test";
import { asRecord, type EndpointAsk, readJsonBody } from "#core";
import { createGemini } from "./gemini.ts";
import { voyage } from "./voyage.ts";

const sent = (autoTruncate: unknown): unknown => {
	const body = { content: { parts: [{ text: "a" }] }, embedContentConfig: { autoTruncate } };
	const ask = {
		url: new URL("http://gateway/v1beta/models/m:embedContent"),
		params: { "*": "m" },
		headers: new Headers(),
		body: { type: "json", json: readJsonBody(new TextEncoder().encode(JSON.stringify(body))) },
		dialect: "gemini",
		call: { model: "m" },
	} as unknown as EndpointAsk;
	const asked = createGemini(() => []).decodeRequest?.(ask);
	const message = asked && voyage.encodeRequest?.(asked, "voyage-3").messages[0];
	return asRecord(JSON.parse(String(message?.body)))["truncation"];
};

test.each([
	[true, true],
	[false, false],
	[{ evil: 1 }, undefined],
	["yes", undefined],
])("autoTruncate %p is told to another vendor as %p", (given, told) => {
	expect(sent(given)).toBe(told);
});
