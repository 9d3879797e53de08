/** What is listed of models that only a pattern knows: through the front door, with upstreams that tell, fail and hang. */
import { afterEach, describe, expect, test } from "bun:test";
import { createTestClock, type Script, startGateway, startUpstream, type TestGateway } from "#core/testing";

const ends: (() => unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

const serve = (script: Script) => {
	const upstream = startUpstream(script);
	ends.push(() => upstream.stop());
	return upstream;
};

interface Setting {
	readonly upstreams: readonly object[];
	readonly models: readonly object[];
}

const open = async (setting: Setting, more: Partial<Parameters<typeof startGateway>[0]> = {}): Promise<TestGateway> => {
	const protocols = ["chat-completions", "responses", "messages", "generate-content"];
	const plugins = ["tokens", "model-list", ...protocols, { use: "router", with: setting }];
	const gateway = await startGateway({ plugins, ...more });
	ends.push(() => gateway.stop());
	return gateway;
};

const names = async (gateway: TestGateway, init?: RequestInit): Promise<readonly string[]> => {
	const response = await gateway.ask("/v1/models", undefined, init);
	expect(response.status).toBe(200);
	const { data } = (await response.json()) as { data: { id: string }[] };
	return data.map(({ id }) => id);
};

const openai = [
	{ id: "gpt-5.1", object: "model", created: 1, owned_by: "openai" },
	{ id: "gpt-new", object: "model", context_length: 12_345, max_completion_tokens: 678 },
	{ id: "whisper-1", object: "model" },
	{ id: "gpt-\nodd" },
	{ id: 7 },
];
const listing: Script = ({ path }) =>
	path === "/v1/models" ? Response.json({ object: "list", data: openai }) : new Response(null, { status: 404 });

const main = (url: string, more: object = {}) => ({
	name: "main",
	protocol: "chat-completions",
	url: `${url}/v1`,
	...more,
});
const toMain = { targets: [{ upstream: "main" }] };

describe("a list of models", () => {
	test("holds what a pattern leads to, asked once for many lists", async () => {
		const upstream = serve(listing);
		const gateway = await open({
			upstreams: [main(upstream.url, { key: "secret-key" })],
			models: [
				{ name: "gpt-*", ...toMain },
				{ name: "fast", targets: [{ upstream: "main", model: "gpt-new" }] },
			],
		});
		expect(await names(gateway)).toEqual(["fast", "gpt-5.1", "gpt-new"]);
		await Promise.all([names(gateway), names(gateway)]);
		expect(upstream.received.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /v1/models"]);
		expect(upstream.received[0]?.headers.get("authorization")).toBe("Bearer secret-key");
	});

	test("is read anew after ten minutes, and an old one is given meanwhile", async () => {
		const upstream = serve(listing);
		const clock = createTestClock();
		const gateway = await open({ upstreams: [main(upstream.url)], models: [{ name: "gpt-*", ...toMain }] }, { clock });
		expect(await names(gateway)).toEqual(["gpt-5.1", "gpt-new"]);
		upstream.answer(() => new Promise(() => undefined));
		await clock.advance(10 * 60_000);
		expect(await names(gateway)).toEqual(["gpt-5.1", "gpt-new"]);
		while (upstream.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
	});

	test("holds only what the token may use, and nothing that another pattern or no target of its name leads to", async () => {
		const upstream = serve(listing);
		const gateway = await open({
			upstreams: [main(upstream.url)],
			models: [
				{ name: "*", ...toMain },
				{ name: "gpt-5*", targets: [{ upstream: "main", model: "gpt-new" }] },
			],
		});
		expect(await names(gateway)).toEqual(["gpt-new", "whisper-1"]);
		const { key } = await gateway.token({ models: ["whisper-*"] });
		expect(await names(gateway, { headers: { authorization: `Bearer ${key}` } })).toEqual(["whisper-1"]);
	});

	test("is asked with the next key where one is refused", async () => {
		const upstream = serve((request) =>
			request.headers.get("authorization") === "Bearer bad" ? new Response(null, { status: 401 }) : listing(request),
		);
		const upstreams = [main(upstream.url, { keys: ["bad", "good"] })];
		expect(await names(await open({ upstreams, models: [{ name: "gpt-*", ...toMain }] }))).toEqual([
			"gpt-5.1",
			"gpt-new",
		]);
	});

	test.each([
		["500", () => new Response("no", { status: 500 })],
		["no JSON", () => new Response("<html>")],
		["JSON of another shape", () => Response.json([{ id: {} }, null, "x"])],
	])("stands where an upstream answers with %s", async (_, script) => {
		const upstream = serve(script);
		const models = [
			{ name: "gpt-*", ...toMain },
			{ name: "fast", ...toMain },
		];
		const gateway = await open({ upstreams: [main(upstream.url)], models });
		for (let call = 0; call < 3; call++) expect(await names(gateway)).toEqual(["fast"]);
		expect(upstream.received).toHaveLength(1);
	});

	test("waits a second for an upstream that hangs, once", async () => {
		const clock = createTestClock();
		const hanging = serve(() => new Promise(() => undefined));
		const well = serve(listing);
		const gateway = await open(
			{
				upstreams: [main(well.url), { name: "slow", protocol: "messages", url: hanging.url }],
				models: [
					{ name: "gpt-*", ...toMain },
					{ name: "claude-*", targets: [{ upstream: "slow" }] },
				],
			},
			{ clock },
		);
		const first = names(gateway);
		let over = false;
		void first.then(() => {
			over = true;
		});
		while (hanging.received.length + well.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
		expect(over).toBe(false);
		await clock.advance(1000);
		await first;
		while ((await names(gateway)).length < 2) await new Promise((resolve) => setImmediate(resolve));
		await clock.advance(10_000);
		while (!hanging.received[0]?.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
		expect(await names(gateway)).toEqual(["gpt-5.1", "gpt-new"]);
		expect(hanging.received).toHaveLength(1);
	});
});

describe("sizes", () => {
	const open4 = async () => {
		const chat = serve(listing);
		const claude = serve(({ path, headers }) =>
			path === "/v1/models?limit=1000" && headers.get("anthropic-version") !== null
				? Response.json({ data: [{ type: "model", id: "claude-new", max_input_tokens: 222_000, max_tokens: 33_000 }] })
				: new Response(null, { status: 404 }),
		);
		const gemini = serve(({ path }) =>
			path === "/v1beta/models?pageSize=1000"
				? Response.json({ models: [{ name: "models/gemini-new", inputTokenLimit: 99_000, outputTokenLimit: 8_800 }] })
				: new Response(null, { status: 404 }),
		);
		return await open({
			upstreams: [
				main(chat.url),
				{ name: "claude", protocol: "messages", url: claude.url },
				{ name: "gemini", protocol: "generate-content", url: `${gemini.url}/v1beta` },
			],
			models: [
				{ name: "gpt-*", ...toMain },
				{ name: "claude-*", targets: [{ upstream: "claude" }] },
				{ name: "gemini-*", targets: [{ upstream: "gemini" }] },
				{ name: "own", targets: [{ upstream: "main", model: "gpt-new" }], caps: { contextWindow: 5, maxOutput: 4 } },
			],
		});
	};

	test("are told as the upstream tells them, else from the table; config has the last word", async () => {
		const gateway = await open4();
		const { data } = (await (await gateway.ask("/v1/models")).json()) as { data: Record<string, unknown>[] };
		const sizes = data.map(({ id, context_window: window, max_output_tokens: output }) => [id, window, output]);
		expect(sizes).toEqual([
			["own", 5, 4],
			["gpt-5.1", 400_000, 128_000],
			["gpt-new", 12_345, 678],
			["claude-new", 222_000, 33_000],
			["gemini-new", 99_000, 8_800],
		]);
		expect(await (await gateway.ask("/v1/models/gpt-new")).json()).toMatchObject({
			id: "gpt-new",
			context_window: 12_345,
		});
	});

	test("in Anthropic's list and in Google's", async () => {
		const gateway = await open4();
		const anthropic = await gateway.ask("/v1/models", undefined, { headers: { "anthropic-version": "2023-06-01" } });
		const { data } = (await anthropic.json()) as { data: unknown[] };
		expect(data).toContainEqual(
			expect.objectContaining({ id: "claude-new", max_input_tokens: 222_000, max_tokens: 33_000 }),
		);
		const { models } = (await (await gateway.ask("/v1beta/models")).json()) as { models: unknown[] };
		expect(models).toContainEqual(
			expect.objectContaining({ name: "models/gemini-new", inputTokenLimit: 99_000, outputTokenLimit: 8_800 }),
		);
	});
});

test("Google's clients find the models that embed: by the upstream's word, by their names, and as config says", async () => {
	const methods = ["embedContent", "countTextTokens"];
	const gemini = serve(({ path }) =>
		path === "/v1beta/models?pageSize=1000"
			? Response.json({ models: [{ name: "models/gecko-9", supportedGenerationMethods: methods }] })
			: new Response(null, { status: 404 }),
	);
	const toGemini = { targets: [{ upstream: "gemini" }] };
	const gateway = await open({
		upstreams: [{ name: "gemini", protocol: "generate-content", url: `${gemini.url}/v1beta` }],
		models: [
			{ name: "gecko-*", ...toGemini },
			{ name: "gemini-embedding-001", ...toGemini },
			{ name: "small-vectors", ...toGemini, caps: { embeds: true } },
			{ name: "gemini-3-flash", ...toGemini },
		],
	});
	const { models } = (await (await gateway.ask("/v1beta/models")).json()) as {
		models: { name: string; supportedGenerationMethods: string[] }[];
	};
	const embedders = models.filter((model) => model.supportedGenerationMethods.includes("embedContent"));
	expect(embedders.map(({ name }) => name).sort()).toEqual([
		"models/gecko-9",
		"models/gemini-embedding-001",
		"models/small-vectors",
	]);
});
