/** Google's SDKs, two major versions, against models of every protocol. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FunctionCallingConfigMode, GoogleGenAI } from "@google/genai";
import { GoogleGenAI as GoogleGenAI1 } from "google-genai-1";
import { modelNames, spoken, startTwoWorlds, type TwoWorlds } from "../support/two-worlds.ts";

let worlds: TwoWorlds;
beforeAll(async () => {
	worlds = await startTwoWorlds();
});
afterAll(() => worlds.stop());

const tools = [
	{
		functionDeclarations: [
			{
				name: "get_weather",
				parametersJsonSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
			},
		],
	},
];
const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } };

describe.each([
	["3", GoogleGenAI],
	["1", GoogleGenAI1 as unknown as typeof GoogleGenAI],
])("@google/genai %s", (_, Client) => {
	const client = () => new Client({ apiKey: worlds.near.key, httpOptions: { baseUrl: worlds.near.url } });

	describe.each(["demo", ...modelNames])("%s", (model) => {
		test("generateContent", async () => {
			const answer = await client().models.generateContent({ model, contents: "Good morning" });
			expect(answer.text).toBe(spoken("Good morning"));
			expect(String(answer.candidates?.[0]?.finishReason)).toBe("STOP");
			expect(answer.usageMetadata?.candidatesTokenCount).toBe(spoken("Good morning").split(" ").length);
		});

		test("generateContentStream gathers the same", async () => {
			let text = "";
			for await (const chunk of await client().models.generateContentStream({ model, contents: "Good morning" }))
				text += chunk.text ?? "";
			expect(text).toBe(spoken("Good morning"));
		});

		test("a forced tool", async () => {
			const answer = await client().models.generateContent({
				model,
				contents: "Good morning",
				config: { tools, toolConfig },
			});
			expect(answer.functionCalls).toMatchObject([{ name: "get_weather", args: { city: "Good morning" } }]);
			const calls = [];
			for await (const chunk of await client().models.generateContentStream({
				model,
				contents: "Good morning",
				config: { tools, toolConfig },
			}))
				calls.push(...(chunk.functionCalls ?? []));
			expect(calls).toMatchObject([{ name: "get_weather", args: { city: "Good morning" } }]);
		});

		test("a schema", async () => {
			const responseJsonSchema = {
				type: "object",
				properties: { colour: { type: "string", enum: ["red", "blue"] } },
				required: ["colour"],
			};
			const answer = await client().models.generateContent({
				model,
				contents: "x",
				config: { responseMimeType: "application/json", responseJsonSchema },
			});
			expect(JSON.parse(answer.text ?? "")).toEqual({ colour: "red" });
		});
	});

	test("countTokens, models, and a wrong key", async () => {
		expect(
			(await client().models.countTokens({ model: "demo", contents: "Good morning" })).totalTokens,
		).toBeGreaterThan(1);
		const names: string[] = [];
		for await (const model of await client().models.list()) names.push(model.name ?? "");
		expect(names).toContain("models/demo");
		const wrong = new Client({ apiKey: "sk-wrong", httpOptions: { baseUrl: worlds.near.url } });
		const refused = (await wrong.models
			.generateContent({ model: "demo", contents: "x" })
			.catch((error: unknown) => error)) as { status: number; message: string };
		expect([400, 401]).toContain(refused.status);
		expect(refused.message).toContain("API_KEY_INVALID");
	});
});
