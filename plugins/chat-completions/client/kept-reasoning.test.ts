import { expect, test } from "bun:test";
import { asList, asRecord, type Conversations, type ModelAsk, type Target } from "#core";
import { createTestClock } from "#core/testing";
import { askFor } from "../fixtures/ask.ts";
import { createKeptReasoning } from "./kept-reasoning.ts";

const token = { id: "tok_1" };
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const thought = (signature: string) => ({ type: "reasoning.text", text: "Hm.", signature, index: 0 });
const answerWith = (id: string, signature: string) => ({
	choices: [
		{ index: 0, message: { role: "assistant", tool_calls: [call(id)], reasoning_details: [thought(signature)] } },
	],
});
const askWith = (...messages: readonly unknown[]): ModelAsk =>
	askFor({ model: "m", messages: [{ role: "user", content: "Hi" }, ...messages] });
const bare = (id: string) => ({ role: "assistant", content: null, tool_calls: [call(id)] });

/** The message behind the user's first, as it goes on. */
const messageOf = async (kept: Conversations, ask: ModelAsk): Promise<Readonly<Record<string, unknown>>> => {
	const { body } = await kept.load(ask, token);
	expect(JSON.parse(body.text)).toEqual(body.value);
	return asRecord(asList(body.value["messages"])[1]);
};

test("a message comes back as it was given, for an hour after its last use", async () => {
	const clock = createTestClock();
	const kept = createKeptReasoning(clock);
	await kept.save?.(askWith(), token, answerWith("a", "seal"));
	await clock.advance(3_000_000);
	expect(await messageOf(kept, askWith(bare("a")))).toEqual({ ...bare("a"), reasoning_details: [thought("seal")] });
	await clock.advance(3_000_000);
	expect(await messageOf(kept, askWith(bare("a")))).toHaveProperty("reasoning_details");
	await clock.advance(3_600_001);
	expect(await messageOf(kept, askWith(bare("a")))).toEqual(bare("a"));
});

test("each call gets its own seal back, whatever is kept of the message", async () => {
	const kept = createKeptReasoning(createTestClock());
	const sealed = { ...call("a"), extra_content: { google: { thought_signature: "seal" } } };
	const tool_calls = [sealed, call("b")];
	await kept.save?.(askWith(), token, { choices: [{ message: { role: "assistant", content: "So.", tool_calls } }] });
	const sent = { role: "assistant", content: "So.", tool_calls: [call("a"), call("b")] };
	expect(await messageOf(kept, askWith(sent))).toEqual({ ...sent, tool_calls });
	// However many calls of its id a client sends, one gets it.
	const repeated = { ...sent, tool_calls: [call("a"), call("a"), call("a")] };
	expect(await messageOf(kept, askWith(repeated))).toEqual({ ...sent, tool_calls: [sealed, call("a"), call("a")] });
});

test.each([
	{ reasoning_details: [thought("own")] },
	{ extra_content: { google: { thought_signature: "own" } } },
	{ tool_calls: [{ ...call("a"), extra_content: { google: { thought_signature: "own" } } }] },
])("what a client gives back itself stays: %p", async (own) => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, answerWith("a", "seal"));
	const ask = askWith({ ...bare("a"), ...own });
	expect(await kept.load(ask, token)).toBe(ask);
});

test("an answer without calls, or without anything beside them, is not kept", async () => {
	const kept = createKeptReasoning(createTestClock());
	const [choice] = answerWith("a", "seal").choices;
	await kept.save?.(askWith(), token, { choices: [{ message: { ...choice?.message, tool_calls: [] } }] });
	await kept.save?.(askWith(), token, { choices: [{ message: { role: "assistant", tool_calls: [call("a")] } }] });
	const ask = askWith(bare("a"));
	expect(await kept.load(ask, token)).toBe(ask);
});

