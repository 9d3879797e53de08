/** Reasoning that another account or model signed is refused by all vendors: the same is asked once more without it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { askRefused, type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld([["generate-content", "gemini-3-pro-preview"]]);
});
afterAll(() => world.stop());

const anthropicRefusal = (message: string) => ({ type: "error", error: { type: "invalid_request_error", message } });
const invalidThinking = anthropicRefusal("messages.1.content.0: Invalid `signature` in `thinking` block");
const corrupted = { error: { code: 400, message: "Corrupted thought signature.", status: "INVALID_ARGUMENT" } };
const unverifiedContent = {
	error: {
		message: "The encrypted content gAAA...DQ== could not be verified.",
		type: "invalid_request_error",
		param: null,
		code: "invalid_encrypted_content",
	},
};

interface Case {
	readonly client: ProtocolName;
	readonly to: ProtocolName;
	readonly body: WireRecord;
	readonly refusal: unknown;
	readonly model?: string;
	readonly strict?: boolean;
}

/** Asks where the first request is refused so, and the next is answered. */
const ask = ({ client, to, body, refusal, ...options }: Case) =>
	askRefused(world, [client, to], body, [refusal], options);

const weather = { name: "weather", input: { city: "Oslo" } };
const messages = [
	{ role: "user", content: "Rain?" },
	{
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "I look.", signature: "EqQBCkYIBBgC" },
			{ type: "redacted_thinking", data: "EmwKAhgB" },
			{ type: "tool_use", id: "toolu_1", ...weather },
		],
	},
	{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Yes." }] },
];
const claude: Case = { client: "messages", to: "messages", body: { messages }, refusal: invalidThinking };

const call = { functionCall: { name: "weather", args: { city: "Oslo" } } };
const contents = [
	{ role: "user", parts: [{ text: "Rain?" }] },
	{ role: "model", parts: [{ ...call, thoughtSignature: "c2lnbmVk" }] },
	{ role: "user", parts: [{ functionResponse: { name: "weather", response: { result: "Yes." } } }] },
];
const gemini: Case = {
	client: "generate-content",
	to: "generate-content",
	model: "gemini-3-pro-preview",
	body: { contents },
	refusal: corrupted,
};

const input = [
	{ role: "user", content: "Rain?" },
	{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABsecret" },
	{ type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
	{ type: "function_call_output", call_id: "call_1", output: "Yes." },
];
const openai: Case = {
	client: "responses",
	to: "responses",
	body: { input, store: false },
	refusal: unverifiedContent,
};

describe("asked by the protocol of the upstream", () => {
	test("Claude is asked without the thinking, and that is told", async () => {
		const { status, dropped, sent } = await ask(claude);
		expect([status, sent.length]).toEqual([200, 2]);
		expect(sent[0]?.["messages"]).toEqual(messages);
		expect(sent[1]?.["messages"]).toEqual([
			{ role: "user", content: [{ type: "text", text: "Rain?" }] },
			{ role: "assistant", content: [{ type: "tool_use", id: "toolu_1", ...weather }] },
			messages[2],
		]);
		expect(dropped).toBe("messages[1].content[0],messages[1].content[1]");
	});

	test("Gemini 3 is asked with the word that stands for a signature", async () => {
		const { status, sent } = await ask(gemini);
		expect([status, sent.length]).toEqual([200, 2]);
		const parts = asList(sent[1]?.["contents"])
			.flatMap((content) => asList(asRecord(content)["parts"]))
			.map(asRecord);
		expect(parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual([
			undefined,
			"skip_thought_signature_validator",
			undefined,
		]);
		expect(asRecord(parts[1]?.["functionCall"])).toMatchObject(call.functionCall);
	});

	test("GPT is asked without the reasoning", async () => {
		const { status, dropped, sent } = await ask(openai);
		expect([status, sent.length, dropped]).toEqual([200, 2, "input[1]"]);
		expect(sent[1]?.["input"]).toEqual([input[0], input[2], input[3]]);
	});

	test("and so it is where xAI refuses in words of its own", async () => {
		const error =
			"Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a previous response.";
		const { status, sent } = await ask({ ...openai, refusal: { code: "invalid-argument", error } });
		expect([status, sent.length]).toEqual([200, 2]);
	});
});

test("a client of another protocol is served as well", async () => {
	const seen = await ask({ ...claude, to: "generate-content", refusal: corrupted });
	// What Claude signed never went to Gemini: without it nothing would be different.
	expect([seen.status, seen.sent.length]).toEqual([400, 1]);
	const assistant = {
		role: "assistant",
		content: null,
		tool_calls: [
			{
				id: "call_1",
				type: "function",
				function: { name: "weather", arguments: '{"city":"Oslo"}' },
				extra_content: { google: { thought_signature: "c2lnbmVk" } },
			},
		],
	};
	const body = {
		messages: [
			{ role: "user", content: "Rain?" },
			assistant,
			{ role: "tool", tool_call_id: "call_1", content: "Yes." },
		],
	};
	const { status, sent } = await ask({ ...gemini, client: "chat-completions", body });
	expect([status, sent.length]).toEqual([200, 2]);
	const parts = sent.map(({ contents: told }) => JSON.stringify(told));
	expect(parts[0]).toContain('"thoughtSignature":"c2lnbmVk"');
	expect(parts[1]).toContain('"thoughtSignature":"skip_thought_signature_validator"');
});

describe("the refusal is the client's", () => {
	test("where nothing is signed", async () => {
		const { status, sent, text } = await ask({ ...claude, body: { messages: messages.slice(0, 1) } });
		expect([status, sent.length]).toEqual([400, 1]);
		expect(text).toContain("Invalid `signature`");
	});

	test("where the conversation was changed, of which the client decides", async () => {
		const words =
			"messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
		const { status, sent, text } = await ask({ ...claude, refusal: anthropicRefusal(words) });
		expect([status, sent.length]).toEqual([400, 1]);
		expect(text).toContain("different conversation");
	});

	test("where it is another", async () => {
		const { status, sent } = await ask({ ...claude, refusal: anthropicRefusal("max_tokens: too much") });
		expect([status, sent.length]).toEqual([400, 1]);
	});

	test("where nothing may be lost", async () => {
		const { status, sent, text } = await ask({ ...claude, strict: true });
		expect([status, sent.length]).toEqual([400, 1]);
		expect(text).toContain("messages[1].content[0]");
	});
});
