/** Cases that broke other gateways, by their numbers: clients of this protocol with models of others, and the reverse. */
import { describe, expect, test } from "bun:test";
import { type Block, type NeutralEvent, wordLosses } from "#core";
import { carry } from "../../core/neutral/family.ts";
import { messagesFaults } from "../../test/support/grammar/messages.ts";
import { chatCompletions } from "../chat-completions/protocol.ts";
import {
	answered,
	asked,
	askOf,
	chunk,
	contextOf,
	encode,
	framesOf,
	type Json,
	neutral,
	told,
	understood,
	usage,
	written,
} from "./fixtures/exchange.ts";
import { messages } from "./protocol.ts";

/** The stream a Messages client gets when the model answers in chunks of Chat Completions. */
const fromChat = (...chunks: readonly unknown[]): readonly Json[] => {
	const text = written(understood(chatCompletions, chunks));
	expect(messagesFaults(text)).toEqual([]);
	return framesOf(text);
};
const types = (frames: readonly Json[]) => frames.map(({ type }) => type);
const started = (frames: readonly Json[]) =>
	frames.flatMap((frame) => (frame["type"] === "content_block_start" ? [frame["content_block"] as Json] : []));
const deltas = (frames: readonly Json[]) =>
	frames.flatMap((frame) => (frame["type"] === "content_block_delta" ? [frame["delta"] as Json] : []));
const ending = (frames: readonly Json[]) => {
	const last = frames.find(({ type }) => type === "message_delta");
	return { ...(last?.["delta"] as Json), usage: last?.["usage"] as Json };
};
const tool = (index: number, id: string | null, name: string | null, args: string | null) => ({
	index,
	...(id !== null && { id }),
	type: "function",
	function: { ...(name !== null && { name }), ...(args !== null && { arguments: args }) },
});
const calls = (...tool_calls: readonly Json[]) => ({ tool_calls });

/** What a client of another protocol is told of a stream of this one. */
const fromMessages = (...events: readonly unknown[]): readonly NeutralEvent[] => understood(messages, events);
const messageStart = (told: Json = {}) => ({
	type: "message_start",
	message: {
		id: "msg_1",
		type: "message",
		role: "assistant",
		model: "claude",
		content: [],
		stop_reason: null,
		usage: { input_tokens: 10, output_tokens: 1 },
		...told,
	},
});
const blockStart = (index: number, content_block: Json) => ({ type: "content_block_start", index, content_block });
const blockDelta = (index: number, delta: Json) => ({ type: "content_block_delta", index, delta });
const blockStop = (index: number) => ({ type: "content_block_stop", index });
const messageEnd = (stop_reason: string, told: Json = { output_tokens: 5 }) => [
	{ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: told },
	{ type: "message_stop" },
];
const textDelta = (text: string) => ({ type: "text_delta", text });
const opens = (events: readonly NeutralEvent[]) =>
	events.flatMap((event) => (event.type === "open" ? [event.shell] : []));
const deltasOf = (events: readonly NeutralEvent[]) =>
	events.flatMap((event) => (event.type === "delta" ? [event.delta] : []));
const finishOf = (events: readonly NeutralEvent[]) =>
	events.flatMap((event) => (event.type === "finish" ? [event.finish] : []))[0];
const usageOf = (events: readonly NeutralEvent[]) =>
	events.flatMap((event) => (event.type === "usage" ? [event.usage] : [])).at(-1);
const saidIn = (events: readonly NeutralEvent[]) =>
	deltasOf(events)
		.map((delta) => (delta.type === "text" ? delta.text : ""))
		.join("");