test("the least recently used goes when there is no more room", async () => {
	const kept = createKeptReasoning(createTestClock());
	const ids = Array.from({ length: 17 }, (_, at) => `call-${at}`);
	const [first, second, ...later] = ids;
	for (const id of [first, second]) await kept.save?.(askWith(), token, answerWith(id ?? "", "s".repeat(1_000_000)));
	await messageOf(kept, askWith(bare(first ?? "")));
	for (const id of later) await kept.save?.(askWith(), token, answerWith(id, "s".repeat(1_000_000)));
	expect(await messageOf(kept, askWith(bare(first ?? "")))).toHaveProperty("reasoning_details");
	expect(await messageOf(kept, askWith(bare(second ?? "")))).toEqual(bare(second ?? ""));
});

test("one token that keeps much pushes out its own, and nothing of others", async () => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, answerWith("a", "seal"));
	const greedy = { id: "tok_2" };
	for (let at = 0; at < 40; at++) await kept.save?.(askWith(), greedy, answerWith(`g${at}`, "s".repeat(1_000_000)));
	expect(await messageOf(kept, askWith(bare("a")))).toHaveProperty("reasoning_details");
	// Whoever comes later finds room too.
	for (let at = 0; at < 3; at++) await kept.save?.(askWith(), token, answerWith(`b${at}`, "s".repeat(1_000_000)));
	for (const id of ["a", "b0", "b1", "b2"])
		expect(await messageOf(kept, askWith(bare(id)))).toHaveProperty("reasoning_details");
	const { body } = await kept.load(askWith(bare("g39")), greedy);
	expect(asList(body.value["messages"])[1]).toHaveProperty("reasoning_details");
});

test("what comes back is counted as held before it is put together, and left out where there is no room", async () => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, answerWith("a", "s".repeat(5_000)));
	const sizes: number[] = [];
	const held = (denial?: { kind: "overloaded"; message: string }) => ({
		hold: (bytes: number) => {
			sizes.push(bytes);
			return denial;
		},
		giveBack: () => {},
		release: () => {},
		carried: false,
	});
	const ask = askWith(bare("a"));
	const { body } = await kept.load(ask, token, held());
	expect(sizes[0]).toBeGreaterThanOrEqual(body.bytes.length - ask.body.bytes.length);
	expect(await kept.load(ask, token, held({ kind: "overloaded", message: "full" }))).toBe(ask);
});

test("a call that a request names again and again does not let it grow without end", async () => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, answerWith("a", "s".repeat(1_000_000)));
	const ask = askWith(...Array.from({ length: 1_000 }, () => bare("a")));
	const { body } = await kept.load(ask, token);
	expect(body.bytes.length).toBeLessThan(ask.body.bytes.length + 1_001_000);
});

const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content });
/** The messages of a request as they go on. */
const messagesOf = async (kept: Conversations, ask: ModelAsk): Promise<readonly unknown[]> =>
	asList((await kept.load(ask, token)).body.value["messages"]);

test("ids that an upstream counts anew in each answer tell apart the turns of a conversation", async () => {
	const kept = createKeptReasoning(createTestClock());
	const turn = [bare("look:0"), result("look:0", "a tree")];
	await kept.save?.(askWith(), token, answerWith("look:0", "first"));
	await kept.save?.(askWith(...turn), token, answerWith("look:0", "second"));
	const [, first, , second] = await messagesOf(kept, askWith(...turn, bare("look:0")));
	expect([first, second]).toMatchObject([
		{ reasoning_details: [thought("first")] },
		{ reasoning_details: [thought("second")] },
	]);
});

test("a turn without reasoning does not get that of a later one whose call has the same id", async () => {
	const kept = createKeptReasoning(createTestClock());
	const turn = [bare("look:0"), result("look:0", "a tree")];
	await kept.save?.(askWith(...turn), token, answerWith("look:0", "second"));
	const [, first, , second] = await messagesOf(kept, askWith(...turn, bare("look:0")));
	expect(first).toEqual(bare("look:0"));
	expect(second).toHaveProperty("reasoning_details");
});

test("of two turns that nothing tells apart neither gets what one of them was", async () => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, answerWith("look:0", "seal"));
	const ask = askWith(bare("look:0"), result("look:0", "a tree"), { role: "user", content: "Hi" }, bare("look:0"));
	expect(await kept.load(ask, token)).toBe(ask);
});

