/** What a client asks of a model's thinking is asked in the model's words, by whichever protocol it came. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

let gateway: TestGateway;
let upstream: ScriptedUpstream;

const protocols = ["chat-completions", "responses", "messages", "generate-content"] as const;

beforeAll(async () => {
	upstream = startUpstream(() => Response.json({ error: { message: "no answer needed" } }, { status: 400 }));
	gateway = await startGateway({
		plugins: [
			...protocols,
			"tokens",
			{
				use: "router",
				with: {
					upstreams: protocols.map((protocol) => ({ name: protocol, protocol, url: upstream.url, key: "k" })),
					models: [
						{ name: "gemini-*", targets: [{ upstream: "generate-content" }] },
						{ name: "claude-*", targets: [{ upstream: "messages" }] },
						{ name: "gpt-*", targets: [{ upstream: "responses" }] },
						{ name: "kimi-*", targets: [{ upstream: "chat-completions" }] },
						{ name: "deepseek-*", targets: [{ upstream: "chat-completions" }] },
					],
				},
			},
		],
	});
});

afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

/** Asks by each protocol for the effort; gives the bodies that the upstream was sent. */
const sentFor = async (model: string, effort: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
	upstream.received.length = 0;
	const messages = [{ role: "user", content: "Hi" }];
	const off = effort === "none";
	await gateway.ask("/v1/chat/completions", { model, messages, reasoning_effort: effort });
	await gateway.ask("/v1/responses", { model, input: "Hi", reasoning: { effort } });
	const thinking = off ? { thinking: { type: "disabled" } } : { output_config: { effort } };
	// This protocol has no word for it.
	if (effort !== "minimal") await gateway.ask("/v1/messages", { model, max_tokens: 9000, messages, ...thinking });
	const thinkingConfig = off ? { thinkingBudget: 0 } : { thinkingLevel: effort.toUpperCase() };
	await gateway.ask(`/v1beta/models/${model}:generateContent`, {
		contents: [{ role: "user", parts: [{ text: "Hi" }] }],
		generationConfig: { thinkingConfig },
	});
	return upstream.received.map(({ json }) => asRecord(json));
};

const levelsIn = (bodies: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] =>
	bodies.map((body) => {
		const config = asRecord(asRecord(body["generationConfig"])["thinkingConfig"]);
		const word =
			config["thinkingLevel"] ??
			config["thinkingBudget"] ??
			asRecord(body["reasoning"])["effort"] ??
			asRecord(body["output_config"])["effort"] ??
			asRecord(body["thinking"])["type"] ??
			body["reasoning_effort"];
		return typeof word === "string" ? word.toLowerCase() : word;
	});

const levels: readonly (readonly [model: string, effort: string, taken: readonly unknown[]])[] = [
	["gemini-3-pro-preview", "none", ["low"]],
	["gemini-3-pro-preview", "minimal", ["low"]],
	["gemini-3-pro-preview", "medium", ["low"]],
	["gemini-3.1-pro-preview", "none", ["low"]],
	["gemini-3.1-pro-preview", "medium", ["medium"]],
	["gemini-3.9-flash", "none", ["low"]],
	["gemini-3.9-flash", "medium", ["medium"]],
	["gemini-4-carbon", "none", ["low"]],
	["gemini-4-carbon", "medium", ["medium"]],
	["gemini-4-carbon", "xhigh", ["high"]],
	["gemini-4-neon", "xhigh", ["xhigh"]],
	["gemini-2.5-pro", "none", [128]],
	["gemini-2.5-pro", "medium", [8192]],
	["claude-opus-4-6", "none", ["disabled"]],
	["claude-sonnet-5-5", "none", ["between_tools"]],
	["claude-haiku-5-5", "none", ["disabled"]],
	["claude-haiku-5-5", "xhigh", ["xhigh"]],
	["claude-opus-5-5", "none", ["low"]],
	["claude-opus-5-5", "medium", ["medium"]],
	["gpt-5-pro", "low", ["high", undefined]],
	["gpt-5-pro", "none", ["high", undefined]],
	["gpt-5.1-codex-max", "xhigh", ["xhigh"]],
	["claude-opus-4-6", "xhigh", ["high"]],
	["claude-opus-4-7", "xhigh", ["xhigh"]],
];

describe("the levels that a model is sent", () => {
	test.each(levels)("%s, asked for %s", async (model, effort, taken) => {
		const sent = levelsIn(await sentFor(model, effort));
		expect(sent).toHaveLength(effort === "minimal" ? 3 : 4);
		for (const level of sent) expect(taken).toContain(level);
	});

	test("gpt-5.1-chat-latest is told of none by clients of other protocols", async () => {
		const [chat, , messages, google] = levelsIn(await sentFor("gpt-5.1-chat-latest", "high"));
		expect([chat, messages, google]).toEqual([undefined, undefined, undefined]);
	});

	test.each(["kimi-k2.6", "deepseek-chat"])("thinking of %s is switched off by its own word", async (model) => {
		const bodies = await sentFor(model, "none");
		expect(bodies).toHaveLength(4);
		for (const body of bodies) {
			expect(body["thinking"]).toEqual({ type: "disabled" });
			expect(body["reasoning_effort"]).toBeUndefined();
		}
	});
});
