/** The stream for clients: its grammar, its lifecycles and the hard cases of whatever upstream tells it. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { explode, type NeutralEvent, normalizeResponse, uncarry } from "#core";
import { responsesFaults } from "../../../test/support/grammar/responses.ts";
import { anyResponse } from "../../../test/support/neutral-arbitraries.ts";
import { decodeItem } from "../decode-item.ts";
import {
	callEvents,
	decoded,
	encodeStream,
	encodeWhole,
	end,
	eventsIn,
	start,
	textEvents,
	type WrittenEvent,
	type WrittenResponse,
} from "../fixtures/trial.ts";
import { responses } from "../protocol.ts";

const request = decoded({
	input: "Hi",
	stream: true,
	instructions: "Be kind.",
	temperature: 0.5,
	metadata: { a: "b" },
});

/** The written stream, checked against the grammar. */
const stream = (events: readonly NeutralEvent[], asked = request): WrittenEvent[] => {
	const text = encodeStream(events, asked);
	expect(responsesFaults(text)).toEqual([]);
	return eventsIn(text);
};

const typesOf = (events: readonly WrittenEvent[]): string[] =>
	events.map(({ type }) => String(type).replace("response.", ""));

const last = (events: readonly WrittenEvent[]): WrittenResponse => {
	const event = events.at(-1);
	if (!event) throw new Error("nothing was written");
	return event.response;
};

