/** Failures that vendors tell with 200 must not look like answers. */
import { describe, expect, test } from "bun:test";
import { askFor, bodyWith, contextFor, eventsOf, neutralOf } from "./fixtures/ask.ts";
import { chunk, done } from "./fixtures/chunks.ts";
import { observe, observer } from "./passthrough/observe.ts";
import { chatCompletions } from "./protocol.ts";

const context = contextFor(neutralOf(bodyWith({ stream: true })), "m");
const said = chunk({ role: "assistant", content: "Par" });
const { upstream } = chatCompletions;

const failures: readonly (readonly [vendor: string, told: Record<string, unknown>, kind: string])[] = [
	[
		"the whole of it is the error",
		{ object: "error", message: "Died.", type: "InternalServerError", code: 500 },
		"upstream",
	],
	[
		"the same, too long",
		{ object: "error", message: "maximum context length", type: "x", code: 400 },
		"context_length",
	],
	["MiniMax, too often", { choices: null, base_resp: { status_code: 1002, status_msg: "Slow." } }, "rate_limited"],
	[
		"MiniMax, forbidden words",
		{ choices: null, base_resp: { status_code: 1026, status_msg: "No." } },
		"content_policy",
	],
	["MiniMax, too long", { choices: null, base_resp: { status_code: 1039, status_msg: "Long." } }, "context_length"],
	[
		"MiniMax, amid what is no piece",
		{ choices: [], base_resp: { status_code: 1002, status_msg: "Slow." } },
		"rate_limited",
	],
	["MiniMax, its own fault", { choices: null, base_resp: { status_code: 1033, status_msg: "Died." } }, "upstream"],
];

describe.each(failures)("%s", (_, told, kind) => {
	test("is a failure where an answer was to come, translated and passed", () => {
		expect(upstream.decodeResponse(told, context).error).toMatchObject({ kind });
		expect(observe(told)).toMatchObject({ finished: false, error: { kind } });
	});

	test("ends a stream that had begun, though [DONE] follows, translated and passed", () => {
		const watching = observer(askFor(bodyWith({ stream: true })));
		for (const data of [JSON.stringify(said), JSON.stringify(told), "[DONE]"]) watching.event({ data });
		expect(watching.result()).toMatchObject({ finished: false, error: { kind } });
		const events = eventsOf([said, told, done], context);
		expect(events.slice(-2)).toMatchObject([
			{ type: "error", error: { kind } },
			{ type: "end", clean: false },
		]);
	});
});

test("an account of the operator's that MiniMax refuses is not told as the client's", () => {
	const told = { choices: null, base_resp: { status_code: 1008, status_msg: "insufficient balance" } };
	expect(upstream.decodeResponse(told, context).error?.message).toContain("the operator must look");
});

test("a stream that Groq stops early has failed; one that tells its usage has not", () => {
	const stopped = { ...chunk({}), x_groq: { error: "Over capacity." } };
	expect(eventsOf([said, stopped, done], context).at(-2)).toMatchObject({
		type: "error",
		error: { message: "Over capacity." },
	});
	const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
	const well = { ...chunk({}, { finish_reason: "stop" }), x_groq: { id: "req", usage } };
	expect(eventsOf([said, well, done], context).at(-1)).toMatchObject({ type: "end", clean: true });
});

test("an answer with an empty error, or MiniMax's word that all is well, is an answer", () => {
	const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
	const body = { id: "c", choices, error: "", base_resp: { status_code: 0, status_msg: "" } };
	expect(upstream.decodeResponse(body, context).error).toBeUndefined();
	expect(observe(body)).toMatchObject({ finished: true });
});
