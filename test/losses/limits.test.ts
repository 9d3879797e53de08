/** Limits on output that a client set for another model, refused in the words of the vendors. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { askRefused, type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld([
		["chat-completions", "local"],
		["messages", "local-claude"],
		["generate-content", "gemini-9"],
	]);
});
afterAll(() => world.stop());

/** Asks for as much as Claude Code does, where the first request is refused so; gives what was sent. */
const ask = (client: ProtocolName, to: ProtocolName, model: string, body: WireRecord, words: string) =>
	askRefused(world, [client, to], body, [{ error: { message: words } }], { model });

const most = { max_tokens: 32_000 };
const tooLarge = "'max_tokens' or 'max_completion_tokens' is too large: 32000. ";

describe("as much as the model can give is asked for", () => {
	test.each([
		[
			`${tooLarge}This model's maximum context length is 32768 tokens and your request has 17459 input tokens (32000 > 32768 - 17459).`,
			15_309,
		],
		[
			"This model's maximum context length is 8192 tokens. However, you requested 33000 tokens (1000 in the messages, 32000 in the completion).",
			7_192,
		],
		[
			"max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
			16_384,
		],
		["<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]", 8_192],
		["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8_192],
		[
			"The parameter `max_tokens` is not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.",
			12_288,
		],
		["`max_tokens` must be less than or equal to `8192`, the maximum value for this model", 8_192],
		["The maximum tokens you requested exceeds the model limit of 4096. Try again with a lower value.", 4_096],
	])("%s", async (words, limit) => {
		const { status, sent } = await ask("messages", "chat-completions", "local", most, words);
		expect([status, sent.map(({ max_tokens }) => max_tokens)]).toEqual([200, [32_000, limit]]);
	});

	test("at upstreams that speak Messages and Gemini's", async () => {
		const claude = "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for local-claude";
		const messages = await ask("chat-completions", "messages", "local-claude", most, claude);
		expect(messages.sent.map(({ max_tokens }) => max_tokens)).toEqual([32_000, 8_192]);
		const range =
			"it has a maxOutputTokens value of 32000 but the supported range is from 1 (inclusive) to 8193 (exclusive).";
		const gemini = await ask("messages", "generate-content", "gemini-9", most, range);
		expect(gemini.sent.map((body) => asRecord(body["generationConfig"])["maxOutputTokens"])).toEqual([32_000, 8_192]);
	});
});

describe("the refusal is the client's", () => {
	test("where it speaks as the upstream does", async () => {
		const words = "Range of max_tokens should be [1, 8192]";
		const { status, sent } = await ask("chat-completions", "chat-completions", "local", most, words);
		expect([status, sent.length]).toEqual([400, 1]);
	});

	test.each([
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
		`${tooLarge}This model's maximum context length is 32768 tokens and your request has 32000 input tokens (32000 > 32768 - 32000).`,
		"max_tokens must be a number",
		"temperature: expected a value <= 2",
	])("where it is another: %s", async (words) => {
		const { status, sent } = await ask("messages", "chat-completions", "local", most, words);
		expect([status, sent.length]).toEqual([400, 1]);
	});
});
