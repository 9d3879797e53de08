/** A stranger's endpoint lives the whole life of a call: routed, metered, failed over, recorded. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { checkPlugin, type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

const folder = resolve(import.meta.dir, "../../templates/stranger-rerank");
const answerOf = (model: string, searches = 1) =>
	Response.json({
		model,
		results: [{ index: 0, relevance_score: 0.5 }],
		meta: { billed_units: { search_units: searches } },
	});
let first: ScriptedUpstream;
let second: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	first = startUpstream(() => answerOf("ranker-1"));
	second = startUpstream(() => answerOf("ranker-2"));
	const upstream = (name: string, url: string) => ({
		name,
		url,
		protocol: "chat-completions",
		key: "upstream-key-1",
		endpoints: ["stranger-rerank"],
	});
	gateway = await startGateway({
		plugins: [
			"tokens",
			"model-list",
			"chat-completions",
			{
				use: "prices",
				with: {
					models: { "ranker*": { perThousandSearches: 2 }, talker: { input: 1, output: 1 }, half: { perRequest: 1 } },
				},
			},
			"quota",
			"ledger",
			{ use: folder },
			{
				use: "router",
				with: {
					upstreams: [
						upstream("first", first.url),
						upstream("second", second.url),
						{ name: "plain", url: first.url, protocol: "chat-completions" },
					],
					models: [
						{
							name: "rank",
							targets: [
								{ upstream: "first", model: "ranker-1" },
								{ upstream: "second", model: "ranker-2" },
							],
						},
						{ name: "talker", targets: [{ upstream: "plain" }] },
						{ name: "half", targets: [{ upstream: "first" }] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await first.stop();
	await second.stop();
});

const question = { model: "rank", query: "why", documents: ["a", "b"], top_n: 1 };
const ask = (key: string, body: object = question) =>
	gateway.ask("/v1/stranger-rerank", body, { headers: { authorization: `Bearer ${key}` } });

test("it keeps the contract", async () => {
	expect(await checkPlugin(folder)).toEqual([]);
});

describe("a call of it", () => {
	test("reaches the upstream as its own bytes with the target's model, and comes back under the name asked for", async () => {
		first.answer(() => answerOf("ranker-1"));
		const { key } = await gateway.token();
		const answer = await ask(key);
		expect(answer.status).toBe(200);
		expect(await answer.json()).toMatchObject({ model: "rank", results: [{ index: 0, relevance_score: 0.5 }] });
		const got = first.received.at(-1);
		expect([got?.path, got?.headers.get("authorization")]).toEqual(["/rerank", "Bearer upstream-key-1"]);
		expect(got?.json).toEqual({ ...question, model: "ranker-1" });
	});

	test("goes to the next target when the first is down", async () => {
		first.answer(() => new Response("{}", { status: 503 }));
		const { key } = await gateway.token();
		expect((await ask(key)).status).toBe(200);
		expect(second.received.at(-1)?.json).toMatchObject({ model: "ranker-2" });
	});

	test("is charged in searches, held to the quota, and recorded", async () => {
		first.answer(() => answerOf("ranker-1", 3));
		const { id, key } = await gateway.token({ quota: 0.01 });
		expect((await ask(key)).status).toBe(200);
		const me = await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
		expect(await me.json()).toMatchObject({ used: 0.002 }); // held for one search, billed three: never above the reservation
		const poor = await gateway.token({ quota: 0.001 });
		const asked = first.received.length;
		expect((await ask(poor.key)).status).toBe(429);
		expect(first.received.length).toBe(asked);
		const usage = await gateway.admin("GET", `/admin/usage?by=token,model&token=${id}`);
		expect(JSON.stringify(usage)).toContain("rank");
	});

	test("is refused by the name of what the price has no rate for", async () => {
		const { key } = await gateway.token({ quota: 10 });
		const answer = await ask(key, { ...question, model: "half" });
		expect(answer.status).toBe(403);
		expect(await answer.json()).toMatchObject({
			error: {
				code: "model_not_priced",
				message: expect.stringContaining("no rate for all that this call uses (searches)"),
			},
		});
	});

	test.each([
		["no count", undefined],
		["what is no count", { total: 1 }],
		["less than nothing", -1000],
	])("is charged what it held where the vendor tells %s", async (_, told) => {
		first.answer(() => Response.json({ results: [], meta: { billed_units: { search_units: told } } }));
		const { key } = await gateway.token();
		const documents = Array.from({ length: 101 }, () => "a");
		expect((await ask(key, { ...question, documents })).status).toBe(200);
		const me = await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
		expect(await me.json()).toMatchObject({ used: 0.004 });
	});

	test("is refused by a model list like an unknown model, and by a model that cannot do it, in words", async () => {
		const { key } = await gateway.token({ models: ["other"] });
		expect((await ask(key)).status).toBe(404);
		const hidden = await ask(key, { ...question, model: "talker" });
		expect(hidden.status).toBe(404);
		expect(JSON.stringify(await hidden.json())).not.toContain("serve");
		const { key: free } = await gateway.token();
		const answer = await ask(free, { ...question, model: "talker" });
		expect(answer.status).toBe(400);
		expect(await answer.json()).toMatchObject({ error: { code: "unsupported_endpoint" } });
		expect((await ask(free, { model: "rank" })).status).toBe(400);
	});
});
