import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { neutralFaults } from "../../test/support/grammar/neutral.ts";
import { anyEvent, anyResponse } from "../../test/support/neutral-arbitraries.ts";
import type { Block } from "./content.ts";
import { explode } from "./explode.ts";
import { fold } from "./fold.ts";
import { normalizeEvents, normalizeResponse } from "./normalize-events.ts";
import type { Finish, NeutralEvent } from "./response.ts";

const defaults = { id: "made", model: "asked", createdAt: 99 };
const normalized = (events: readonly NeutralEvent[]): NeutralEvent[] => {
	const stage = normalizeEvents(defaults);
	return events.flatMap((event) => stage.push(event));
};
const start: NeutralEvent = { type: "start", id: "r1", model: "m", createdAt: 7 };
const end: NeutralEvent = { type: "end", clean: true };
const finish = (reason: Finish["reason"]): NeutralEvent => ({ type: "finish", candidate: 0, finish: { reason } });
const open = (block: number, shell: Block): NeutralEvent => ({ type: "open", block, candidate: 0, shell });
const text = (block: number, value: string): NeutralEvent => ({
	type: "delta",
	block,
	delta: { type: "text", text: value },
});
const args = (block: number, value: string): NeutralEvent => ({
	type: "delta",
	block,
	delta: { type: "arguments", text: value },
});
const call = (id: string, name: string): Block => ({
	type: "tool_call",
	id,
	name,
	kind: "function",
	arguments: { form: "invalid", text: "" },
});
const reasons = (events: readonly NeutralEvent[]) =>
	events.flatMap((event) => (event.type === "finish" ? [event.finish.reason] : []));

