import { describe, expect, test } from "bun:test";
import { readJsonBody } from "#core";
import { inputBound, inputTokens } from "./input-bound.ts";

const bound = (value: object) => inputBound(readJsonBody(new TextEncoder().encode(JSON.stringify(value))));
const bytes = (value: object): number => new TextEncoder().encode(JSON.stringify(value)).length;
const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const png = "iVBORw0KGgo".repeat(20_000);

describe("plain text", () => {
	test("is bounded by its bytes, whatever the alphabet", () => {
		const asked = user("日本語 🙂 text");
		const found = bound(asked);
		expect(found).toMatchObject({ open: false, webSearches: 0, longCache: false });
		expect(found.tokens).toBeGreaterThanOrEqual(bytes(asked));
		expect(found.tokens).toBeLessThan(bytes(asked) + 50);
	});
	test("with tools is given the room of the instructions providers add", () => {
		const asked = { ...user("x"), tools: [{ type: "function", function: { name: "f", parameters: {} } }] };
		expect(bound(asked).tokens).toBeGreaterThan(bytes(asked) + 500);
		expect(bound(asked).open).toBe(false);
	});
});

describe("an image", () => {
	test.each<[string, object]>([
		["chat, inline", user([{ type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }])],
		[
			"responses, inline",
			{ input: [{ role: "user", content: [{ type: "input_image", image_url: `data:image/png;base64,${png}` }] }] },
		],
		["messages, inline", user([{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }])],
		["gemini, inline", { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: png } }] }] }],
		[
			"within a tool's result",
			user([{ type: "tool_result", content: [{ type: "image", source: { type: "base64", data: png } }] }]),
		],
	])("%s counts as an image, not by its bytes", (_name, asked) => {
		const found = bound(asked);
		expect(found.open).toBe(false);
		expect(found.tokens).toBeGreaterThan(10_000);
		expect(found.tokens).toBeLessThan(20_000);
	});
	test("by address counts the same", () => {
		expect(
			bound(user([{ type: "image_url", image_url: { url: "https://example.org/a.png" } }])).tokens,
		).toBeGreaterThan(10_000);
	});
});

describe("what the body only points to", () => {
	test.each<[string, object]>([
		["an earlier response", { input: "x", previous_response_id: "resp_1" }],
		["a conversation", { input: "x", conversation: "conv_1" }],
		["a stored prompt", { prompt: { id: "p" } }],
		["cached content", { contents: [], cachedContent: "cachedContents/1" }],
		["a file by id", user([{ type: "file", file: { file_id: "f" } }])],
		["an input file", { input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] }],
		["a document", user([{ type: "document", source: { type: "base64", data: "JVBERi0" } }])],
		["a document by address", user([{ type: "document", source: { type: "url", url: "https://example.org/a.pdf" } }])],
		["a gemini file", { contents: [{ parts: [{ fileData: { fileUri: "x", mimeType: "video/mp4" } }] }] }],
		["inline video", { contents: [{ parts: [{ inlineData: { mimeType: "video/mp4", data: "AAAA" } }] }] }],
		["a web search of OpenAI's", { input: "x", tools: [{ type: "web_search" }] }],
		[
			"a web search of Anthropic's",
			{ ...user("x"), tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] },
		],
		["a search of Gemini's", { contents: [], tools: [{ googleSearch: {} }] }],
		["search options of chat", { ...user("x"), web_search_options: {} }],
	])("%s may be as long as the model can read", (_name, asked) => {
		const found = bound(asked);
		expect(found.open).toBe(true);
		expect(inputTokens(found, 1_000_000)).toBe(1_000_000);
		expect(inputTokens(found, undefined)).toBe(200_000);
	});
	test("searches are counted, as many as the request allows", () => {
		expect(
			bound({ ...user("x"), tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] }).webSearches,
		).toBe(3);
		expect(bound({ input: "x", tools: [{ type: "web_search" }, { type: "file_search" }] })).toMatchObject({
			webSearches: 10,
			fileSearches: 10,
		});
	});
	test.each<[string, object]>([
		[
			"functions",
			{
				...user("x"),
				tools: [
					{ type: "function", function: { name: "f" } },
					{ type: "custom", name: "c" },
				],
			},
		],
		[
			"tools of messages",
			{
				...user("x"),
				tools: [
					{ name: "f", input_schema: { type: "object" } },
					{ type: "bash_20250124", name: "bash" },
				],
			},
		],
		["function declarations", { contents: [], tools: [{ functionDeclarations: [{ name: "f" }] }] }],
		["a document that is text", user([{ type: "document", source: { type: "text", data: "words" } }])],
		[
			"a schema that speaks of files",
			{
				...user("x"),
				response_format: { type: "json_schema", json_schema: { schema: { properties: { a: { type: "file" } } } } },
			},
		],
	])("%s point nowhere", (_name, asked) => expect(bound(asked).open).toBe(false));
});

test("a cache that keeps for an hour is noticed", () => {
	const cached = (ttl?: string) =>
		user([{ type: "text", text: "x", cache_control: { type: "ephemeral", ...(ttl && { ttl }) } }]);
	expect(bound(cached("1h")).longCache).toBe(true);
	expect(bound(cached()).longCache).toBe(false);
});
