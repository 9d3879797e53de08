/** No field of a client's chooses another model, upstream, address or key; what is taken out is told. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ plugins: ["model-list"] });
});
afterAll(() => world.stop());

const said = [{ role: "user", content: "Hi" }];
const asks = {
	"chat-completions": ["/v1/chat/completions", { model: "chat-completions-a", messages: said }],
	messages: ["/v1/messages", { model: "messages-a", max_tokens: 9, messages: said }],
	responses: ["/v1/responses", { model: "responses-a", input: "Hi" }],
	"generate-content": [
		"/v1beta/models/generate-content-a:generateContent",
		{ contents: [{ parts: [{ text: "Hi" }] }] },
	],
} as const;
type Name = keyof typeof asks;
const names = Object.keys(asks) as Name[];

const ask = async (protocol: Name, fields: object, settings: object = {}) => {
	world.upstream.received.length = 0;
	world.upstream.answer(({ path }) =>
		Response.json(
			path.includes("responses")
				? { id: "resp_1", object: "response", status: "completed", model: "responses-a", output: [] }
				: {
						id: "x",
						object: "chat.completion",
						type: "message",
						role: "assistant",
						content: [],
						stop_reason: "end_turn",
						choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
						candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
						usage: { input_tokens: 1, output_tokens: 1, prompt_tokens: 1, completion_tokens: 1 },
					},
		),
	);
	const { key } = await world.gateway.token({ ...settings });
	const [path, body] = asks[protocol];
	const headers = { authorization: `Bearer ${key}` };
	const response = await world.gateway.ask(path, { ...body, ...fields }, { headers });
	await response.text();
	const sent = world.upstream.received[0];
	return { status: response.status, dropped: response.headers.get("x-portico-dropped"), sent };
};

const steering = {
	models: ["gpt-5-pro"],
	route: "fallback",
	fallbacks: [{ model: "claude-opus-5" }],
	provider: { only: ["dear"] },
	preset: "dear",
	plugins: [{ id: "web" }],
	extra_body: { model: "gpt-5-pro" },
	extra_headers: { authorization: "Bearer x" },
	api_base: "http://169.254.169.254",
	base_url: "http://169.254.169.254",
	api_key: "k",
	api_version: "v0",
	data_sources: [{ type: "azure_search" }],
	user_config: {},
	num_retries: 9,
	kv_transfer_params: { do_remote_prefill: true, remote_host: "169.254.169.254", remote_port: 80 },
	ec_transfer_params: { x: { peer_host: "169.254.169.254", peer_port: 80 } },
	bootstrap_host: "169.254.169.254",
	bootstrap_port: 80,
	bootstrap_room: 1,
	headers: { authorization: "Bearer x" },
	aws_sts_endpoint: "http://169.254.169.254",
	aws_web_identity_token: "t",
	aws_role_name: "arn",
	s3_endpoint_url: "http://169.254.169.254",
	sagemaker_base_url: "http://169.254.169.254",
	deployment_url: "http://169.254.169.254",
	azure_ad_token: "t",
	litellm_credential_name: "another",
	lora_path: "dear",
	lora: [{ id: 0, scale: 1 }],
	fallback_model: "dear",
	fallback_models: ["dear"],
	fallback_config: { depth: 2 },
	litellm_params_template: { api_base: "http://169.254.169.254" },
	providerOptions: { gateway: { models: ["openai/gpt-5-pro"] } },
	"tensorzero::extra_body": [{ pointer: "/model", value: "gpt-5-pro" }],
	"tensorzero::extra_headers": [{ name: "authorization", value: "Bearer x" }],
	"tensorzero::variant_name": "dear",
	"tensorzero::params": { chat_completion: { max_tokens: 99_999 } },
	"tensorzero::credentials": { key: "k" },
	"tensorzero::internal_dynamic_variant_config": { type: "chat_completion", model: "openai::gpt-5-pro" },
	"tensorzero::provider_tools": [{ tool: { type: "web_search" } }],
	disable_global_guardrail: true,
	disable_global_guardrails: true,
	tags: ["paid"],
	litellm_metadata: { tags: ["paid"] },
	project_id: "another",
	space_id: "another",
	oci_compartment_id: "another",
	oci_endpoint_id: "another",
	model_id: "anthropic.claude-opus-5",
	aws_profile_name: "another",
	aws_session_name: "another",
	aws_external_id: "another",
	vertex_ai_project: "another",
	vertex_ai_location: "another",
	vertex_ai_credentials: "{}",
	max_new_tokens: 99_999,
	auto_max_new_tokens: true,
	max_gen_len: 99_999,
	max_token_count: 99_999,
	max_tokens_to_sample: 99_999,
	num_predict: 99_999,
	candidate_count: 8,
	num_generations: 8,
	num_results: 8,
	num_return_sequences: 8,
	additional_drop_params: ["max_tokens", "max_completion_tokens"],
	context_window_fallback_dict: { "gpt-5-mini": "gpt-5-pro" },
	max_retries: 9,
	retry_policy: { TimeoutErrorRetries: 9 },
	retry_strategy: "constant_retry",
	prompt_id: "another",
	performanceConfig: { latency: "optimized" },
	provider_specific_header: { extra_headers: { authorization: "Bearer x" } },
	use_litellm_proxy: true,
	ssl_verify: false,
	region_name: "eu-central-1",
	client_secret: "s",
	azure_username: "u",
	azure_password: "p",
	langfuse_host: "http://169.254.169.254",
	langsmith_base_url: "http://169.254.169.254",
	cache_key: "another",
	preset_cache_key: "another",
	input_cost_per_token: 0,
	output_cost_per_token: 0,
	mock_response: "free",
	mock_tool_calls: [],
	mock_timeout: true,
	mock_testing_fallbacks: true,
	mock_testing_context_fallbacks: true,
	mock_testing_content_policy_fallbacks: true,
	mock_testing_rate_limit_error: true,
	timeout: 0.001,
	request_timeout: 0.001,
	stream_timeout: 0.001,
	force_timeout: 0.001,
	session_params: { id: "another" },
	custom_logit_processor: '{"callable":"8004"}',
	rid: "x",
	compound_custom: { models: { answering_model: "dear", reasoning_model: "dear" } },
	safety_model: "dear",
	deferred: true,
	n_predict: 99_999,
	n_cmpl: 8,
	best_of: 50,
};

/** By which each protocol says how much is answered. */
const ownLimits: Readonly<Record<Name, readonly string[]>> = {
	"chat-completions": ["n", "max_tokens", "max_completion_tokens"],
	messages: ["max_tokens"],
	responses: ["max_output_tokens"],
	"generate-content": [],
};

