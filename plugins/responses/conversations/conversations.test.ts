/** Kept answers: whose they are, how long they stay, and what goes on from them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Log } from "#core";
import { createMovedClock } from "../../../test/support/moved-clock.ts";
import { createScratchStore, type ScratchStore } from "../../../test/support/scratch-store.ts";
import { createSealedSummaries } from "../compaction/sealed-summaries.ts";
import { askOf } from "../fixtures/trial.ts";
import { responsesTables } from "../tables.ts";
import { AnswerRoom } from "./answer-room.ts";
import { AnswerStore } from "./answer-store.ts";
import { createConversations, inputOf } from "./conversations.ts";
import { listInput } from "./input-items.ts";

const dayMs = 86_400_000;
const complaints: string[] = [];
const complain = (message: string): void => void complaints.push(message);
const log: Log = { debug() {}, info() {}, warn: complain, error: complain, of: () => log };
const clock = createMovedClock();
const summaries = createSealedSummaries();
const alice = { id: "tok_alice" };
const bob = { id: "tok_bob" };

let store: ScratchStore;
let answers: AnswerStore;
let conversations: ReturnType<typeof createConversations>;
beforeAll(async () => {
	store = await createScratchStore([responsesTables("responses")]);
	const room = new AnswerRoom(store, { perToken: 20_000, total: 50_000 }, log);
	answers = new AnswerStore({ store, room, conversationBytes: 8_000 });
	conversations = createConversations({ answers, summaries, clock, log });
});
afterAll(() => store.close());

const message = (id: string, text: string) => ({
	id,
	type: "message",
	role: "assistant",
	status: "completed",
	content: [{ type: "output_text", text, annotations: [] }],
});
const answerOf = (id: string, ...output: unknown[]) => ({
	id,
	object: "response",
	model: "gpt-5",
	status: "completed",
	output,
});
const bodyOf = (input: unknown, more: Record<string, unknown> = {}) => ({ model: "gpt-5", input, ...more });

/** Asks, is answered, and has the answer kept. */
const say = async (
	input: unknown,
	answer: Record<string, unknown>,
	more: Record<string, unknown> = {},
	token = alice,
) => {
	const ask = await conversations.load(askOf(bodyOf(input, more)), token);
	await conversations.save(ask, token, answer);
	return ask;
};
const inputAfter = async (id: string, token = alice): Promise<unknown> =>
	(await conversations.load(askOf(bodyOf("next", { previous_response_id: id })), token)).body.value["input"];
const denialOf = async (asked: Promise<unknown>): Promise<unknown> => {
	const error = await asked.catch((thrown: unknown) => thrown);
	return error instanceof Error && "denial" in error ? error.denial : error;
};

test("a conversation of three turns is put together in order, each input once", async () => {
	await say("one", answerOf("resp_1", message("msg_1", "1")));
	await say([{ role: "user", content: "two" }], answerOf("resp_2", message("msg_2", "2")), {
		previous_response_id: "resp_1",
	});
	const ask = await conversations.load(askOf(bodyOf("three", { previous_response_id: "resp_2", stream: true })), alice);
	expect(ask.body.value["input"]).toEqual([
		{ role: "user", content: "one" },
		message("msg_1", "1"),
		{ role: "user", content: "two" },
		message("msg_2", "2"),
		{ role: "user", content: "three" },
	]);
	expect(ask.body.value).not.toHaveProperty("previous_response_id");
	expect(ask.continues).toEqual({ id: "resp_2", items: 4 });
	expect(JSON.parse(ask.body.text)).toEqual({ ...ask.body.value });
});

test("H117: a result finds its call in the conversation it goes on from", async () => {
	const call = { id: "fc_9", type: "function_call", call_id: "c9", name: "f", arguments: "{}", status: "completed" };
	await say("look", answerOf("resp_call", call));
	const result = { type: "function_call_output", call_id: "c9", output: "done" };
	const ask = await conversations.load(askOf(bodyOf([result], { previous_response_id: "resp_call" })), alice);
	expect(ask.body.value["input"]).toEqual([{ role: "user", content: "look" }, call, result]);
});

test("instructions are not inherited", async () => {
	await say("one", answerOf("resp_i"), { instructions: "Be kind." });
	const ask = await conversations.load(askOf(bodyOf("two", { previous_response_id: "resp_i" })), alice);
	expect(ask.body.value["instructions"]).toBeUndefined();
});

test("a request that goes on from nothing is left as it is", async () => {
	const ask = askOf(bodyOf("one"));
	expect(await conversations.load(ask, alice)).toBe(ask);
});

