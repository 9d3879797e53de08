/** What a request holds under a quota is never less than an upstream can bill for it, in any of the four protocols. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type RequestFacts, readJsonBody } from "#core";
import { facts as chat } from "../../plugins/chat-completions/facts.ts";
import { facts as gemini } from "../../plugins/generate-content/facts.ts";
import { facts as messages } from "../../plugins/messages/facts.ts";
import { inputTokens } from "../../plugins/quota/call-cost.ts";
import { facts as responses } from "../../plugins/responses/facts.ts";

const encoded = (value: object) => readJsonBody(new TextEncoder().encode(JSON.stringify(value)));
const bound = (facts: RequestFacts, value: object) => facts.bound(encoded(value));
const bytes = (value: object): number => new TextEncoder().encode(JSON.stringify(value)).length;
const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const input = (content: unknown) => ({ input: [{ role: "user", content }] });
const part = (given: object) => ({ contents: [{ parts: [given] }] });
const png = `iVBORw0KGgo${"A".repeat(200_000)}`;
const pdf = `JVBERi0xLjcK${"A".repeat(200_000)}`;
const text = Buffer.from("word ".repeat(40_000)).toString("base64");

/** A request with media of this type inline, in each protocol and in each place that takes some. */
const carrying = (type: string, data: string): readonly (readonly [string, RequestFacts, object])[] => {
	const url = `data:${type};base64,${data}`;
	const source = { type: "base64", media_type: type, data };
	return [
		["chat, as a picture", chat, user([{ type: "image_url", image_url: { url } }])],
		["chat, as a bare address", chat, user([{ type: "image_url", image_url: url }])],
		["responses, as a picture", responses, input([{ type: "input_image", image_url: url }])],
		[
			"responses, in a call's output",
			responses,
			{ input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: url }] }] },
		],
		["messages, as a picture", messages, user([{ type: "image", source }])],
		["messages, in a tool's result", messages, user([{ type: "tool_result", content: [{ type: "image", source }] }])],
		["gemini", gemini, part({ inlineData: { mimeType: type, data } })],
		["gemini, in snakes", gemini, part({ inline_data: { mime_type: type, data } })],
		[
			"gemini, in a function's response",
			gemini,
			part({ functionResponse: { name: "f", response: {}, parts: [{ inlineData: { mimeType: type, data } }] } }),
		],
	];
};

describe("a picture counts by itself", () => {
	test.each([...carrying("image/png", png)])("%s", (_name, facts, asked) => {
		const found = bound(facts, asked);
		expect(found).toMatchObject({ images: 1, open: false, turns: 1 });
		expect(inputTokens(found)).toBeGreaterThan(16_384);
		expect(inputTokens(found)).toBeLessThan(20_000);
		expect(inputTokens(found, undefined, 49_152)).toBeGreaterThan(49_152);
	});
	test.each([{}, { uuid: "a" }])("by its address, too, with %j", (more) => {
		const asked = user([{ type: "image_url", image_url: { url: "https://example.org/a.png" }, ...more }]);
		expect(bound(chat, asked)).toMatchObject({ images: 1, open: false });
	});
});

