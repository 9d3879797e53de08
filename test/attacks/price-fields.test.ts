/** What a request says that makes it dearer is held, and charged, at the price it chose; what has no price is refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
});
afterAll(() => world.stop());

const [input, output] = [50, 500];
const plain = input * rates.input + output * rates.output;

const chatAnswer = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "chat-completions-a",
	choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
	usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
};
const tokens = { input_tokens: input, output_tokens: output };
const counts = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
const responsesUsage = { ...tokens, total_tokens: input + output };
const answers: Record<string, object> = {
	"/v1/chat/completions": chatAnswer,
	"/v1/messages": {
		id: "m",
		type: "message",
		role: "assistant",
		model: "messages-a",
		content: [{ type: "text", text: "Hello" }],
		stop_reason: "end_turn",
		stop_sequence: null,
		usage: tokens,
	},
	"/v1/responses": {
		id: "resp_1",
		object: "response",
		status: "completed",
		model: "responses-a",
		output: [{ type: "message", id: "i", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }],
		usage: responsesUsage,
	},
};
const answer = (more: object = {}) => {
	world.upstream.received.length = 0;
	world.upstream.answer(({ path }) =>
		Response.json(
			path.includes("/models/")
				? {
						candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
						usageMetadata: counts,
						...more,
					}
				: { ...answers[path], ...more },
		),
	);
};
const events: Record<string, readonly object[]> = {
	"/v1/chat/completions": [
		{ ...chatAnswer, choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: null }], usage: null },
		{ ...chatAnswer, choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: null },
		{ ...chatAnswer, choices: [], service_tier: "default" },
	],
	"/v1/responses": [
		{
			type: "response.created",
			response: { ...answers["/v1/responses"], status: "in_progress", service_tier: "auto" },
		},
		{ type: "response.completed", response: { ...answers["/v1/responses"], service_tier: "default" } },
	],
};
/** Streams that tell the plain tier at their end. */
const stream = () => {
	world.upstream.received.length = 0;
	world.upstream.answer(({ path }) => {
		const told = events[path] ?? [
			{
				candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
				usageMetadata: { ...counts, serviceTier: "standard" },
			},
		];
		const text = told.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
		return new Response(path === "/v1/chat/completions" ? `${text}data: [DONE]\n\n` : text, {
			headers: { "content-type": "text/event-stream" },
		});
	});
};
const said = [{ role: "user", content: "Hi" }];
const shown = (image_url: object) => ({ messages: [{ role: "user", content: [{ type: "image_url", image_url }] }] });
const asks = {
	chat: { path: "/v1/chat/completions", body: { model: "chat-completions-a", max_tokens: 500, messages: said } },
	messages: { path: "/v1/messages", body: { model: "messages-a", max_tokens: 500, messages: said } },
	responses: { path: "/v1/responses", body: { model: "responses-a", max_output_tokens: 500, input: "Hi" } },
	gemini: {
		path: "/v1beta/models/generate-content-a:generateContent",
		body: { contents: [{ parts: [{ text: "Hi" }] }], generationConfig: { maxOutputTokens: 500 } },
	},
} as const;

const ask = async (protocol: keyof typeof asks, fields: object, settings: object = { quota: 10 }) => {
	const { key } = await world.gateway.token({ ...settings });
	const { path, body } = asks[protocol];
	const headers = { authorization: `Bearer ${key}` };
	const response = await world.gateway.ask(path, { ...body, ...fields }, { headers });
	const text = await response.text();
	return { status: response.status, text, key, used: await world.used(key) };
};

const askStream = async (protocol: keyof typeof asks, fields: object) => {
	const { key } = await world.gateway.token({ quota: 10 });
	const { path, body } = asks[protocol];
	const streaming = protocol === "gemini" ? "/v1beta/models/generate-content-a:streamGenerateContent?alt=sse" : path;
	const asked = { ...body, ...fields, ...(protocol !== "gemini" && { stream: true }) };
	const response = await world.gateway.ask(streaming, asked, { headers: { authorization: `Bearer ${key}` } });
	expect(await response.text()).toContain("Hello");
	return { used: await world.used(key) };
};

