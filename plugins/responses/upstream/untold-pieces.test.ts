/** Streams in which a text is told by an end alone, or once more under another id: it must be told, and told once. */
import { expect, test } from "bun:test";
import { fold, type WireRecord } from "#core";
import { decodeStream } from "../fixtures/trial.ts";

const part = (text: string) => ({ type: "output_text", text, annotations: [] });
const message = (id: string, text: string) => ({ id, type: "message", role: "assistant", content: [part(text)] });
const reasoning = { id: "rs_9", type: "reasoning", summary: [], encrypted_content: "sealed" };
const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "now", arguments: '{"at":1}' };

const added = (item: WireRecord): WireRecord => ({ type: "response.output_item.added", output_index: 0, item });
const within = (type: string, more: WireRecord): WireRecord => ({
	type: `response.${type}`,
	output_index: 0,
	content_index: 0,
	item_id: "msg_1",
	...more,
});
const textDone = within("output_text.done", { text: "Hello" });
const empty = { ...message("msg_1", ""), content: [] };

const told = (events: readonly WireRecord[], output: readonly WireRecord[] = []) => {
	const created = { type: "response.created", response: { id: "resp_1", model: "m", created_at: 1 } };
	const response = { id: "resp_1", status: "completed", output };
	const { candidates } = fold(decodeStream([created, ...events, { type: "response.completed", response }]));
	return candidates[0]?.blocks.map((block) => ("text" in block ? [block.type, block.text] : [block.type]));
};

test.each([
	["the end of the text", [added(empty), textDone]],
	["the end of the text, of an item that was never announced", [textDone]],
	["the end of the text, and the item's end says nothing", [textDone, within("output_item.done", { item: empty })]],
	["some deltas and the end", [added(empty), within("output_text.delta", { delta: "Hel" }), textDone]],
	["the item's end", [within("output_item.done", { item: message("msg_1", "Hello") })]],
])("told by %s", (_, events) => {
	expect(told(events)).toEqual([["text", "Hello"]]);
	expect(told(events, [message("msg_1", "Hello")])).toEqual([["text", "Hello"]]);
	expect(told(events, [message("other", "Hello")])).toEqual([["text", "Hello"]]);
});

test("a refusal and both sorts of reasoning are told by their ends alone", () => {
	expect(told([within("refusal.done", { refusal: "No." })])).toEqual([["refusal", "No."]]);
	const summary = within("reasoning_summary_text.done", { item_id: "rs_1", summary_index: 0, text: "Let me see." });
	expect(told([summary])).toEqual([["thinking", "Let me see."]]);
	expect(told([within("reasoning_text.done", { item_id: "rs_1", text: "Let me see." })])).toEqual([
		["thinking", "Let me see."],
	]);
});

test("an item the stream never told, before one whose id has changed", () => {
	const streamed = within("output_text.delta", { output_index: 1, delta: "Hello" });
	expect(told([streamed], [reasoning, message("other", "Hello")])).toEqual([["text", "Hello"], ["opaque_thinking"]]);
	const both = [added(call), { type: "response.output_item.done", output_index: 0, item: call }];
	expect(told(both, [message("msg_1", "Hello"), call])).toEqual([["tool_call"], ["text", "Hello"]]);
});

test("probabilities told with each piece are not told again at the end", () => {
	const logprobs = (token: string) => [{ token, logprob: -1, bytes: null, top_logprobs: [] }];
	const events = [
		within("output_text.delta", { delta: "Hel", logprobs: logprobs("Hel") }),
		within("output_text.done", { text: "Hel", logprobs: logprobs("Hel") }),
	];
	const created = { type: "response.created", response: { id: "resp_1", model: "m" } };
	const end = { type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } };
	const { candidates } = fold(decodeStream([created, ...events, end]));
	expect(candidates[0]?.blocks).toMatchObject([{ type: "text", logprobs: [{ token: "Hel" }] }]);
	const alone = fold(
		decodeStream([created, within("output_text.done", { text: "Hel", logprobs: logprobs("Hel") }), end]),
	);
	expect(alone.candidates[0]?.blocks).toMatchObject([{ type: "text", logprobs: [{ token: "Hel" }] }]);
});
