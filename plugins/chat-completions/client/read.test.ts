import { describe, expect, test } from "bun:test";
import { isFault } from "#core";
import { askFor, bodyWith } from "../fixtures/ask.ts";

const refusalOf = (body: unknown, path?: string) => {
	try {
		askFor(body, path);
	} catch (error) {
		if (isFault(error)) return error.denial;
		throw error;
	}
	return undefined;
};

describe("reading a request", () => {
	test("finds model, stream, limit, candidates and cache key", () => {
		const { call } = askFor(bodyWith({ stream: true, max_tokens: 12, n: 3, prompt_cache_key: "thread-1" }));
		expect(call).toEqual({
			operation: "generate",
			name: "gpt-4o",
			stream: true,
			candidates: 3,
			maxOutputTokens: 12,
			affinity: "thread-1",
		});
	});

	test("holds back for the larger of both limits", () => {
		expect(askFor(bodyWith({ max_tokens: 10, max_completion_tokens: 40 })).call.maxOutputTokens).toBe(40);
	});

	test("takes null for what is not said", () => {
		const nulls = { stream: null, max_tokens: null, n: null, temperature: null, top_p: null, logprobs: null };
		expect(askFor(bodyWith(nulls)).call).toEqual({
			operation: "generate",
			name: "gpt-4o",
			stream: false,
			candidates: 1,
		});
	});

	test("takes an assistant without content and every role", () => {
		const messages = [
			{ role: "system", content: "s" },
			{ role: "developer", content: "d" },
			{ role: "user", content: [{ type: "text", text: "u" }] },
			{ role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] },
			{ role: "tool", tool_call_id: "c", content: null },
			{ role: "assistant", content: null },
			{ role: "function", name: "f", content: "x" },
		];
		expect(refusalOf(bodyWith({ messages }))).toBeUndefined();
	});
});

const wrong: readonly (readonly [string, unknown, string])[] = [
	["messages missing", { model: "m" }, "messages"],
	["messages empty", bodyWith({ messages: [] }), "messages"],
	["messages an object", bodyWith({ messages: { role: "user", content: "x" } }), "messages"],
	["messages null", bodyWith({ messages: null }), "messages"],
	["messages a string", bodyWith({ messages: "hi" }), "messages"],
	["too many messages", bodyWith({ messages: Array(20_001).fill({ role: "user", content: "x" }) }), "messages"],
	["a message that is no object", bodyWith({ messages: ["hi"] }), "messages[0]"],
	["an unknown role", bodyWith({ messages: [{ role: "robot", content: "x" }] }), "messages[0].role"],
	["no role", bodyWith({ messages: [{ content: "x" }] }), "messages[0].role"],
	["content a number", bodyWith({ messages: [{ role: "user", content: 7 }] }), "messages[0].content"],
	["content null", bodyWith({ messages: [{ role: "user", content: null }] }), "messages[0].content"],
	["content missing", bodyWith({ messages: [{ role: "system" }] }), "messages[0].content"],
	["model missing", { messages: [{ role: "user", content: "x" }] }, "model"],
	["model a number", bodyWith({ model: 4 }), "model"],
	["model empty", bodyWith({ model: "" }), "model"],
	["model null", bodyWith({ model: null }), "model"],
	["stream a string", bodyWith({ stream: "true" }), "stream"],
	["stream a number", bodyWith({ stream: 1 }), "stream"],
	...[0, -1, 1.5, "5", 2 ** 53 + 2].flatMap((value): [string, unknown, string][] => [
		[`max_tokens ${value}`, bodyWith({ max_tokens: value }), "max_tokens"],
		[`max_completion_tokens ${value}`, bodyWith({ max_completion_tokens: value }), "max_completion_tokens"],
	]),
	[
		"max_tokens beyond numbers",
		'{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":1e400}',
		"max_tokens",
	],
	...[0, -1, 129, 10_000, 1.5, "2"].map((value): [string, unknown, string] => [
		`n ${value}`,
		bodyWith({ n: value }),
		"n",
	]),
	["temperature too high", bodyWith({ temperature: 3 }), "temperature"],
	["temperature a string", bodyWith({ temperature: "1" }), "temperature"],
	["top_p too high", bodyWith({ top_p: 1.1 }), "top_p"],
	["logprobs a number", bodyWith({ logprobs: 5 }), "logprobs"],
	["top_logprobs huge", bodyWith({ logprobs: true, top_logprobs: 1000 }), "top_logprobs"],
];

describe("what no upstream could accept is refused before it costs anything", () => {
	for (const [what, body, parameter] of wrong)
		test(what, () => {
			const denial = refusalOf(body);
			expect(denial?.kind).toBe("invalid_request");
			expect(denial?.parameter).toBe(parameter);
			expect(denial?.message).toContain(parameter);
		});

	test("a message about a long value does not repeat it", () => {
		expect(refusalOf(bodyWith({ stream: "x".repeat(5000) }))?.message.length).toBeLessThan(300);
	});
});