const tiers: readonly [protocol: keyof typeof asks, fields: object, times: number][] = [
	["chat", { service_tier: "priority" }, 2],
	["chat", { service_tier: "PRIORITY" }, 2],
	["responses", { service_tier: "priority" }, 2],
	["messages", { speed: "fast" }, 6],
	["messages", { inference_geo: "us" }, 1.1],
	["messages", { speed: "fast", inference_geo: "us" }, 6.6],
	["gemini", { serviceTier: "priority" }, 2],
	["gemini", { service_tier: "SERVICE_TIER_PRIORITY" }, 2],
	["chat", { service_tier: "default" }, 1],
	["responses", { service_tier: "auto" }, 1],
	// OpenAI's second name for the same, and its dearest.
	["chat", { service_tier: "fast" }, 2],
	["responses", { service_tier: "ultrafast" }, 6],
];

describe("a tier", () => {
	test.each([...tiers])("%s %j is charged its price, and reaches the upstream", async (protocol, fields, times) => {
		answer();
		const { status, used } = await ask(protocol, fields);
		expect(status).toBe(200);
		expect(used).toBe(Math.ceil(Number((plain * times).toPrecision(12))));
		expect(world.upstream.received[0]?.json).toMatchObject(fields);
	});
	test.each([...tiers])("%s %j costs a token without a quota as much", async (protocol, fields, times) => {
		answer();
		expect((await ask(protocol, fields, {})).used).toBe(Math.ceil(Number((plain * times).toPrecision(12))));
	});
	test.each([...tiers])("%s %j is refused where the quota does not hold its price", async (protocol, fields, times) => {
		answer();
		// What the plain call may cost: its output limit, and its few words.
		const bound = (500 * rates.output + 400 * rates.input) * 1;
		const { used } = await ask(protocol, fields, { quota: bound / 1_000_000 });
		const sent = world.upstream.received.at(0)?.json as Record<string, unknown> | undefined;
		const limit = (sent?.["max_tokens"] ?? sent?.["max_output_tokens"] ?? 500) as number;
		expect(used).toBeLessThanOrEqual(bound);
		// The upstream was asked for no more output than the quota pays for in that tier.
		if (sent && protocol !== "gemini") expect(limit * rates.output * times).toBeLessThanOrEqual(bound);
	});
	test.each([
		["chat", { service_tier: "priority" }, { service_tier: "default" }, 1],
		["chat", { service_tier: "priority", speed: "fast" }, { service_tier: "default" }, 6],
		["chat", { service_tier: "ultrafast" }, { service_tier: "priority" }, 2],
		["chat", { service_tier: "priority" }, { service_tier: "auto" }, 2],
		["chat", { service_tier: "priority" }, { service_tier: null }, 2],
		// Another's project may have a tier of its own: whoever did not ask for it does not pay for it.
		["chat", {}, { service_tier: "priority" }, 1],
		["responses", { service_tier: "fast" }, { service_tier: "default" }, 1],
		["responses", { service_tier: "fast" }, { service_tier: "priority" }, 2],
		["messages", { service_tier: "priority" }, { usage: { ...tokens, service_tier: "standard" } }, 1],
		["messages", { speed: "fast" }, { usage: { ...tokens, service_tier: "standard" } }, 6],
		["gemini", { serviceTier: "priority" }, { usageMetadata: { ...counts, serviceTier: "standard" } }, 1],
		["gemini", { serviceTier: "priority" }, { usageMetadata: { ...counts, serviceTier: "unspecified" } }, 2],
	] as const)("%s %j answered by %j is charged by what served it", async (protocol, fields, told, times) => {
		answer(told);
		expect((await ask(protocol, fields)).used).toBe(plain * times);
	});
	test.each([
		["chat", { service_tier: "priority" }],
		["responses", { service_tier: "priority" }],
		["gemini", { serviceTier: "priority" }],
	] as const)("%s that a stream tells is charged in place of the one asked for", async (protocol, fields) => {
		stream();
		expect((await askStream(protocol, fields)).used).toBe(plain);
	});
	test("is charged by what served it where the answer is translated, whole and as a stream", async () => {
		const { body } = asks.chat;
		for (const streams of [false, true]) {
			if (streams) stream();
			else answer({ service_tier: "default" });
			const { key } = await world.gateway.token({ quota: 10 });
			const headers = { authorization: `Bearer ${key}` };
			const asked = { ...body, model: "responses-a", service_tier: "priority", stream: streams };
			await (await world.gateway.ask(asks.chat.path, asked, { headers })).text();
			expect(world.upstream.received[0]?.json).toMatchObject({ service_tier: "priority" });
			expect(await world.used(key)).toBe(plain);
		}
	});
	test.each([
		["chat", { service_tier: "turbo" }],
		["messages", { inference_geo: "moon" }],
		["responses", { service_tier: { tier: "priority" } }],
		["responses", { multi_agent: { enabled: true, max_concurrent_subagents: 100 } }],
		["responses", { reasoning: { mode: "pro", effort: "medium" } }],
		["responses", { tools: [{ type: "image_generation", size: "2880x2880" }] }],
		["responses", { tools: [{ type: "image_generation", size: "4K" }] }],
		["responses", { tools: [{ type: "image_generation", size: "1024x1024", quality: "max" }] }],
		["responses", { tools: [{ type: "image_generation", n: 10 }] }],
		["responses", { tools: [{ type: "image_generation", output_format: "gif", size: "768x768" }] }],
		["responses", { tools: [{ type: "image_generation", output_format: "svg" }] }],
		["responses", { tools: [{ type: "image_generation", svg: { model: "gpt-6-pro" } }] }],
		["responses", { input: [{ type: "additional_tools", tools: [{ type: "image_generation", quality: "xhigh" }] }] }],
		["responses", { tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "64g" } }] }],
		["responses", { tools: [{ type: "shell", environment: { type: "container_auto", memory_limit: "4g" } }] }],
		["responses", { tools: [{ type: "shell", container: {}, environment: { memory_limit: "4g" } }] }],
		["chat", { reasoning: { mode: "pro" } }],
	] as const)("%s %j, which nobody knows a price for, is refused, and nobody is asked", async (protocol, fields) => {
		answer();
		const { status, text } = await ask(protocol, fields);
		expect(status).toBe(403);
		expect(text).toContain("is not known");
		expect(world.upstream.received).toEqual([]);
	});
	test("large pictures are let through where a price says what one costs, and ordinary ones where none does", async () => {
		const large = { type: "image_generation", size: "2880x2880", quality: "max" };
		const ordinary = { type: "image_generation", size: "1024x1536", quality: "high", n: 1 };
		const dear = await attackWorld({
			plugins: [{ use: "prices", with: { models: { "*": { ...rates, perImage: 3 } } } }],
		});
		const output = [{ type: "image_generation_call", id: "ig", result: "" }];
		for (const [at, tool, fee] of [
			[dear, large, 3_000_000],
			[world, ordinary, 250_000],
		] as const) {
			at.upstream.answer(() => Response.json({ ...answers["/v1/responses"], output }));
			const { key } = await at.gateway.token({ quota: 100 });
			const body = { ...asks.responses.body, max_tool_calls: 1, tools: [tool] };
			const told = await at.gateway.ask("/v1/responses", body, { headers: { authorization: `Bearer ${key}` } });
			expect(told.status).toBe(200);
			await told.text();
			expect(await at.used(key)).toBe(plain + fee);
		}
		await dear.stop();
	});
	test.each([{ mode: "standard", effort: "low" }, { mode: null }, { effort: "low" }])(
		"is none in the usual mode of reasoning: %j",
		async (reasoning) => {
			answer();
			for (const protocol of ["responses", "chat"] as const)
				expect(await ask(protocol, { reasoning })).toMatchObject({ status: 200, used: plain });
		},
	);
	test("that another protocol has no field for costs nothing", async () => {
		world.upstream.answer(() => Response.json(chatAnswer));
		const { key } = await world.gateway.token({ quota: 10 });
		const body = { ...asks.messages.body, model: "chat-completions-a", speed: "fast" };
		const response = await world.gateway.ask("/v1/messages", body, { headers: { authorization: `Bearer ${key}` } });
		expect(response.headers.get("x-portico-dropped")).toContain("speed");
		await response.text();
		expect(await world.used(key)).toBe(plain);
	});
});

