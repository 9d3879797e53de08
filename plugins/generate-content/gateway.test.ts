/** The protocol in a whole Portico: Gemini clients before Gemini upstreams and before others, other clients before Gemini. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { streamFaults } from "../../test/support/grammar/check.ts";

let gateway: TestGateway;
let google: ScriptedUpstream;
let other: ScriptedUpstream;

beforeAll(async () => {
	google = startUpstream();
	other = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"generate-content",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "google", protocol: "generate-content", url: `${google.url}/v1beta`, key: "AIza-operator" },
						{ name: "other", protocol: "chat-completions", url: `${other.url}/v1`, key: "sk-operator" },
					],
					models: [
						{ name: "gemini-*", targets: [{ upstream: "google" }] },
						{ name: "fast", targets: [{ upstream: "google", model: "gemini-2.5-flash" }] },
						{ name: "vendor/gpt", targets: [{ upstream: "other", model: "gpt-5" }] },
						{ name: "thinker", targets: [{ upstream: "other", model: "deepthought-1" }] },
						{ name: "google/fast", targets: [{ upstream: "google", model: "gemini-2.5-flash" }] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await google.stop();
	await other.stop();
});

interface Answer {
	readonly candidates: readonly {
		readonly content: { readonly parts?: readonly { text?: string; thought?: boolean }[] };
	}[];
}

const chunk = (text: string, more: object = {}) =>
	JSON.stringify({
		candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }],
		usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
		modelVersion: "gemini-2.5-flash",
		responseId: "r1",
	});
const sse = (...chunks: string[]) => chunks.map((each) => `data: ${each}\r\n\r\n`);
const stop = { finishReason: "STOP" };
const hello = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
const path = (model: string, verb: string, version = "v1beta") => `/${version}/models/${model}:${verb}`;

describe("a Gemini client before a Gemini upstream", () => {
	test.each(["/v1beta", "/v1", "/v1alpha", "/v1/v1beta", "/v1beta/v1", "/v1beta/v1beta", ""])(
		"is served under %p, body and answer untouched",
		async (version) => {
			google.answer(() => Response.json(JSON.parse(chunk("Hello", stop))));
			const answer = await gateway.ask(`${version}/models/gemini-2.5-flash:generateContent`, hello);
			expect(await answer.json()).toEqual(JSON.parse(chunk("Hello", stop)));
			const asked = google.received.at(-1);
			expect(asked?.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
			expect(asked?.json).toEqual(hello);
			expect(asked?.headers.get("x-goog-api-key")).toBe("AIza-operator");
			expect(asked?.headers.get("authorization")).toBeNull();
		},
	);

	test.each([{}, { project: "p", location: "us-central1" }])(
		"may be Vertex AI's, which brings a key: %p",
		async (options) => {
			google.answer(() => Response.json(JSON.parse(chunk("Hello", stop))));
			const client = new GoogleGenAI({
				vertexai: true,
				apiKey: gateway.key,
				httpOptions: { baseUrl: gateway.url },
				...options,
			});
			const answer = await client.models.generateContent({ model: "gemini-2.5-flash", contents: "Hi" });
			expect(answer.text).toBe("Hello");
			expect(google.received.at(-1)?.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
			google.answer(() => streamOf(sse(chunk("Hel"), chunk("lo", stop))));
			let text = "";
			for await (const piece of await client.models.generateContentStream({ model: "fast", contents: "Hi" }))
				text += piece.text;
			expect(text).toBe("Hello");
			google.answer(() => Response.json({ totalTokens: 7 }));
			expect(await client.models.countTokens({ model: "fast", contents: "Hi" })).toMatchObject({ totalTokens: 7 });
		},
	);

	test.each(["vendor/gpt", "vendor%2Fgpt"])("may leave out `models/` before a name with a slash: %s", async (name) => {
		other.answer(() => Response.json({ choices: [{ message: { content: "Hello" }, finish_reason: "stop" }] }));
		const whole = await gateway.ask(`/v1beta/${name}:generateContent`, hello);
		expect(await whole.json()).toMatchObject({ candidates: [{ content: { parts: [{ text: "Hello" }] } }] });
		const streamed = await gateway.ask(`/v1beta/${name}:streamGenerateContent?alt=sse`, hello);
		expect(streamed.headers.get("content-type")).toStartWith("text/event-stream");
		expect(streamFaults("generate-content", await streamed.text())).toEqual([]);
		const counted = await gateway.ask(`/v1beta/${name}:countTokens`, hello);
		expect(await counted.json()).toEqual({ totalTokens: expect.any(Number) });
		expect((await gateway.ask(`/v1beta/${name}:sing`, hello)).status).toBe(404);
	});

	test("may leave it out before a model of Google's too", async () => {
		google.answer(() => Response.json(JSON.parse(chunk("Hello", stop))));
		const answer = await gateway.ask("/v1beta/google/fast:generateContent", hello);
		expect(await answer.json()).toMatchObject({ candidates: [{ content: { parts: [{ text: "Hello" }] } }] });
		expect(google.received.at(-1)?.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
	});

	test("may bring its key in the address, which goes no further", async () => {
		google.answer(() => Response.json(JSON.parse(chunk("Hello", stop))));
		const url = `${gateway.url}${path("gemini-2.5-flash", "generateContent")}?key=${gateway.key}`;
		const answer = await fetch(url, {
			method: "POST",
			body: JSON.stringify(hello),
			headers: { "content-type": "application/json" },
		});
		expect(answer.status).toBe(200);
		expect(google.received.at(-1)?.path).not.toContain("key");
	});

	test("gets events as the upstream wrote them", async () => {
		const sent = sse(chunk("Hel"), chunk("lo", stop));
		google.answer(() => streamOf(sent));
		const answer = await gateway.ask(`${path("gemini-2.5-flash", "streamGenerateContent")}?alt=sse`, hello);
		expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
		expect(await answer.text()).toBe(sent.join(""));
	});

	test("gets an array when it did not ask for events, under the name it asked for", async () => {
		google.answer(() => streamOf(sse(chunk("Hel"), chunk("lo", stop))));
		const answer = await gateway.ask(path("fast", "streamGenerateContent"), hello);
		expect(answer.headers.get("content-type")).toStartWith("application/json");
		const items = (await answer.json()) as { modelVersion: string }[];
		expect(items.map(({ modelVersion }) => modelVersion)).toEqual(["fast", "fast"]);
		expect(google.received.at(-1)?.path).toBe("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
	});

	test("is told when the stream breaks off, in both forms", async () => {
		google.answer(() => streamOf(sse(chunk("Hel"))));
		const events = await (
			await gateway.ask(`${path("gemini-2.5-flash", "streamGenerateContent")}?alt=sse`, hello)
		).text();
		expect(streamFaults("generate-content", events.replaceAll("\r\n", "\n"))).toEqual([]);
		expect(events).toContain('"status":"UNAVAILABLE"');
		google.answer(() => streamOf(sse(chunk("Hel"))));
		const array = (await (
			await gateway.ask(path("gemini-2.5-flash", "streamGenerateContent"), hello)
		).json()) as object[];
		expect(array.at(-1)).toMatchObject({ error: { code: 502 } });
	});

	test("gets a stream from an upstream that answered with one piece of JSON", async () => {
		google.answer(() => Response.json([JSON.parse(chunk("Hel")), JSON.parse(chunk("lo", stop))]));
		const text = await (
			await gateway.ask(`${path("gemini-2.5-flash", "streamGenerateContent")}?alt=sse`, hello)
		).text();
		expect(streamFaults("generate-content", text)).toEqual([]);
	});

	test("is shown its own mistakes and never the operator's", async () => {
		const fail = (status: number, error: object) =>
			google.answer(() => Response.json({ error: { code: status, ...error } }, { status }));
		fail(400, { message: "Invalid value at 'contents'", status: "INVALID_ARGUMENT" });
		const own = await gateway.ask(path("gemini-2.5-flash", "generateContent"), hello);
		expect([own.status, await own.json()]).toMatchObject([400, { error: { message: "Invalid value at 'contents'" } }]);
		const reason = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
		fail(400, {
			message: "API key not valid. Please pass a valid API key.",
			status: "INVALID_ARGUMENT",
			details: reason,
		});
		const operators = await gateway.ask(path("gemini-2.5-flash", "generateContent"), hello);
		expect(operators.status).toBe(502);
		expect(await operators.text()).not.toContain("API key");
	});

	test("is told that an answer holds nothing, whole as in a stream", async () => {
		const empty = { usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 }, modelVersion: "gemini-2.5-flash" };
		for (const model of ["gemini-2.5-flash", "fast"]) {
			google.answer(() => Response.json(empty));
			const whole = await gateway.ask(path(model, "generateContent"), hello);
			expect([whole.status, await whole.json()]).toMatchObject([502, { error: { status: "UNAVAILABLE" } }]);
			google.answer(() => streamOf(sse(JSON.stringify(empty))));
			const streamed = await gateway.ask(`${path(model, "streamGenerateContent")}?alt=sse`, hello);
			expect(await streamed.text()).toContain('"status":"UNAVAILABLE"');
		}
		google.answer(() => Response.json(empty));
		const messages = [{ role: "user", content: "Hi" }];
		const translated = await gateway.ask("/v1/chat/completions", { model: "fast", messages });
		expect([translated.status, await translated.json()]).toMatchObject([502, { error: { type: "upstream_error" } }]);
	});

	test("goes on with an answer there, and begins none anew elsewhere", async () => {
		const rest = { ...hello, continuationToken: "dG9rZW4=" };
		google.answer(() => Response.json(JSON.parse(chunk("Hello", stop))));
		expect((await gateway.ask(path("gemini-2.5-flash", "generateContent"), rest)).status).toBe(200);
		expect(google.received.at(-1)?.json).toEqual(rest);
		const before = other.received.length;
		const refused = await gateway.ask(path("thinker", "generateContent"), rest);
		expect([refused.status, await refused.json()]).toMatchObject([400, { error: { status: "INVALID_ARGUMENT" } }]);
		expect(other.received.length).toBe(before);
	});

	test("counts by the upstream's own", async () => {
		google.answer(() => Response.json({ totalTokens: 7 }));
		expect(await (await gateway.ask(path("fast", "countTokens"), hello)).json()).toEqual({ totalTokens: 7 });
	});
});

describe("refusals", () => {
	test.each([
		["no such verb", path("gemini-2.5-flash", "fly"), hello, 404, "NOT_FOUND"],
		["a path that climbs", "/v1beta/models/..%2f..:generateContent", hello, 404, "NOT_FOUND"],
		["no such model", path("nope", "generateContent"), hello, 404, "NOT_FOUND"],
		["no contents", path("gemini-2.5-flash", "generateContent"), {}, 400, "INVALID_ARGUMENT"],
		["no JSON", path("gemini-2.5-flash", "generateContent"), "{nope", 400, "INVALID_ARGUMENT"],
	])("%s", async (_, where, body, code, status) => {
		const answer = await gateway.ask(where, body);
		expect(answer.status).toBe(code);
		expect(await answer.json()).toMatchObject({ error: { code, status } });
	});

	test.each([
		["batchGenerateContent", "send each request by itself"],
		["asyncBatchEmbedContent", "send each request by itself"],
		["predict", "POST /v1/images/generations"],
	])("what Google's clients ask for besides (%s), with what to do in its place", async (verb, advice) => {
		const answer = await gateway.ask(path("gemini-2.5-flash", verb), hello);
		expect(answer.status).toBe(404);
		expect(await answer.json()).toMatchObject({
			error: {
				status: "NOT_FOUND",
				message: expect.stringMatching(new RegExp(`"${verb}" is not served here: .*${advice}`)),
			},
		});
	});

	test("a bad key", async () => {
		const init = {
			method: "POST",
			body: JSON.stringify(hello),
			headers: { "x-goog-api-key": "sk-wrong", "content-type": "application/json" },
		};
		const answer = await fetch(gateway.url + path("gemini-2.5-flash", "generateContent"), init);
		expect([answer.status, await answer.json()]).toMatchObject([401, { error: { status: "UNAUTHENTICATED" } }]);
	});
});

describe("across protocols", () => {
	const completion = (message: object, finish: string) => ({
		id: "chatcmpl-1",
		object: "chat.completion",
		created: 1,
		model: "gpt-5",
		choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: finish }],
		usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 },
	});

	test("Google's client calls a function on a model behind chat-completions", async () => {
		const call = { id: "call_9", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
		other.answer(() => Response.json(completion({ tool_calls: [call] }, "tool_calls")));
		const client = new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } });
		const answer = await client.models.generateContent({
			model: "vendor/gpt",
			contents: "Weather?",
			config: {
				tools: [
					{
						functionDeclarations: [
							{ name: "weather", parametersJsonSchema: { type: "object", properties: { city: { type: "string" } } } },
						],
					},
				],
			},
		});
		expect(answer.functionCalls).toEqual([{ id: "call_9", name: "weather", args: { city: "Oslo" } }]);
		expect(answer.usageMetadata).toMatchObject({ promptTokenCount: 4, totalTokenCount: 10 });
		expect(other.received.at(-1)?.json).toMatchObject({
			model: "gpt-5",
			tools: [{ type: "function", function: { name: "weather" } }],
		});
		const count = await client.models.countTokens({ model: "vendor/gpt", contents: "Weather?" });
		expect(count.totalTokens).toBeGreaterThan(0);
	});

	test("reasoning that shows nothing makes no empty part, which older clients of Google's drop with its turn", async () => {
		const encrypted = { type: "reasoning.encrypted", data: "c2VhbGVk", format: "unknown", index: 0 };
		const said = { content: "Hello", reasoning_details: [encrypted] };
		other.answer(() => Response.json(completion(said, "stop")));
		const whole = (await (await gateway.ask(path("thinker", "generateContent"), hello)).json()) as Answer;
		const { usage, ...head } = completion({}, "stop");
		const delta = (value: object, reason: string | null) =>
			sse(JSON.stringify({ ...head, choices: [{ index: 0, delta: value, finish_reason: reason }] })).join("");
		other.answer(() => streamOf([delta(said, null), delta({}, "stop"), "data: [DONE]\n\n"]));
		const streamed = (await (await gateway.ask(path("thinker", "streamGenerateContent"), hello)).json()) as Answer[];
		for (const answers of [[whole], streamed]) {
			const parts = answers.flatMap(({ candidates: [first] }) => first?.content.parts ?? []);
			expect(parts.map(({ text }) => text).join("")).toBe("Hello");
			expect(parts.every(({ text, thought }) => text !== "" && thought === undefined)).toBe(true);
			const contents = [...hello.contents, { role: "model", parts }, { role: "user", parts: [{ text: "And?" }] }];
			other.answer(() => Response.json(completion({ content: "Yes" }, "stop")));
			await gateway.ask(path("thinker", "generateContent"), { contents });
			expect(other.received.at(-1)?.json).toMatchObject({
				messages: [{ role: "user" }, { role: "assistant", ...said }, { role: "user", content: "And?" }],
			});
		}
	});

	test("OpenAI's client streams from a Gemini model, with a call and its signature", async () => {
		const call = JSON.stringify({
			candidates: [
				{
					content: {
						parts: [{ functionCall: { name: "weather", args: { city: "Oslo" } }, thoughtSignature: "U0lH" }],
						role: "model",
					},
					index: 0,
					...stop,
				},
			],
			usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, thoughtsTokenCount: 4, totalTokenCount: 9 },
			modelVersion: "gemini-3-flash-preview",
			responseId: "r2",
		});
		google.answer(() => streamOf(sse(chunk("Looking. "), call)));
		const client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1` });
		const tools = [
			{
				type: "function" as const,
				function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
			},
		];
		const messages = [{ role: "user" as const, content: "Weather?" }];
		const stream = client.chat.completions.stream({
			model: "gemini-3-flash-preview",
			messages,
			tools,
			stream_options: { include_usage: true },
		});
		const { choices, usage } = await stream.finalChatCompletion();
		expect(choices[0]).toMatchObject({
			finish_reason: "tool_calls",
			message: { content: "Looking. ", tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
		});
		expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 6, total_tokens: 9 });
		google.answer(() => Response.json(JSON.parse(chunk("Cold.", stop))));
		const [asked] = choices[0]?.message.tool_calls ?? [];
		await client.chat.completions.create({
			model: "gemini-3-flash-preview",
			messages: [...messages, choices[0]!.message, { role: "tool", tool_call_id: asked?.id ?? "", content: "cold" }],
			tools,
		});
		expect(google.received.at(-1)?.json).toMatchObject({
			contents: [
				{ role: "user", parts: [{ text: "Weather?" }] },
				{
					role: "model",
					parts: [{ text: "Looking. " }, { functionCall: { name: "weather" }, thoughtSignature: "U0lH" }],
				},
				{ role: "user", parts: [{ functionResponse: { name: "weather", response: { output: "cold" } } }] },
			],
		});
	});

	test("OpenAI's client is shown a picture, and not what was drawn on the way to it", async () => {
		const picture = (data: string, more: object = {}) => ({ inlineData: { mimeType: "image/png", data }, ...more });
		const parts = [picture("RFJBRlQ=", { thought: true }), picture("RklOQUw=", { thoughtSignature: "U0lH" })];
		const drawn = JSON.stringify({
			candidates: [{ content: { parts, role: "model" }, index: 0, ...stop }],
			usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
		});
		const client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1` });
		const asked = { model: "gemini-3-pro-image", messages: [{ role: "user" as const, content: "A dot" }] };
		const shown = { images: [{ image_url: { url: "data:image/png;base64,RklOQUw=" }, index: 0 }] };
		google.answer(() => Response.json(JSON.parse(drawn)));
		const whole = (await client.chat.completions.create(asked)).choices[0]?.message as unknown as typeof shown;
		expect(whole).toMatchObject(shown);
		google.answer(() => streamOf(sse(drawn)));
		const streamed = await client.chat.completions.stream(asked).finalChatCompletion();
		expect(streamed.choices[0]?.message).toMatchObject(shown as object);
	});

	test("OpenAI's client is told what a schema says that Gemini's cannot", async () => {
		google.answer(() => Response.json(JSON.parse(chunk("{}", stop))));
		const schema = {
			type: "object",
			properties: { a: { $ref: "#/$defs/A", description: "Where." } },
			$defs: { A: { type: "object", minProperties: 1 } },
		};
		const ask = (more: object) =>
			gateway.ask("/v1/chat/completions", {
				model: "gemini-2.5-flash",
				messages: [{ role: "user", content: "Hi" }],
				...more,
			});
		const asFunction = await ask({ tools: [{ type: "function", function: { name: "f", parameters: schema } }] });
		expect(asFunction.headers.get("x-portico-dropped")).toBe("tools[0].function.parameters");
		const asFormat = await ask({ response_format: { type: "json_schema", json_schema: { name: "a", schema } } });
		expect(asFormat.headers.get("x-portico-dropped")).toBe("response_format.json_schema.schema");
		expect(google.received.at(-1)?.json).toMatchObject({
			generationConfig: {
				responseJsonSchema: {
					properties: { a: { description: "Where.", anyOf: [{ $ref: "#/$defs/A" }] } },
					$defs: { A: { type: "object" } },
				},
			},
		});
	});

	test("models are listed in Gemini's shape under /v1beta, and under /v1 for Google's clients", async () => {
		const names = async (where: string, headers: Record<string, string> = {}) => {
			const { models } = (await (await gateway.ask(where, undefined, { headers })).json()) as {
				models?: { name: string }[];
			};
			return models?.map(({ name }) => name).sort();
		};
		expect(await names("/v1beta/models")).toEqual([
			"models/fast",
			"models/google/fast",
			"models/thinker",
			"models/vendor/gpt",
		]);
		expect(await names("/v1/models")).toBeUndefined();
		expect(await names("/v1/models", { "x-goog-api-client": "sdk" })).toEqual([
			"models/fast",
			"models/google/fast",
			"models/thinker",
			"models/vendor/gpt",
		]);
		const item = await gateway.ask("/v1beta/models/vendor/gpt");
		expect(await item.json()).toMatchObject({ name: "models/vendor/gpt" });
	});
});
