import { describe, expect, test } from "bun:test";
import type { Block, NeutralEvent } from "#core";
import { answerOf, askFor, bodyWith, contextFor, eventsOf, neutralOf, rawEventsOf } from "../fixtures/ask.ts";
import { beside, call, chunk, done, ending } from "../fixtures/chunks.ts";
import { chatCompletions } from "../protocol.ts";

const plain = contextFor(neutralOf(bodyWith({ stream: true })), "deepseek-chat");
const answer = (chunks: readonly unknown[]) => answerOf(chunks, plain);
const blocks = (chunks: readonly unknown[]): readonly Block[] => answer(chunks).candidates[0]?.blocks ?? [];
const types = (events: readonly NeutralEvent[]): string[] => events.map(({ type }) => type);
const called = (list: readonly Block[]) =>
	list.flatMap((block) => (block.type === "tool_call" ? [[block.id, block.name, block.arguments.text]] : []));
const fn = (name: string, text = "") => ({ name, arguments: text });

describe("a stream of chunks", () => {
	test("H33 gives text as it comes, and everything a client must be told of the answer", () => {
		const chunks = [
			chunk({ role: "assistant", content: "He" }),
			chunk({ content: "llo" }),
			ending("stop"),
			beside({ usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 }, service_tier: "default" }),
			done,
		];
		expect(answer(chunks)).toMatchObject({
			id: "chatcmpl-9",
			model: "m-1",
			createdAt: 1_700_000_000,
			tier: "default",
			usage: { input: { total: 4 }, output: { total: 2 } },
			candidates: [{ index: 0, blocks: [{ type: "text", text: "Hello" }], finish: { reason: "stop", raw: "stop" } }],
		});
	});

	test("H01 H10 a turn that ends in a tool call has no empty text and finishes with tool_calls", () => {
		const chunks = [
			chunk({ role: "assistant", content: null }),
			call({ index: 0, id: "call_1", type: "function", function: fn("f", "{}") }),
			ending("stop"),
			done,
		];
		expect(blocks(chunks).map(({ type }) => type)).toEqual(["tool_call"]);
		expect(answer(chunks).candidates[0]?.finish.reason).toBe("tool_calls");
	});

	test("H02 arguments that come in one chunk are told once", () => {
		const chunks = [
			call({ index: 0, id: "c", type: "function", function: fn("f", '{"a":1}') }),
			ending("tool_calls"),
			done,
		];
		const deltas = eventsOf(chunks, plain).filter((event) => event.type === "delta");
		expect(deltas).toEqual([{ type: "delta", block: 0, delta: { type: "arguments", text: '{"a":1}' } }]);
	});

	test("arguments that are told anew with each piece, or all once more, are told once", () => {
		const whole = '{"a":"{\\"a"}';
		for (const pieces of [
			['{"a', '{"a":"{', whole],
			['{"a', '":"{', '\\"a"}', whole],
			[whole, whole, whole],
			["{", '"a":"', '{\\"a', '"}'],
		]) {
			const [first, ...more] = pieces.map((text) => call({ index: 0, function: { arguments: text } }));
			const begun = call({ index: 0, id: "c", type: "function", function: fn("f") });
			expect(called(blocks([begun, first, ...more, ending("tool_calls"), done]))).toEqual([["c", "f", whole]]);
		}
	});

	test("an empty object before the arguments is none of them", () => {
		for (const [pieces, told] of [
			[["{}", '{"a"', ":1}"], '{"a":1}'],
			[["{}", '{"a":1}'], '{"a":1}'],
			[["{}", ""], "{}"],
			[["{", "}"], "{}"],
			[["{}", " "], "{}"],
		] as const) {
			const [first = "", ...rest] = pieces;
			const chunks = [
				call({ index: 0, id: "c", type: "function", function: fn("f", first) }),
				...rest.map((text) => call({ index: 0, function: { arguments: text } })),
				ending("tool_calls"),
				done,
			];
			expect(called(blocks(chunks))).toEqual([["c", "f", told]]);
		}
	});

	test("H03 H16 reasoning in any field is a thinking block before the text", () => {
		for (const field of ["reasoning_content", "reasoning"]) {
			const said = blocks([
				chunk({ role: "assistant", content: null, [field]: "hm" }),
				chunk({ content: null, [field]: " yes" }),
				chunk({ content: "Four" }),
				ending("stop"),
				done,
			]);
			expect(said).toMatchObject([
				{ type: "thinking", text: "hm yes", form: "full" },
				{ type: "text", text: "Four" },
			]);
		}
	});

	test("a whole message in its only chunk is read, one that repeats the pieces is not", () => {
		const message = { role: "assistant", content: "Hi", tool_calls: [{ id: "c", function: fn("f", "{}") }] };
		const only = chunk(undefined, { message, finish_reason: "stop" });
		expect(blocks([only, done])).toMatchObject([
			{ type: "text", text: "Hi" },
			{ type: "tool_call", id: "c" },
		]);
		expect(blocks([chunk({ content: "Hi" }), only, done])).toMatchObject([{ type: "text", text: "Hi" }]);
	});

	test("H04 usage null and a finish with an empty delta close everything", () => {
		const chunks = [chunk({ content: "a" }), { ...chunk({}), usage: null }, { ...ending("stop"), usage: null }, done];
		const told = types(eventsOf(chunks, plain)).filter((type) => type !== "tick");
		expect(told).toEqual(["start", "open", "delta", "close", "finish", "end"]);
	});

	test("H05 thinking, text and tool are blocks 0, 1 and 2", () => {
		const chunks = [
			chunk({ reasoning_content: "t" }),
			chunk({ content: "x" }),
			call({ index: 0, id: "c", type: "function", function: fn("f", "{}") }),
			ending("tool_calls"),
			done,
		];
		const opened = eventsOf(chunks, plain).flatMap((event) => (event.type === "open" ? [event.block] : []));
		expect(opened).toEqual([0, 1, 2]);
	});

	test("H06 each change between reasoning and text begins a new block", () => {
		const said = blocks([
			chunk({ reasoning_content: "a" }),
			chunk({ content: "b" }),
			chunk({ reasoning_content: "c" }),
			chunk({ content: "d" }),
			ending("stop"),
			done,
		]);
		expect(said.map((block) => ("text" in block ? `${block.type} ${block.text}` : ""))).toEqual([
			"thinking a",
			"text b",
			"thinking c",
			"text d",
		]);
	});

	test("fields that say nothing beside a text do not end it", () => {
		const nothing = {
			tool_calls: [],
			function_call: null,
			reasoning_details: [],
			annotations: [],
			images: [],
			audio: null,
		};
		const chunks = ["He", "llo", "!"].map((content) => chunk({ role: "assistant", content, ...nothing }));
		expect(blocks([...chunks, ending("stop"), done])).toMatchObject([{ type: "text", text: "Hello!" }]);
	});

	test("H07 pieces of parallel calls that come by turns are kept apart", () => {
		const said = blocks([
			call({ index: 0, id: "a", type: "function", function: fn("f", '{"x"') }),
			call({ index: 1, id: "b", type: "function", function: fn("g", '{"y"') }),
			call({ index: 0, function: { arguments: ":1}" } }),
			call({ index: 1, function: { arguments: ":2}" } }),
			ending("tool_calls"),
			done,
		]);
		expect(called(said)).toEqual([
			["a", "f", '{"x":1}'],
			["b", "g", '{"y":2}'],
		]);
	});

	test("H08 an id and type repeated on each piece begin one call", () => {
		const piece = (text: string) => call({ index: 0, id: "a", type: "function", function: { arguments: text } });
		const said = blocks([
			call({ index: 0, id: "a", type: "function", function: fn("f") }),
			piece('{"x"'),
			piece(":1}"),
			ending("tool_calls"),
			done,
		]);
		expect(called(said)).toEqual([["a", "f", '{"x":1}']]);
	});

	test("H09 a chunk with several calls gives all of them", () => {
		const pieces = ["f", "g"].map((name, index) => ({ index, id: name, type: "function", function: fn(name, "{}") }));
		expect(called(blocks([chunk({ tool_calls: pieces }), ending("tool_calls"), done]))).toEqual([
			["f", "f", "{}"],
			["g", "g", "{}"],
		]);
	});

	test("H12 a name that is empty, null or repeated makes no ghost, and an id may come late", () => {
		const said = blocks([
			call({ index: 0, type: "function", function: { name: "", arguments: "" } }),
			call({ index: 0, function: { name: null, arguments: '{"x"' } }),
			call({ index: 0, function: { name: "f", arguments: ":1" } }),
			call({ index: 0, id: "late", function: { name: "f", arguments: "}" } }),
			ending("tool_calls"),
			done,
		]);
		expect(called(said)).toEqual([["late", "f", '{"x":1}']]);
	});

	describe("a name", () => {
		const given = ["get", "get_weather", "send"].map((name) => ({ type: "function", name, schema: {} }) as const);
		const named = (...chunks: Parameters<typeof call>[0][]) =>
			called(
				answerOf([...chunks.map((one) => call(one)), ending("tool_calls"), done], {
					...plain,
					request: { ...plain.request, tools: given },
				}).candidates[0]?.blocks ?? [],
			);
		const piece = (name: string, text = "", id?: string) => ({ index: 0, ...(id && { id }), function: fn(name, text) });

		test("that comes in pieces is put together", () => {
			const whole = [["a", "get_weather", '{"at":1}']];
			expect(named(piece("get", "", "a"), piece("_wea"), piece("ther"), piece("", '{"at":1}'))).toEqual(whole);
			expect(named(piece("get", "", "a"), piece("get_wea"), piece("get_weather", '{"at":1}'))).toEqual(whole);
			expect(named(piece("get_", "", "a"), piece("weather"))).toEqual([["a", "get_weather", "{}"]]);
		});

		test("that comes again with every piece is one name, though it begins another's", () => {
			const pieces = [piece("get", "", "a"), piece("get", '{"at"'), piece("get", ":1}")];
			expect(named(...pieces)).toEqual([["a", "get", '{"at":1}']]);
			expect(named(piece("get", "", "a"))).toEqual([["a", "get", "{}"]]);
			expect(named(piece("other", "", "a"), piece("other", "{}"))).toEqual([["a", "other", "{}"]]);
		});

		test("of another tool begins another call, where neither has an id or arguments", () => {
			expect(named(piece("get"), piece("send")).map(([, name]) => name)).toEqual(["get", "send"]);
		});
	});

	test("H12 H14 a call whose name never comes is dropped and the turn ends as a stop", () => {
		const made = answer([call({ index: 0, id: "a", function: { arguments: "{}" } }), ending("tool_calls"), done]);
		expect(made.candidates[0]).toMatchObject({ blocks: [], finish: { reason: "stop", raw: "tool_calls" } });
	});

	test("H45 a call whose id never comes gets one, the same each time", () => {
		const chunks = [call({ index: 0, type: "function", function: fn("f", "{}") }), ending("tool_calls"), done];
		const [[id] = []] = called(blocks(chunks));
		expect(id).toMatch(/^[a-zA-Z0-9_-]{8,64}$/);
		expect(called(blocks(chunks))[0]?.[0]).toBe(id);
	});

	test("H11 there is one start and one finish, whatever is repeated", () => {
		const again = [chunk({ role: "assistant", content: "a" }), ending("stop"), ending("stop"), done, done];
		const told = types(eventsOf(again, plain));
		expect(told.filter((type) => type === "start" || type === "finish" || type === "end")).toEqual([
			"start",
			"finish",
			"end",
		]);
	});

	test("H13 usage after the finish is told before it", () => {
		const chunks = [
			chunk({ content: "a" }),
			ending("stop"),
			beside({ usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
			done,
		];
		expect(types(eventsOf(chunks, plain)).slice(-4)).toEqual(["usage", "close", "finish", "end"]);
	});

	test("H17 cached tokens are part of the input's total", () => {
		const usage = {
			prompt_tokens: 100,
			completion_tokens: 5,
			total_tokens: 105,
			prompt_tokens_details: { cached_tokens: 75 },
		};
		expect(answer([chunk({ content: "a" }), ending("stop"), beside({ usage }), done]).usage?.input).toEqual({
			total: 100,
			cacheRead: 75,
		});
	});

	test("H20 H49 an error in the middle is an error, in whatever chunk it comes", () => {
		for (const bad of [
			{ error: { message: "Overloaded", code: "server_is_overloaded" } },
			{ ...chunk({ content: "" }), error: { message: "Busy", code: 503 } },
			chunk({}, { error: { message: "Busy", code: 503 }, finish_reason: "error" }),
		]) {
			const events = eventsOf([chunk({ content: "a" }), bad, chunk({ content: "b" }), done], plain);
			expect(types(events)).toEqual(["start", "open", "delta", "error", "end"]);
			expect(events.at(-2)).toMatchObject({ error: { kind: "overloaded" } });
			expect(events.at(-1)).toEqual({ type: "end", clean: false });
		}
	});

	test("what a broken answer cost is told with its failure", () => {
		const usage = { prompt_tokens: 43, completion_tokens: 10, total_tokens: 53 };
		const told = rawEventsOf(
			[chunk({ content: "a" }), beside({ usage, error: { message: "Busy", code: 503 } })],
			plain,
		);
		expect(told.slice(-3)).toMatchObject([
			{ type: "usage", usage: { input: { total: 43 }, output: { total: 10 } } },
			{ type: "error" },
			{ type: "end", clean: false },
		]);
	});

	test("H42 [DONE] without a finish is a clean stop, or tool calls when some were made", () => {
		const stop = answer([chunk({ content: "a" }), done]);
		expect(stop.candidates[0]?.finish).toEqual({ reason: "stop" });
		const calls = answer([call({ index: 0, id: "a", function: fn("f", "{}") }), done]);
		expect(calls.candidates[0]?.finish.reason).toBe("tool_calls");
	});

	test("H43 an end without a finish is never a success", () => {
		const events = eventsOf([chunk({ content: "a" })], plain);
		expect(types(events)).toEqual(["start", "open", "delta", "error", "end"]);
		expect(events.at(-1)).toEqual({ type: "end", clean: false });
	});

	test("an end after the finish but without [DONE] is clean", () => {
		expect(eventsOf([chunk({ content: "a" }), ending("stop")], plain).at(-1)).toEqual({ type: "end", clean: true });
	});

	test("an end after the finish of one of two choices is not", () => {
		const second = {
			...chunk({ content: "b" }),
			choices: [{ index: 1, delta: { content: "b" }, finish_reason: null }],
		};
		expect(eventsOf([chunk({ content: "a" }), second, ending("stop")], plain).at(-1)).toEqual({
			type: "end",
			clean: false,
		});
	});

	test("H44 length and content_filter stay what they are, also beside calls", () => {
		const cut = [call({ index: 0, id: "a", function: fn("f", '{"x') }), ending("length"), done];
		expect(answer(cut).candidates[0]?.finish.reason).toBe("length");
		expect(answer([chunk({ content: "a" }), ending("content_filter"), done]).candidates[0]?.finish.reason).toBe(
			"safety",
		);
	});

	test("H46 n=2 gives two candidates", () => {
		const two = (index: number, delta: unknown, reason: string | null = null) => ({
			...chunk({}),
			choices: [{ index, delta, finish_reason: reason }],
		});
		const made = answer([
			two(0, { content: "a" }),
			two(1, { content: "b" }),
			two(0, { content: "c" }),
			two(1, {}, "length"),
			two(0, {}, "stop"),
			done,
		]);
		expect(made.candidates).toMatchObject([
			{ index: 0, blocks: [{ text: "ac" }], finish: { reason: "stop" } },
			{ index: 1, blocks: [{ text: "b" }], finish: { reason: "length" } },
		]);
	});

	test("H47 text after a call is a block of its own", () => {
		const said = blocks([
			chunk({ content: "a" }),
			call({ index: 0, id: "c", function: fn("f", "{}") }),
			chunk({ content: "b" }),
			ending("tool_calls"),
			done,
		]);
		expect(said.map(({ type }) => type)).toEqual(["text", "tool_call", "text"]);
	});

	test("H67 calls that are all numbered 0 are kept apart by id, and by their whole arguments where they have none", () => {
		const byId = ["a", "b"].map((id) => call({ index: 0, id, type: "function", function: fn("f", `{"x":"${id}"}`) }));
		expect(called(blocks([...byId, ending("stop"), done])).map(([id]) => id)).toEqual(["a", "b"]);
		const nameless = ["1", "2"].map((x) =>
			call({ index: 0, id: "", type: "function", function: fn("f", `{"x":${x}}`) }),
		);
		expect(called(blocks([...nameless, ending("stop"), done])).map(([, , text]) => text)).toEqual([
			'{"x":1}',
			'{"x":2}',
		]);
	});

	test("calls without an index go on from the last, and begin anew with another id", () => {
		const said = blocks([
			call({ id: "a", type: "function", function: fn("f", '{"x"') }),
			call({ function: { arguments: ":1}" } }),
			call({ id: "b", type: "function", function: fn("g", "{}") }),
			ending("tool_calls"),
			done,
		]);
		expect(called(said)).toEqual([
			["a", "f", '{"x":1}'],
			["b", "g", "{}"],
		]);
	});

	test("arguments that come as an object are taken as JSON", () => {
		const said = blocks([
			call({ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } }),
			ending("stop"),
			done,
		]);
		expect(called(said)).toEqual([["a", "f", '{"x":1}']]);
	});

	test("the oldest form of a call is a call", () => {
		const said = blocks([
			chunk({ function_call: fn("f", '{"x"') }),
			chunk({ function_call: { arguments: ":1}" } }),
			ending("function_call"),
			done,
		]);
		expect(called(said).map(([, ...rest]) => rest)).toEqual([["f", '{"x":1}']]);
	});

	test("H54 T20 an event that is not JSON is an error, empty ones are nothing", () => {
		expect(rawEventsOf(["", "null", "  "], plain)).toEqual([{ type: "end", clean: false }]);
		const events = eventsOf([chunk({ content: "a" }), "{broken"], plain);
		expect(events.at(-2)).toMatchObject({ type: "error", error: { kind: "upstream" } });
	});

	test("T13 what follows [DONE] is not read", () => {
		const events = eventsOf([chunk({ content: "a" }), ending("stop"), done, chunk({ content: "b" }), "{broken"], plain);
		expect(events.at(-1)).toEqual({ type: "end", clean: true });
		expect(events.filter(({ type }) => type === "delta").length).toBe(1);
	});

	test("T21 [DONE] may have spaces around it", () => {
		expect(eventsOf([chunk({ content: "a" }), " [DONE] "], plain).at(-1)).toEqual({ type: "end", clean: true });
	});

	test("[DONE] and nothing else is an error", () => {
		expect(types(rawEventsOf([done], plain))).toEqual(["error", "end"]);
	});

	test("an object that is no chunk is a sign of life", () => {
		expect(rawEventsOf([{ type: "ping" }], plain)[0]).toEqual({ type: "tick" });
	});

	test("H124 a first chunk about the prompt, without choices or delta, names nothing", () => {
		const made = answer([
			{ id: "", model: "", object: "", created: 0, choices: [], prompt_filter_results: [] },
			chunk({ content: "a" }),
			{ ...chunk({}), choices: [{ index: 0, finish_reason: null, content_filter_results: {} }] },
			ending("stop"),
			done,
		]);
		expect(made).toMatchObject({ id: "chatcmpl-9", candidates: [{ blocks: [{ text: "a" }] }] });
	});

	test("citations that come when the text is over are sources of the answer", () => {
		const annotations = [
			{ type: "url_citation", url_citation: { start_index: 0, end_index: 1, url: "https://a.example/", title: "A" } },
		];
		const made = answer([
			chunk({ content: "a" }),
			call({ index: 0, id: "a", function: fn("f", "{}") }),
			chunk({ annotations }),
			ending("tool_calls"),
			done,
		]);
		expect(made.candidates[0]?.grounding?.sources).toEqual([{ url: "https://a.example/", title: "A" }]);
		expect(
			answer([chunk({ content: "a" }), chunk({ annotations }), ending("stop"), done]).candidates[0]?.grounding,
		).toBeUndefined();
	});

	test("usage within the choice counts, as Moonshot tells it", () => {
		const usage = { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 };
		expect(answer([chunk({ content: "a" }), ending("stop", { usage }), done]).usage?.input.total).toBe(7);
		const observer = chatCompletions.passthrough.observer(askFor(bodyWith({ stream: true })));
		for (const sent of [chunk({ content: "a" }), ending("stop", { usage })])
			observer.event({ data: JSON.stringify(sent) });
		expect(observer.result().usage?.input.total).toBe(7);
	});

	test("reasoning in parts of the content, or in an object, is reasoning", () => {
		const part = { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] };
		const text = { type: "text", text: "a" };
		const said = [
			["thinking", "hm"],
			["text", "a"],
		];
		const told = (list: readonly Block[]) => list.map((block) => [block.type, "text" in block ? block.text : ""]);
		expect(told(blocks([chunk({ content: [part] }), chunk({ content: [text] }), ending("stop"), done]))).toEqual(said);
		const within = chunk({ reasoning_content: { text: "hm" } });
		expect(told(blocks([within, chunk({ content: "a" }), ending("stop"), done]))).toEqual(said);
		const whole = chatCompletions.upstream.decodeResponse(
			{ choices: [{ message: { role: "assistant", content: [part, text] }, finish_reason: "stop" }] },
			plain,
		);
		expect(told(whole.candidates[0]?.blocks ?? [])).toEqual(said);
	});

	test("usage in x_groq counts", () => {
		const x_groq = { usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 } };
		expect(answer([chunk({ content: "a" }), { ...ending("stop"), x_groq }, done]).usage?.input.total).toBe(7);
	});

	test("a matched stop sequence is told", () => {
		const made = answer([chunk({ content: "a" }), ending("stop", { stop_reason: "END" }), done]);
		expect(made.candidates[0]?.finish).toMatchObject({ reason: "stop_sequence", stopSequence: "END" });
	});

	test("a refusal is a refusal", () => {
		const made = answer([chunk({ refusal: "I can" }), chunk({ refusal: "not." }), ending("stop"), done]);
		expect(made.candidates[0]?.blocks).toEqual([{ type: "refusal", text: "I cannot." }]);
	});

	test("logprobs belong to the text they came with", () => {
		const item = { token: "a", logprob: -0.5, bytes: [97], top_logprobs: [{ token: "b", logprob: -1, bytes: null }] };
		const said = blocks([
			chunk({ content: "a" }, { logprobs: { content: [item], refusal: null } }),
			ending("stop"),
			done,
		]);
		expect(said).toMatchObject([
			{
				type: "text",
				text: "a",
				logprobs: [{ token: "a", logprob: -0.5, bytes: [97], top: [{ token: "b", logprob: -1, bytes: null }] }],
			},
		]);
	});

	test("annotations before their text wait for it", () => {
		const url_citation = { url: "https://example.com/a", title: "A", start_index: 0, end_index: 0 };
		const chunks = [
			chunk({ role: "assistant", content: "", annotations: [{ type: "url_citation", url_citation }] }),
			chunk({ reasoning: "hm" }),
			chunk({ content: "Rain." }),
			ending("stop"),
			done,
		];
		expect(blocks(chunks)).toMatchObject([
			{ type: "thinking" },
			{ type: "text", text: "Rain.", citations: [{ url: "https://example.com/a" }] },
		]);
	});

	test("H30 annotations are citations in their block's own places", () => {
		const url_citation = { url: "https://a.test", title: "A", start_index: 6, end_index: 9 };
		const said = blocks([
			chunk({ content: "first" }),
			chunk({ reasoning_content: "t" }),
			chunk({ content: " see A" }),
			chunk({ annotations: [{ type: "url_citation", url_citation }] }),
			ending("stop"),
			done,
		]);
		expect(said.at(-1)).toMatchObject({
			text: " see A",
			citations: [{ kind: "url", url: "https://a.test", title: "A", target: { start: 1, end: 4 } }],
		});
	});

	test("annotations of words that are over stand where the text begins that was told since", () => {
		const cite = (start_index: number, end_index: number) => ({
			type: "url_citation",
			url_citation: { url: "https://a.test", title: "A", start_index, end_index },
		});
		const said = blocks([
			chunk({ content: "first" }),
			chunk({ reasoning_content: "t" }),
			chunk({ content: " see A" }),
			chunk({ annotations: [cite(0, 3), cite(2, 7)] }),
			ending("stop"),
			done,
		]);
		const citations = [{ target: { start: 0, end: 0 } }, { target: { start: 0, end: 2 } }];
		expect(said.at(-1)).toMatchObject({ text: " see A", citations });
	});

	test.each([
		["Perplexity", { citations: ["https://x.test"], search_results: [{ title: "X", url: "https://x.test" }] }],
		["Zhipu", { web_search: [{ title: "X", link: "https://x.test", media: "m", refer: "ref_1" }] }],
		["Tencent", { search_info: { search_results: [{ index: 1, title: "X", url: "https://x.test" }] } }],
	])("sources that %s tells beside the choices are the answer's grounding", (_, beside) => {
		const made = answer([{ ...chunk({ content: "a" }), ...beside }, ending("stop"), done]);
		expect(made.candidates[0]?.grounding).toEqual({ queries: [], sources: [{ url: "https://x.test", title: "X" }] });
	});

	test("sound grows, and has its transcript", () => {
		const context = contextFor(neutralOf(bodyWith({ stream: true, audio: { voice: "a", format: "pcm16" } })));
		const made = answerOf(
			[
				chunk({ audio: { id: "audio_1", transcript: "Hel" } }),
				chunk({ audio: { data: "AAAA" } }),
				chunk({ audio: { data: "BBBB", transcript: "lo" } }),
				chunk({ audio: { expires_at: 9 } }),
				ending("stop"),
				done,
			],
			context,
		);
		expect(made.candidates[0]?.blocks).toEqual([
			{
				type: "audio",
				id: "audio_1",
				media: { by: "bytes", base64: "AAAABBBB", mime: "audio/pcm" },
				transcript: "Hello",
			},
		]);
	});

	test("H63 images come whole", () => {
		const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
		expect(blocks([chunk({ content: "", images: [image] }), ending("stop"), done])).toEqual([
			{ type: "image", media: { by: "bytes", mime: "image/png", base64: "AAAA" } },
		]);
	});

	test("an image that cannot be read is the upstream's fault", () => {
		const image = { type: "image_url", image_url: { url: "file:///etc/passwd" } };
		expect(() => blocks([chunk({ images: [image] })])).toThrow("content that cannot be read");
	});
});