describe("a limit lower than the upstream's protocol knows", () => {
	test.each([
		["/v1/chat/completions", { max_tokens: 1, messages: said }],
		["/v1/messages", { max_tokens: 1, messages: said }],
	])("%s %j is held as what is asked for in its place", async (path, body) => {
		world.upstream.received.length = 0;
		// The least: its words are so few that what was held for them does not cover it.
		const asked = { input_tokens: 20, output_tokens: 16, total_tokens: 36 };
		world.upstream.answer(({ path: at }) => Response.json({ ...answers[at], usage: asked }));
		const { key } = await world.gateway.token({ quota: 10 });
		const headers = { authorization: `Bearer ${key}` };
		const response = await world.gateway.ask(path, { ...body, model: "responses-a" }, { headers });
		expect(response.status).toBe(200);
		await response.text();
		expect(world.upstream.received[0]?.json).toMatchObject({ max_output_tokens: 16 });
		expect(await world.used(key)).toBe(20 * rates.input + 16 * rates.output);
	});
	test("is none where the upstream speaks the client's protocol", async () => {
		answer();
		const { key } = await world.gateway.token({ quota: 0.0002 });
		const headers = { authorization: `Bearer ${key}` };
		const body = { ...asks.chat.body, max_tokens: 1 };
		expect((await world.gateway.ask(asks.chat.path, body, { headers })).status).toBe(200);
		expect(world.upstream.received[0]?.json).toMatchObject({ max_tokens: 1 });
	});
});