describe("what is given for a picture and is none", () => {
	test.each([...carrying("text/plain", text)])("text counts by its bytes: %s", (_name, facts, asked) => {
		expect(inputTokens(bound(facts, asked))).toBeGreaterThan(200_000);
	});
	test.each([...carrying("image/png", text)])("text that says it is a picture, too: %s", (_name, facts, asked) => {
		expect(inputTokens(bound(facts, asked))).toBeGreaterThan(200_000);
	});
	test.each([
		...carrying("application/pdf", pdf),
		...carrying("image/png", pdf),
		...carrying("text/plain", pdf),
		...carrying("video/mp4", "AAAA"),
		...carrying("audio/flac", "ZkxhQw=="),
		...carrying("application/octet-stream", "AAAA"),
	])("a document, a film or a sound fills the window: %s", (_name, facts, asked) => {
		expect(bound(facts, asked).open).toBe(true);
		expect(inputTokens(bound(facts, asked), 1_000_000)).toBe(1_000_000);
	});
	test.each<[string, RequestFacts, object]>([
		["a schema", responses, { input: "x", text: { format: { schema: { type: "image", source: { data: png } } } } }],
		[
			"a schema of messages",
			messages,
			{ ...user("x"), output_config: { format: { type: "image", source: { data: png } } } },
		],
		[
			"a function's response",
			gemini,
			part({ functionResponse: { response: { inlineData: { mimeType: "image/png", data: png } } } }),
		],
		[
			"a call's arguments",
			gemini,
			part({ functionCall: { args: { inlineData: { mimeType: "image/png", data: png } } } }),
		],
	])("what only looks like a picture within %s counts by its bytes", (_name, facts, asked) => {
		expect(inputTokens(bound(facts, asked))).toBeGreaterThanOrEqual(bytes(asked));
	});
});