describe("streams for clients of this protocol", () => {
	test("H01: a turn that ends in a tool call has no empty text block and stops for the tool", () => {
		const frames = fromChat(
			chunk({ role: "assistant", content: "" }),
			chunk(calls(tool(0, "call_1", "f", ""))),
			chunk(calls(tool(0, null, null, '{"a":1}'))),
			chunk({}, "tool_calls"),
			"[DONE]",
		);
		expect(started(frames)).toEqual([{ type: "tool_use", id: "call_1", name: "f", input: {} }]);
		expect(ending(frames)).toMatchObject({ stop_reason: "tool_use" });
	});

	test("H02: arguments that arrive at once are one delta", () => {
		const frames = fromChat(chunk(calls(tool(0, "c", "f", '{"a":[1,2]}'))), chunk({}, "tool_calls"), "[DONE]");
		expect(deltas(frames)).toEqual([{ type: "input_json_delta", partial_json: '{"a":[1,2]}' }]);
	});

	test("arguments that are no object are told as one, however they are cut", () => {
		const inputOf = (...pieces: readonly string[]) =>
			deltas(
				fromChat(
					chunk(calls(tool(0, "c", "f", ""))),
					...pieces.map((piece) => chunk(calls(tool(0, null, null, piece)))),
					chunk({}, "tool_calls"),
					"[DONE]",
				),
			).map((delta) => delta["partial_json"]);
		expect(inputOf("oo", "ps")).toEqual(['{"input":"oops"}']);
		expect(inputOf(" ", "[1", ",9007199254740993]")).toEqual(['{"input":[1,9007199254740993]}']);
		expect(inputOf("null")).toEqual(["{}"]);
		expect(inputOf("\n", ' {"a"', ":1}")).toEqual([' {"a"', ":1}"]);
	});

	test("H03 and H16: reasoning becomes a thinking block before the text, whatever its field is called", () => {
		for (const field of ["reasoning_content", "reasoning"]) {
			const frames = fromChat(
				chunk({ role: "assistant", content: null, [field]: "Let me" }),
				chunk({ content: null, [field]: " see" }),
				chunk({ content: "42" }),
				chunk({}, "stop"),
				"[DONE]",
			);
			expect(started(frames).map(({ type }) => type)).toEqual(["thinking", "text"]);
			expect(deltas(frames).filter(({ type }) => type === "thinking_delta")).toEqual([
				{ type: "thinking_delta", thinking: "Let me" },
				{ type: "thinking_delta", thinking: " see" },
			]);
		}
	});

	test("H04 and H18: usage that never comes leaves a whole end with zeros", () => {
		const frames = fromChat(
			chunk({ content: "Hi" }, null, { usage: null }),
			chunk({}, "stop", { usage: null }),
			"[DONE]",
		);
		expect(types(frames).slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
		expect(ending(frames).usage).toMatchObject({ input_tokens: 0, output_tokens: 0 });
		expect(frames[0]).toMatchObject({ message: { usage: { input_tokens: 8, output_tokens: 0 } } });
	});

	test("H18: input tokens that are known only at the end stand in message_delta", () => {
		const frames = fromChat(
			chunk({ content: "Hi" }),
			chunk({}, "stop"),
			chunk(null, null, { usage: { prompt_tokens: 30, completion_tokens: 7, total_tokens: 37 } }),
			"[DONE]",
		);
		expect(ending(frames).usage).toMatchObject({ input_tokens: 30, output_tokens: 7 });
	});

	test("H05 and H06: blocks are numbered from 0 without a gap and change with what is said", () => {
		const frames = fromChat(
			chunk({ reasoning_content: "a" }),
			chunk({ content: "b" }),
			chunk({ reasoning_content: "c" }),
			chunk(calls(tool(0, "c1", "f", "{}"))),
			chunk({}, "tool_calls"),
			"[DONE]",
		);
		const starts = frames.filter(({ type }) => type === "content_block_start");
		expect(starts.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
		expect(started(frames).map(({ type }) => type)).toEqual(["thinking", "text", "thinking", "tool_use"]);
	});

	test("H07: fragments of two parallel calls come as two blocks, one after the other", () => {
		const frames = fromChat(
			chunk(calls(tool(0, "c1", "f", '{"a"'))),
			chunk(calls(tool(1, "c2", "g", '{"b"'))),
			chunk(calls(tool(0, null, null, ":1}"))),
			chunk(calls(tool(1, null, null, ":2}"))),
			chunk({}, "tool_calls"),
			"[DONE]",
		);
		const json = new Map<unknown, string>();
		for (const frame of frames)
			if (frame["type"] === "content_block_delta")
				json.set(frame["index"], (json.get(frame["index"]) ?? "") + String((frame["delta"] as Json)["partial_json"]));
		expect([...json]).toEqual([
			[0, '{"a":1}'],
			[1, '{"b":2}'],
		]);
	});

	test("H07 and H59: what a second open block says waits until the first is closed", () => {
		const call = (id: string): Block => ({
			type: "tool_call",
			id,
			name: "f",
			kind: "function",
			arguments: { form: "invalid", text: "" },
		});
		const args = (block: number, text: string): NeutralEvent => ({
			type: "delta",
			block,
			delta: { type: "arguments", text },
		});
		const text = written([
			{ type: "start", id: "r", model: "m", createdAt: 1 },
			{ type: "open", block: 0, candidate: 0, shell: call("a") },
			{ type: "open", block: 1, candidate: 0, shell: call("b") },
			args(1, '{"y":'),
			args(0, '{"x":'),
			args(1, "2}"),
			{ type: "close", block: 1 },
			args(0, "1}"),
			{ type: "close", block: 0 },
			{ type: "finish", candidate: 0, finish: { reason: "tool_calls" } },
			{ type: "end", clean: true },
		]);
		expect(messagesFaults(text)).toEqual([]);
		expect(started(framesOf(text)).map(({ id }) => id)).toEqual(["a", "b"]);
	});

	test("H08: a call that is announced again with every piece opens one block", () => {
		const frames = fromChat(
			chunk(calls(tool(0, "c1", "f", '{"a"'))),
			chunk(calls(tool(0, "c1", "f", ":1}"))),
			chunk({}, "tool_calls"),
			"[DONE]",
		);
		expect(started(frames)).toHaveLength(1);
	});

	test("H09: several calls in one chunk are all there", () => {
		const frames = fromChat(
			chunk(calls(tool(0, "c1", "f", "{}"), tool(1, "c2", "g", "{}"))),
			chunk({}, "tool_calls"),
			"[DONE]",
		);
		expect(started(frames).map(({ name }) => name)).toEqual(["f", "g"]);
	});

	test("H10 and H19: text and then a tool stops for the tool, whatever the upstream says", () => {
		const frames = fromChat(
			chunk({ content: "Let me look." }),
			chunk(calls(tool(0, "c1", "f", "{}"))),
			chunk({}, "stop"),
			"[DONE]",
		);
		expect(ending(frames)).toMatchObject({ stop_reason: "tool_use" });
	});

	test("H11: there is one message_start and one message_delta", () => {
		const frames = fromChat(
			chunk({ role: "assistant", content: "a" }),
			chunk({ role: "assistant", content: "b" }),
			chunk({}, "stop"),
			chunk({}, "stop"),
			"[DONE]",
		);
		expect(types(frames).filter((type) => type === "message_start")).toHaveLength(1);
		expect(types(frames).filter((type) => type === "message_delta")).toHaveLength(1);
	});

	test("H12 and H14: a call that never gets a name leaves no block and no tool_use", () => {
		const frames = fromChat(
			chunk({ content: "Hi" }),
			chunk(calls(tool(0, "c1", "", "{}"))),
			chunk({}, "tool_calls"),
			"[DONE]",
		);
		expect(started(frames).map(({ type }) => type)).toEqual(["text"]);
		expect(ending(frames)).toMatchObject({ stop_reason: "end_turn" });
	});

	test("H12: a call whose id comes late or never is one block with an id", () => {
		const frames = fromChat(
			chunk(calls(tool(0, null, "f", '{"a"'))),
			chunk(calls(tool(0, null, "f", ":1}"))),
			chunk({}, "tool_calls"),
			"[DONE]",
		);
		expect(started(frames)).toHaveLength(1);
		expect(started(frames)[0]?.["id"]).toMatch(/^[a-zA-Z0-9_-]+$/);
	});

	test("H13: usage after the finish is in the one message_delta", () => {
		const frames = fromChat(
			chunk({ content: "Hi" }),
			chunk({}, "stop"),
			chunk(null, null, { usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 } }),
			"[DONE]",
		);
		expect(ending(frames).usage).toMatchObject({ input_tokens: 4, output_tokens: 2 });
		expect(types(frames).at(-1)).toBe("message_stop");
	});

	test("H15: each stream has an encoder's state of its own", () => {
		const [one, other] = [messages.client.streamEncoder(asked()), messages.client.streamEncoder(asked())];
		const events = told([{ type: "text", text: "Hi" }]);
		let first = "";
		let second = "";
		for (const event of events) {
			first += one.push(event);
			second += other.push(event);
		}
		expect(second).toBe(first);
		expect(messagesFaults(first)).toEqual([]);
	});

	test("H17: cached tokens are told beside input_tokens, not within", () => {
		const { body } = messages.client.encodeResponse(
			answered([{ type: "text", text: "x" }], { usage: usage(100, 20, { cacheRead: 75 }) }),
			asked(),
		);
		expect(body).toMatchObject({ usage: { input_tokens: 25, cache_read_input_tokens: 75, output_tokens: 20 } });
	});

	test("H20: a failure in the middle is an error event of this protocol and nothing after it", () => {
		const frames = fromChat(chunk({ content: "Hal" }), { error: { message: "busy", code: "server_is_overloaded" } });
		expect(types(frames).at(-1)).toBe("error");
		expect(types(frames)).not.toContain("message_stop");
		const overloaded = messages.client.renderDenial({ kind: "overloaded", message: "busy" }, "req_1");
		expect(overloaded).toMatchObject({ status: 529, body: { error: { type: "overloaded_error" } } });
	});

	test("H43: a stream that just stops is an error, never an end", () => {
		const frames = fromChat(chunk({ content: "Hal" }));
		expect(frames.at(-1)).toMatchObject({ type: "error", error: { type: "api_error" } });
	});

	test("H57: a failure told within a stream keeps its word", () => {
		const events: NeutralEvent[] = [
			{ type: "start", id: "r", model: "m", createdAt: 1 },
			{ type: "error", error: { kind: "rate_limited", code: "vendor_limit", message: "No more." } },
			{ type: "end", clean: false },
		];
		expect(framesOf(written(events)).at(-1)).toEqual({
			type: "error",
			error: { type: "rate_limit_error", message: "No more.", details: { error_code: "vendor_limit" } },
		});
	});

	test("H58: three summaries are one thinking block with one signature at its end", () => {
		const origin = { protocol: "responses", family: "gpt" };
		const thought: Block = {
			type: "thinking",
			text: "one\n\ntwo\n\nthree",
			form: "summary",
			parts: ["one", "two", "three"],
			signature: { value: "ENC", origin },
		};
		const text = written(told([thought, { type: "text", text: "x" }]));
		expect(messagesFaults(text)).toEqual([]);
		const thinking = deltas(framesOf(text)).filter(({ type }) => type !== "text_delta");
		expect(thinking.map(({ thinking }) => thinking ?? "").join("")).toBe("one\n\ntwo\n\nthree");
		expect(thinking.at(-1)).toEqual({ type: "signature_delta", signature: "portico.responses.gpt.ENC" });
	});

	test("H61: a search of another protocol is a server tool's call and result, and no reason to stop for a tool", () => {
		const search: Block = {
			type: "server_call",
			id: "ws_1",
			tool: "web_search",
			name: "web_search",
			arguments: { query: "weather" },
			raw: { origin: { protocol: "responses", family: "gpt" }, value: {} },
		};
		const blocks: Block[] = [search, { type: "text", text: "Sunny." }];
		const text = written(told(blocks));
		expect(messagesFaults(text)).toEqual([]);
		expect(started(framesOf(text)).map(({ type }) => type)).toEqual([
			"server_tool_use",
			"web_search_tool_result",
			"text",
		]);
		expect(deltas(framesOf(text))[0]).toEqual({ type: "input_json_delta", partial_json: '{"query":"weather"}' });
		expect(ending(framesOf(text))).toMatchObject({ stop_reason: "end_turn" });
		const { body } = messages.client.encodeResponse(answered(blocks), asked());
		expect((body as Json)["content"]).toMatchObject([
			{ type: "server_tool_use", name: "web_search", input: { query: "weather" } },
			{ type: "web_search_tool_result", content: [] },
			{ type: "text", text: "Sunny." },
		]);
	});

	test("server tools say who called, as Anthropic's SDK for Java insists", () => {
		const search = { id: "ws_1", tool: "web_search", name: "web_search", arguments: {} } as const;
		const run = { id: "ci_1", tool: "code_execution", name: "code", arguments: {} } as const;
		const blocks: Block[] = [
			{ type: "server_call", ...search },
			{ type: "server_call", ...run },
		];
		const caller = { type: "direct" };
		const wanted = [
			{ type: "server_tool_use", caller },
			{ type: "web_search_tool_result", caller },
			{ type: "server_tool_use", caller },
			{ type: "code_execution_tool_result" },
		];
		const whole = messages.client.encodeResponse(answered(blocks), asked());
		expect((whole.body as Json)["content"]).toMatchObject(wanted);
		expect(started(framesOf(written(told(blocks))))).toMatchObject(wanted);
	});

	test("a search told at the end says who called", () => {
		const grounding = { queries: ["weather"], sources: [{ url: "https://x.test", title: "X" }] };
		const candidates = answered([]).candidates.map((candidate) => ({ ...candidate, grounding }));
		const { body } = messages.client.encodeResponse(answered([], { candidates }), asked());
		expect((body as Json)["content"]).toMatchObject([
			{ type: "server_tool_use", caller: { type: "direct" } },
			{ type: "web_search_tool_result", caller: { type: "direct" } },
		]);
	});

	test("H77: a blocked prompt is a refusal without content", () => {
		const { body } = messages.client.encodeResponse(
			answered([], { candidates: [], promptBlocked: { reason: "SAFETY", message: "Not this." } }),
			asked(),
		);
		expect(body).toMatchObject({ content: [], stop_reason: "refusal", stop_details: { explanation: "Not this." } });
	});
});

describe("models of this protocol for other clients", () => {
	test("H21: blocks keep their order, and the numbers of this protocol mean nothing outside", () => {
		const events = fromMessages(
			messageStart(),
			blockStart(0, { type: "text", text: "" }),
			blockDelta(0, textDelta("Hi")),
			blockStop(0),
			blockStart(1, { type: "tool_use", id: "toolu_1", name: "f", input: {} }),
			blockDelta(1, { type: "input_json_delta", partial_json: '{"a":1}' }),
			blockStop(1),
			...messageEnd("tool_use"),
		);
		expect(opens(events).map(({ type }) => type)).toEqual(["text", "tool_call"]);
		expect(finishOf(events)).toMatchObject({ reason: "tool_calls", raw: "tool_use" });
	});

	test("H22: a call without arguments is an empty object, in both directions", () => {
		const events = fromMessages(
			messageStart(),
			blockStart(0, { type: "tool_use", id: "toolu_1", name: "f", input: {} }),
			blockDelta(0, { type: "input_json_delta", partial_json: "" }),
			blockStop(0),
			...messageEnd("tool_use"),
		);
		expect(deltasOf(events)).toEqual([{ type: "arguments", text: "{}" }]);
		const call: Block = {
			type: "tool_call",
			id: "c",
			name: "f",
			kind: "function",
			arguments: { form: "invalid", text: "" },
		};
		const { sent } = encode(neutral({ messages: [{ role: "assistant", blocks: [call] }] }));
		expect(sent["messages"]).toMatchObject([
			{ role: "user" },
			{ role: "assistant", content: [{ type: "tool_use", input: {} }] },
			{ role: "user", content: [{ type: "tool_result", is_error: true }] },
		]);
	});

	test("H23: an error in the middle is an error", () => {
		const events = fromMessages(messageStart(), {
			type: "error",
			error: { type: "overloaded_error", message: "Overloaded" },
		});
		expect(events.slice(-2)).toEqual([
			{ type: "error", error: { kind: "overloaded", message: "Overloaded" } },
			{ type: "end", clean: false },
		]);
	});

	test("H24, H25, H26 and H27: reasons to stop keep their meaning", () => {
		const reasonFor = (word: string) => finishOf(fromMessages(messageStart(), ...messageEnd(word)))?.reason;
		expect(reasonFor("max_tokens")).toBe("length");
		expect(reasonFor("refusal")).toBe("refusal");
		expect(reasonFor("sensitive")).toBe("safety");
		expect(reasonFor("model_context_window_exceeded")).toBe("context_full");
		expect(reasonFor("pause_turn")).toBe("pause");
		expect(reasonFor("something_new")).toBe("stop");
	});

	test("H28: input is told at the start, output at the end, and the total holds the cache", () => {
		const events = fromMessages(
			messageStart({
				usage: {
					input_tokens: 10,
					cache_read_input_tokens: 60,
					cache_creation_input_tokens: 30,
					cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
					output_tokens: 1,
				},
			}),
			...messageEnd("end_turn", { output_tokens: 42, output_tokens_details: { thinking_tokens: 12 } }),
		);
		expect(usageOf(events)).toEqual({
			input: { total: 100, cacheRead: 60, cacheWrite: 30, cacheWriteLong: 20 },
			output: { total: 42, reasoning: 12 },
		});
	});

	test("H29: redacted thinking is an opaque block of its maker", () => {
		const events = fromMessages(
			messageStart(),
			blockStart(0, { type: "redacted_thinking", data: "BLOB" }),
			blockStop(0),
			blockStart(1, { type: "text", text: "" }),
			blockDelta(1, textDelta("Hi")),
			blockStop(1),
			...messageEnd("end_turn"),
		);
		expect(opens(events)[0]).toEqual({
			type: "opaque_thinking",
			data: { value: "BLOB", origin: { protocol: "messages", family: "claude" } },
		});
		expect(saidIn(events)).toBe("Hi");
	});

	test("H30: citations support the whole of their text, and a search is no tool call", () => {
		const citation = {
			type: "web_search_result_location",
			url: "https://a.test",
			title: "A",
			encrypted_index: "EI",
			cited_text: "so it is",
		};
		const events = fromMessages(
			messageStart(),
			blockStart(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
			blockDelta(0, { type: "input_json_delta", partial_json: '{"query":"q"}' }),
			blockStop(0),
			blockStart(1, {
				type: "web_search_tool_result",
				tool_use_id: "srvtoolu_1",
				content: [{ type: "web_search_result", url: "https://a.test", title: "A", encrypted_content: "EC" }],
			}),
			blockStop(1),
			blockStart(2, { type: "text", text: "", citations: [] }),
			blockDelta(2, { type: "citations_delta", citation }),
			blockDelta(2, textDelta("It is so")),
			blockStop(2),
			...messageEnd("end_turn"),
		);
		expect(opens(events).map(({ type }) => type)).toEqual(["server_call", "server_result", "text"]);
		expect(opens(events)[1]).toMatchObject({ result: [{ url: "https://a.test", title: "A" }] });
		expect(deltasOf(events).find(({ type }) => type === "citation")).toMatchObject({
			citation: { kind: "url", url: "https://a.test", quote: "so it is", target: { start: 0, end: 8 } },
		});
		expect(finishOf(events)?.reason).toBe("stop");
	});

	test("H31: a signature is carried, not said", () => {
		const events = fromMessages(
			messageStart(),
			blockStart(0, { type: "thinking", thinking: "", signature: "" }),
			blockDelta(0, { type: "thinking_delta", thinking: "hm" }),
			blockDelta(0, { type: "signature_delta", signature: "SIG" }),
			blockStop(0),
			...messageEnd("end_turn"),
		);
		expect(saidIn(events)).toBe("");
		expect(deltasOf(events)).toContainEqual({
			type: "signature",
			value: { value: "SIG", origin: { protocol: "messages", family: "claude" } },
		});
	});

	test("H31: signatures find their blocks although a client, as LiteLLM does, put all thinking first", () => {
		const seal = (signature: string) => ({
			type: "thinking",
			thinking: "",
			signature: `portico.generate-content.gemini.${signature}`,
		});
		const call = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
		const answered = [seal("<OF-TEXT"), seal(">OF-A"), { type: "text", text: "I look." }, call("a"), call("b")];
		const { messages } = asked({ messages: [{ role: "assistant", content: answered }] });
		const origin = { protocol: "generate-content", family: "gemini" };
		expect(messages[0]?.blocks).toMatchObject([
			{ type: "text", signature: { value: "OF-TEXT", origin } },
			{ type: "tool_call", id: "a", signature: { value: "OF-A", origin } },
			{ type: "tool_call", id: "b" },
		] as never);
		expect(messages[0]?.blocks[2]).not.toHaveProperty("signature");
	});

	test("H31: a signature that its client holds as bytes, as Google's ADK does, is the same in base64", () => {
		const signature = btoa("portico.responses.gpt.rs_1;9;ENC");
		const content = [{ type: "thinking", thinking: "Hm", signature }];
		const { messages } = asked({ messages: [{ role: "assistant", content }] });
		const opaque = { value: "rs_1;9;ENC", origin: { protocol: "responses", family: "gpt" } };
		expect(messages[0]?.blocks).toMatchObject([{ type: "thinking", text: "Hm", signature: opaque }] as never);
	});

	test("H32 and H33: several texts stay apart, and what a block starts with is said", () => {
		const events = fromMessages(
			messageStart(),
			blockStart(0, { type: "text", text: "One" }),
			blockDelta(0, textDelta(".")),
			blockStop(0),
			blockStart(1, { type: "text", text: "Two" }),
			blockStop(1),
			...messageEnd("end_turn"),
		);
		expect(opens(events)).toHaveLength(2);
		expect(saidIn(events)).toBe("One.Two");
	});

	test("H37: an answer of tools alone holds no text", () => {
		const events = fromMessages(
			messageStart(),
			blockStart(0, { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } }),
			blockStop(0),
			...messageEnd("tool_use"),
		);
		expect(opens(events).map(({ type }) => type)).toEqual(["tool_call"]);
		expect(deltasOf(events)).toEqual([{ type: "arguments", text: '{"a":1}' }]);
	});

	test("H53: text, tool and text keep their order, whole and streamed", () => {
		const content = [
			{ type: "text", text: "a" },
			{ type: "tool_use", id: "toolu_1", name: "f", input: {} },
			{ type: "text", text: "b" },
		];
		const response = messages.upstream.decodeResponse(
			{ type: "message", id: "msg_1", model: "claude", content, stop_reason: "tool_use", usage: {} },
			contextOf(),
		);
		expect(response.candidates[0]?.blocks.map(({ type }) => type)).toEqual(["text", "tool_call", "text"]);
	});

	test("H54: data that is not JSON is an error, noise is not", () => {
		expect(fromMessages(messageStart(), "{oops").at(-2)).toMatchObject({ type: "error" });
		const events = fromMessages(messageStart(), "null", "", "[DONE]", ...messageEnd("end_turn"));
		expect(events.at(-1)).toEqual({ type: "end", clean: true });
	});
});

const assistant = (...blocks: readonly Block[]) => ({ role: "assistant" as const, blocks });
const user = (...blocks: readonly Block[]) => ({ role: "user" as const, blocks });
const words = (text: string): Block => ({ type: "text", text });
const use = (id: string, name = "f", args = "{}"): Block => ({
	type: "tool_call",
	id,
	name,
	kind: "function",
	arguments: { form: "json", value: JSON.parse(args), text: args },
});
const result = (callId: string, ...content: readonly Block[]): Block => ({ type: "tool_result", callId, content });
const tools = [{ type: "function" as const, name: "f", schema: { type: "object" } }];
const turnsOf = (sent: Json) => sent["messages"] as readonly { role: string; content: readonly Json[] }[];
const picture: Block = { type: "image", media: { by: "bytes", base64: "QUJD", mime: "image/jpg" } };

describe("requests to models of this protocol", () => {
	test("H95: empty text is left out, and a message of nothing else with it", () => {
		const { sent } = encode(
			neutral({
				tools,
				messages: [
					user(words("Go"), words(" \n")),
					assistant(words(""), use("c1")),
					{ role: "tool", blocks: [result("c1", words("ok"))] },
					assistant(words("  ")),
					user(words("And?")),
				],
			}),
		);
		expect(turnsOf(sent)).toEqual([
			{ role: "user", content: [{ type: "text", text: "Go" }] },
			{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: {} }] },
			{
				role: "user",
				content: [
					{ type: "tool_result", tool_use_id: "c1", content: "ok" },
					{ type: "text", text: "And?" },
				],
			},
		]);
	});

	test("H96: of temperature and top_p one stays, and none where sampling is refused", () => {
		const sampling = { temperature: 0.5, topP: 0.9 };
		const both = encode(neutral({ sampling }), { temperatureOrTopP: true });
		expect(both.sent).toMatchObject({ temperature: 0.5 });
		expect(both.sent).not.toHaveProperty("top_p");
		expect(both.paths).toEqual(["topP"]);
		// Gemini's CLI sends both with every call, and asks Claude to think.
		const usual = { sampling: { temperature: 1, topP: 0.95 } };
		const asked = neutral({ ...usual, maxOutputTokens: 9000, reasoning: { mode: "on", budget: 2000 } });
		for (const request of [neutral(usual), asked]) {
			const { sent, paths } = encode(request, { temperatureOrTopP: true, thinking: "budget" });
			expect(sent).toMatchObject({ top_p: 0.95 });
			expect(sent).not.toHaveProperty("temperature");
			expect(paths).toEqual([]);
		}
		const refused = encode(neutral({ sampling: { ...sampling, topK: 5 } }), { samplingRefused: true });
		expect(Object.keys(refused.sent)).not.toContain("temperature");
		expect(refused.paths).toEqual(["temperature", "topP", "topK"]);
		expect(encode(neutral({ sampling: { temperature: 1 } }), { samplingRefused: true }).paths).toEqual([]);
	});

	test("H97: a thinking budget is at least 1024 and below the limit, or there is no thinking", () => {
		const thinking = (budget: number, maxOutputTokens: number) =>
			encode(neutral({ reasoning: { mode: "on", budget }, maxOutputTokens }), { thinking: "budget" });
		expect(thinking(100, 5000).sent).toMatchObject({ thinking: { budget_tokens: 1024 }, max_tokens: 5000 });
		expect(thinking(9000, 5000).sent).toMatchObject({ thinking: { budget_tokens: 4999 } });
		const small = thinking(2000, 1000);
		expect(small.sent).not.toHaveProperty("thinking");
		expect(small.paths).toEqual(["reasoning"]);
	});

	test("a way of thinking that others do not have is told as lost; between tools alone is none before them", () => {
		const lostOf = (thinking: Json) => {
			const request = asked({ thinking });
			return [
				request.reasoning,
				wordLosses([], request, "responses", messages.client.lossWords).map(({ path }) => path),
			];
		};
		expect(lostOf({ type: "between_tools" })).toEqual([{ mode: "off" }, ["thinking"]]);
		expect(lostOf({ type: "some_day" })).toEqual([undefined, ["thinking"]]);
		expect(lostOf({ type: "enabled", budget_tokens: 2000 })).toEqual([
			{ mode: "on", expose: "full", budget: 2000 },
			[],
		]);
		expect(lostOf({ type: "disabled" })).toEqual([{ mode: "off" }, []]);
		expect(asked({ thinking: null }).extras).toBeUndefined();
	});

	test("white space between texts stays, joined to the text beside it", () => {
		const text = (said: string, more: object = {}): Block => ({ type: "text", text: said, ...more });
		const result: Block = { type: "tool_result", callId: "c", content: [text("\n"), text("one"), text(" \n")] };
		const call: Block = {
			type: "tool_call",
			id: "c",
			name: "f",
			kind: "function",
			arguments: { form: "json", value: {}, text: "{}" },
		};
		const { sent } = encode(
			neutral({
				messages: [
					{ role: "user", blocks: [text(" "), text("Go"), text("\n", { cache: {} }), text("on")] },
					{ role: "assistant", blocks: ["def f()", ":", "\n   ", " return ", "\n"].map((said) => text(said)) },
					{ role: "user", blocks: [text("\n")] },
					{ role: "assistant", blocks: [text("\n\n"), call] },
					{ role: "tool", blocks: [result] },
				],
			}),
		);
		expect(sent["messages"]).toEqual([
			{
				role: "user",
				content: [
					{ type: "text", text: " Go\n", cache_control: { type: "ephemeral" } },
					{ type: "text", text: "on" },
				],
			},
			{
				role: "assistant",
				content: [
					{ type: "text", text: "def f()" },
					{ type: "text", text: ":\n   " },
					{ type: "text", text: " return " },
					{ type: "tool_use", id: "c", name: "f", input: {} },
				],
			},
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "\none" }] },
		]);
	});

	test("H98: thinking with a budget gives way to a tool that is forced", () => {
		const { sent, paths } = encode(
			neutral({
				tools,
				toolChoice: { mode: "named", names: ["f"], force: true },
				reasoning: { mode: "on", effort: "high" },
				maxOutputTokens: 30_000,
			}),
			{ thinking: "budget" },
		);
		expect(sent).toMatchObject({ tool_choice: { type: "tool", name: "f" } });
		expect(sent).not.toHaveProperty("thinking");
		expect(paths).toEqual(["reasoning"]);
	});

	test("H99 and H100: ids of any form become ids of this alphabet, the same for call and result", () => {
		const id = `functions.f:0/${"x".repeat(90)}`;
		const { sent } = encode(
			neutral({ tools, messages: [user(words("Go")), assistant(use(id)), { role: "tool", blocks: [result(id)] }] }),
		);
		const [, call, answer] = turnsOf(sent);
		expect(call?.content[0]?.["id"]).toMatch(/^functions_f_0_x+_[0-9a-f]{8}$/);
		expect(answer?.content[0]?.["tool_use_id"]).toBe(call?.content[0]?.["id"]);
		const again = encode(
			neutral({ tools, messages: [user(words("Go")), assistant(use(id)), { role: "tool", blocks: [result(id)] }] }),
		);
		expect(again.sent).toEqual(sent);
	});

	test("H101: a picture in a tool result is a picture there, or beside it where the model takes none", () => {
		const request = neutral({
			tools,
			messages: [
				user(words("Go")),
				assistant(use("c1")),
				{ role: "tool", blocks: [result("c1", words("see"), picture)] },
			],
		});
		const image = { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "QUJD" } };
		expect(turnsOf(encode(request).sent)[2]?.content).toEqual([
			{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "see" }, image] },
		]);
		const apart = turnsOf(encode(request, { imagesInToolResults: false }).sent)[2]?.content;
		expect(apart).toMatchObject([{ type: "tool_result" }, image]);
		expect(apart?.[0]?.["content"]).toHaveLength(2);
	});

	test("H102: thinking of the model's own goes back with its signature", () => {
		const origin = { protocol: "messages", family: "claude" };
		const { sent } = encode(
			neutral({
				messages: [
					user(words("Go")),
					assistant(
						{ type: "thinking", text: "hm", form: "full", signature: { value: "SIG", origin } },
						{ type: "opaque_thinking", data: { value: "BLOB", origin } },
						words("Done"),
					),
					user(words("More")),
				],
			}),
		);
		expect(turnsOf(sent)[1]?.content).toEqual([
			{ type: "thinking", thinking: "hm", signature: "SIG" },
			{ type: "redacted_thinking", data: "BLOB" },
			{ type: "text", text: "Done" },
		]);
	});

	test("H103: a signature of another maker does not go to Claude, whether translated or passed through", () => {
		const origin = { protocol: "generate-content", family: "gemini" };
		const { sent, paths } = encode(
			neutral({
				messages: [
					user(words("Go")),
					assistant({ type: "thinking", text: "hm", form: "full", signature: { value: "G", origin } }, words("Done")),
					user(words("More")),
				],
			}),
		);
		expect(JSON.stringify(sent)).not.toContain("hm");
		expect(paths).toEqual(["thinking"]);
		const ask = askOf({
			model: "claude",
			max_tokens: 5,
			messages: [
				{ role: "user", content: "Go" },
				{
					role: "assistant",
					content: [
						{ type: "thinking", thinking: "hm", signature: carry({ value: "G", origin }) },
						{ type: "text", text: "Done" },
					],
				},
				{ role: "user", content: "More" },
			],
		});
		const { body } = messages.passthrough.request(ask, { model: "claude", capabilities: {} });
		expect(JSON.parse(String(body))["messages"][1]).toEqual({
			role: "assistant",
			content: [{ type: "text", text: "Done" }],
		});
	});

	test("H104: results come first in the turn after the calls, all of them in that one turn", () => {
		const { sent } = encode(
			neutral({
				tools,
				messages: [
					user(words("Go")),
					assistant(use("a"), use("b")),
					user(words("meanwhile")),
					{ role: "tool", blocks: [result("b", words("B"))] },
					{ role: "tool", blocks: [result("a", words("A"))] },
				],
			}),
		);
		expect(turnsOf(sent)[2]?.content).toEqual([
			{ type: "tool_result", tool_use_id: "a", content: "A" },
			{ type: "tool_result", tool_use_id: "b", content: "B" },
			{ type: "text", text: "meanwhile" },
		]);
	});

	test("H105: of two results for one call the later stays; a result without a call goes; a call without one gets an error", () => {
		const { sent, paths } = encode(
			neutral({
				tools,
				messages: [
					user(words("Go")),
					assistant(use("a"), use("b")),
					{ role: "tool", blocks: [result("a", words("old")), result("a", words("new")), result("z", words("?"))] },
				],
			}),
		);
		expect(turnsOf(sent)[2]?.content).toMatchObject([
			{ tool_use_id: "a", content: "new" },
			{ tool_use_id: "b", is_error: true },
		]);
		expect(paths).toEqual(["tool_result"]);
	});

	test("H106: system prompts stay apart; one in the middle stays in its place", () => {
		const system = (text: string) => ({ role: "system" as const, blocks: [words(text)] });
		const request = neutral({
			messages: [system("One"), { role: "developer", blocks: [words("Two")] }, user(words("Hi")), system("Three")],
		});
		const { sent } = encode(request);
		expect(sent["system"]).toEqual([
			{ type: "text", text: "One" },
			{ type: "text", text: "Two" },
		]);
		expect(turnsOf(sent)).toEqual([
			{
				role: "user",
				content: [
					{ type: "text", text: "Hi" },
					{ type: "text", text: "<system-reminder>\nThree\n</system-reminder>" },
				],
			},
		]);
		const native = encode(request, { midSystem: true });
		expect(turnsOf(native.sent).at(-1)).toEqual({ role: "system", content: [{ type: "text", text: "Three" }] });
		expect(native.headers?.["anthropic-beta"]).toBe("mid-conversation-system-2026-04-07");
	});

	test("H107: a user speaks first; the beginning of an answer is trimmed or asked to be continued", () => {
		const first = encode(neutral({ messages: [assistant(words("Hello!")), user(words("Hi"))] }));
		expect(turnsOf(first.sent).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
		const request = neutral({ messages: [user(words("Hi")), assistant(words("It is \n"))] });
		expect(turnsOf(encode(request).sent).at(-1)).toEqual({
			role: "assistant",
			content: [{ type: "text", text: "It is" }],
		});
		const refused = encode(request, { prefill: false });
		expect(turnsOf(refused.sent).at(-1)?.role).toBe("user");
		expect(refused.paths).toEqual(["messages"]);
		const systemOnly = encode(neutral({ messages: [{ role: "system", blocks: [words("Be a poet")] }] }));
		expect(turnsOf(systemOnly.sent).map(({ role }) => role)).toEqual(["user"]);
	});

	test("H108: fields that only this protocol knows stay in its own bag", () => {
		const request = asked({
			context_management: { edits: [] },
			tools: [
				{
					name: "f",
					input_schema: { type: "object" },
					defer_loading: true,
					eager_input_streaming: true,
					cache_control: { type: "ephemeral" },
				},
			],
		});
		expect(request.extras).toEqual({ messages: { context_management: { edits: [] } } });
		expect(request.tools?.[0]).toEqual({
			type: "function",
			name: "f",
			schema: { type: "object" },
			cache: {},
			extras: { messages: { defer_loading: true, eager_input_streaming: true } },
		});
		const foreign = encode(neutral({ extras: { "chat-completions": { prediction: {} } } }));
		expect(foreign.sent).not.toHaveProperty("prediction");
		expect(foreign.paths).toEqual(["prediction"]);
	});

	test("H109: arguments that are no object become a member of one", () => {
		const inputOf = (args: string) => {
			const { sent } = encode(neutral({ tools, messages: [user(words("Go")), assistant(use("a", "f", args))] }));
			return turnsOf(sent)[1]?.content[0]?.["input"];
		};
		expect(inputOf('"x"')).toEqual({ input: "x" });
		expect(inputOf("[1]")).toEqual({ input: [1] });
		expect(inputOf("null")).toEqual({});
		expect(inputOf('{"a":1}')).toEqual({ a: 1 });
	});

	test("H110: alternatives at the root of a schema become one object, and that is told", () => {
		const schema = {
			anyOf: [
				{ type: "object", properties: { a: { type: "string" }, c: {} }, required: ["a", "c"] },
				{ $ref: "#/$defs/B" },
			],
			$defs: { B: { type: "object", properties: { b: { type: "number" }, c: {} }, required: ["b", "c"] } },
		};
		const { sent, paths } = encode(neutral({ tools: [{ type: "function", name: "f", schema }] }));
		expect((sent["tools"] as readonly Json[])[0]?.["input_schema"]).toEqual({
			type: "object",
			properties: { a: { type: "string" }, b: { type: "number" }, c: {} },
			required: ["c"],
			$defs: schema.$defs,
		});
		expect(paths).toEqual(["function"]);
	});

	test("H111: the user's id goes as metadata.user_id, other metadata does not go", () => {
		const { sent, paths } = encode(neutral({ identity: { user: "u1", metadata: { team: "x" } } }));
		expect(sent["metadata"]).toEqual({ user_id: "u1" });
		expect(paths).toEqual(["metadata"]);
		expect(asked({ metadata: { user_id: "u1" } }).identity).toEqual({ user: "u1" });
	});

	test("H112: stop sequences are a list, one string is taken as one, white space is left out", () => {
		expect(asked({ stop_sequences: "END" }).stop).toEqual(["END"]);
		const { sent, paths } = encode(neutral({ stop: ["END", "\n\n"] }));
		expect(sent["stop_sequences"]).toEqual(["END"]);
		expect(paths).toEqual(["stop"]);
	});

	test("H113: a limit is always sent: the client's, else the model's, else 8192", () => {
		expect(encode(neutral({ maxOutputTokens: 77 })).sent["max_tokens"]).toBe(77);
		expect(encode(neutral({ maxOutputTokens: 9000 }), { maxOutput: 4096 }).sent["max_tokens"]).toBe(4096);
		expect(encode(neutral(), { maxOutput: 64_000 }).sent["max_tokens"]).toBe(64_000);
		expect(encode(neutral()).sent["max_tokens"]).toBe(8192);
	});

	test("H114: thinking that was asked for is sent, by budget or by effort as the model has it", () => {
		const request = neutral({ reasoning: { mode: "on", effort: "high" } });
		expect(encode(request, { thinking: "budget", maxOutput: 64_000 }).sent["thinking"]).toEqual({
			type: "enabled",
			budget_tokens: 24_576,
		});
		const adaptive = encode(request, { thinking: "adaptive" });
		expect(adaptive.sent).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
		expect(encode(request, { thinking: "none" }).paths).toEqual(["reasoning"]);
	});

	test("an effort alone asks for no thinking to be shown", () => {
		const reasoning = (members: object) => asked({ output_config: { effort: "low" }, ...members }).reasoning;
		expect(reasoning({})).toEqual({ mode: "on", effort: "low", expose: "none" });
		expect(reasoning({ thinking: { type: "adaptive" } })).toEqual({ mode: "on", effort: "low", expose: "full" });
	});

	test("H126: what this protocol has no place for is reported", () => {
		const { paths } = encode(
			neutral({
				sampling: { presencePenalty: 1, frequencyPenalty: 1, seed: 7, logitBias: { "1": 2 } },
				candidates: 2,
				logprobs: { enabled: true },
			}),
		);
		expect(paths).toEqual(["presencePenalty", "frequencyPenalty", "seed", "logitBias", "candidates", "logprobs"]);
		expect(encode(neutral({ sampling: { presencePenalty: 0 }, candidates: 1 })).paths).toEqual([]);
	});

	test("pictures in a document go behind it to others, and within it to this protocol", () => {
		const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } };
		const document = {
			type: "document",
			source: { type: "content", content: [{ type: "text", text: "one" }, picture] },
		};
		const request = asked({ messages: [{ role: "user", content: [document] }] });
		expect(turnsOf(encode(request).sent)[0]?.content).toEqual([document]);
		const context = { model: "gpt-4o", family: "gpt", capabilities: {} };
		const { body, losses } = chatCompletions.upstream.encodeRequest(request, context);
		expect((body as Json)["messages"]).toEqual([
			{
				role: "user",
				content: [
					{ type: "text", text: "one" },
					{ type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } },
				],
			},
		]);
		expect(wordLosses(losses, request, "chat-completions", messages.client.lossWords)).toEqual([]);
	});

	test("H127: pictures go by their address when it is http, and are told otherwise", () => {
		const at = (url: string): Block => ({ type: "image", media: { by: "url", url } });
		const good = encode(neutral({ messages: [user(at("https://a.test/x.png"))] }));
		expect(turnsOf(good.sent)[0]?.content).toEqual([
			{ type: "image", source: { type: "url", url: "https://a.test/x.png" } },
		]);
		const bad = encode(neutral({ messages: [user(at("gs://bucket/x.png"))] }));
		expect(bad.paths).toEqual(["image"]);
		const inline = asked({
			messages: [
				{ role: "user", content: [{ type: "image", source: { type: "url", url: "data:image/png;base64,QUJD" } }] },
			],
		});
		expect(inline.messages[0]?.blocks[0]).toMatchObject({
			media: { by: "bytes", base64: "QUJD", mime: "image/png" },
		});
	});

	test("H128: a PDF is a document of base64, text a document of text, another provider's file none", () => {
		const document = (block: Omit<Extract<Block, { type: "document" }>, "type">): readonly Json[] | undefined =>
			turnsOf(encode(neutral({ messages: [user({ type: "document", ...block })] })).sent)[0]?.content;
		expect(document({ media: { by: "bytes", base64: "JVBE", mime: "application/pdf" }, filename: "a.pdf" })).toEqual([
			{ type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" }, title: "a.pdf" },
		]);
		expect(document({ media: { by: "bytes", base64: btoa("a,b"), mime: "text/csv" } })).toEqual([
			{ type: "document", source: { type: "text", media_type: "text/plain", data: "a,b" } },
		]);
		const origin = { protocol: "responses", family: "gpt" };
		expect(document({ media: { by: "file", id: "file_1", origin } })?.[0]?.["type"]).toBe("text");
	});
});
