/** Streams of upstreams, with the oddities of those that speak this protocol their own way. */
import { describe, expect, test } from "bun:test";
import { fold, type NeutralEvent, type NeutralResponse, type WireRecord } from "#core";
import { contextFor, decodeStream, foreign } from "../fixtures/trial.ts";
import { responses } from "../protocol.ts";

const created = { type: "response.created", response: { id: "resp_1", model: "gpt-5", created_at: 1, output: [] } };
const usage = { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } };
const completed = (output: unknown[] = [], more: WireRecord = {}) => ({
	type: "response.completed",
	response: { id: "resp_1", model: "gpt-5", created_at: 1, status: "completed", output, usage, ...more },
});

const message = (index: number, text: string, id = `msg_${index}`): WireRecord[] => [
	{
		type: "response.output_item.added",
		output_index: index,
		item: { id, type: "message", role: "assistant", content: [] },
	},
	{
		type: "response.content_part.added",
		output_index: index,
		content_index: 0,
		item_id: id,
		part: { type: "output_text", text: "", annotations: [] },
	},
	{ type: "response.output_text.delta", output_index: index, content_index: 0, item_id: id, delta: text },
	{ type: "response.output_text.done", output_index: index, content_index: 0, item_id: id, text },
	{
		type: "response.content_part.done",
		output_index: index,
		content_index: 0,
		item_id: id,
		part: { type: "output_text", text, annotations: [] },
	},
	{
		type: "response.output_item.done",
		output_index: index,
		item: { id, type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] },
	},
];

const call = (index: number, pieces: string[], whole = pieces.join("")): WireRecord[] => {
	const item = { id: `fc_${index}`, type: "function_call", call_id: `call_${index}`, name: `f${index}` };
	return [
		{ type: "response.output_item.added", output_index: index, item: { ...item, arguments: "" } },
		...pieces.map((delta) => ({
			type: "response.function_call_arguments.delta",
			output_index: index,
			item_id: item.id,
			delta,
		})),
		{ type: "response.function_call_arguments.done", output_index: index, item_id: item.id, arguments: whole },
		{ type: "response.output_item.done", output_index: index, item: { ...item, arguments: whole } },
	];
};

const told = (events: readonly (WireRecord | string)[]): NeutralResponse => fold(decodeStream(events));
const blocksOf = (response: NeutralResponse) => response.candidates[0]?.blocks ?? [];
const typesOf = (events: readonly NeutralEvent[]) => events.map(({ type }) => type);

test("a plain answer tells its text, its counts and its end", () => {
	const response = told([created, ...message(0, "Hello"), completed()]);
	expect(response).toMatchObject({
		id: "resp_1",
		model: "gpt-5",
		createdAt: 1,
		usage: { input: { total: 10, cacheRead: 4 }, output: { total: 5 } },
		candidates: [{ blocks: [{ type: "text", text: "Hello", itemId: "msg_0" }], finish: { reason: "stop" } }],
	});
});

test("H55: items that were streamed count though the terminal output is empty", () => {
	const response = told([created, ...message(0, "Hello"), ...call(1, ["{}"]), completed([])]);
	expect(blocksOf(response)).toMatchObject([{ text: "Hello" }, { type: "tool_call", name: "f1" }]);
	expect(response.candidates[0]?.finish.reason).toBe("tool_calls");
});

test("what only the terminal response tells is told", () => {
	const item = { id: "msg_0", type: "message", content: [{ type: "output_text", text: "late", annotations: [] }] };
	expect(blocksOf(told([created, completed([item])]))).toMatchObject([{ type: "text", text: "late" }]);
});

test("H56: ids that change with every event do not matter", () => {
	let serial = 0;
	const rotate = (event: WireRecord): WireRecord => ({
		...event,
		...("item_id" in event && { item_id: `x${serial++}` }),
		...(typeof event["item"] === "object" && { item: { ...(event["item"] as object), id: `x${serial++}` } }),
	});
	const events = [created, ...message(0, "Hello"), ...call(1, ['{"a"', ":1}"])].map(rotate);
	expect(blocksOf(told([...events, completed()]))).toMatchObject([
		{ text: "Hello" },
		{ type: "tool_call", id: "call_1", arguments: { text: '{"a":1}' } },
	]);
});

test("an item that left no trace in the stream but a gap in the numbers is not missed", () => {
	const done = (text: string, id: string) => ({ id, type: "message", content: [{ type: "output_text", text }] });
	const events = [created, ...message(0, "One."), ...message(2, "Two.")];
	const output = [done("One.", "msg_0"), done("Two.", "msg_2")];
	expect(blocksOf(told([...events, completed(output)]))).toMatchObject([{ text: "One." }, { text: "Two." }]);
});