test("an answer tells from what it went on, and the model by the name that was asked", async () => {
	const ask = await conversations.load(
		askOf({ ...bodyOf("x", { previous_response_id: "resp_1" }), model: "fast" }),
		alice,
	);
	await conversations.save(ask, alice, answerOf("resp_fast"));
	expect((await answers.find(alice.id, "resp_fast"))?.answer).toMatchObject({
		previous_response_id: "resp_1",
		model: "fast",
	});
});

describe("what is not there", () => {
	const missing = { kind: "invalid_request", code: "previous_response_not_found", parameter: "previous_response_id" };

	/** Nobody here knows it: an upstream of this protocol may, and is the only one that is asked. */
	const onlyUpstream = async (id: string, of = conversations) =>
		(await of.load(askOf(bodyOf("y", { previous_response_id: id })), alice)).onlyUpstream;

	test("an unknown id, in OpenAI's words", async () => {
		expect(await onlyUpstream("resp_none")).toMatchObject({
			...missing,
			message: "Previous response with id 'resp_none' not found.",
		});
	});
	test("an answer of another token", async () => {
		expect(await denialOf(inputAfter("resp_1", bob))).toMatchObject(missing);
		expect(await answers.find(bob.id, "resp_1")).toBeUndefined();
		expect(await answers.forget(bob.id, "resp_1", clock.now())).toBe(false);
	});
	test("an answer that the client did not want kept", async () => {
		await say("x", answerOf("resp_private"), { store: false });
		expect(await onlyUpstream("resp_private")).toMatchObject(missing);
	});
	test("a conversation with a hole: half of it would mislead", async () => {
		await say("a", answerOf("resp_a"));
		await say("b", answerOf("resp_b"), { previous_response_id: "resp_a" });
		expect(await answers.forget(alice.id, "resp_a", clock.now())).toBe(true);
		expect(await denialOf(inputAfter("resp_b"))).toMatchObject(missing);
	});
	test("anything, where nothing is kept", async () => {
		const none = createConversations({ answers: undefined, summaries, clock, log });
		await none.save(askOf(bodyOf("x")), alice, answerOf("resp_gone"));
		expect(await onlyUpstream("resp_gone", none)).toMatchObject(missing);
	});
});

test("background responses and conversation objects are for upstreams that have them, and refused elsewhere with a way round", async () => {
	for (const [field, value] of [
		["background", true],
		["conversation", "conv_1"],
	] as const)
		expect((await conversations.load(askOf(bodyOf("x", { [field]: value })), alice)).onlyUpstream).toMatchObject({
			kind: "unsupported",
			parameter: field,
		});
	const ask = askOf(bodyOf("x", { background: false, conversation: null }));
	expect(await conversations.load(ask, alice)).toBe(ask);
});

test("an answer that the cache is compared with is the caller's own, and kept at the upstream", async () => {
	const compare = (id: string, token = alice) =>
		conversations.load(askOf(bodyOf("x", { prompt_cache_options: { comparison_response_id: id } })), token);
	const keptAt = { model: "gpt-5", upstream: "main" };
	const there = { id: "resp_there", previous: undefined, input: [], answer: answerOf("resp_there"), keptAt };
	await answers.keep(alice.id, there, clock.now());
	await say("x", answerOf("resp_here"));
	expect((await compare("resp_there")).looksUp).toBeUndefined();
	expect((await compare("resp_elsewhere")).looksUp).toMatchObject({ kind: "not_found" });
	const parameter = "prompt_cache_options.comparison_response_id";
	expect(await denialOf(compare("resp_here"))).toMatchObject({ kind: "not_found", parameter });
	expect(await denialOf(compare("resp_there", bob))).toMatchObject({ kind: "not_found", parameter });
});

test("a request that only fills a cache is for upstreams that have one", async () => {
	const load = async (prewarm: unknown) =>
		(await conversations.load(askOf(bodyOf("x", { prompt_cache_options: { prewarm } })), alice)).onlyProtocol;
	expect(await load(true)).toMatchObject({ kind: "unsupported", parameter: "prompt_cache_options.prewarm" });
	expect(await load(false)).toBeUndefined();
});