describe("tools that the upstream runs", () => {
	const found = {
		webSearchQueries: ["one", "", "two", "one"],
		groundingChunks: [{ web: { uri: "https://example.org" } }],
	};
	const grounded = (modelVersion: string) => ({
		candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP", groundingMetadata: found }],
		modelVersion,
	});
	const hosted: readonly [name: string, protocol: keyof typeof asks, fields: object, answered: object, fee: number][] =
		[
			[
				"images",
				"responses",
				{ max_tool_calls: 2, tools: [{ type: "image_generation" }] },
				{
					output: [
						{ type: "image_generation_call", id: "a", result: "" },
						{ type: "image_generation_call", id: "b", result: "" },
					],
				},
				500_000,
			],
			[
				"an interpreter",
				"responses",
				{ tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "1g" } }] },
				{ output: [{ type: "code_interpreter_call", id: "a" }] },
				30_000,
			],
			[
				"searches",
				"messages",
				{ tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }] },
				{ usage: { input_tokens: input, output_tokens: output, server_tool_use: { web_search_requests: 2 } } },
				70_000,
			],
			[
				"prompts that rest on searches",
				"gemini",
				{ tools: [{ googleSearch: {} }] },
				grounded("gemini-2.5-pro"),
				35_000,
			],
			[
				"searches, and not the pages that are read after them,",
				"responses",
				{ max_tool_calls: 2, tools: [{ type: "web_search" }] },
				{
					output: [
						{ type: "web_search_call", id: "a", action: { type: "search", query: "the port" } },
						{ type: "web_search_call", id: "b", action: { type: "open_page", url: "https://example.org" } },
						{ type: "web_search_call", id: "c", action: { type: "find_in_page", pattern: "port" } },
					],
				},
				35_000,
			],
			[
				"xAI's searches, as it counts them",
				"responses",
				{ max_tool_calls: 3, tools: [{ type: "web_search" }, { type: "x_search" }] },
				{
					output: [
						{ type: "web_search_call", id: "a", action: { type: "search", query: "the port" } },
						{ type: "custom_tool_call", id: "b", call_id: "c", name: "x_keyword_search", input: "{}" },
					],
					usage: {
						...responsesUsage,
						server_side_tool_usage_details: { web_search_calls: 1, x_search_calls: 2, mcp_calls: 0 },
					},
				},
				105_000,
			],
			[
				"Perplexity's searches",
				"responses",
				{ max_tool_calls: 2, tools: [{ type: "web_search" }] },
				{ usage: { ...responsesUsage, tool_calls_details: { search_web: { invocation: 2 } } } },
				70_000,
			],
			[
				"containers of a shell",
				"responses",
				{ max_tool_calls: 2, tools: [{ type: "shell", environment: { type: "container_auto" } }] },
				{
					output: [
						{ type: "shell_call", id: "a", call_id: "c", action: { commands: ["ls"] } },
						{ type: "shell_call_output", id: "b", call_id: "c", output: [] },
						{ type: "shell_call", id: "d", call_id: "e", action: { commands: ["ls"] } },
						{ type: "shell_call_output", id: "f", call_id: "e", output: [] },
					],
				},
				30_000,
			],
			[
				"searches of tools that an item of the input brings",
				"responses",
				{
					max_tool_calls: 2,
					input: [...said, { type: "additional_tools", role: "developer", tools: [{ type: "web_search" }] }],
				},
				{
					output: [
						{ type: "web_search_call", id: "a", action: { type: "search", query: "the port" } },
						{ type: "web_search_call", id: "b", action: { type: "search", query: "the harbour" } },
					],
				},
				70_000,
			],
			["Google's searches", "gemini", { tools: [{ googleSearch: {} }] }, grounded("gemini-3-pro"), 70_000],
		];
	test.each([...hosted])("%s are charged by the piece", async (_name, protocol, fields, answered, fee) => {
		answer(answered);
		const { status, used } = await ask(protocol, fields);
		expect(status).toBe(200);
		expect(used).toBe(plain + fee);
	});
	test("OpenAI's older search has its own price", async () => {
		const priced = await attackWorld({
			plugins: [
				{ use: "prices", with: { models: { "*": { ...rates, perWebSearch: 0.01, perWebSearchPreview: 0.025 } } } },
			],
		});
		const output = [{ type: "web_search_call", id: "a", action: { type: "search", query: "the port" } }];
		for (const [type, fee] of [
			["web_search", 10_000],
			["web_search_preview", 25_000],
			["web_search_preview_2025_03_11", 25_000],
		] as const)
			for (const service_tier of [undefined, "default"]) {
				priced.upstream.answer(() => Response.json({ ...answers["/v1/responses"], output, service_tier }));
				const { key } = await priced.gateway.token({ quota: 10 });
				const body = { ...asks.responses.body, max_tool_calls: 1, tools: [{ type }] };
				const told = await priced.gateway.ask("/v1/responses", body, { headers: { authorization: `Bearer ${key}` } });
				await told.text();
				expect(await priced.used(key)).toBe(plain + fee);
			}
		await priced.stop();
	});
	test.each([
		["its count", {}, { server_tool_use: { web_search_requests: 2 } }, 70_000],
		["xAI's count of sources", {}, { num_sources_used: 3 }, 105_000],
		["Perplexity's count of queries", {}, { num_search_queries: 1 }, 35_000],
		[
			"what it cites",
			{ annotations: [{ type: "url_citation", url_citation: { url: "https://example.org" } }] },
			{},
			35_000,
		],
	] as const)(
		"a search of a chat model is charged by %s, whole, streamed and translated",
		async (_name, said, more, fee) => {
			const web_search_options = {};
			const usage = { ...chatAnswer.usage, ...more };
			const message = { role: "assistant", content: "Hello", ...said };
			answer({ usage, choices: [{ index: 0, message, finish_reason: "stop" }] });
			expect((await ask("chat", { web_search_options })).used).toBe(plain + fee);
			const event = (choices: readonly object[], told?: object) =>
				`data: ${JSON.stringify({ ...chatAnswer, object: "chat.completion.chunk", choices, usage: told })}\n\n`;
			const stream = [
				event([{ index: 0, delta: message, finish_reason: null }]),
				event([{ index: 0, delta: {}, finish_reason: "stop" }]),
				event([], usage),
				"data: [DONE]\n\n",
			].join("");
			world.upstream.answer(() => new Response(stream, { headers: { "content-type": "text/event-stream" } }));
			expect((await ask("chat", { web_search_options, stream: true })).used).toBe(plain + fee);
			const tools = [{ type: "web_search_20250305", name: "web_search" }];
			for (const streamed of [true, false]) {
				if (!streamed) answer({ usage, choices: [{ index: 0, message, finish_reason: "stop" }] });
				const translated = { model: "chat-completions-a", tools, stream: streamed };
				expect((await ask("messages", translated)).used).toBe(plain + fee);
			}
		},
	);
	test("Google's searches are charged in streams, left early and translated, too", async () => {
		const gemini = { tools: [{ googleSearch: {} }], ...asks.gemini.body };
		const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
		const event = (more: object) => `data: ${JSON.stringify({ ...grounded("gemini-3-pro"), ...more })}\n\n`;
		const whole = event({}) + event({ usageMetadata });
		const open = event({ candidates: [{ ...grounded("").candidates[0], finishReason: undefined }] });
		const charged = async (text: string, path: string, body: object): Promise<number> => {
			world.upstream.answer(() => new Response(text, { headers: { "content-type": "text/event-stream" } }));
			const { key } = await world.gateway.token({ quota: 10 });
			await (await world.gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } })).text();
			return await world.used(key);
		};
		const streamed = asks.gemini.path.replace(":generateContent", ":streamGenerateContent?alt=sse");
		expect(await charged(whole, streamed, gemini)).toBe(plain + 70_000);
		expect(await charged(open, streamed, gemini)).toBeGreaterThan(70_000);
		const tools = [{ type: "web_search_20250305", name: "web_search" }];
		const messages = { ...asks.messages.body, model: "generate-content-a", tools, stream: true };
		expect(await charged(whole, "/v1/messages", messages)).toBe(plain + 70_000);
		const pages = { urlContextMetadata: { urlMetadata: [{ retrievedUrl: "https://example.org" }] } };
		const sources = { groundingMetadata: { groundingChunks: [{ web: { uri: "https://example.org" } }] } };
		const parts = { content: { parts: [{ text: "Hello" }] } };
		const read =
			event({ candidates: [{ ...parts, ...pages }] }) +
			event({ candidates: [{ ...parts, ...sources, finishReason: "STOP" }], usageMetadata });
		const addresses = { tools: [{ urlContext: {} }], ...asks.gemini.body };
		expect(await charged(read, streamed, addresses)).toBe(plain);
		expect(await charged(read, "/v1/messages", messages)).toBe(plain);
	});
	test.each([...hosted])(
		"%s are refused when the quota does not hold their fee",
		async (_name, protocol, fields, answered, fee) => {
			answer(answered);
			const { status } = await ask(protocol, fields, { quota: (plain + fee - 1) / 1_000_000 });
			expect([402, 429]).toContain(status);
			expect(world.upstream.received).toEqual([]);
		},
	);
	test.each([
		["responses", { max_tool_calls: 0, tools: [{ type: "web_search" }] }],
		["messages", { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 0 }] }],
	] as const)("%s %j: none is no limit", async (protocol, fields) => {
		answer();
		expect([402, 429]).toContain((await ask(protocol, fields, { quota: 0.3 })).status);
		expect(world.upstream.received).toEqual([]);
	});
	test.each([
		["messages", { mcp_servers: [{ type: "url", url: "https://example.org", name: "n" }] }],
		["gemini", { tools: { googleSearch: {} } }],
		["chat", { search_parameters: { mode: "on" } }],
		["chat", { chat_template: "{{ messages[0].content * 9999 }}" }],
		["chat", { chat_template_kwargs: { chat_template: "{{ messages[0].content * 9999 }}" } }],
		["chat", { mm_processor_kwargs: { min_pixels: 80_000_000 } }],
		["responses", { mm_processor_kwargs: { min_pixels: 80_000_000 } }],
		["chat", { max_dynamic_patch: 400 }],
		["chat", { min_dynamic_patch: 400 }],
		["chat", { images_config: { max_pixels: 80_000_000 } }],
		["chat", shown({ url: "https://example.org/a.png", max_dynamic_patch: 400 })],
		["chat", shown({ url: "https://example.org/a.png", min_dynamic_patch: 400 })],
	] as const)("%s %j holds a whole window", async (protocol, fields) => {
		answer();
		const { status } = await ask(protocol, fields, { quota: 0.15 });
		expect([402, 429]).toContain(status);
		expect(world.upstream.received).toEqual([]);
	});
});