describe.each(names)("%s", (protocol) => {
	test("sends on no field that steers, and names each of them", async () => {
		const { status, dropped, sent } = await ask(protocol, { ...steering, Models: ["m"], extraBody: {}, baseUrl: "x" });
		expect(status).toBe(200);
		const kept = asks[protocol][1];
		expect(Object.keys(sent?.json as object).sort()).toEqual(Object.keys(kept).sort());
		for (const name of Object.keys(steering)) expect(dropped?.split(",")).toContain(name.replace("::", "__"));
	});
	test("sends on no other protocol's limit, by which servers that speak several go first", async () => {
		const limits = { n: 8, max_tokens: 99_999, max_completion_tokens: 99_999, max_output_tokens: 99_999 };
		const foreign = Object.entries(limits).filter(([name]) => !ownLimits[protocol].includes(name));
		const { status, dropped, sent } = await ask(protocol, Object.fromEntries(foreign));
		expect(status).toBe(200);
		expect(Object.keys(sent?.json as object).sort()).toEqual(Object.keys(asks[protocol][1]).sort());
		expect(dropped?.split(",")).toEqual(foreign.map(([name]) => name));
	});
	test("sends on no servers and containers that another protocol names", async () => {
		const fields = { mcp_servers: [{ type: "url", name: "s", url: "https://tools.example" }], container: "another" };
		const { sent } = await ask(protocol, fields);
		expect(sent?.text ?? "").not.toContain("another");
		if (protocol !== "messages")
			expect(Object.keys(sent?.json ?? {}).sort()).toEqual(Object.keys(asks[protocol][1]).sort());
	});
	test("sends on no tags by which LiteLLM chooses, no switch of its guards, and what is beside them", async () => {
		const { status, dropped, sent } = await ask(protocol, {
			metadata: { tags: ["paid"], user: "u", disable_global_guardrail: true },
		});
		expect(status).toBe(200);
		expect(dropped).toBe("metadata.tags,metadata.disable_global_guardrail");
		expect(sent?.json).toMatchObject({ metadata: { user: "u" } });
		expect(sent?.text).not.toMatch(/paid|guardrail/);
		expect((await ask(protocol, { metadata: { tags: "a text" } })).sent?.text).toContain("a text");
	});
	test("sends on no cache of another's", async () => {
		const { status, sent } = await ask(protocol, { cached_content: "cachedContents/another" });
		expect(sent?.text ?? "").not.toContain("another");
		const knows = protocol === "chat-completions" || protocol === "generate-content";
		expect(status).toBe(knows ? 400 : 200);
	});
	test("sends on no second spelling of what decides the price", async () => {
		const { sent } = await ask(protocol, { MODEL: "gpt-5-pro", Model: "gpt-5-pro", Max_Tokens: 99_999, maxTokens: 9 });
		expect(sent?.text).not.toContain("gpt-5-pro");
		if (protocol === "chat-completions" || protocol === "messages")
			expect(sent?.text).not.toMatch(/Max_Tokens|maxTokens/);
	});
	test("leaves a request alone that steers nothing", async () => {
		const { dropped, sent } = await ask(protocol, { metadata: { models: "a" }, user: "provider" });
		expect(dropped).toBeNull();
		expect(sent?.json).toMatchObject({ metadata: { models: "a" } });
	});
});