describe("references to items", () => {
	const call = { id: "fc_1", type: "function_call", call_id: "c1", name: "f", arguments: "{}", status: "completed" };

	test("are replaced by what they name, with or without a type", async () => {
		await say("x", answerOf("resp_ref", { id: "rs_1", type: "reasoning", summary: [] }, call));
		const input = [
			{ role: "user", content: "x" },
			{ type: "item_reference", id: "rs_1" },
			{ id: "fc_1" },
			{ type: "function_call_output", call_id: "c1", output: "done" },
		];
		const ask = await conversations.load(askOf(bodyOf(input)), alice);
		expect(ask.body.value["input"]).toEqual([input[0], { id: "rs_1", type: "reasoning", summary: [] }, call, input[3]]);
	});
	test("of other tokens, or to nothing, are refused by their place", async () => {
		const input = [
			{ role: "user", content: "x" },
			{ type: "item_reference", id: "fc_1" },
		];
		expect(await denialOf(conversations.load(askOf(bodyOf(input)), bob))).toMatchObject({
			kind: "not_found",
			parameter: "input[1]",
		});
	});
	test("are what reasoning of Portico's is that comes back without its seal; what is not kept stays as it is", async () => {
		const sealed = {
			id: "rs_portico_1",
			type: "reasoning",
			summary: [{ type: "summary_text", text: "hm" }],
			encrypted_content: "portico.messages.claude.thinking.SIG",
		};
		await say("x", answerOf("resp_ref2", sealed));
		const { encrypted_content: _seal, ...bare } = sealed;
		const input = [{ role: "user", content: "x" }, bare, { ...bare, id: "rs_portico_9" }];
		const asked = async (token: typeof alice) => (await conversations.load(askOf(bodyOf(input)), token)).body.value;
		expect((await asked(alice))["input"]).toEqual([input[0], sealed, input[2]]);
		expect((await asked(bob))["input"]).toEqual(input);
	});
	test("go with the answer they stood in", async () => {
		await answers.forget(alice.id, "resp_ref", clock.now());
		expect((await answers.items(alice, ["fc_1"])).size).toBe(0);
	});
});

test("an answer is replaced by one of the same id, and never goes on from itself", async () => {
	await say("first", answerOf("resp_same"));
	await say("second", answerOf("resp_same"), { previous_response_id: "resp_same" });
	expect(await inputAfter("resp_same")).toEqual([
		{ role: "user", content: "first" },
		{ role: "user", content: "second" },
		{ role: "user", content: "next" },
	]);
});

test("a conversation stays as long as its last answer does, then goes", async () => {
	await say("old", answerOf("resp_old"));
	await say("alone", answerOf("resp_alone"));
	clock.advance(20 * dayMs);
	await say("new", answerOf("resp_new"), { previous_response_id: "resp_old" });
	clock.advance(20 * dayMs);
	const idle = new AbortController().signal;
	await answers.prune(clock.now() - 30 * dayMs, idle);
	expect(await answers.find(alice.id, "resp_alone")).toBeUndefined();
	expect(await inputAfter("resp_new")).toHaveLength(3);
	clock.advance(20 * dayMs);
	await answers.prune(clock.now() - 30 * dayMs, idle);
	expect(await answers.find(alice.id, "resp_new")).toBeUndefined();
	expect(await store.run("SELECT count(*) AS left FROM responses_items")).toEqual([{ left: 0 }]);
});

test("an answer that cannot be kept harms nobody but is told in the log", async () => {
	store.failWrites = new Error("disk full");
	await say("x", answerOf("resp_lost"));
	store.failWrites = undefined;
	expect(complaints).toEqual(["an answer could not be kept; its client cannot go on from it"]);
});

test("what is no answer is not kept", async () => {
	const ask = askOf(bodyOf("x"));
	for (const value of [undefined, "text", { object: "response.input_tokens", input_tokens: 3 }, { object: "response" }])
		await conversations.save(ask, alice, value);
	const count = askOf(bodyOf("x"), "/v1/responses/input_tokens");
	await conversations.save(count, alice, answerOf("resp_count"));
	expect(await answers.find(alice.id, "resp_count")).toBeUndefined();
});

describe("the list of an answer's input", () => {
	const list = async (query: string) => {
		await say("one", answerOf("resp_l1", message("msg_l1", "1")));
		await say([{ role: "user", content: "two" }], answerOf("resp_l2"), { previous_response_id: "resp_l1" });
		const kept = await answers.conversation(alice, "resp_l2");
		return listInput(inputOf(kept ?? []), "resp_l2", new URLSearchParams(query));
	};

	test("is all that was said before the answer, newest first, each with an id and parts", async () => {
		const page = await list("");
		expect(page).toMatchObject({ object: "list", has_more: false });
		expect(page["data"]).toMatchObject([
			{ type: "message", role: "user", content: [{ type: "input_text", text: "two" }] },
			{ id: "msg_l1", role: "assistant" },
			{ role: "user", content: [{ type: "input_text", text: "one" }] },
		]);
		expect((page["data"] as { id: string }[]).every(({ id }) => id.startsWith("msg_"))).toBe(true);
	});
	test("comes in pages that follow each other", async () => {
		const first = await list("order=asc&limit=2");
		expect(first).toMatchObject({ has_more: true, last_id: "msg_l1" });
		const second = await list("order=asc&limit=2&after=msg_l1");
		expect(second).toMatchObject({ has_more: false, data: [{ content: [{ text: "two" }] }] });
	});
	test.each(["limit=0", "limit=101", "order=up", "after=nothing"])("refuses %s", async (query) => {
		expect(await denialOf(list(query))).toMatchObject({ kind: "invalid_request", parameter: query.split("=")[0] });
	});
});