test("H57: a failure within a 200 keeps its code and message", () => {
	const error = { code: "rate_limit_exceeded", message: "Rate limit reached." };
	const events = decodeStream([created, { type: "response.failed", response: { status: "failed", error } }]);
	expect(events).toContainEqual({
		type: "error",
		error: { kind: "rate_limited", ...error },
	});
	expect(events.at(-1)).toEqual({ type: "end", clean: false });
	expect(typesOf(events)).not.toContain("finish");
});

test.each([
	["flat", { type: "error", code: "server_error", message: "Sorry." }],
	["nested", { type: "error", error: { type: "server_error", code: "server_error", message: "Sorry." } }],
	["without a type", { error: { code: "server_error", message: "Sorry." } }],
])("an error event is understood: %s", (_shape, event) => {
	const events = decodeStream([created, event as WireRecord]);
	expect(events).toContainEqual({
		type: "error",
		error: { kind: "upstream", code: "server_error", message: "Sorry." },
	});
});

test("H58: three summaries of one reasoning item are one block, sealed at its end", () => {
	const item = { id: "rs_1", type: "reasoning", summary: [] };
	const parts = ["One.", "Two.", "Three."];
	const events: WireRecord[] = [
		created,
		{ type: "response.output_item.added", output_index: 0, item },
		...parts.flatMap((text, index) => [
			{
				type: "response.reasoning_summary_part.added",
				output_index: 0,
				summary_index: index,
				part: { type: "summary_text", text: "" },
			},
			{ type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: index, delta: text },
			{ type: "response.reasoning_summary_text.done", output_index: 0, summary_index: index, text },
		]),
		{
			type: "response.output_item.done",
			output_index: 0,
			item: { ...item, summary: parts.map((text) => ({ type: "summary_text", text })), encrypted_content: "blob" },
		},
		completed(),
	];
	const blocks = blocksOf(told(events));
	expect(blocks).toHaveLength(1);
	expect(blocks[0]).toMatchObject({
		type: "thinking",
		form: "summary",
		parts,
		text: "One.\n\nTwo.\n\nThree.",
		itemId: "rs_1",
		signature: { value: "rs_1;4,4,6;blob", origin: { protocol: "responses", family: "gpt" } },
	});
});

test("reasoning that is only encrypted is opaque; an item that tells nothing is no block", () => {
	const items = (item: WireRecord): WireRecord[] => [
		{ type: "response.output_item.added", output_index: 0, item: { id: "rs_1", type: "reasoning", summary: [] } },
		{
			type: "response.output_item.done",
			output_index: 0,
			item: { id: "rs_1", type: "reasoning", summary: [], ...item },
		},
	];
	expect(blocksOf(told([created, ...items({ encrypted_content: "blob" }), completed()]))).toMatchObject([
		{ type: "opaque_thinking", data: { value: "rs_1;;blob" } },
	]);
	expect(blocksOf(told([created, ...items({}), completed()]))).toEqual([]);
});

test("the reasoning of open models is told as it is", () => {
	const item = { id: "rs_1", type: "reasoning", summary: [] };
	const content = [{ type: "reasoning_text", text: "Let me see." }];
	const events = [
		created,
		{ type: "response.output_item.added", output_index: 0, item },
		{ type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "Let me " },
		{ type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "see." },
		{ type: "response.output_item.done", output_index: 0, item: { ...item, content } },
		completed(),
	];
	expect(blocksOf(told(events))).toMatchObject([{ type: "thinking", form: "full", text: "Let me see." }]);
});

test("the pieces of a reasoning stand apart, told piece by piece or only by their ends", () => {
	const item = { id: "rs_1", type: "reasoning", summary: [] };
	const content = ["see", "sea."].map((text) => ({ type: "reasoning_text", text }));
	const end = [{ type: "response.output_item.done", output_index: 0, item: { ...item, content } }, completed()];
	const added = [created, { type: "response.output_item.added", output_index: 0, item }];
	const within = (type: string, content_index: number, more: WireRecord) => [
		{ type: `response.reasoning_text.${type}`, output_index: 0, content_index, ...more },
	];
	const whole = content.flatMap(({ text }, at) => within("done", at, { text }));
	const pieces = content.flatMap(({ text }, at) => [...text].flatMap((delta) => within("delta", at, { delta })));
	for (const events of [whole, pieces, [...pieces, ...whole]]) {
		const decoded = decodeStream([...added, ...events, ...end]);
		const words = decoded.map((event) =>
			event.type === "delta" && event.delta.type === "thinking" ? event.delta.text : "",
		);
		expect(words.join("")).toBe("see\n\nsea.");
		expect(blocksOf(told([...added, ...events, ...end]))).toMatchObject([{ form: "full", text: "see\n\nsea." }]);
	}
});