test("a text answer has every event of its life, numbered from 0 without gaps", () => {
	const events = stream([start, ...textEvents(0, "Hel", "lo"), ...end()]);
	expect(typesOf(events)).toEqual([
		"created",
		"in_progress",
		"output_item.added",
		"content_part.added",
		"output_text.delta",
		"output_text.delta",
		"output_text.done",
		"content_part.done",
		"output_item.done",
		"completed",
	]);
	expect(events.map((event) => event["sequence_number"])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("H40: the terminal event holds id, model, all output and usage", () => {
	const response = last(stream([start, ...textEvents(0, "Hello"), ...end()]));
	expect(response["id"]).toMatch(/^resp_[0-9a-f]{32}$/);
	expect(response["model"]).toBe("gpt-5");
	expect<unknown>(response["output"][0]!["content"]).toEqual([
		{ type: "output_text", text: "Hello", annotations: [], logprobs: [] },
	]);
	expect(response["status"]).toBe("completed");
	expect(response["completed_at"]).toBeGreaterThan(1_700_000_000);
});

test("H39: what typed clients demand is there: sequence numbers, text.format, both groups of usage details", () => {
	const events = stream([start, ...textEvents(0, "Hello"), ...end()]);
	const response = last(events);
	expect(response["text"]).toEqual({ format: { type: "text" }, verbosity: "medium" });
	expect(response["usage"]).toEqual({
		input_tokens: 10,
		input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
		output_tokens: 5,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: 15,
	});
	expect(events.every(({ sequence_number: number }) => typeof number === "number")).toBe(true);
});

test("the response echoes what the request said, and the usual values for what it did not", () => {
	const response = last(stream([start, ...end()]));
	expect(response).toMatchObject({
		instructions: "Be kind.",
		temperature: 0.5,
		metadata: { a: "b" },
		top_p: 1,
		tool_choice: "auto",
		tools: [],
		parallel_tool_calls: true,
		truncation: "disabled",
		previous_response_id: null,
		store: false,
		reasoning: { effort: null, summary: null },
	});
});

test("tools are echoed with the defaults that typed clients demand", () => {
	const asked = decoded({
		input: "x",
		tools: [
			{ type: "custom", name: "c" },
			{ type: "function", name: "f" },
		],
	});
	const { tools } = last(stream([start, ...end()], asked));
	expect(tools).toEqual([
		{ type: "custom", name: "c", format: { type: "text" } },
		{ type: "function", name: "f", description: null, parameters: null, strict: true },
	]);
});

test("H41: every text part has its lists of annotations and probabilities", () => {
	const events = stream([start, ...textEvents(0, "x"), ...end()]);
	const parts = events.filter(({ type }) => /content_part/.test(type)).map(({ part }) => part);
	for (const part of parts) expect(part).toMatchObject({ annotations: [], logprobs: [] });
});

test("H34: deltas that come without an opening open their item themselves", () => {
	const orphan: NeutralEvent[] = [
		{ type: "open", block: 3, candidate: 0, shell: { type: "text", text: "" } },
		{ type: "delta", block: 3, delta: { type: "text", text: "late" } },
	];
	const events = stream([start, ...orphan, ...end()]);
	expect(typesOf(events).slice(2, 5)).toEqual(["output_item.added", "content_part.added", "output_text.delta"]);
});

test("H35: a tool call has its item, its argument events and its end", () => {
	const events = stream([start, ...callEvents(0, "call_1", "look", '{"a":', "1}"), ...end("tool_calls")]);
	expect(typesOf(events)).toEqual([
		"created",
		"in_progress",
		"output_item.added",
		"function_call_arguments.delta",
		"function_call_arguments.delta",
		"function_call_arguments.done",
		"output_item.done",
		"completed",
	]);
	expect(last(events)["output"]).toMatchObject([
		{ type: "function_call", call_id: "call_1", name: "look", arguments: '{"a":1}', status: "completed" },
	]);
});

test("H36: reasoning has its parts announced, grown and ended", () => {
	const events = stream([
		start,
		{ type: "open", block: 0, candidate: 0, shell: { type: "thinking", text: "", form: "summary" } },
		{ type: "delta", block: 0, delta: { type: "thinking", text: "First.", part: 0 } },
		{ type: "delta", block: 0, delta: { type: "thinking", text: "Second.", part: 1 } },
		{ type: "close", block: 0 },
		...textEvents(1, "So."),
		...end(),
	]);
	expect(typesOf(events).slice(2, 12)).toEqual([
		"output_item.added",
		"reasoning_summary_part.added",
		"reasoning_summary_text.delta",
		"reasoning_summary_text.done",
		"reasoning_summary_part.done",
		"reasoning_summary_part.added",
		"reasoning_summary_text.delta",
		"reasoning_summary_text.done",
		"reasoning_summary_part.done",
		"output_item.done",
	]);
	expect(last(events)["output"][0]!["summary"]).toEqual([
		{ type: "summary_text", text: "First." },
		{ type: "summary_text", text: "Second." },
	]);
});

test("reasoning says how far it is, which xAI's clients demand of it", () => {
	const thinking: NeutralEvent = {
		type: "open",
		block: 0,
		candidate: 0,
		shell: { type: "thinking", text: "Hm.", form: "summary" },
	};
	const statuses = (events: readonly WrittenEvent[]) =>
		events.flatMap(({ item }) => (item?.["type"] === "reasoning" ? [item["status"]] : []));
	const whole = stream([start, thinking, { type: "close", block: 0 }, ...textEvents(1, "So."), ...end()]);
	expect(statuses(whole)).toEqual(["in_progress", "completed"]);
	expect(last(whole)["output"][0]).toMatchObject({ type: "reasoning", status: "completed" });
});

test("H37: a turn of nothing but a tool call has no message at all", () => {
	const events = stream([
		start,
		{ type: "open", block: 0, candidate: 0, shell: { type: "text", text: "" } },
		{ type: "close", block: 0 },
		...callEvents(1, "call_1", "look", "{}"),
		...end("tool_calls"),
	]);
	expect(last(events)["output"].map((item) => item.type)).toEqual(["function_call"]);
});

test("H38: one id for one item from beginning to end, and never the upstream's own", () => {
	const events = stream([start, ...textEvents(0, "x"), ...callEvents(1, "call_1", "f", "{}"), ...end()]);
	for (const [index, prefix] of ["msg_", "fc_"].entries()) {
		const ids = events
			.filter((event) => event["output_index"] === index)
			.map((event) => event["item_id"] ?? event["item"]["id"]);
		expect(new Set(ids).size).toBe(1);
		expect(ids[0]).toStartWith(prefix);
	}
	expect(JSON.stringify(events)).not.toContain("msg_upstream");
});

test("H42: an upstream that only says it is done gives a completed answer", () => {
	const events = stream([start, ...textEvents(0, "x"), { type: "end", clean: true }]);
	expect(events.at(-1)?.["type"]).toBe("response.completed");
});

test("H43 and H54: a stream that breaks off in a text fails, with what had come", () => {
	const broken = [...textEvents(0, "half")].slice(0, -1);
	const events = stream([start, ...broken, { type: "end", clean: false }]);
	expect(events.at(-1)?.["type"]).toBe("response.failed");
	expect(last(events)).toMatchObject({
		status: "failed",
		error: { code: "server_error" },
		output: [{ type: "message", status: "incomplete", content: [{ text: "half" }] }],
	});
});

test("H44: at the limit the answer and its last item are incomplete", () => {
	const events = stream([start, ...textEvents(0, "half"), ...end("length")]);
	expect(events.at(-1)?.["type"]).toBe("response.incomplete");
	expect(last(events)).toMatchObject({
		status: "incomplete",
		completed_at: null,
		incomplete_details: { reason: "max_output_tokens" },
		output: [{ status: "incomplete" }],
	});
});

test("H44: a call whose arguments were cut off is not completed", () => {
	const events = stream([start, ...callEvents(0, "call_1", "look", '{"a":'), ...end("length")]);
	expect(last(events)["output"][0]!).toMatchObject({ status: "incomplete", arguments: '{"a":' });
});

test("H44: a call that the limit cut is not completed, though it looks whole; one before it is", () => {
	const first = callEvents(0, "call_1", "look", '{"a":1}');
	const second = callEvents(1, "call_2", "look", '{"a":2}');
	const statuses = (output: readonly unknown[]) => output.map((item) => (item as { status: string }).status);
	const events = stream([start, ...first, ...second, ...end("length")]);
	expect(statuses(last(events)["output"])).toEqual(["completed", "incomplete"]);
	const done = events.filter(({ type }) => type === "response.output_item.done");
	expect(statuses(done.map(({ item }) => item))).toEqual(["completed", "incomplete"]);
	expect(statuses(last(stream([start, ...first, ...second, ...end()]))["output"])).toEqual(["completed", "completed"]);
	const patch: NeutralEvent = {
		type: "open",
		block: 0,
		candidate: 0,
		shell: { type: "tool_call", id: "c", name: "patch", kind: "custom", arguments: { form: "text", text: "*** Beg" } },
	};
	const custom = last(stream([start, patch, { type: "close", block: 0 }, ...end("length")]));
	expect(custom["output"]).toMatchObject([{ type: "custom_tool_call", status: "incomplete", input: "*** Beg" }]);
});

test("H44: a filter of content makes the answer incomplete", () => {
	expect(last(stream([start, ...end("safety")]))).toMatchObject({
		status: "incomplete",
		incomplete_details: { reason: "content_filter" },
	});
});

test("H45: a call that came without an id gets one, the same each time", () => {
	const idOf = () => last(stream([start, ...callEvents(0, "", "look", "{}"), ...end()]))["output"][0]!["call_id"];
	expect(idOf()).toMatch(/^call_[0-9a-f]{24}$/);
	expect(idOf()).toBe(idOf());
});

test("H46: two choices become two messages with places of their own", () => {
	const second = textEvents(1, "two").map((event) => ("candidate" in event ? { ...event, candidate: 1 } : event));
	const events = stream([start, ...textEvents(0, "one"), ...second, ...end()]);
	const texts = last(events)["output"].flatMap((item) => item.content!.map((part) => part.text));
	expect(texts).toEqual(["one", "two"]);
});

test("H47 and H53: text after a call is a second message, in the order it was told", () => {
	const told = [...textEvents(0, "a"), ...callEvents(1, "call_1", "f", "{}"), ...textEvents(2, "b")];
	const kinds = (output: readonly { type: string }[]) => output.map(({ type }) => type);
	const order = ["message", "function_call", "message"];
	expect(kinds(last(stream([start, ...told, ...end()]))["output"])).toEqual(order);
	const whole = encodeWhole(
		{
			candidates: [
				{
					index: 0,
					finish: { reason: "tool_calls" },
					blocks: [
						{ type: "text", text: "a" },
						{
							type: "tool_call",
							id: "call_1",
							name: "f",
							kind: "function",
							arguments: { form: "json", value: {}, text: "{}" },
						},
						{ type: "text", text: "b" },
					],
				},
			],
		},
		request,
	);
	expect(kinds(whole["output"])).toEqual(order);
});

test("text that goes on while a call is told goes on in a second message", () => {
	const events = stream([
		start,
		...textEvents(0, "a").slice(0, 2),
		...callEvents(1, "call_1", "f", "{}"),
		{ type: "delta", block: 0, delta: { type: "text", text: "b" } },
		{ type: "close", block: 0 },
		...end(),
	]);
	expect(last(events)["output"].map((item) => item.content?.[0]?.text ?? item.name)).toEqual(["a", "f", "b"]);
});

describe("calls whose pieces interleave", () => {
	const pieces = (name: string) => ["{", `"${name}"`, ":1}"];
	const calls = ["a", "b", "c"].map((name, at) => callEvents(at, `call_${name}`, name, ...pieces(name)));
	const mixed = (calls[0] ?? []).flatMap((_, at) => calls.flatMap((events) => events[at] ?? []));
	const places = (events: ReturnType<typeof stream>) =>
		events.flatMap((event) => (event["output_index"] === undefined ? [] : [event["output_index"]]));

	test("keep their own items, which are told one after the other", () => {
		const events = stream([start, ...mixed, ...end()]);
		expect(last(events)["output"].map((item) => item.arguments)).toEqual(['{"a":1}', '{"b":1}', '{"c":1}']);
		expect(places(events)).toEqual(places(events).toSorted());
	});

	test("are all there where a text comes between them, or an error", () => {
		const cut = mixed.slice(0, 7);
		const text = stream([start, ...cut, ...textEvents(9, "x"), ...mixed.slice(7), ...end()]);
		expect(last(text)["output"].map((item) => item.arguments ?? item.content?.[0]?.text)).toEqual([
			'{"a":1}',
			'{"b":1}',
			'{"c":1}',
			"x",
		]);
		const failed = stream([start, ...cut, { type: "error", error: { kind: "upstream", message: "Broke." } }]);
		expect(last(failed)["output"].map((item) => item.name)).toEqual(["a", "b", "c"]);
	});
});

test("H22: a call without arguments has an empty object", () => {
	const events = stream([start, ...callEvents(0, "call_1", "f"), ...end()]);
	expect(last(events)["output"][0]!["arguments"]).toBe("{}");
});

test("H48: work the client has no item for leaves no gap in the numbers", () => {
	const events = stream([
		start,
		...textEvents(0, "a"),
		{
			type: "open",
			block: 1,
			candidate: 0,
			shell: { type: "server_call", id: "s1", tool: "mcp", name: "search", arguments: {} },
		},
		{ type: "close", block: 1 },
		...callEvents(2, "call_1", "f", "{}"),
		...end(),
	]);
	const added = events.filter(({ type }) => type === "response.output_item.added");
	expect(added.map((event) => event["output_index"])).toEqual([0, 1]);
});

test("H49: an error within the answer is response.failed, in words that clients act on", () => {
	const kinds = [
		[{ kind: "rate_limited", message: "m" }, "rate_limit_exceeded"],
		[{ kind: "quota_exhausted", message: "m" }, "insufficient_quota"],
		[{ kind: "context_length", message: "m" }, "context_length_exceeded"],
		[{ kind: "overloaded", message: "m" }, "server_is_overloaded"],
		[{ kind: "upstream", message: "m", code: "odd" }, "server_error"],
	] as const;
	for (const [error, code] of kinds) {
		const events = stream([start, { type: "error", error }]);
		expect(events.at(-1)?.["type"]).toBe("response.failed");
		expect(last(events)["error"]).toEqual({ code, message: "m" });
	}
});

test("an error before anything was told is an error event", () => {
	const text = responses.client
		.streamEncoder(request)
		.push({ type: "error", error: { kind: "upstream", message: "m" } });
	const told = { code: "server_error", message: "m", param: null };
	expect<unknown>(eventsIn(text)).toEqual([
		{ type: "error", sequence_number: 0, ...told, error: { type: "upstream_error", ...told } },
	]);
	expect(responsesFaults(text)).toEqual([]);
});

describe("opaque values of other protocols", () => {
	const gemini = (value: string) => ({ value, origin: { protocol: "generate-content", family: "gemini" } });

	test("H50: a signed call and a trailing signature keep their order and come back to their blocks", () => {
		const call = callEvents(0, "call_1", "f", "{}");
		const signed = call.map((event) =>
			event.type === "open" && event.shell.type === "tool_call"
				? { ...event, shell: { ...event.shell, signature: gemini("sig-call") } }
				: event,
		);
		const trailing: NeutralEvent[] = [
			{ type: "open", block: 1, candidate: 0, shell: { type: "text", text: "" } },
			{ type: "delta", block: 1, delta: { type: "signature", value: gemini("sig-end") } },
			{ type: "close", block: 1 },
		];
		const output = last(stream([start, ...signed, ...trailing, ...end()]))["output"];
		expect(output.map((item) => item.type)).toEqual(["reasoning", "function_call", "reasoning"]);
		const back = decoded({ input: [{ role: "user", content: "x" }, ...output] });
		expect(back.messages[1]?.blocks).toMatchObject([
			{ type: "tool_call", id: "call_1", signature: gemini("sig-call") },
			{ type: "text", text: "", signature: gemini("sig-end") },
		]);
	});

	test("H84: a signature on a text comes back on that text", () => {
		const [open, delta, close] = textEvents(0, "signed");
		const seal: NeutralEvent = { type: "delta", block: 0, delta: { type: "signature", value: gemini("s") } };
		const output = last(stream([start, open!, delta!, seal, close!, ...textEvents(1, "plain"), ...end()]))["output"];
		const back = decoded({ input: [{ role: "user", content: "x" }, ...output] });
		expect(back.messages[1]?.blocks).toMatchObject([
			{ type: "text", text: "signed", signature: gemini("s") },
			{ type: "text", text: "plain" },
		]);
	});

	test("thinking of Claude comes back as it was: signed, signed without words, redacted", () => {
		const claude = (value: string) => ({ value, origin: { protocol: "messages", family: "claude" } });
		const output = last(
			stream([
				start,
				{ type: "open", block: 0, candidate: 0, shell: { type: "thinking", text: "", form: "full" } },
				{ type: "delta", block: 0, delta: { type: "thinking", text: "Hm." } },
				{ type: "delta", block: 0, delta: { type: "signature", value: claude("a.b") } },
				{ type: "close", block: 0 },
				{ type: "open", block: 1, candidate: 0, shell: { type: "thinking", text: "", form: "full" } },
				{ type: "delta", block: 1, delta: { type: "signature", value: claude("c") } },
				{ type: "close", block: 1 },
				{ type: "open", block: 2, candidate: 0, shell: { type: "opaque_thinking", data: claude("d") } },
				{ type: "close", block: 2 },
				...textEvents(3, "Yes."),
				...end(),
			]),
		)["output"];
		expect(uncarry(output[0]!.encrypted_content!)?.origin).toEqual({ protocol: "messages", family: "claude" });
		const back = decoded({ input: [{ role: "user", content: "x" }, ...output] });
		expect(back.messages[1]?.blocks).toMatchObject([
			{ type: "thinking", text: "Hm.", form: "full", signature: claude("a.b") },
			{ type: "thinking", text: "", signature: claude("c") },
			{ type: "opaque_thinking", data: claude("d") },
			{ type: "text", text: "Yes." },
		]);
	});
});

test("H51: a custom tool's call is a custom call, with its own events", () => {
	const events = stream([
		start,
		{
			type: "open",
			block: 0,
			candidate: 0,
			shell: { type: "tool_call", id: "call_1", name: "sql", kind: "custom", arguments: { form: "text", text: "" } },
		},
		{ type: "delta", block: 0, delta: { type: "arguments", text: "SELECT 1" } },
		{ type: "close", block: 0 },
		...end(),
	]);
	expect(typesOf(events).slice(2, 6)).toEqual([
		"output_item.added",
		"custom_tool_call_input.delta",
		"custom_tool_call_input.done",
		"output_item.done",
	]);
	expect(last(events)["output"][0]!).toMatchObject({ type: "custom_tool_call", name: "sql", input: "SELECT 1" });
});

test("H52: a call of a tool in a namespace is split again; a tool of that very name wins", () => {
	const crm = { type: "namespace", name: "crm", description: "d", tools: [{ type: "function", name: "find" }] };
	const direct = { type: "function", name: "crm__find" };
	const called = (tools: unknown[]) =>
		last(stream([start, ...callEvents(0, "c", "crm__find", "{}"), ...end()], decoded({ input: "x", tools })))[
			"output"
		][0]!;
	expect(called([crm])).toMatchObject({ name: "find", namespace: "crm" });
	expect(called([crm, direct])).toMatchObject({ name: "crm__find" });
	expect(called([crm, direct])["namespace"]).toBeUndefined();
	expect(decoded({ input: "x", tools: [crm] }).tools).toMatchObject([{ type: "function", name: "crm__find" }]);
});

describe("what is said of sources", () => {
	const cited = (event: NeutralEvent, asked = request) =>
		last(
			stream([start, ...textEvents(0, "A 😀 fact.").slice(0, 2), event, { type: "close", block: 0 }, ...end()], asked),
		);

	test("a citation is an annotation whose place counts characters", () => {
		const response = cited({
			type: "delta",
			block: 0,
			delta: {
				type: "citation",
				citation: { kind: "url", url: "https://a.example/", title: "A", target: { start: 5, end: 9 } },
			},
		});
		expect(response["output"][0]!["content"]![0]!["annotations"]).toEqual([
			{ type: "url_citation", start_index: 4, end_index: 8, url: "https://a.example/", title: "A" },
		]);
	});

	test("a citation of the whole text spans it all, though it came first", () => {
		const citation = { kind: "url", url: "https://a.example/" } as const;
		const events = stream([
			start,
			{ type: "open", block: 0, candidate: 0, shell: { type: "text", text: "" } },
			{ type: "delta", block: 0, delta: { type: "citation", citation } },
			{ type: "delta", block: 0, delta: { type: "text", text: "four" } },
			{ type: "close", block: 0 },
			...end(),
		]);
		expect(last(events)["output"][0]!["content"]![0]!["annotations"]).toMatchObject([{ start_index: 0, end_index: 4 }]);
	});

	test("sources known only at the end stand at the last text", () => {
		const response = cited({
			type: "grounding",
			candidate: 0,
			grounding: { queries: ["q"], sources: [{ url: "https://b.example/", title: "B" }] },
		});
		expect(response["output"][0]!["content"]![0]!["annotations"]).toMatchObject([
			{ url: "https://b.example/", title: "B" },
		]);
	});

	test("a web search is an item with its life, its query and, when asked for, its sources", () => {
		const search: NeutralEvent[] = [
			{
				type: "open",
				block: 0,
				candidate: 0,
				shell: {
					type: "server_call",
					id: "s1",
					tool: "web_search",
					name: "web_search",
					arguments: { query: "weather" },
				},
			},
			{ type: "close", block: 0 },
			{
				type: "open",
				block: 1,
				candidate: 0,
				shell: {
					type: "server_result",
					callId: "s1",
					tool: "web_search",
					result: [{ url: "https://a.example/", title: "A" }],
				},
			},
			{ type: "close", block: 1 },
		];
		const events = stream([start, ...search, ...textEvents(2, "Sun."), ...end()]);
		expect(typesOf(events).slice(2, 7)).toEqual([
			"output_item.added",
			"web_search_call.in_progress",
			"web_search_call.searching",
			"web_search_call.completed",
			"output_item.done",
		]);
		expect(last(events)["output"][0]!).toMatchObject({
			type: "web_search_call",
			status: "completed",
			action: { type: "search", query: "weather" },
		});
		const asked = decoded({ input: "x", include: ["web_search_call.action.sources"] });
		expect(last(stream([start, ...search, ...end()], asked))["output"][0]!["action"]!["sources"]).toEqual([
			{ type: "url", url: "https://a.example/" },
		]);
	});
});

test("a refusal told only by the ending has its part", () => {
	const response = last(stream([start, ...end("refusal")]));
	expect(response["status"]).toBe("completed");
	expect(response["output"][0]!["content"]![0]!["type"]).toBe("refusal");
});

test("H25: a refusal after some text, without words of its own, is what a filter does", () => {
	const response = last(stream([start, ...textEvents(0, "Well,"), ...end("refusal")]));
	expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "content_filter" } });
	expect(response["output"]).toHaveLength(1);
});