describe("what is kept", () => {
	const carol = { id: "tok_carol" };
	const dave = { id: "tok_dave" };
	const long = (text: string): string => text.repeat(3_000);
	const bytesOf = async (token: string): Promise<unknown> =>
		(await store.run("SELECT bytes FROM responses_kept WHERE token = ?", [token]))[0]?.["bytes"] ?? 0;
	const real = async (where = ""): Promise<unknown> =>
		(
			await store.run(
				`SELECT coalesce(sum(length(CAST(input AS BLOB)) + length(CAST(answer AS BLOB))), 0) AS bytes FROM responses_answers ${where}`,
			)
		)[0]?.["bytes"];

	test("is put together up to a limit of bytes, and refused with a sentence beyond it", async () => {
		await say(long("a"), answerOf("resp_c1"), {}, carol);
		await say(long("b"), answerOf("resp_c2"), { previous_response_id: "resp_c1" }, carol);
		expect(await inputAfter("resp_c2", carol)).toHaveLength(3);
		await say(long("c"), answerOf("resp_c3"), { previous_response_id: "resp_c2" }, carol);
		const refusal = {
			kind: "invalid_request",
			code: "conversation_too_long",
			message: expect.stringContaining("at most 8000"),
		};
		expect(await denialOf(inputAfter("resp_c3", carol))).toMatchObject(refusal);
	});
	test("is put together for references up to the same limit, each answer once", async () => {
		const items = ["x", "y", "z"].map((name) => message(`msg_${name}`, long(name)));
		for (const item of items) await say("q", answerOf(`resp_${item.id}`, item), {}, carol);
		const referring = (ids: readonly string[]) =>
			conversations.load(askOf(bodyOf(ids.map((id) => ({ type: "item_reference", id })))), carol);
		expect((await referring(["msg_x", "msg_y", "msg_x"])).body.value["input"]).toEqual([items[0], items[1], items[0]]);
		expect(await denialOf(referring(["msg_x", "msg_y", "msg_z"]))).toMatchObject({ code: "conversation_too_long" });
		// Short references to one long item are as long as what they become.
		const often = Array.from({ length: 4 }, () => "msg_x");
		expect(await denialOf(referring(often))).toMatchObject({ code: "conversation_too_long" });
	});
	test("is counted, answer by answer, also when one is replaced or forgotten", async () => {
		await say(long("d"), answerOf("resp_c1"), {}, carol);
		await answers.forget(carol.id, "resp_c2", clock.now());
		expect(await bytesOf(carol.id)).toBe(await real("WHERE token = 'tok_carol'"));
		expect(await bytesOf("")).toBe(await real());
	});
	test("is the newest of a token's answers, and others keep theirs", async () => {
		await say("mine", answerOf("resp_d"), {}, dave);
		for (let number = 0; number < 12; number++) {
			clock.advance(1000);
			await say(long("e"), answerOf(`resp_e${number}`), {}, carol);
		}
		expect(Number(await bytesOf(carol.id))).toBeLessThanOrEqual(20_000);
		expect(await answers.find(carol.id, "resp_e0")).toBeUndefined();
		expect(await answers.find(carol.id, "resp_e11")).toBeDefined();
		expect(await answers.find(dave.id, "resp_d")).toBeDefined();
	});
	test("is no more than the limit of all, and the log warns before", async () => {
		complaints.length = 0;
		for (const token of ["p", "q", "r", "s"])
			for (let number = 0; number < 5; number++) {
				clock.advance(1000);
				await say(long("f"), answerOf(`resp_${token}${number}`), {}, { id: `tok_${token}` });
			}
		expect(Number(await bytesOf(""))).toBeLessThanOrEqual(50_000);
		expect(await bytesOf("")).toBe(await real());
		expect(await answers.find("tok_s", "resp_s4")).toBeDefined();
		expect(complaints).toContain("kept answers have nearly all the room they may take; the oldest leave soon");
	});
	test("is not what is larger than all that a token may have", async () => {
		await say("g".repeat(25_000), answerOf("resp_huge"), {}, dave);
		expect(await answers.find(dave.id, "resp_huge")).toBeUndefined();
	});
});
