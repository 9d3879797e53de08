/** Calls of a set of tools name the set, and so must their results: without it Anthropic does not know whose they are. */
import { describe, expect, test } from "bun:test";
import { asList, asRecord, fold, normalizeResponse } from "#core";
import { asked, contextOf, encode, framesOf, type Json, understood, written } from "./fixtures/exchange.ts";
import { messages } from "./protocol.ts";

const call: Json = {
	type: "tool_use",
	id: "toolu_1",
	name: "left_click",
	toolset_name: "computer",
	input: { coordinate: [1, 2] },
};

describe("a call of a set of tools in an answer that was looked at", () => {
	test("names its set, whole", () => {
		const body = { id: "m", model: "c", content: [call], stop_reason: "tool_use", usage: {} };
		const answer = normalizeResponse(messages.upstream.decodeResponse(body, contextOf()));
		const { content } = asRecord(messages.client.encodeResponse(answer, asked()).body);
		expect(content).toEqual([call]);
	});

	test("names its set, streamed", () => {
		const events = understood(messages, [
			{ type: "message_start", message: { id: "m", model: "c", usage: {} } },
			{ type: "content_block_start", index: 0, content_block: { ...call, input: {} } },
			{
				type: "content_block_delta",
				index: 0,
				delta: { type: "input_json_delta", partial_json: '{"coordinate":[1,2]}' },
			},
			{ type: "content_block_stop", index: 0 },
			{ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
			{ type: "message_stop" },
		]);
		const start = framesOf(written(events)).find(({ type }) => type === "content_block_start");
		expect(start?.["content_block"]).toEqual({ ...call, input: {} });
		expect(fold(events).candidates[0]?.finish.reason).toBe("tool_calls");
	});
});

test("its result names it too", () => {
	const result: Json = { type: "tool_result", tool_use_id: "toolu_1", toolset_name: "computer", content: "Done." };
	const { sent } = encode(
		asked({
			messages: [
				{ role: "user", content: "Click." },
				{ role: "assistant", content: [call] },
				{ role: "user", content: [result] },
			],
		}),
	);
	const contents = asList(sent["messages"]).map((message) => asRecord(message)["content"]);
	expect(contents.slice(1)).toEqual([[call], [result]]);
});