test.each(["chat", "responses", "messages"] as const)(
	"%s: what models that a tool asks cost is not known, so it is refused under a quota",
	async (protocol) => {
		for (const type of ["openrouter:advisor", "openrouter:subagent", "openrouter:fusion", "orq:advisor"]) {
			answer();
			expect((await ask(protocol, { tools: [{ type }] })).status).toBe(403);
			expect(world.upstream.received).toEqual([]);
		}
	},
);

test("a picture without such words holds no window", async () => {
	answer();
	const fields = shown({ url: "https://example.org/a.png", detail: "high" });
	const { status } = await ask("chat", { ...fields, mm_processor_kwargs: null }, { quota: 0.15 });
	expect(status).toBe(200);
});

test("a template's words of its own hold nothing more", async () => {
	answer();
	const { status } = await ask("chat", { chat_template_kwargs: { enable_thinking: false } }, { quota: 0.15 });
	expect(status).toBe(200);
});

describe("2 MB of text that say they are a picture", () => {
	const data = Buffer.from("word ".repeat(400_000)).toString("base64");
	const url = `data:text/plain;base64,${data}`;
	const source = { type: "base64", media_type: "text/plain", data };
	test.each([
		["chat", { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] }],
		["messages", { messages: [{ role: "user", content: [{ type: "image", source }] }] }],
		["responses", { input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] }],
		["gemini", { contents: [{ parts: [{ inlineData: { mimeType: "text/plain", data } }] }] }],
	] as const)("%s: refused on a quota that does not pay for 400,000 tokens", async (protocol, fields) => {
		answer();
		const { status } = await ask(protocol, fields, { quota: 0.4 });
		expect([402, 429]).toContain(status);
		expect(world.upstream.received).toEqual([]);
	});
});

