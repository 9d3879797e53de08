/** One walk of every rule over every endpoint: whoever may not chat may not embed, rerank, moderate or complete either. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		config: { server: { trustedProxies: ["127.0.0.1/32"] } },
		plugins: [
			"tokens",
			"expiry",
			"model-list",
			"ip-whitelist",
			{
				use: "prices",
				with: { models: { dear: { input: 1, output: 1, perThousandSearches: 1000 } } },
			},
			"quota",
			"rate-limit",
			"ledger",
			"chat-completions",
			"generate-content",
			"embeddings",
			"rerank",
			"moderations",
			"completions",
			"audio",
			"responses",
			{ use: "demo", with: { wordMs: 0 } },
			{
				use: "router",
				with: {
					models: [
						{ name: "demo", targets: [{ upstream: "demo" }] },
						{ name: "dear", targets: [{ upstream: "demo" }] },
					],
				},
			},
		],
	});
});
afterAll(() => gateway.stop());

const documents = ["one", "two"];
const routes: readonly (readonly [path: string, body: object])[] = [
	["/v1/embeddings", { model: "dear", input: "x" }],
	["/embeddings", { model: "dear", input: ["x"], input_type: "query" }],
	["/v2/embed", { model: "dear", texts: ["x"], input_type: "search_query" }],
	["/v1/embed", { model: "dear", texts: ["x"] }],
	["/v1beta/models/dear:embedContent", { content: { parts: [{ text: "x" }] } }],
	["/v1beta/models/dear:batchEmbedContents", { requests: [{ content: { parts: [{ text: "x" }] } }] }],
	["/v2/rerank", { model: "dear", query: "q", documents }],
	["/v1/rerank", { model: "dear", query: "q", documents, top_k: 1 }],
	["/rerank", { model: "dear", query: "q", documents, return_documents: true }],
	["/v1/moderations", { model: "dear", input: "x" }],
	["/v1/completions", { model: "dear", prompt: "x" }],
	["/v1/fim/completions", { model: "dear", prompt: "x", suffix: "y" }],
	["/v1/audio/speech", { model: "dear", input: "x", voice: "alloy" }],
	["/v1/responses/compact", { model: "dear", input: "x" }],
	["/openai/responses", { model: "dear", input: "x" }],
	["/openai/v1/embeddings", { model: "dear", input: "x" }],
	["/openai/deployments/dear/embeddings?api-version=2024-10-21", { input: "x" }],
	["/v1beta/openai/embeddings", { model: "dear", input: "x" }],
];

const ask = (path: string, body: object, key: string, headers: Record<string, string> = {}) =>
	gateway.ask(path, body, { headers: { authorization: `Bearer ${key}`, ...headers } });

/** The status, and whether it is told in words wherever clients look for them. */
const refusal = async (response: Response): Promise<number> => {
	const body = (await response.json()) as { readonly message?: string; readonly error?: { readonly message?: string } };
	expect((body.error?.message ?? "").length).toBeGreaterThan(10);
	if (body.message !== undefined) expect(body.message).toBe(body.error?.message ?? "");
	return response.status;
};

describe.each(routes)("%s", (path, body) => {
	test("answers a token that may", async () => {
		const { key } = await gateway.token();
		expect((await ask(path, body, key)).status).toBe(200);
	});

	test("refuses a key that is not known", async () => {
		expect(await refusal(await ask(path, body, "sk-wrong"))).toBe(401);
	});

	test("refuses a token whose time is over", async () => {
		const { key } = await gateway.token({ expiresAt: "2020-01-01T00:00:00Z" });
		expect(await refusal(await ask(path, body, key))).toBe(401);
	});

	test("refuses a model that is not on the token's list, like one that does not exist", async () => {
		const { key } = await gateway.token({ models: ["other"] });
		expect(await refusal(await ask(path, body, key))).toBe(404);
	});

	test("refuses an address that is not the token's", async () => {
		const { key } = await gateway.token({ ips: ["203.0.113.0/24"] });
		expect(await refusal(await ask(path, body, key, { "x-forwarded-for": "198.51.100.7" }))).toBe(403);
	});

	test("refuses what comes too often", async () => {
		const { key } = await gateway.token({ rateLimit: { requestsPerMinute: 1 } });
		expect((await ask(path, body, key)).status).toBe(200);
		expect(await refusal(await ask(path, body, key))).toBe(429);
	});

	test("refuses a token whose quota is 0, and charges one that has some", async () => {
		const { key: poor } = await gateway.token({ quota: 0 });
		expect(await refusal(await ask(path, body, poor))).toBe(429);
		const { key, id } = await gateway.token({ quota: 100 });
		expect((await ask(path, body, key)).status).toBe(200);
		const { used } = await gateway.admin("GET", `/admin/tokens/${id}`);
		expect(used).toBeGreaterThan(0);
	});

	test("refuses in words what is no request of its kind", async () => {
		const { key } = await gateway.token();
		expect(await refusal(await ask(path, { model: "dear" }, key))).toBe(400);
		expect(await refusal(await gateway.ask(path, "{", { headers: { authorization: `Bearer ${key}` } }))).toBe(400);
	});
});

