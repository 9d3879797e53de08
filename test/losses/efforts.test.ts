/** Levels of thinking that whoever serves a model refuses, in the words of the vendors. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { answers, askRefused, type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld([
		["chat-completions", "local"],
		["responses", "local-codex"],
	]);
});
afterAll(() => world.stop());

const message = (words: string) => ({ error: { message: words, type: "invalid_request_error" } });
const ollama = message('invalid reasoning value: "xhigh" (must be "high", "medium", "low", "max", or "none")');
const sglang = {
	object: "error",
	message: `1 validation error:\n {'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': "Input should be 'low', 'medium' or 'high'", 'input': 'xhigh', 'ctx': {'expected': "'low', 'medium' or 'high'"}}`,
};
const openai = message(
	"Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'minimal', 'low', and 'medium'.",
);
const serde = message("reasoning_effort: unknown variant `xhigh`, expected one of `high`, `low`, `medium`, `none`");
const groq = message("`reasoning_effort` must be one of `none` or `default`");
const xai = { code: "invalid-argument", error: "Model grok-build does not support parameter reasoningEffort." };

/** Asks where the first request is refused so; gives what was sent. */
const ask = (client: ProtocolName, to: ProtocolName, model: string, body: WireRecord, refusal: unknown) =>
	askRefused(world, [client, to], body, [refusal], { model });

const claudeCode = { thinking: { type: "adaptive" }, output_config: { effort: "xhigh" } };

describe("the nearest level that is taken is asked for", () => {
	test.each([
		["ollama", ollama, "high"],
		["SGLang", sglang, "high"],
		["OpenAI", openai, "medium"],
		["Serde", serde, "high"],
	])("in the words of %s", async (_name, refusal, effort) => {
		const { status, sent } = await ask("messages", "chat-completions", "local", claudeCode, refusal);
		expect([status, sent.length]).toEqual([200, 2]);
		expect([sent[0]?.["reasoning_effort"], sent[1]?.["reasoning_effort"]]).toEqual(["xhigh", effort]);
	});

	test("beside all else that is refused, one after the other", async () => {
		const late = message("System message must be at the beginning.");
		const input = [
			{ role: "user", content: "Hi" },
			{ role: "developer", content: "Briefly." },
		];
		const before = world.upstream.received.length;
		const asked = world.send(
			"responses",
			"chat-completions",
			{ input, reasoning: { effort: "xhigh" } },
			{ model: "local" },
		);
		const refusals = [late, ollama];
		world.upstream.answer(() => {
			const refusal = refusals.shift();
			return refusal ? Response.json(refusal, { status: 400 }) : Response.json(answers["chat-completions"]);
		});
		expect((await asked).status).toBe(200);
		const sent = world.upstream.received.slice(before).map(({ json }) => asRecord(json));
		expect(sent.map((body) => body["reasoning_effort"])).toEqual(["xhigh", "xhigh", "high"]);
		expect(JSON.stringify(sent[2]?.["messages"])).toContain("<system-reminder>");
	});

	test("for clients of the upstream's own protocol too", async () => {
		const codex = { reasoning: { effort: "xhigh", summary: "auto" }, store: false };
		const { status, sent } = await ask("responses", "responses", "local-codex", codex, ollama);
		expect([status, sent.length]).toEqual([200, 2]);
		expect(asRecord(sent[1]?.["reasoning"])["effort"]).toBe("high");
		const chat = await ask("chat-completions", "chat-completions", "local", { reasoning_effort: "xhigh" }, sglang);
		expect([chat.status, chat.sent[1]?.["reasoning_effort"]]).toEqual([200, "high"]);
	});
});

describe("no level is asked for, and that is told", () => {
	test.each([
		["Groq", groq],
		["xAI", xai],
	])("where there is none, in the words of %s", async (_name, refusal) => {
		const { status, sent, dropped } = await ask("messages", "chat-completions", "local", claudeCode, refusal);
		expect([status, sent.length]).toEqual([200, 2]);
		expect(sent[1]).not.toHaveProperty("reasoning_effort");
		expect(dropped).toContain("thinking");
	});

	test("but a client of the upstream's own protocol is told that there is none", async () => {
		const { status, sent } = await ask(
			"chat-completions",
			"chat-completions",
			"local",
			{ reasoning_effort: "high" },
			xai,
		);
		expect([status, sent.length]).toEqual([400, 1]);
	});
});

describe("the refusal stands", () => {
	test("where no level was asked for", async () => {
		const { status, sent } = await ask("messages", "chat-completions", "local", {}, ollama);
		expect([status, sent.length]).toEqual([400, 1]);
	});

	test.each([
		"Unsupported parameter: 'temperature' is not supported with reasoning models.",
		"Unknown parameter: 'reasoning.summary'.",
		"property 'messages.1.assistant.reasoning_content' is unsupported",
		"Function tools with reasoning_effort are not supported in /v1/chat/completions. Please use /v1/responses instead.",
	])("where it is of something else: %s", async (words) => {
		const { status, sent } = await ask("messages", "chat-completions", "local", claudeCode, message(words));
		expect([status, sent.length]).toEqual([400, 1]);
	});
});