test.each(["safety", "recitation"] as const)(
	"why an answer was withheld (%s) is told, where there are words",
	(reason) => {
		const message = "It holds someone's address.";
		const [before, after] = [[start, ...textEvents(0, "Well,")], end().slice(2)];
		const told = last(stream([...before, { type: "finish", candidate: 0, finish: { reason, message } }, ...after]));
		expect(told).toMatchObject({ status: "incomplete", incomplete_details: { reason: "content_filter" } });
		expect(told["output"][0]!["content"]).toMatchObject([{ text: "Well," }, { type: "refusal", refusal: message }]);
		const untold = last(stream([...before, { type: "finish", candidate: 0, finish: { reason } }, ...after]));
		expect(untold["output"][0]!["content"]).toHaveLength(1);
	},
);

test("a prompt that was blocked is answered by why, where the upstream says it", () => {
	const after = end().slice(2);
	const told = last(stream([start, { type: "blocked", reason: "PROHIBITED_CONTENT", message: "Not this." }, ...after]));
	expect(told).toMatchObject({
		status: "incomplete",
		incomplete_details: { reason: "content_filter" },
		output: [{ type: "message", status: "incomplete", content: [{ type: "refusal", refusal: "Not this." }] }],
	});
	const untold = last(stream([start, { type: "blocked", reason: "OTHER" }, ...after]));
	expect(untold).toMatchObject({ status: "incomplete", output: [] });
});

