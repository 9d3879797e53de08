/** Anthropic's own SDKs, two major versions, against models of every protocol. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import Anthropic0 from "anthropic-sdk-0";
import { modelNames, spoken, startTwoWorlds, type TwoWorlds } from "../support/two-worlds.ts";

let worlds: TwoWorlds;
beforeAll(async () => {
	worlds = await startTwoWorlds();
});
afterAll(() => worlds.stop());

const messages = [{ role: "user" as const, content: "Good morning" }];
const weather = {
	name: "get_weather",
	input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};

describe.each([
	["1", Anthropic],
	["0", Anthropic0 as unknown as typeof Anthropic],
])("@anthropic-ai/sdk %s", (_, Client) => {
	const client = () => new Client({ baseURL: worlds.near.url, apiKey: worlds.near.key, maxRetries: 0 });

	describe.each(["demo", ...modelNames])("%s", (model) => {
		test("messages.create", async () => {
			const answer = await client().messages.create({ model, max_tokens: 1000, messages });
			expect(answer.content).toMatchObject([{ type: "text", text: spoken("Good morning") }]);
			expect(answer.stop_reason).toBe("end_turn");
			expect(answer.usage.output_tokens).toBe(spoken("Good morning").split(" ").length);
		});

		test("messages.stream gathers the same", async () => {
			const stream = client().messages.stream({ model, max_tokens: 1000, messages });
			const pieces: string[] = [];
			stream.on("text", (piece) => pieces.push(piece));
			const answer = await stream.finalMessage();
			expect(pieces.join("")).toBe(spoken("Good morning"));
			expect(answer.content).toMatchObject([{ type: "text", text: spoken("Good morning") }]);
			expect(answer.stop_reason).toBe("end_turn");
		});

		test("a forced tool", async () => {
			const request = { model, max_tokens: 1000, messages, tools: [weather], tool_choice: { type: "any" as const } };
			for (const answer of [
				await client().messages.create(request),
				await client().messages.stream(request).finalMessage(),
			]) {
				expect(answer.stop_reason).toBe("tool_use");
				expect(answer.content.filter(({ type }) => type === "tool_use")).toMatchObject([
					{ type: "tool_use", name: "get_weather", input: { city: "Good morning" } },
				]);
			}
		});

		test("thinking comes before the text", async () => {
			const request = {
				model,
				max_tokens: 3000,
				messages,
				thinking: { type: "enabled" as const, budget_tokens: 1024 },
			};
			for (const answer of [
				await client().messages.create(request),
				await client().messages.stream(request).finalMessage(),
			]) {
				const kinds = answer.content.map(({ type }) => type);
				// A chat-completions upstream may keep its reasoning to itself; none may put it anywhere but first.
				expect(kinds.at(-1)).toBe("text");
				if (kinds.length > 1) expect(kinds).toEqual(["thinking", "text"]);
				if (model !== "via-chat-completions") expect(kinds).toEqual(["thinking", "text"]);
			}
		});

		test("max_tokens", async () => {
			// Some protocols have a least limit of 16.
			const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ");
			const short = await client().messages.create({
				model,
				max_tokens: 20,
				messages: [{ role: "user", content: words }],
			});
			expect(short).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 20 } });
			const [block] = short.content;
			expect(block?.type === "text" && block.text.split(" ")).toHaveLength(20);
		});

		test("a failure of the upstream is an error of the SDK's own class", async () => {
			const failed = await client()
				.messages.create({ model, max_tokens: 100, messages: [{ role: "user", content: "/fail 503" }] })
				.catch((error: unknown) => error);
			expect(failed).toBeInstanceOf(Client.APIError);
			expect((failed as { status: number }).status).toBeGreaterThanOrEqual(500);
		});
	});

	test("count_tokens, models, and a wrong key", async () => {
		expect((await client().messages.countTokens({ model: "demo", messages })).input_tokens).toBeGreaterThan(3);
		expect(
			(await client().messages.countTokens({ model: "via-chat-completions", messages })).input_tokens,
		).toBeGreaterThan(3);
		const names: string[] = [];
		for await (const model of client().models.list()) names.push(model.id);
		expect(names).toContain("demo");
		const wrong = new Client({ baseURL: worlds.near.url, apiKey: "sk-wrong", maxRetries: 0 });
		const refused = await wrong.messages
			.create({ model: "demo", max_tokens: 10, messages })
			.catch((error: unknown) => error);
		expect(refused).toBeInstanceOf(Client.AuthenticationError);
	});
});
