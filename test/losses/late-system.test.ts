/** Instructions behind the beginning, which templates of local models and MiniMax refuse with the whole request. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { askRefused, type LossWorld, type SendOptions, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld([
		["chat-completions", "Qwen3.8-27B-GGUF"],
		["chat-completions", "MiniMax-M3"],
		["responses", "local"],
		["messages", "local-claude"],
	]);
});
afterAll(() => world.stop());

/** As Codex begins a conversation, and goes on in it. */
const codex: WireRecord = {
	instructions: "You are Codex.",
	input: [
		{ type: "message", role: "developer", content: [{ type: "input_text", text: "Ask first." }] },
		{ type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
		{ type: "message", role: "developer", content: [{ type: "input_text", text: "Now you may." }] },
		{ type: "message", role: "user", content: [{ type: "input_text", text: "Go" }] },
	],
};
const reminder = "<system-reminder>\nNow you may.\n</system-reminder>";
const inChat = [
	{ role: "system", content: "You are Codex.\n\nAsk first." },
	{ role: "user", content: "Hi" },
	{ role: "user", content: reminder },
	{ role: "user", content: "Go" },
];

const template = { error: { code: 500, message: "Jinja Exception: System message must be at the beginning." } };
const tooMany = {
	type: "error",
	error: { type: "bad_request_error", message: "invalid params, invalid chat setting (2013)", http_code: "400" },
};

interface Case extends SendOptions {
	readonly refusal?: unknown;
	readonly status?: number;
}

/** Asks where everything is refused that is instructed behind its beginning; gives what the upstream got. */
const ask = (client: ProtocolName, to: ProtocolName, body: WireRecord, given: Case = {}) => {
	const { refusal, status = 400, ...options } = given;
	const refusals = refusal === undefined ? [] : [refusal];
	return askRefused(world, [client, to], body, refusals, { ...options, refusedWith: status });
};

describe("a model that is known to refuse them", () => {
	test.each(["Qwen3.8-27B-GGUF", "MiniMax-M3"])("%s is instructed once, and reminded", async (model) => {
		const { status, dropped, sent } = await ask("responses", "chat-completions", codex, { model });
		expect([status, dropped, sent.length]).toEqual([200, null, 1]);
		expect(sent[0]?.["messages"]).toEqual(inChat);
	});

	test("a model that is not keeps them as they are", async () => {
		const { sent } = await ask("responses", "chat-completions", codex);
		const roles = asList(sent[0]?.["messages"]).map((message) => asRecord(message)["role"]);
		expect(roles).toEqual(["system", "system", "user", "system", "user"]);
	});
});

describe("a model of which it turns out", () => {
	test("is asked once more by translation, whatever its server calls the refusal", async () => {
		for (const [refusal, status] of [
			[template, 500],
			[template, 400],
			[tooMany, 400],
		] as const) {
			const seen = await ask("responses", "chat-completions", codex, { refusal, status });
			expect([seen.status, seen.sent.length]).toEqual([200, 2]);
			expect(seen.sent[1]?.["messages"]).toEqual(inChat);
		}
	});

	test("is asked once more by clients of its own protocol", async () => {
		const { status, sent } = await ask("responses", "responses", codex, { model: "local", refusal: template });
		expect([status, sent.length]).toEqual([200, 2]);
		expect(sent[0]?.["instructions"]).toBe("You are Codex.");
		const input = asList(sent[1]?.["input"]).map(asRecord);
		expect(sent[1]?.["instructions"]).toBeUndefined();
		expect(input.map(({ role }) => role)).toEqual(["system", "user", "user", "user"]);
		expect(JSON.stringify(input[0]?.["content"])).toMatch(/You are Codex\..*Ask first\./);
		expect(input[2]?.["content"]).toBe(reminder);
	});

	test("is asked once more where Claude Code instructs it amid the conversation", async () => {
		const messages = [
			{ role: "user", content: "Hi" },
			{ role: "system", content: "Now you may." },
		];
		const body = { system: "You are Claude Code.", messages };
		const given = { model: "local-claude", refusal: template, status: 500 };
		const { status, sent } = await ask("messages", "messages", body, given);
		expect([status, sent.length]).toEqual([200, 2]);
		expect(sent[0]?.["messages"]).toEqual(messages);
		const content = [
			{ type: "text", text: "Hi" },
			{ type: "text", text: reminder },
		];
		expect(sent[1]?.["messages"]).toEqual([{ role: "user", content }]);
	});
});

describe("the refusal stands", () => {
	test("where nothing is instructed behind the beginning", async () => {
		const body = { instructions: "You are Codex.", input: "Hi" };
		const { status, sent } = await ask("responses", "chat-completions", body, { refusal: tooMany });
		expect([status, sent.length]).toEqual([400, 1]);
	});

	test("where it is another", async () => {
		const refusal = { error: { message: "invalid params, invalid tool type (2013)" } };
		const { status, sent } = await ask("responses", "chat-completions", codex, { refusal });
		expect([status, sent.length]).toEqual([400, 1]);
	});
});
