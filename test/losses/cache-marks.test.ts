/** Marks of cached prefixes, which OpenAI's two protocols have in the same words, from each of them to the other. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asRecord, definedOnly, type WireRecord } from "#core";
import { type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld([
		["chat-completions", "gpt-5.6"],
		["responses", "some-model"],
	]);
});
afterAll(() => world.stop());

const mark = (ttl?: string) => ({ prompt_cache_breakpoint: { mode: "explicit", ...(ttl && { ttl }) } });

const chat = (options: WireRecord, marked: WireRecord) => ({
	messages: [
		{ role: "system", content: [{ type: "text", text: "Long.", ...marked }] },
		{ role: "user", content: [{ type: "text", text: "Hi", ...mark() }] },
	],
	...options,
});
const responses = (options: WireRecord, marked: WireRecord) => ({
	input: [
		{ role: "system", content: [{ type: "input_text", text: "Long.", ...marked }] },
		{ role: "user", content: [{ type: "input_text", text: "Hi", ...mark() }] },
	],
	...options,
});
const bodies = { "chat-completions": chat, responses };

/** What the upstream was asked, and what the client was told. */
const asked = async (
	from: keyof typeof bodies,
	to: keyof typeof bodies,
	options: WireRecord,
	at = {},
	model?: string,
) => {
	const answer = await world.send(from, to, bodies[from](options, { ...mark("12h"), ...at }), definedOnly({ model }));
	expect(answer.status, await answer.text()).toBe(200);
	const { messages, input, prompt_cache_options } = asRecord(world.upstream.received.at(-1)?.json);
	return { said: messages ?? input, prompt_cache_options, told: answer.headers.get("x-portico-dropped") };
};

const options = { prompt_cache_options: { mode: "explicit", ttl: "30m" } };

test("from Chat Completions to Responses", async () => {
	const sent = responses(options, mark("12h"));
	expect(await asked("chat-completions", "responses", options)).toEqual({
		said: sent.input,
		...options,
		told: null,
	});
});

test("from Responses to Chat Completions", async () => {
	const sent = chat(options, mark("12h"));
	expect(await asked("responses", "chat-completions", options, {}, "gpt-5.6")).toEqual({
		said: sent.messages,
		...options,
		told: null,
	});
});

test("half a day for all marks is told as lost where only one mark can have it", async () => {
	const longer = { prompt_cache_options: { mode: "explicit", ttl: "12h" } };
	expect(await asked("responses", "chat-completions", longer, {}, "gpt-5.6")).toMatchObject({
		prompt_cache_options: { mode: "explicit" },
		told: "prompt_cache_options",
	});
});

test("what another vendor's model is not sent is told", async () => {
	for (const [from, to, model] of [
		["responses", "chat-completions", undefined],
		["chat-completions", "responses", "some-model"],
	] as const) {
		const { said, prompt_cache_options, told } = await asked(from, to, options, {}, model);
		expect({ marks: JSON.stringify(said).includes("breakpoint"), prompt_cache_options, told }).toEqual({
			marks: false,
			prompt_cache_options: undefined,
			told: "prompt_cache_options",
		});
	}
});

test("a mark in Anthropic's words is none that OpenAI knows", async () => {
	const claude = { cache_control: { type: "ephemeral", ttl: "1h" }, prompt_cache_breakpoint: undefined };
	const { said } = await asked("chat-completions", "responses", {}, claude);
	expect(said).toMatchObject([{ content: "Long." }, { content: [mark()] }]);
});