describe("normalizeEvents", () => {
	test("any interleaving of events becomes a stream in good order", () => {
		fc.assert(
			fc.property(fc.array(anyEvent, { maxLength: 40 }), fc.boolean(), (events, clean) => {
				const out = normalized([...events, { type: "end", clean }]);
				expect(neutralFaults(out)).toEqual([]);
			}),
		);
	});
	test("an end without a name after a call is the call's", () => {
		const told = (events: readonly NeutralEvent[]) => reasons(normalized([start, ...events, finish("other"), end]));
		const called = [open(0, call("c", "f")), args(0, "{}"), { type: "close", block: 0 }] as const;
		expect(told(called)).toEqual(["tool_calls"]);
		expect(told([open(0, { type: "text", text: "" }), text(0, "x")])).toEqual(["other"]);
	});
	test("it is idempotent", () => {
		fc.assert(
			fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
				const once = normalized([...events, end]);
				expect(normalized(once)).toEqual(once);
			}),
		);
	});
	test("a response in good order is left as it is, but for the finish that its calls demand", () => {
		fc.assert(
			fc.property(anyResponse, (response) => {
				const out = normalizeResponse(response, defaults);
				const untouched = ({ finish: _, ...rest }: (typeof out.candidates)[number]) => rest;
				expect(out.candidates.map(untouched)).toEqual(response.candidates.map(untouched));
				expect(normalizeResponse(out, defaults)).toEqual(out);
			}),
		);
	});
	test("stream and whole answer agree", () => {
		fc.assert(
			fc.property(anyResponse, (response) => {
				expect(fold(normalized(explode(response)))).toEqual(normalizeResponse(response, defaults));
			}),
		);
	});
	test("a missing start is made; a second one adds only its usage", () => {
		const usage = { input: { total: 3 }, output: { total: 4 } };
		const out = normalized([open(0, { type: "text", text: "a" }), { ...start, usage }, finish("stop"), end]);
		expect(out.map((event) => event.type)).toEqual(["start", "open", "delta", "usage", "close", "finish", "end"]);
		expect(out[0]).toEqual({ type: "start", ...defaults });
	});
	test("the time is a whole number of seconds, whatever the vendor counts in", () => {
		const timeOf = (createdAt: number) =>
			normalized([{ type: "start", id: "a", model: "m", createdAt }]).find(({ type }) => type === "start");
		expect(timeOf(1_700_000_000.5)).toMatchObject({ createdAt: 1_700_000_000 });
		expect(timeOf(1_700_000_000_500)).toMatchObject({ createdAt: 1_700_000_000 });
	});

	test("H01: a text block without text is not opened", () => {
		const out = normalized([
			start,
			open(0, { type: "text", text: "" }),
			text(0, ""),
			{ type: "close", block: 0 },
			open(1, call("c1", "f")),
			{ type: "close", block: 1 },
			finish("tool_calls"),
			end,
		]);
		expect(out.map((event) => event.type)).toEqual(["start", "open", "close", "finish", "end"]);
		expect(out[1]).toMatchObject({ block: 0, shell: { type: "tool_call" } });
	});
	test("H33: text in the shell comes as a delta", () => {
		const out = normalized([start, open(4, { type: "text", text: "Hi" }), text(4, "!"), finish("stop"), end]);
		expect(out.slice(1, 4)).toEqual([open(0, { type: "text", text: "" }), text(0, "Hi"), text(0, "!")]);
	});
	test("H12: a call waits for its name, gets an id at its close, and is dropped without a name", () => {
		const late = [
			start,
			open(0, call("", "")),
			args(0, "{"),
			open(0, call("c9", "f")),
			args(0, "}"),
			finish("stop"),
			end,
		];
		expect(normalized(late).slice(1, 4)).toEqual([open(0, call("c9", "f")), args(0, "{"), args(0, "}")]);

		const noId = normalized([start, open(0, call("", "f")), args(0, "{}"), finish("tool_calls"), end]);
		const opened = noId.find((event) => event.type === "open");
		expect(opened?.type === "open" && opened.shell.type === "tool_call" && opened.shell.id).toMatch(
			/^call_[0-9a-f]{24}$/,
		);
		expect(normalized([start, open(0, call("", "f")), args(0, "{}"), finish("tool_calls"), end])).toEqual(noId);

		const noName = normalized([start, open(0, call("c1", "")), args(0, "{}"), finish("tool_calls"), end]);
		expect(noName.map((event) => event.type)).toEqual(["start", "finish", "end"]);
		expect(reasons(noName)).toEqual(["stop"]);
	});
	test("calls of one id are told apart, for clients take them for one", () => {
		const calls = [0, 1, 2].flatMap((block) => [
			open(block, call("same", `f${block}`)),
			args(block, "{}"),
			{ type: "close" as const, block, final: call("same", `f${block}`) },
		]);
		const out = normalized([start, ...calls, finish("tool_calls"), end]);
		const ids = out.flatMap((event) => (event.type === "open" && "id" in event.shell ? event.shell.id : []));
		expect(ids).toEqual(["same", "same_2", "same_3"]);
		const finals = out.flatMap((event) => (event.type === "close" && event.final ? [event.final] : []));
		expect(finals.flatMap((block) => ("id" in block ? [block.id] : []))).toEqual(ids);
	});
	test("H08: a block that is announced again goes on", () => {
		const out = normalized([
			start,
			open(0, call("c1", "f")),
			open(0, call("c1", "f")),
			args(0, "{}"),
			finish("stop"),
			end,
		]);
		expect(out.filter((event) => event.type === "open")).toHaveLength(1);
	});
	test("H14 and H19: the calls that were told decide between stop and tool_calls", () => {
		const one = [open(0, call("c1", "f")), { type: "close", block: 0 } as const];
		expect(reasons(normalized([start, ...one, finish("stop"), end]))).toEqual(["tool_calls"]);
		expect(reasons(normalized([start, ...one, finish("length"), end]))).toEqual(["length"]);
		expect(reasons(normalized([start, open(0, { type: "text", text: "x" }), finish("tool_calls"), end]))).toEqual([
			"stop",
		]);
		const search: Block = { type: "server_call", id: "s", tool: "web_search", name: "web_search", arguments: {} };
		expect(reasons(normalized([start, open(0, search), finish("stop"), end]))).toEqual(["stop"]);
	});
	test("a refusal that was told makes a stop a refusal", () => {
		expect(reasons(normalized([start, open(0, { type: "refusal", text: "no" }), finish("stop"), end]))).toEqual([
			"refusal",
		]);
	});
	test("H13 and H66: finish waits for the end, the last one counts, and usage goes before it", () => {
		const usage: NeutralEvent = { type: "usage", usage: { input: { total: 1 }, output: { total: 2 } } };
		const out = normalized([start, finish("stop"), open(0, { type: "text", text: "x" }), finish("length"), usage, end]);
		expect(out.map((event) => event.type)).toEqual(["start", "open", "delta", "usage", "close", "finish", "end"]);
		expect(reasons(out)).toEqual(["length"]);
	});
	test("H60: what only the final block tells comes as a delta, and nothing twice", () => {
		const final: Block = {
			...call("c1", "f"),
			type: "tool_call",
			name: "f",
			id: "c1",
			kind: "function",
			arguments: { form: "json", value: { a: 1 }, text: '{"a":1}' },
		};
		const whole = normalized([
			start,
			open(0, call("c1", "f")),
			{ type: "close", block: 0, final },
			finish("stop"),
			end,
		]);
		expect(whole[2]).toEqual(args(0, '{"a":1}'));
		const half = normalized([
			start,
			open(0, call("c1", "f")),
			args(0, '{"a"'),
			{ type: "close", block: 0, final },
			end,
		]);
		expect(half.slice(2, 4)).toEqual([args(0, '{"a"'), args(0, ":1}")]);
		const full = normalized([
			start,
			open(0, call("c1", "f")),
			args(0, '{"a":1}'),
			{ type: "close", block: 0, final },
			end,
		]);
		expect(full.filter((event) => event.type === "delta")).toHaveLength(1);
	});
	test("a final text that went another way than its deltas adds nothing, and summary parts are not told twice", () => {
		const texts = (events: readonly NeutralEvent[]) =>
			normalized(events).flatMap((event) =>
				event.type === "delta" && "text" in event.delta ? [event.delta.text] : [],
			);
		const said: Block = { type: "text", text: "Done here." };
		expect(
			texts([
				start,
				open(0, { type: "text", text: "" }),
				text(0, "Done."),
				{ type: "close", block: 0, final: said },
				end,
			]),
		).toEqual(["Done."]);
		const thinking: Block = { type: "thinking", form: "summary", text: "a\n\nb", parts: ["a", "b"] };
		const thought = (value: string, part?: number): NeutralEvent => ({
			type: "delta",
			block: 0,
			delta: { type: "thinking", text: value, ...(part !== undefined && { part }) },
		});
		const shell: Block = { type: "thinking", form: "summary", text: "" };
		const close = (final: Block): NeutralEvent => ({ type: "close", block: 0, final });
		expect(texts([start, open(0, shell), thought("a\n\nb"), close(thinking), end])).toEqual(["a\n\nb"]);
		const { parts: _, ...whole } = thinking;
		expect(texts([start, open(0, shell), thought("a", 0), thought("b", 1), close(whole), end])).toEqual(["a", "b"]);
		expect(texts([start, open(0, shell), thought("a", 0), close(thinking), end])).toEqual(["a", "b"]);
	});
	test("H43: an end that was not announced is an error, without a finish and with what is open left open", () => {
		const out = normalized([
			start,
			open(0, { type: "text", text: "half" }),
			finish("stop"),
			{ type: "end", clean: false },
		]);
		expect(out.map((event) => event.type)).toEqual(["start", "open", "delta", "error", "end"]);
		expect(out.at(-1)).toEqual({ type: "end", clean: false });
	});
	test("an error ends the stream at once", () => {
		const error: NeutralEvent = { type: "error", error: { kind: "overloaded", message: "busy" } };
		expect(normalized([error, text(0, "more"), end])).toEqual([
			{ type: "start", ...defaults },
			error,
			{ type: "end", clean: false },
		]);
	});
	test("H42: a clean end without a finish is a stop", () => {
		expect(reasons(normalized([start, open(0, { type: "text", text: "x" }), end]))).toEqual(["stop"]);
		expect(reasons(normalized([start, open(0, call("c", "f")), end]))).toEqual(["tool_calls"]);
	});
	test("H77: a blocked prompt has no candidates", () => {
		const out = normalized([start, { type: "blocked", reason: "SAFETY" }, end]);
		expect(out.map((event) => event.type)).toEqual(["start", "blocked", "end"]);
	});
	test("H83: grounding that is repeated is told once, the last", () => {
		const grounding = (query: string): NeutralEvent => ({
			type: "grounding",
			candidate: 0,
			grounding: { queries: [query], sources: [] },
		});
		const out = normalized([start, grounding("a"), open(0, { type: "text", text: "x" }), grounding("b"), end]);
		expect(out.filter(({ type }) => type === "grounding")).toEqual([grounding("b")]);
	});
	test("ticks pass at any time, even before the start", () => {
		expect(normalized([{ type: "tick" }, start, { type: "tick" }]).map((event) => event.type)).toEqual([
			"tick",
			"start",
			"tick",
		]);
	});
});