test("H63: a picture the model made is an image generation", () => {
	const media = { by: "bytes", base64: "aGk=", mime: "image/jpeg" } as const;
	const events = stream([
		start,
		{ type: "open", block: 0, candidate: 0, shell: { type: "image", media } },
		{ type: "close", block: 0 },
		...end(),
	]);
	expect(last(events)["output"][0]!).toMatchObject({
		type: "image_generation_call",
		status: "completed",
		result: "aGk=",
		output_format: "jpeg",
	});
});

test("what is spoken piece by piece is told as a text while it is spoken", () => {
	const media = { by: "bytes", base64: "", mime: "audio/wav" } as const;
	const events = stream([
		start,
		{ type: "open", block: 0, candidate: 0, shell: { type: "audio", media, id: "audio_1" } },
		{ type: "delta", block: 0, delta: { type: "transcript", text: "Good " } },
		{ type: "delta", block: 0, delta: { type: "media", base64: "AAAA" } },
		{ type: "delta", block: 0, delta: { type: "transcript", text: "morning." } },
		{ type: "close", block: 0 },
		...end(),
	]);
	expect(events.flatMap(({ type, delta }) => (type === "response.output_text.delta" ? delta : []))).toEqual([
		"Good ",
		"morning.",
	]);
	expect(last(events).output).toMatchObject([{ type: "message", content: [{ text: "Good morning." }] }]);
});