describe("other names of OpenAI's addresses", () => {
	const chat = { messages: [{ role: "user", content: "Hi" }] };

	test.each(["/openai/v1/chat/completions", "/v1beta/openai/chat/completions"])("%s", async (path) => {
		expect((await gateway.ask(path, { model: "demo", ...chat })).status).toBe(200);
	});

	test("Azure's take the model from the address, whatever the body says, and the key as `api-key`", async () => {
		const path = "/openai/deployments/demo/chat/completions?api-version=2024-10-21";
		for (const body of [chat, { model: "nobody-knows", ...chat }]) {
			const response = await fetch(gateway.url + path, {
				method: "POST",
				headers: { "api-key": gateway.key, "content-type": "application/json" },
				body: JSON.stringify(body),
			});
			expect([response.status, ((await response.json()) as { model: string }).model]).toEqual([200, "demo"]);
		}
		const { key } = await gateway.token({ models: ["demo"] });
		expect((await ask("/openai/deployments/dear/embeddings", { model: "demo", input: "x" }, key)).status).toBe(404);
	});

	test.each(["/openai/v1/models", "/v1beta/openai/models", "/openai/models"])("%s lists the models", async (path) => {
		expect(await (await gateway.ask(path)).json()).toMatchObject({ data: [{ id: "demo" }, { id: "dear" }] });
	});
});

describe("what is left of a quota", () => {
	test("is told as OpenAI's billing and OpenRouter tell it", async () => {
		const { key } = await gateway.token({ quota: 2, expiresAt: "2099-01-01T00:00:00Z" });
		expect((await ask("/v2/rerank", { model: "dear", query: "q", documents }, key)).status).toBe(200); // one search: $1
		const get = async (path: string) =>
			(await gateway.ask(path, undefined, { headers: { authorization: `Bearer ${key}` } })).json();
		for (const root of ["/dashboard/billing", "/v1/dashboard/billing"]) {
			expect(await get(`${root}/subscription`)).toMatchObject({ hard_limit_usd: 2, access_until: 4070908800 });
			expect(await get(`${root}/usage?start_date=2026-01-01&end_date=2026-02-01`)).toMatchObject({ total_usage: 100 });
			expect(await get(`${root}/credit_grants`)).toMatchObject({ total_granted: 2, total_used: 1, total_available: 1 });
		}
		expect(await get("/v1/credits")).toEqual({ data: { total_credits: 2, total_usage: 1 } });
		expect((await gateway.ask("/v1/credits", undefined, { headers: { authorization: "Bearer sk-no" } })).status).toBe(
			401,
		);
	});
});

describe("50 at once on a quota for one", () => {
	test("of searches: one is served, and no more is charged than there was", async () => {
		const { key, id } = await gateway.token({ quota: 1.5 });
		const body = { model: "dear", query: "q", documents };
		const answers = await Promise.all(Array.from({ length: 50 }, () => ask("/rerank", body, key)));
		expect(answers.filter(({ status }) => status === 200).length).toBe(1);
		expect(await gateway.admin("GET", `/admin/tokens/${id}`)).toMatchObject({ used: 1, remaining: 0.5 });
	});

	test("of embeddings: never more than there was", async () => {
		const { key, id } = await gateway.token({ quota: 0.0003 });
		const body = { model: "dear", input: "x".repeat(60), dimensions: 2 };
		const answers = await Promise.all(Array.from({ length: 50 }, () => ask("/v1/embeddings", body, key)));
		const served = answers.filter(({ status }) => status === 200).length;
		expect(served).toBeGreaterThan(0);
		expect(served).toBeLessThan(50);
		const { used } = await gateway.admin("GET", `/admin/tokens/${id}`);
		expect(used).toBeLessThanOrEqual(0.0003);
	});
});

describe("what would choose another upstream", () => {
	test("is taken out of a request, and said", async () => {
		const response = await gateway.ask("/v1/embeddings", { model: "demo", input: "x", models: ["dear"], Input: "y" });
		expect([response.status, response.headers.get("x-portico-dropped")]).toEqual([200, "models,Input"]);
	});
});