describe("reasoning that must go back as it came", () => {
	test("unsigned reasoning remembers its field", () => {
		const said = blocks([chunk({ reasoning_content: "hm" }), chunk({ content: "x" }), ending("stop"), done]);
		expect(said[0]).toMatchObject({
			signature: { value: "reasoning_content", origin: { protocol: "chat-completions", family: "deepseek" } },
		});
	});

	test("reasoning_details are told once beside the plain field, and keep their signature", () => {
		const detail = (more: unknown) => ({
			type: "reasoning.text",
			format: "anthropic-claude-v1",
			index: 0,
			...(more as object),
		});
		const said = blocks([
			chunk({ reasoning: "a", reasoning_details: [detail({ text: "a" })] }),
			chunk({ reasoning: "b", reasoning_details: [detail({ text: "b" })] }),
			chunk({ content: "", reasoning_details: [detail({ signature: "SIG" })] }),
			chunk({ content: "x" }),
			ending("stop"),
			done,
		]);
		expect(said).toMatchObject([
			{ type: "thinking", text: "ab" },
			{ type: "text", text: "x" },
		]);
		const value = said[0]?.type === "thinking" ? said[0].signature?.value : undefined;
		expect(JSON.parse(value ?? "null")).toEqual(detail({ signature: "SIG" }));
	});

	test("reasoning_details that are repeated at the end are told once", () => {
		const first = { type: "reasoning.text", text: "a", signature: "S1", index: 0 };
		const second = { type: "reasoning.encrypted", data: "ENC", index: 1 };
		const said = blocks([
			chunk({ reasoning_content: "a" }),
			chunk({ reasoning_details: [first] }),
			chunk({ reasoning_details: [second] }),
			chunk({ content: "x" }),
			chunk({
				reasoning_details: [
					{ ...first, index: 2 },
					{ ...second, index: 3 },
				],
			}),
			ending("stop"),
			done,
		]);
		expect(said).toMatchObject([
			{ type: "thinking", text: "a" },
			{ type: "opaque_thinking" },
			{ type: "text", text: "x" },
		]);
		expect(said.length).toBe(3);
	});

	test("encrypted reasoning is kept whole", () => {
		const entry = { type: "reasoning.encrypted", data: "ENC", format: "openai-responses-v1", id: "rs_1" };
		const said = blocks([chunk({ reasoning_details: [entry] }), chunk({ content: "x" }), ending("stop"), done]);
		const value = said[0]?.type === "opaque_thinking" ? said[0].data.value : undefined;
		expect(JSON.parse(value ?? "null")).toEqual(entry);
	});

	test("thinking parts within the content are thinking", () => {
		const said = blocks([
			chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "t" }] }] }),
			chunk({ content: [{ type: "text", text: "x" }] }),
			ending("stop"),
			done,
		]);
		expect(said).toMatchObject([
			{ type: "thinking", text: "t", signature: { value: "thinking" } },
			{ type: "text", text: "x" },
		]);
	});

	test("a signature of Gemini's stays with its call", () => {
		const extra_content = { google: { thought_signature: "S" } };
		const said = blocks([
			call({ index: 0, id: "a", type: "function", function: fn("f", "{}"), extra_content }),
			ending("tool_calls"),
			done,
		]);
		expect(said[0]).toMatchObject({
			signature: { value: "S", origin: { protocol: "generate-content", family: "gemini" } },
		});
	});

	test("a signature on the message is its first call's", () => {
		const said = blocks([
			call({ index: 0, id: "a", type: "function", function: fn("f", '{"x"') }),
			call({ index: 0, function: { arguments: ":1}" } }),
			chunk({ extra_content: { google: { thought_signature: "S" } } }),
			ending("tool_calls"),
			done,
		]);
		expect(said[0]).toMatchObject({ type: "tool_call", signature: { value: "S" } });
	});
});