describe("what the body only points to may be as long as the model can read", () => {
	test.each<[string, RequestFacts, object]>([
		["an earlier response", responses, { input: "x", previous_response_id: "resp_1" }],
		["a conversation", responses, { input: "x", conversation: "conv_1" }],
		["a stored prompt", responses, { prompt: { id: "p" } }],
		["an item by its id", responses, { input: [{ type: "item_reference", id: "i" }] }],
		["an input file", responses, input([{ type: "input_file", file_id: "f" }])],
		["cached content", gemini, { contents: [], cachedContent: "cachedContents/1" }],
		["cached content, in snakes", gemini, { contents: [], cached_content: "cachedContents/1" }],
		["an answer that is to be continued", gemini, { contents: [], continuationToken: "dG9rZW4=" }],
		["a gemini file", gemini, part({ fileData: { fileUri: "x", mimeType: "video/mp4" } })],
		["a film beside a text without a type", chat, user([{ text: "x", video_url: { url: "https://e.org/v" } }])],
		["the same with no type at all", chat, user([{ type: null, text: "x", audio_url: { url: "https://e.org/a" } }])],
		[
			"a film in a text with a name of its own",
			chat,
			user([{ type: "text", text: "x", uuid: "1", video_url: { url: "https://e.org/v" } }]),
		],
		["a file by id", chat, user([{ type: "file", file: { file_id: "f" } }])],
		["a sound", chat, user([{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }])],
		["a film by its address", chat, user([{ type: "video_url", video_url: { url: "https://example.org/a" } }])],
		[
			"a document as a picture",
			chat,
			user([{ type: "image_url", image_url: { url: "https://example.org/a.pdf?x=1" } }]),
		],
		["a picture in a bucket", chat, user([{ type: "image_url", image_url: { url: "gs://bucket/a" } }])],
		["an earlier sound", chat, { messages: [{ role: "assistant", audio: { id: "audio_1" } }] }],
		["a part nobody knows", chat, user([{ type: "hologram", hologram: {} }])],
		[
			"a document",
			messages,
			user([{ type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0" } }]),
		],
		[
			"a document by address",
			messages,
			user([{ type: "document", source: { type: "url", url: "https://example.org/a" } }]),
		],
		["an upload for a container", messages, user([{ type: "container_upload", file_id: "f" }])],
		[
			"servers of tools",
			messages,
			{ ...user("x"), mcp_servers: [{ type: "url", url: "https://example.org", name: "n" }] },
		],
		["a container", messages, { ...user("x"), container: { skills: [{ skill_id: "pptx" }] } }],
	])("%s", (_name, facts, asked) => {
		const found = bound(facts, asked);
		expect(found.open).toBe(true);
		expect(inputTokens(found, 1_000_000)).toBe(1_000_000);
		expect(inputTokens(found)).toBe(200_000);
	});
});

describe("tools that run at the upstream", () => {
	const hosted: readonly [string, RequestFacts, object, object][] = [
		["web search of chat", chat, { ...user("x"), web_search_options: {} }, { webSearches: 20 }],
		["live search of chat", chat, { ...user("x"), search_parameters: { max_search_results: 5 } }, { webSearches: 5 }],
		["web search", responses, { input: "x", tools: [{ type: "web_search" }] }, { webSearches: 10 }],
		["few searches", responses, { input: "x", max_tool_calls: 2, tools: [{ type: "web_search" }] }, { webSearches: 2 }],
		["file search", responses, { input: "x", tools: [{ type: "file_search" }] }, { fileSearches: 10 }],
		["an interpreter", responses, { input: "x", tools: [{ type: "code_interpreter" }] }, { codeSessions: 1 }],
		["a hosted shell", responses, { input: "x", tools: [{ type: "shell", environment: {} }] }, { codeSessions: 1 }],
		["pictures", responses, { input: "x", max_tool_calls: 1, tools: [{ type: "image_generation" }] }, { images: 1 }],
		["a server of tools", responses, { input: "x", tools: [{ type: "mcp", server_url: "u" }] }, {}],
		[
			"a tool in a namespace",
			responses,
			{ input: "x", tools: [{ type: "namespace", tools: [{ type: "web_search" }] }] },
			{ webSearches: 10 },
		],
		[
			"search of messages",
			messages,
			{ ...user("x"), tools: [{ type: "web_search_20250305", max_uses: 3 }] },
			{ webSearches: 3 },
		],
		["code of messages", messages, { ...user("x"), tools: [{ type: "code_execution_20250825" }] }, { codeSessions: 1 }],
		["search of gemini", gemini, { contents: [], tools: [{ googleSearch: {} }] }, { webSearches: 10 }],
		["search of gemini, not in a list", gemini, { contents: [], tools: { google_search: {} } }, { webSearches: 10 }],
		["code of gemini", gemini, { contents: [], tools: [{ code_execution: {} }] }, {}],
	];
	test.each(hosted)("%s: its fee, and the body once more for each round", (_name, facts, asked, fees) => {
		const found = bound(facts, asked);
		expect(found).toMatchObject({ open: true, fees });
		expect(found.turns).toBeGreaterThan(1);
		const long = { ...found, tokens: 100_000 };
		expect(inputTokens(long, 100_000)).toBe(100_000 * found.turns);
	});
	test.each(["computer_toolset_20260801", "browser_toolset_20260801"])("%s runs at the client, and is long", (type) => {
		const seen = { type: "tool_result", tool_use_id: "t", content: [{ type: "browser_state", tabs: [] }] };
		const found = bound(messages, { ...user([seen]), tools: [{ type }] });
		expect(found).toMatchObject({ open: false, turns: 1 });
		expect(found.unpriced).toBeUndefined();
		expect(found.tokens).toBeGreaterThan(32_000);
	});

	test("one that asks another model has no price", () => {
		const asked = { ...user("x"), tools: [{ type: "advisor_20260301", name: "advisor", model: "claude-opus-5" }] };
		expect(bound(messages, asked).unpriced).toContain("advisor_20260301");
	});
	test.each<[string, RequestFacts, object]>([
		["functions", chat, { ...user("x"), tools: [{ type: "function", function: { name: "f" } }, { type: "custom" }] }],
		["tools of messages", messages, { ...user("x"), tools: [{ name: "f" }, { type: "bash_20250124", name: "bash" }] }],
		["declarations", gemini, { contents: [], tools: [{ functionDeclarations: [{ name: "f" }] }] }],
		["a text document", messages, user([{ type: "document", source: { type: "text", data: "words" } }])],
		["a schema that speaks of files", chat, { ...user("x"), response_format: { schema: { type: "file" } } }],
	])("%s point nowhere", (_name, facts, asked) => {
		expect(bound(facts, asked)).toMatchObject({ open: false, turns: 1 });
		expect(bound(facts, asked).tokens).toBeGreaterThan(bytes(asked));
	});
});

test.each<[string, object]>([
	["a block", user([{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }])],
	["a tool", { ...user("x"), tools: [{ name: "f", cache_control: { type: "ephemeral", ttl: "1h" } }] }],
])("a cache that keeps for an hour is noticed on %s", (_name, asked) => {
	expect(bound(messages, asked).longCache).toBe(true);
	const short = JSON.parse(JSON.stringify(asked).replace("1h", "5m")) as object;
	expect(bound(messages, short).longCache).toBe(false);
});

describe("words that change the price", () => {
	test.each<[RequestFacts, object, readonly string[]]>([
		[chat, { service_tier: "priority" }, ["priority"]],
		[chat, { service_tier: " Priority " }, ["priority"]],
		[chat, { service_tier: "auto", speed: "standard" }, []],
		[chat, { service_tier: null }, []],
		[chat, { service_tier: ["priority"] }, ["unreadable"]],
		[responses, { service_tier: "fast" }, ["priority"]],
		[messages, { speed: "fast", inference_geo: "us" }, ["fast", "inference_geo:us"]],
		[messages, { service_tier: "standard_only", inference_geo: "global" }, []],
		[gemini, { serviceTier: "SERVICE_TIER_PRIORITY" }, ["priority"]],
		[gemini, { service_tier: "priority" }, ["priority"]],
		[gemini, { generation_config: { service_tier: "PRIORITY" } }, ["priority"]],
	])("%#", (facts, asked, tiers) => expect(facts.tiers({ ...asked })).toEqual([...tiers]));
});

describe("no upstream can bill more than is held", () => {
	/** A piece of a request, and the most tokens that any upstream makes of it, by its own true kind. */
	const piece = fc.oneof(
		fc.string({ unit: "grapheme", maxLength: 400 }).map((said) => ({
			chat: { type: "text", text: said },
			messages: { type: "text", text: said },
			responses: { type: "input_text", text: said },
			gemini: { text: said },
			billed: Buffer.byteLength(said),
		})),
		fc
			.tuple(fc.constantFrom("text/plain", "image/png", "text/csv", "image/jpeg", "application/json"), fc.nat(60_000))
			.map(([type, words]) => {
				// An upstream that looks into the bytes finds text, and reads it as text, whatever it is called.
				const data = Buffer.from("w ".repeat(words)).toString("base64");
				const url = `data:${type};base64,${data}`;
				return {
					chat: { type: "image_url", image_url: { url } },
					messages: { type: "image", source: { type: "base64", media_type: type, data } },
					responses: { type: "input_image", image_url: url },
					gemini: { inlineData: { mimeType: type, data } },
					billed: words * 2,
				};
			}),
		fc.nat(3_000).map((size) => {
			const data = `iVBORw0KGgo${"A".repeat(size)}`;
			const url = `data:image/png;base64,${data}`;
			return {
				chat: { type: "image_url", image_url: { url } },
				messages: { type: "image", source: { type: "base64", media_type: "image/png", data } },
				responses: { type: "input_image", image_url: url },
				gemini: { inline_data: { mime_type: "image/png", data } },
				billed: 16_384,
			};
		}),
	);
	test("for any mixture of texts, pictures and what pretends to be one", () => {
		fc.assert(
			fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
				const billed = pieces.reduce((sum, one) => sum + one.billed, 0);
				const held = [
					bound(chat, user(pieces.map((one) => one.chat))),
					bound(messages, user(pieces.map((one) => one.messages))),
					bound(responses, input(pieces.map((one) => one.responses))),
					bound(gemini, { contents: [{ parts: pieces.map((one) => one.gemini) }] }),
				];
				for (const one of held) expect(inputTokens(one)).toBeGreaterThanOrEqual(billed);
			}),
			{ numRuns: 60 },
		);
	});
});
