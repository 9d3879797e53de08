import { describe, expect, test } from "bun:test";
import { isFault } from "#core";
import { asked, askOf } from "../fixtures/exchange.ts";
import { renderDenial } from "./errors.ts";

const good = { model: "m", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };

const refusalOf = (body: unknown, path = "/v1/messages") => {
	try {
		askOf(body, path);
		return undefined;
	} catch (error) {
		if (isFault(error)) return error.denial;
		throw error;
	}
};

/** The good body with one member set, or left out. */
const withMember = (name: string, value: unknown) => ({ ...good, [name]: value });

describe("what is refused before anything is sent", () => {
	test.each([
		["model missing", "model", undefined],
		["model empty", "model", ""],
		["model a number", "model", 7],
		["messages missing", "messages", undefined],
		["messages empty", "messages", []],
		["messages no list", "messages", { role: "user" }],
		["max_tokens missing", "max_tokens", undefined],
		["max_tokens null", "max_tokens", null],
		["max_tokens -1", "max_tokens", -1],
		["max_tokens 1.5", "max_tokens", 1.5],
		["max_tokens a string", "max_tokens", "5"],
		["max_tokens beyond exact numbers", "max_tokens", 2 ** 53],
		["stream a string", "stream", "true"],
		["stream a number", "stream", 1],
		["temperature a string", "temperature", "1"],
		["temperature 3", "temperature", 3],
		["temperature below 0", "temperature", -0.1],
		["top_p 2", "top_p", 2],
	])("%s", (_name, parameter, value) => {
		const denial = refusalOf(withMember(parameter, value));
		expect(denial).toMatchObject({ kind: "invalid_request", parameter });
		expect(denial?.message).toStartWith(`${parameter}: `);
		const { status, body } = renderDenial(denial ?? { kind: "internal", message: "" }, "req_1");
		expect(status).toBe(400);
		expect(body).toEqual({
			type: "error",
			error: { type: "invalid_request_error", message: denial?.message ?? "" },
			request_id: "req_1",
		});
	});

	test("more messages than Anthropic takes", () => {
		const many = (count: number) => Array(count).fill(good.messages[0]);
		expect(refusalOf(withMember("messages", many(100_000)))).toBeUndefined();
		expect(refusalOf(withMember("messages", many(100_001)))).toMatchObject({ parameter: "messages" });
	});

	test.each([
		["a role that is none", { role: "robot", content: "x" }, "messages[0].role"],
		["a missing role", { content: "x" }, "messages[0].role"],
		["content that is a number", { role: "user", content: 7 }, "messages[0].content"],
		["content that is null", { role: "user", content: null }, "messages[0].content"],
		["a message that is a string", "Hi", "messages[0]"],
	])("%s", (_name, message, parameter) => {
		expect(refusalOf(withMember("messages", [message]))).toMatchObject({ kind: "invalid_request", parameter });
	});

	test("a value in a refusal is named, never repeated at length", () => {
		const denial = refusalOf(withMember("model", ["secret".repeat(1000)]));
		expect(denial?.message.length).toBeLessThan(200);
	});
});

describe("what routing is told", () => {
	test("model, stream, limit and the key of the conversation", () => {
		const { call } = askOf({ ...good, stream: true, metadata: { user_id: "user_session_1" } });
		expect(call).toEqual({
			operation: "generate",
			name: "m",
			stream: true,
			maxOutputTokens: 10,
			candidates: 1,
			affinity: "user_session_1",
		});
		expect(askOf({ ...good, stream: null }).call.stream).toBe(false);
	});

	test("a count of tokens needs no limit", () => {
		const { max_tokens: _none, ...counted } = good;
		for (const path of ["/v1/messages/count_tokens", "/messages/count_tokens?beta=true"])
			expect(askOf(counted, path).call).toEqual({
				operation: "count_tokens",
				name: "m",
				stream: false,
				candidates: 1,
			});
	});
});

describe("what the decoder refuses", () => {
	const contentOf =
		(...content: readonly unknown[]) =>
		() =>
			asked({ messages: [{ role: "user", content }] });
	test.each([
		["a text that is a number", contentOf({ type: "text", text: 7 }), "messages[0].content[0].text"],
		["a block without a type", contentOf({ text: "x" }), "messages[0].content[0].type"],
		["a block that is a string", contentOf("x"), "messages[0].content[0]"],
		["an image without a source", contentOf({ type: "image" }), "messages[0].content[0].source.type"],
		["a tool's call without an id", contentOf({ type: "tool_use", name: "f" }), "messages[0].content[0].id"],
		["a result without its call", contentOf({ type: "tool_result" }), "messages[0].content[0].tool_use_id"],
		["tools that are no list", () => asked({ tools: {} }), "tools"],
		["a tool without a name", () => asked({ tools: [{ input_schema: {} }] }), "tools[0].name"],
		["a choice that is none", () => asked({ tool_choice: { type: "some" } }), "tool_choice.type"],
	])("%s", (_name, decode, parameter) => {
		expect(decode).toThrow(parameter);
	});
});