describe("names that only the request explains", () => {
	const tools = [
		{ type: "function", function: { name: "read file", parameters: {} } },
		{ type: "custom", custom: { name: "patch" } },
	];
	const request = neutralOf(bodyWith({ tools }));

	test("H80 a name that was changed for the upstream is changed back", () => {
		const context = contextFor({ ...request, protocol: "messages" });
		const made = answerOf(
			[call({ index: 0, id: "a", function: fn("read_file", "{}") }), ending("stop"), done],
			context,
		);
		expect(called(made.candidates[0]?.blocks ?? [])).toEqual([["a", "read file", "{}"]]);
	});

	test("H51 a custom tool that went as a function comes back as one", () => {
		const context = contextFor({ ...request, protocol: "responses" });
		const chunks = [
			call({ index: 0, id: "a", function: fn("patch", '{"input":"*** Be') }),
			call({ index: 0, function: { arguments: 'gin"}' } }),
			ending("tool_calls"),
			done,
		];
		expect(answerOf(chunks, context).candidates[0]?.blocks).toMatchObject([
			{ type: "tool_call", kind: "custom", name: "patch", arguments: { form: "text", text: "*** Begin" } },
		]);
	});

	test("a custom tool's input that the limit cut comes back as far as it came", () => {
		const context = contextFor({ ...request, protocol: "responses" });
		const chunks = [call({ index: 0, id: "a", function: fn("patch", '{"input":"*** Be') }), ending("length"), done];
		expect(answerOf(chunks, context).candidates[0]?.blocks).toMatchObject([
			{ kind: "custom", arguments: { form: "text", text: "*** Be" } },
		]);
	});

	test("a custom call keeps its free text", () => {
		const chunks = [
			call({ index: 0, id: "a", type: "custom", custom: { name: "patch", input: "a" } }),
			call({ index: 0, custom: { input: "b" } }),
			ending("tool_calls"),
			done,
		];
		expect(answerOf(chunks, contextFor(request)).candidates[0]?.blocks).toMatchObject([
			{ kind: "custom", arguments: { form: "text", text: "ab" } },
		]);
	});

	test("H52 a tool in a namespace is found again, and one that really has that name wins", () => {
		const spaced = {
			type: "function",
			name: "send",
			namespace: "mail",
			schema: {},
		} as const;
		const direct = { type: "function", name: "mail__send", schema: {} } as const;
		const chunks = [call({ index: 0, id: "a", function: fn("mail__send", "{}") }), ending("stop"), done];
		const of = (given: (typeof spaced | typeof direct)[]) =>
			answerOf(chunks, { family: "gpt", names: { tools: new Map() }, request: { ...request, tools: given } })
				.candidates[0]?.blocks[0];
		expect(of([spaced])).toMatchObject({ name: "send", namespace: "mail" });
		expect(of([spaced, direct])).not.toHaveProperty("namespace");
		expect(of([direct, spaced])).toMatchObject({ name: "mail__send" });
	});
});