test("H59: two calls whose arguments interleave are kept apart", () => {
	const [first, second] = [call(0, ['{"a"', ":1}"]), call(1, ['{"b"', ":2}"])];
	const mixed = first.flatMap((event, at) => [event, second[at]].filter((one) => one !== undefined));
	expect(blocksOf(told([created, ...mixed, completed()]))).toMatchObject([
		{ name: "f0", arguments: { text: '{"a":1}' } },
		{ name: "f1", arguments: { text: '{"b":2}' } },
	]);
});

describe("H60: arguments are told once", () => {
	const argumentsOf = (events: readonly WireRecord[]) =>
		decodeStream([created, ...events, completed()])
			.flatMap((event) => (event.type === "delta" && event.delta.type === "arguments" ? event.delta.text : []))
			.join("");

	test("by deltas and again by both ends", () => {
		expect(argumentsOf(call(0, ['{"a":', "1}"]))).toBe('{"a":1}');
	});
	test("only by their own end", () => {
		const events = call(0, [], '{"a":1}').slice(0, 2);
		expect(argumentsOf(events)).toBe('{"a":1}');
	});
	test("only by the item's end", () => {
		const [added, , done] = call(0, [], '{"a":1}');
		expect(argumentsOf([added!, done!])).toBe('{"a":1}');
	});
	test("already by the announcement", () => {
		const [added, , done] = call(0, [], '{"a":1}');
		const item = { ...(added!["item"] as object), arguments: '{"a":1}' };
		expect(argumentsOf([{ ...added, item }, done!])).toBe('{"a":1}');
	});
});

test("H08: an item that is announced again is the same item", () => {
	const [added, ...rest] = call(0, ['{"a":', "1}"]);
	const events = decodeStream([created, added!, rest[0]!, added!, ...rest.slice(1), completed()]);
	expect(events.filter(({ type }) => type === "open")).toHaveLength(1);
	expect(fold(events).candidates[0]?.blocks).toMatchObject([{ arguments: { text: '{"a":1}' } }]);
});

test("H61: a web search is a call with its query and a result; the answer ends as usual", () => {
	const item = {
		id: "ws_1",
		type: "web_search_call",
		status: "completed",
		action: { type: "search", query: "weather", sources: [{ type: "url", url: "https://a.example/" }] },
	};
	const events = [
		created,
		{
			type: "response.output_item.added",
			output_index: 0,
			item: { ...item, status: "in_progress", action: undefined },
		},
		{ type: "response.web_search_call.searching", output_index: 0, item_id: "ws_1" },
		{ type: "response.output_item.done", output_index: 0, item },
		...message(1, "Sun."),
		completed(),
	];
	const response = told(events);
	expect(blocksOf(response)).toMatchObject([
		{ type: "server_call", id: "ws_1", tool: "web_search", arguments: { query: "weather" } },
		{ type: "server_result", callId: "ws_1", tool: "web_search", result: [{ url: "https://a.example/" }] },
		{ type: "text", text: "Sun." },
	]);
	expect(response.candidates[0]?.finish.reason).toBe("stop");
	expect(response.usage?.serverTools).toEqual({ web_search: 1 });
});

test("H62: several messages are several texts, and an empty one is none", () => {
	const empty = message(1, "").filter(({ type }) => type !== "response.output_text.delta");
	const response = told([created, ...message(0, "One. "), ...empty, ...message(2, "Two."), completed()]);
	expect(blocksOf(response).map((block) => block.type === "text" && block.text)).toEqual(["One. ", "Two."]);
});

