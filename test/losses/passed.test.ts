/** What a client is told it lost where the upstream speaks its own protocol, and refused where nothing may be lost. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { type LossWorld, type SendOptions, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld([
		["chat-completions", "gpt-4o"],
		["chat-completions", "kimi-k2-thinking"],
		["messages", "claude-opus-5-5"],
		["responses", "o3"],
		["generate-content", "gemini-3-pro-preview"],
	]);
});
afterAll(() => world.stop());

const dropped = (response: Response): readonly string[] =>
	(response.headers.get("x-portico-dropped") ?? "").split(",").filter((path) => path !== "");

/** Told in one way, refused in the other before anything is sent. */
const expectTold = async (
	protocol: ProtocolName,
	body: WireRecord,
	told: readonly string[],
	options: SendOptions = {},
): Promise<void> => {
	const response = await world.send(protocol, protocol, body, options);
	expect(response.status).toBe(200);
	expect([...dropped(response)].sort()).toEqual([...told].sort());
	const before = world.upstream.received.length;
	const strict = await world.send(protocol, protocol, body, { ...options, strict: true });
	if (told.length === 0) return expect(strict.status).toBe(200);
	expect(strict.status).toBe(400);
	expect(world.upstream.received.length).toBe(before);
	const { message } = asRecord(asRecord(await strict.json())["error"]);
	for (const path of told) expect(message).toContain(path);
};

const thinkingClaude = {
	id: "msg",
	type: "message",
	role: "assistant",
	model: "m",
	content: [
		{ type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" },
		{ type: "text", text: "ok" },
	],
	stop_reason: "end_turn",
	usage: { input_tokens: 1, output_tokens: 1 },
};
const thinkingGemini = {
	candidates: [
		{
			index: 0,
			content: {
				role: "model",
				parts: [{ text: "Hm.", thought: true, thoughtSignature: "c2lnbmVk" }, { text: "ok" }],
			},
			finishReason: "STOP",
		},
	],
};

describe("reasoning of another provider's model in the history", () => {
	const again = { role: "user", content: "Go on." };

	test("of a Messages client", async () => {
		const first = await world.send("messages", "generate-content", {}, { answer: thinkingGemini });
		const { content } = asRecord(await first.json());
		expect(asRecord(asList(content)[0])["type"]).toBe("thinking");
		const messages = [{ role: "user", content: "Hi" }, { role: "assistant", content }, again];
		await expectTold("messages", { messages }, ["messages[1].content[0]"]);
	});

	test("of a Gemini client", async () => {
		const first = await world.send("generate-content", "messages", {}, { answer: thinkingClaude });
		const { content } = asRecord(asList(asRecord(await first.json())["candidates"])[0]);
		const contents = [
			{ role: "user", parts: [{ text: "Hi" }] },
			content,
			{ role: "user", parts: [{ text: "Go on." }] },
		];
		await expectTold("generate-content", { contents }, ["contents[1].parts[0]"]);
	});

	test("of a Responses client", async () => {
		const first = await world.send("responses", "messages", {}, { answer: thinkingClaude });
		const { output } = asRecord(await first.json());
		expect(asRecord(asList(output)[0])["type"]).toBe("reasoning");
		await expectTold("responses", { input: [{ role: "user", content: "Hi" }, ...asList(output), again] }, ["input[1]"]);
	});

	test("of a chat client", async () => {
		const first = await world.send("chat-completions", "messages", {}, { answer: thinkingClaude });
		const { message } = asRecord(asList(asRecord(await first.json())["choices"])[0]);
		expect(asRecord(message)["reasoning_content"]).toBe("Hm.");
		const body = { messages: [{ role: "user", content: "Hi" }, message, again] };
		await expectTold("chat-completions", body, ["messages[1].reasoning_content"], { model: "gpt-4o" });
		// A vendor that takes what others thought is given it, and nothing is lost.
		await expectTold("chat-completions", body, [], { model: "kimi-k2-thinking" });
	});
});

describe("fields of a chat client that a strict vendor does not take", () => {
	test("are told by name, but for those that go by another name or say nothing", async () => {
		const body = {
			seed: 7,
			max_completion_tokens: 9,
			user: "u",
			logit_bias: { "1": 2 },
			logprobs: false,
			metadata: { a: "b" },
			prompt_cache_key: "k",
			reasoning_effort: "low",
			service_tier: "auto",
			store: false,
		};
		const told = ["user", "logit_bias", "metadata", "prompt_cache_key", "reasoning_effort"];
		await expectTold("chat-completions", body, told);
		const plain = await world.send("chat-completions", "chat-completions", body);
		expect(plain.status).toBe(200);
		expect(world.upstream.received.at(-1)?.json).toMatchObject({ random_seed: 7, max_tokens: 9 });
	});

	test("and those of its messages", async () => {
		const messages = [
			{ role: "user", content: "Hi", name: "ann" },
			{ role: "assistant", content: "ok", refusal: "No." },
			{ role: "user", content: "Go on." },
		];
		await expectTold("chat-completions", { messages }, ["messages[0].name", "messages[1].refusal"]);
	});
});

describe("levels of thinking that the model has not", () => {
	test("of a chat client", () =>
		expectTold("chat-completions", { reasoning_effort: "low" }, ["reasoning_effort"], { model: "kimi-k2-thinking" }));

	test("of a Responses client", () =>
		expectTold("responses", { reasoning: { effort: "none" } }, ["reasoning.effort"], { model: "o3" }));

	test("of a Messages client", () =>
		expectTold("messages", { thinking: { type: "disabled" } }, ["thinking"], { model: "claude-opus-5-5" }));

	test("a call cannot be forced on every model", async () => {
		const tools = [{ name: "f", input_schema: { type: "object", properties: {} } }];
		const body = { tools, tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true } };
		await expectTold("messages", body, ["tool_choice"], { model: "claude-opus-5-5" });
		expect(world.upstream.received.at(-1)?.json).toMatchObject({
			tool_choice: { type: "auto", disable_parallel_tool_use: true },
		});
	});

	test("of a Gemini client", () =>
		expectTold(
			"generate-content",
			{ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
			["thinkingConfig"],
			{
				model: "gemini-3-pro-preview",
			},
		));

	test("the nearest level is no loss", async () => {
		await expectTold("responses", { reasoning: { effort: "xhigh" } }, [], { model: "o3" });
		expect(world.upstream.received.at(-1)?.json).toMatchObject({ reasoning: { effort: "high" } });
		const level = { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } };
		await expectTold("generate-content", level, []);
		const sent = { generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } };
		expect(world.upstream.received.at(-1)?.json).toMatchObject(sent);
	});
});

describe("a Messages client's own fields", () => {
	test("that belong to a beta which is not let through", () =>
		expectTold("messages", { mcp_servers: [{ type: "url", url: "https://a.example", name: "a" }] }, ["mcp_servers"], {
			headers: { "anthropic-beta": "mcp-client-2025-04-04" },
		}));

	test("thinking, amid tool calls that began without it", () => {
		const tools = [{ name: "f", input_schema: { type: "object", properties: {} } }];
		const messages = [
			{ role: "user", content: "Hi" },
			{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
		];
		const thinking = { type: "enabled", budget_tokens: 1024 };
		return expectTold("messages", { messages, tools, thinking, max_tokens: 4000 }, ["thinking"]);
	});
});