test("another conversation's call of the same id brings nothing back", async () => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, answerWith("look:0", "seal"));
	const other = askFor({ model: "m", messages: [{ role: "user", content: "Hello" }, bare("look:0")] });
	expect(await kept.load(other, token)).toBe(other);
});

test.each([
	[
		"text in parts with a mark for a cache",
		[{ role: "user", content: [{ type: "text", text: "Hi", cache_control: {} }] }, bare("a")],
	],
	[
		"words and calls in a message each",
		[{ role: "user", content: "Hi" }, { role: "assistant", content: "So." }, bare("a")],
	],
	[
		"a word of the system's that came and went",
		[{ role: "user", content: "Hi" }, { role: "system", content: "Be brief." }, bare("a")],
	],
])("a client may write what came before in another form: %s", async (_, messages) => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, answerWith("a", "seal"));
	expect((await messagesOf(kept, askFor({ model: "m", messages }))).at(-1)).toHaveProperty("reasoning_details");
});

test("calls without an id are not told apart and bring nothing back", async () => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, answerWith("", "seal"));
	const ask = askWith(bare(""));
	expect(await kept.load(ask, token)).toBe(ask);
});

/** A model that wants its words of reasoning back. */
const insisting: Target = {
	upstream: { name: "deepseek", protocols: ["chat-completions"], send: async () => new Response() },
	model: "deepseek-chat",
	capabilities: { reasoningWithCalls: true },
};
const wordsWith = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
	choices: [{ message: { role: "assistant", tool_calls: [call(id)], reasoning_content: "Hm.", ...more } }],
});

test("a request in which the words of reasoning came back goes on as it is", async () => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, wordsWith("a"), insisting);
	expect(await messageOf(kept, askWith(bare("a")))).toEqual({ ...bare("a"), reasoning_content: "Hm." });
	const own = askWith({ ...bare("a"), reasoning_content: "Hm." });
	expect(await kept.load(own, token)).toBe(own);
});

test("words of reasoning are kept beside what is sealed", async () => {
	const kept = createKeptReasoning(createTestClock());
	const details = [{ type: "reasoning.text", text: "Hm.", format: "unknown", index: 0 }];
	await kept.save?.(askWith(), token, wordsWith("a", { reasoning_details: details }), insisting);
	expect(await messageOf(kept, askWith(bare("a")))).toMatchObject({
		reasoning_content: "Hm.",
		reasoning_details: details,
	});
});

test("a request that names what an account keeps gets its reasoning back too", async () => {
	const kept = createKeptReasoning(createTestClock());
	const user = { role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] };
	const asked = askFor({ model: "m", messages: [user] });
	await kept.save?.(asked, token, answerWith("a", "seal"));
	const next = await kept.load(askFor({ model: "m", messages: [user, bare("a")] }), token);
	expect(next.onlyUpstream).toBeDefined();
	expect(asList(next.body.value["messages"])[1]).toHaveProperty("reasoning_details");
});

test("what is kept is counted in bytes, and so is what comes back", async () => {
	const kept = createKeptReasoning(createTestClock());
	const ids = Array.from({ length: 17 }, (_, at) => `call-${at}`);
	for (const id of ids) await kept.save?.(askWith(), token, answerWith(id, "思".repeat(340_000)));
	expect(await messageOf(kept, askWith(bare("call-0")))).toEqual(bare("call-0"));
	let size = 0;
	const hold = (bytes: number) => {
		size += bytes;
		return undefined;
	};
	const ask = askWith(bare("call-16"));
	const { body } = await kept.load(ask, token, { hold, giveBack: () => {}, release: () => {}, carried: false });
	expect(body.bytes.length).toBeGreaterThan(ask.body.bytes.length);
	expect(size).toBeGreaterThanOrEqual(body.bytes.length - ask.body.bytes.length);
});

test("one that is very long does not push out all others", async () => {
	const kept = createKeptReasoning(createTestClock());
	await kept.save?.(askWith(), token, answerWith("a", "seal"));
	await kept.save?.(askWith(), token, answerWith("b", "s".repeat(17 * 1024 * 1024)));
	expect(await messageOf(kept, askWith(bare("a")))).toHaveProperty("reasoning_details");
});