test("a call of a program, or one that runs apart, is told as the upstream told it", () => {
	const caller = { type: "program", caller_id: "call_p" };
	const item = { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "{}", caller, async: true };
	const [block] = decodeItem(item, { family: "gpt" });
	if (block === undefined) throw new Error("no block");
	const events = stream([
		start,
		{ type: "open", block: 0, candidate: 0, shell: block },
		{ type: "close", block: 0 },
		...end(),
	]);
	expect(last(events).output).toMatchObject([{ type: "function_call", caller, async: true }]);
});

test.each([
	["sound", { type: "audio", media: { by: "bytes", base64: "AAAA", mime: "audio/wav" } }],
	["a video", { type: "video", media: { by: "bytes", base64: "AAAA", mime: "video/mp4" } }],
] as const)("%s without words, which has no item, is told as a thought", (what, shell) => {
	const events = stream([
		start,
		{ type: "open", block: 0, candidate: 0, shell },
		{ type: "close", block: 0 },
		...end(),
	]);
	const summary = [{ type: "summary_text", text: `The model answered with ${what}, which this protocol cannot show.` }];
	expect(last(events).output).toMatchObject([{ type: "reasoning", summary }]);
});

test("any answer is written by the grammar, and the stream ends with what the whole answer would be", () => {
	const withoutIds = (response: WrittenResponse): unknown =>
		JSON.parse(
			JSON.stringify({ ...response, id: "", completed_at: 0 }, (key, value) =>
				(key === "id" || key === "call_id") && typeof value === "string" ? value.slice(0, 2) : value,
			),
		);
	fc.assert(
		fc.property(anyResponse, (response) => {
			const good = normalizeResponse(response);
			const text = encodeStream(explode(good), request);
			expect(responsesFaults(text)).toEqual([]);
			if (good.error) return;
			const whole = responses.client.encodeResponse(good, request).body as WrittenResponse;
			expect(withoutIds(last(eventsIn(text)))).toEqual(withoutIds(whole));
		}),
		{ numRuns: 300 },
	);
});

test("H46: two candidates told side by side are two messages, each with its own text", () => {
	const events = stream([
		start,
		{ type: "open", block: 0, candidate: 0, shell: { type: "text", text: "" } },
		{ type: "open", block: 1, candidate: 1, shell: { type: "text", text: "" } },
		{ type: "delta", block: 0, delta: { type: "text", text: "one" } },
		{ type: "delta", block: 1, delta: { type: "text", text: "two" } },
		{ type: "delta", block: 0, delta: { type: "text", text: " more" } },
		{ type: "close", block: 0 },
		{ type: "close", block: 1 },
		{ type: "finish", candidate: 1, finish: { reason: "stop" } },
		...end(),
	]);
	expect<unknown>(last(events)["output"]).toMatchObject([
		{ content: [{ text: "one more" }] },
		{ content: [{ text: "two" }] },
	]);
});