describe("a conversation that the upstream makes shorter first", () => {
	const context_management = {
		edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }],
	};
	const messages = [{ role: "user", content: "word ".repeat(12_000) }];
	/** The counts beside the iterations leave the summary out, and it is billed. */
	const usage = {
		input_tokens: 230,
		output_tokens: 100,
		iterations: [
			{ type: "compaction", input_tokens: 1_000, cache_read_input_tokens: 800, output_tokens: 350 },
			{ type: "message", input_tokens: 230, output_tokens: 100 },
		],
	};
	const billed = (1_800 + 230) * rates.input + (350 + 100) * rates.output;

	test("is charged with its summary, whole and streamed, and told as the upstream told it", async () => {
		answer({ usage });
		const whole = await ask("messages", { messages, context_management });
		expect(JSON.parse(whole.text).usage).toEqual(usage);
		expect(whole.used).toBe(billed);
		const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
		const message = { ...answers["/v1/messages"], content: [], stop_reason: null, usage: { input_tokens: 230 } };
		const stream = [
			event("message_start", { message }),
			event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage }),
			event("message_stop", {}),
		].join("");
		world.upstream.answer(() => new Response(stream, { headers: { "content-type": "text/event-stream" } }));
		const streamed = await ask("messages", { messages, context_management, stream: true });
		expect(streamed.text).toBe(stream);
		expect(streamed.used).toBe(billed);
		const { key } = await world.gateway.token({ quota: 10 });
		const chat = { model: "messages-a", messages };
		const translated = await world.gateway.ask("/v1/chat/completions", chat, {
			headers: { authorization: `Bearer ${key}` },
		});
		expect(await translated.json()).toMatchObject({ usage: { prompt_tokens: 230, completion_tokens: 100 } });
		expect(await world.used(key)).toBe(billed);
	});
	test("is refused where the quota does not hold its summary", async () => {
		answer({ usage });
		const bound = (60_400 * rates.input + 500 * rates.output) / 1_000_000;
		expect((await ask("messages", { messages }, { quota: bound })).status).toBe(200);
		world.upstream.received.length = 0;
		expect((await ask("messages", { messages, context_management }, { quota: bound })).status).toBe(402);
		expect(world.upstream.received).toEqual([]);
	});
});
