/** OpenAI's own SDKs, two major versions, unchanged but for base address and key. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { startGateway, type TestGateway } from "#core/testing";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "demo", with: { wordMs: 0 } },
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
		],
	});
});
afterAll(() => gateway.stop());

const messages = [{ role: "user" as const, content: "Good morning" }];
const spoken = "This is the demo model of Portico speaking; no provider was asked. You said: Good morning";

const weather = {
	type: "function" as const,
	function: {
		name: "get_weather",
		parameters: {
			type: "object",
			properties: { city: { type: "string" }, days: { type: "integer", minimum: 3 } },
			required: ["city"],
		},
	},
};

describe.each([
	["7", OpenAI],
	["6", OpenAI6 as unknown as typeof OpenAI],
])("openai %s", (_, Client) => {
	const client = () => new Client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });

	test("chat.completions.create", async () => {
		const answer = await client().chat.completions.create({ model: "demo", messages });
		expect(answer.choices[0]?.message.content).toBe(spoken);
		expect(answer.choices[0]?.finish_reason).toBe("stop");
		expect(answer.usage?.total_tokens).toBe(
			(answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
		);
	});

	test("chat.completions.create as a stream, word by word", async () => {
		const stream = await client().chat.completions.create({ model: "demo", messages, stream: true });
		const words: string[] = [];
		for await (const chunk of stream) words.push(chunk.choices[0]?.delta.content ?? "");
		expect(words.join("")).toBe(spoken);
		expect(words.filter((word) => word !== "").length).toBe(spoken.split(" ").length);
	});

	test("chat.completions.stream() gathers the whole", async () => {
		const stream = client().chat.completions.stream({
			model: "demo",
			messages,
			stream_options: { include_usage: true },
		});
		const final = await stream.finalChatCompletion();
		expect(final.choices[0]?.message.content).toBe(spoken);
		expect(final.usage?.completion_tokens).toBe(spoken.split(" ").length);
	});

	test("max_tokens and stop are obeyed, streamed and not", async () => {
		const short = await client().chat.completions.create({ model: "demo", messages, max_tokens: 3 });
		expect(short.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "This is the" } });
		const stopped = client().chat.completions.stream({ model: "demo", messages, stop: [" model"] });
		expect((await stopped.finalChatCompletion()).choices[0]).toMatchObject({
			finish_reason: "stop",
			message: { content: "This is the demo" },
		});
	});

	test("a forced tool is called with arguments its schema accepts", async () => {
		const stream = client().chat.completions.stream({
			model: "demo",
			messages,
			tools: [weather],
			tool_choice: "required",
		});
		const [choice] = (await stream.finalChatCompletion()).choices;
		expect(choice?.finish_reason).toBe("tool_calls");
		const [call] = choice?.message.tool_calls ?? [];
		if (call?.type !== "function") throw new Error("no function was called");
		expect(call.function.name).toBe("get_weather");
		expect(JSON.parse(call.function.arguments)).toEqual({ city: "Good morning", days: 3 });
	});

	test("an answer that must fit a schema fits it", async () => {
		const schema = {
			type: "object",
			properties: { colour: { enum: ["red", "blue"] }, size: { type: "number" } },
			required: ["colour", "size"],
			additionalProperties: false,
		};
		const answer = await client().chat.completions.create({
			model: "demo",
			messages,
			response_format: { type: "json_schema", json_schema: { name: "thing", schema, strict: true } },
		});
		expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ colour: "red", size: 1 });
	});

	test("errors come as the SDK's own classes, with a request id", async () => {
		const wrong = new Client({ baseURL: `${gateway.url}/v1`, apiKey: "sk-wrong", maxRetries: 0 });
		const refused = await wrong.chat.completions.create({ model: "demo", messages }).catch((error: unknown) => error);
		expect(refused).toMatchObject({ status: 401, code: "invalid_api_key", requestID: expect.stringMatching(/^req_/) });
		const unknown = await client()
			.chat.completions.create({ model: "none", messages })
			.catch((error: unknown) => error);
		expect(unknown).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
		const failed = await client()
			.chat.completions.create({ model: "demo", messages: [{ role: "user", content: "/fail 503" }] })
			.catch((error: unknown) => error);
		expect(failed).toMatchObject({ status: 503 });
	});

	test("models.list and models.retrieve", async () => {
		const names: string[] = [];
		for await (const model of client().models.list()) names.push(model.id);
		expect(names).toEqual(["demo"]);
		expect((await client().models.retrieve("demo")).id).toBe("demo");
	});
});
