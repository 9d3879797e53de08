/** Frameworks that people build on, against models of every protocol: the AI SDK with four providers, and LangChain. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, type LanguageModel, streamText, type ToolSet, tool } from "ai";
import { z } from "zod";
import { modelNames, spoken, startTwoWorlds, type TwoWorlds } from "../support/two-worlds.ts";

// Its hints about models it does not know are not this suite's business.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

let worlds: TwoWorlds;
beforeAll(async () => {
	worlds = await startTwoWorlds();
});
afterAll(() => worlds.stop());

const at = () => ({ url: worlds.near.url, apiKey: worlds.near.key });

const providers: Readonly<Record<string, (model: string) => LanguageModel>> = {
	"openai (responses)": (model) => createOpenAI({ baseURL: `${at().url}/v1`, apiKey: at().apiKey })(model),
	"openai (chat)": (model) => createOpenAI({ baseURL: `${at().url}/v1`, apiKey: at().apiKey }).chat(model),
	anthropic: (model) => createAnthropic({ baseURL: `${at().url}/v1`, apiKey: at().apiKey })(model),
	google: (model) => createGoogleGenerativeAI({ baseURL: `${at().url}/v1beta`, apiKey: at().apiKey })(model),
	"openai-compatible": (model) =>
		createOpenAICompatible({ name: "portico", baseURL: `${at().url}/v1`, apiKey: at().apiKey, includeUsage: true })(
			model,
		),
};

const words = "Good morning";

describe.each(Object.keys(providers))("the AI SDK with %s", (name) => {
	const modelOf = (model: string): LanguageModel => {
		const make = providers[name];
		if (!make) throw new Error(`no provider ${name}`);
		return make(model);
	};

	describe.each(["demo", ...modelNames])("%s", (model) => {
		test("generateText", async () => {
			const answer = await generateText({ model: modelOf(model), prompt: words, maxRetries: 0 });
			expect(answer.text).toBe(spoken(words));
			expect(answer.finishReason).toBe("stop");
			expect(answer.usage.outputTokens).toBe(spoken(words).split(" ").length);
		});

		test("streamText", async () => {
			const stream = streamText({ model: modelOf(model), prompt: words, maxRetries: 0 });
			let text = "";
			for await (const piece of stream.textStream) text += piece;
			expect(text).toBe(spoken(words));
			expect(await stream.finishReason).toBe("stop");
		});

		test("a forced tool", async () => {
			const get_weather = tool({ description: "The weather.", inputSchema: z.object({ city: z.string() }) });
			// The SDK types its own tools more widely than exact optional properties allow.
			const tools = { get_weather } as unknown as ToolSet;
			const answer = await generateText({
				model: modelOf(model),
				prompt: words,
				tools,
				toolChoice: "required",
				maxRetries: 0,
			});
			expect(answer.toolCalls).toMatchObject([{ toolName: "get_weather", input: { city: words } }]);
			const stream = streamText({ model: modelOf(model), prompt: words, tools, toolChoice: "required", maxRetries: 0 });
			expect(await stream.toolCalls).toMatchObject([{ toolName: "get_weather", input: { city: words } }]);
		});
	});

	test("an error reaches the caller", async () => {
		const failed = await generateText({ model: modelOf("no-such-model"), prompt: words, maxRetries: 0 }).catch(
			(error: unknown) => error,
		);
		expect(failed).toMatchObject({ statusCode: 404 });
	});
});

describe.each(["demo", ...modelNames])("LangChain with %s", (model) => {
	const clients = () => [
		new ChatOpenAI({ model, apiKey: at().apiKey, configuration: { baseURL: `${at().url}/v1` }, maxRetries: 0 }),
		new ChatOpenAI({
			model,
			apiKey: at().apiKey,
			configuration: { baseURL: `${at().url}/v1` },
			useResponsesApi: true,
			maxRetries: 0,
		}),
		new ChatAnthropic({ model, anthropicApiKey: at().apiKey, anthropicApiUrl: at().url, maxRetries: 0 }),
		new ChatGoogleGenerativeAI({ model, apiKey: at().apiKey, baseUrl: at().url, maxRetries: 0 }),
	];

	test("invoke and stream", async () => {
		for (const client of clients()) {
			expect((await client.invoke(words)).text).toBe(spoken(words));
			let text = "";
			for await (const piece of await client.stream(words)) text += piece.text;
			expect(text).toBe(spoken(words));
		}
	});
});