test("H63: a picture is told whole, however large; previews are not", () => {
	const result = "QUJD".repeat(500_000);
	const item = { id: "ig_1", type: "image_generation_call", status: "completed", result, output_format: "jpeg" };
	const response = told([
		created,
		{ type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", result: null } },
		{ type: "response.image_generation_call.partial_image", output_index: 0, partial_image_b64: "QUJD" },
		{ type: "response.output_item.done", output_index: 0, item },
		completed(),
	]);
	expect(blocksOf(response)).toMatchObject([
		{ type: "image", media: { by: "bytes", mime: "image/jpeg", base64: result } },
	]);
});

test.each([
	["max_output_tokens", "length"],
	["content_filter", "safety"],
	["max_tool_calls", "pause"],
] as const)("H64: an answer that is incomplete by %s ended by %s", (reason, expected) => {
	const response = told([
		created,
		...message(0, "Hal"),
		{
			type: "response.incomplete",
			response: { status: "incomplete", incomplete_details: { reason }, output: [], usage },
		},
	]);
	expect(response.candidates[0]?.finish).toEqual({ reason: expected, raw: reason });
});

test("a limit on the upstream's own tools leaves a call of the client's to be answered", () => {
	const details = { status: "incomplete", incomplete_details: { reason: "max_tool_calls" }, output: [] };
	const response = told([created, ...call(0, ["{}"]), { type: "response.incomplete", response: details }]);
	expect(response.candidates[0]?.finish).toEqual({ reason: "tool_calls", raw: "max_tool_calls" });
});

test("an answer that was cancelled is a failure and no stop", () => {
	const cancelled = { status: "cancelled", output: [{ type: "message", role: "assistant", content: "Hal" }] };
	const finish = { reason: "error", raw: "cancelled", message: expect.stringContaining("cancelled") } as const;
	const streamed = told([created, ...message(0, "Hal"), { type: "response.cancelled", response: cancelled }]);
	expect(streamed.candidates[0]?.finish).toEqual(finish);
	const whole = responses.upstream.decodeResponse(cancelled, contextFor(foreign({})));
	expect(whole.candidates[0]?.finish).toEqual(finish);
});

test("a limit wins over a call", () => {
	const details = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output: [] };
	const response = told([
		created,
		...call(0, ['{"a"']).slice(0, 2),
		{ type: "response.incomplete", response: details },
	]);
	expect(response.candidates[0]?.finish.reason).toBe("length");
});

test("a custom tool's call keeps its free text", () => {
	const item = { id: "ctc_1", type: "custom_tool_call", call_id: "call_1", name: "sql" };
	const response = told([
		created,
		{ type: "response.output_item.added", output_index: 0, item: { ...item, input: "" } },
		{ type: "response.custom_tool_call_input.delta", output_index: 0, delta: "SELECT" },
		{ type: "response.custom_tool_call_input.done", output_index: 0, input: "SELECT 1" },
		completed(),
	]);
	expect(blocksOf(response)).toMatchObject([{ kind: "custom", arguments: { form: "text", text: "SELECT 1" } }]);
});

test("deltas of a message that was never announced are its text", () => {
	const delta = { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "m", delta: "Hi" };
	expect(blocksOf(told([created, delta, completed()]))).toMatchObject([{ type: "text", text: "Hi" }]);
});

test("events without an index belong to the item they name, or to the latest", () => {
	const bare = ({ output_index: _, ...event }: WireRecord): WireRecord => event;
	const events = [...message(0, "Hello"), ...call(1, ['{"a":1}'])].map(bare);
	expect(blocksOf(told([created, ...events, completed()]))).toMatchObject([
		{ text: "Hello" },
		{ name: "f1", arguments: { text: '{"a":1}' } },
	]);
});

test("keep-alives, [DONE], empty data and unknown events change nothing", () => {
	const noise = [{ type: "keepalive", sequence_number: 3 }, { type: "response.brand_new" }, "", "null", "[DONE]"];
	const events = [created, ...noise, ...message(0, "Hello"), completed(), "[DONE]"];
	expect(blocksOf(told(events))).toMatchObject([{ text: "Hello" }]);
});

test("H43: an end that was not announced is no success", () => {
	expect(decodeStream([created, ...message(0, "Hello")]).at(-1)).toEqual({ type: "end", clean: false });
});

test("an event that is not JSON ends the stream with an error", () => {
	const events = decodeStream([created, "{broken"]);
	expect(events.at(-2)).toMatchObject({ type: "error", error: { kind: "upstream" } });
});

test("changed names of tools are the client's own again", () => {
	const request = foreign({ stream: true });
	const names = { tools: new Map([["f0", "my.tool"]]) };
	const decoder = responses.upstream.streamDecoder({ ...contextFor(request), names });
	const events = call(0, ["{}"]).flatMap((event) => decoder.push({ data: JSON.stringify(event) }));
	expect(events[0]).toMatchObject({ type: "open", shell: { name: "my.tool" } });
});

test("whole answers: a failed one is an error, anything else that is no response a fault", () => {
	const decode = (body: unknown) => responses.upstream.decodeResponse(body, contextFor(foreign({})));
	expect(
		decode({ id: "resp_1", status: "failed", error: { code: "server_error", message: "Sorry." }, output: [] }),
	).toMatchObject({ candidates: [], error: { kind: "upstream", message: "Sorry." } });
	expect(() => decode({ hello: "world" })).toThrow("something other than a response");
	expect(() => decode("<html>")).toThrow("something other than a response");
});