test.each(["generationConfig", "generation_config"])("Gemini's %s routes to no other model", async (config) => {
	const manualMode = { modelName: "gemini-3-pro" };
	const modelSelectionConfig = { featureSelectionPreference: "PRIORITIZE_QUALITY" };
	const fields = {
		[config]: { temperature: 1, routingConfig: { manualMode }, routing_config: { autoMode: {} }, modelSelectionConfig },
	};
	const { dropped, sent } = await ask("generate-content", { ...fields, models: ["dear"] });
	expect(dropped).toBe(`models,${config}.routingConfig,${config}.routing_config,${config}.modelSelectionConfig`);
	expect(sent?.json).toHaveProperty(config, { temperature: 1 });
	expect(sent?.json).not.toHaveProperty("models");
});

describe("a tool that names a model", () => {
	const tools = [{ type: "image_generation", model: "gpt-image-2", quality: "low" }];
	test("keeps it for a token that may use every model", async () => {
		const { dropped, sent } = await ask("responses", { tools });
		expect(dropped).toBeNull();
		expect(sent?.json).toMatchObject({ tools });
	});
	test("keeps it where the token's list has it", async () => {
		const { sent } = await ask("responses", { tools }, { models: ["responses-*", "gpt-image-*"] });
		expect(sent?.json).toMatchObject({ tools });
	});
	test("loses it, and says so, where the list does not", async () => {
		const { dropped, sent } = await ask("responses", { tools }, { models: ["responses-*"] });
		expect(dropped).toBe("tools[0].model");
		expect(sent?.json).toHaveProperty("tools", [{ type: "image_generation", quality: "low" }]);
	});
	test("loses the one that would write its drawings", async () => {
		const drawing = { type: "image_generation", output_format: "svg", svg: { model: "gpt-6-pro", reasoning: null } };
		const { dropped, sent } = await ask("responses", { tools: [drawing] }, { models: ["responses-*"] });
		expect(dropped).toBe("tools[0].svg.model");
		expect(sent?.json).toHaveProperty("tools", [{ ...drawing, svg: { reasoning: null } }]);
		const { sent: named } = await ask("responses", { tools: [drawing] }, { models: ["responses-*", "gpt-6-*"] });
		expect(named?.json).toMatchObject({ tools: [drawing] });
	});
	test.each(["additional_tools", "tool_search_output"])(
		"loses it within an item %s, and in a list of its own",
		async (type) => {
			const named = { type: "namespace", name: "n", tools };
			const input = [
				{ role: "user", content: "Hi" },
				{ type, tools: [{ type: "web_search" }, ...tools, named] },
			];
			const { dropped, sent } = await ask("responses", { input }, { models: ["responses-*"] });
			expect(dropped).toBe("input[1].tools[1].model,input[1].tools[2].tools[0].model");
			const without = { type: "image_generation", quality: "low" };
			const kept = [{ type: "web_search" }, without, { type: "namespace", name: "n", tools: [without] }];
			expect(sent?.json).toHaveProperty("input", [input[0], { type, tools: kept }]);
			expect((await ask("responses", { input }, { models: ["responses-*", "gpt-image-2"] })).sent?.json).toMatchObject({
				input,
			});
		},
	);
});

describe.each(["chat-completions", "responses", "messages"] as const)(
	"%s: a tool that asks other models",
	(protocol) => {
		const asks = [
			{ type: "openrouter:advisor", parameters: { model: "~anthropic/claude-opus-latest" } },
			{ type: "openrouter:subagent" },
			{ type: "openrouter:fusion", parameters: { analysis_models: ["~openai/gpt-latest"] } },
		];
		const search = { type: "openrouter:web_search", parameters: { engine: "exa" } };
		const picture = {
			type: "openrouter:image_generation",
			parameters: { model: "openai/gpt-image-2", quality: "low" },
		};
		test("is kept for a token that may use every model", async () => {
			const { dropped, sent } = await ask(protocol, { tools: [...asks, picture] });
			expect(dropped).toBeNull();
			expect(sent?.json).toMatchObject({ tools: [...asks, picture] });
		});
		test("is left out for others, for the model may choose any; so is the model that a tool's settings name", async () => {
			const settings = { models: [`${protocol}-*`] };
			const { dropped, sent } = await ask(protocol, { tools: [...asks, search, picture] }, settings);
			expect(dropped).toBe("tools[0],tools[1],tools[2],tools[4].parameters.model");
			const unnamed = { type: "openrouter:image_generation", parameters: { quality: "low" } };
			expect(sent?.json).toHaveProperty("tools", [search, unnamed]);
			expect((await ask(protocol, { tools: asks }, settings)).sent?.json).not.toHaveProperty("tools");
		});
		test("is kept where the list has it", async () => {
			const settings = { models: [`${protocol}-*`, "openrouter:subagent", "openai/*"] };
			const { dropped, sent } = await ask(protocol, { tools: [...asks, picture] }, settings);
			expect(dropped).toBe("tools[0],tools[2]");
			expect(sent?.json).toHaveProperty("tools", [asks[1], picture]);
		});
	},
);

test("a tool that the upstream runs is sent to no other address, with no other key", async () => {
	const advisor = { type: "advisor_20260301", name: "advisor", model: "claude-opus-5" };
	const tools = [
		{ ...advisor, api_base: "http://169.254.169.254", ApiKey: "k", parameters: { base_url: "http://[::1]" } },
	];
	const { dropped, sent } = await ask("messages", { tools });
	expect(dropped).toBe("tools[0].parameters.base_url,tools[0].api_base,tools[0].ApiKey");
	expect(sent?.json).toHaveProperty("tools", [{ ...advisor, parameters: {} }]);
});

test("a function may have a parameter called model", async () => {
	const schema = { type: "object", properties: { model: { type: "string" } }, model: "x" };
	const tools = [{ type: "function", name: "f", parameters: schema }];
	const { dropped, sent } = await ask("responses", { tools }, { models: ["responses-*"] });
	expect(dropped).toBeNull();
	expect(sent?.json).toHaveProperty("tools", tools);
});

describe("a model's name that is the way to another", () => {
	const ways = [
		"/../generate-content-dear",
		"/../../cachedContents",
		"/./x",
		"\\..\\generate-content-dear",
		"/..",
		"\u0000",
		"\n",
		",generate-content-dear",
		", generate-content-dear",
		"@preset/dear",
	];
	test.each(ways)("generate-content-a%j is no model, whoever asks", async (way) => {
		for (const protocol of names) {
			if (protocol === "generate-content") continue;
			const model = `generate-content-a${way}`;
			for (const settings of [{}, { models: ["generate-content-a*"] }])
				expect(await ask(protocol, { model }, settings)).toMatchObject({ status: 404, sent: undefined });
		}
	});
	test.each([
		["generate-content-a.b", "generate-content-a.b"],
		["generate-content-a/b..c", "generate-content-a/b..c"],
		["generate-content-a:b@c#d", "generate-content-a:b%40c%23d"],
	])("%s is one", async (model, step) => {
		expect((await ask("chat-completions", { model })).sent?.path).toBe(`/v1beta/models/${step}:generateContent`);
	});
});
