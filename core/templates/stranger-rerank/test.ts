import { expect, test } from "bun:test";
import { checkPlugin, startGateway, startUpstream } from "#core/testing";

test("stranger-rerank keeps the contract, and its README's example runs", async () => {
	expect(await checkPlugin(import.meta.dir)).toEqual([]);
});

test("an upstream is asked, its answer passes, and what it counts is charged", async () => {
	const answer = { results: [{ index: 1, relevance_score: 0.9 }], meta: { billed_units: { search_units: 1 } } };
	const upstream = startUpstream(() => Response.json(answer));
	const vendor = { name: "vendor", protocol: "chat-completions", url: upstream.url, key: "k" };
	const gateway = await startGateway({
		plugins: [
			"tokens",
			"quota",
			"chat-completions",
			import.meta.dir,
			{ use: "prices", with: { models: { ranker: { perThousandSearches: 2 } } } },
			{
				use: "router",
				with: {
					upstreams: [{ ...vendor, endpoints: ["stranger-rerank"] }],
					models: [{ name: "ranker", targets: [{ upstream: "vendor" }] }],
				},
			},
		],
	});
	try {
		const { id, key } = await gateway.token({ quota: 1 });
		const asked = { model: "ranker", query: "Where?", documents: ["Here.", "There."] };
		const headers = { authorization: `Bearer ${key}` };
		const response = await gateway.ask("/v1/stranger-rerank", asked, { headers });
		expect([response.status, await response.json()]).toEqual([200, answer]);
		expect(upstream.received.map(({ path, json }) => [path, json])).toEqual([["/rerank", asked]]);
		expect(await gateway.admin("GET", `/admin/tokens/${id}`)).toMatchObject({ used: 0.002 });
		expect((await gateway.ask("/v1/stranger-rerank", { model: "ranker" }, { headers })).status).toBe(400);
	} finally {
		await gateway.stop();
		await upstream.stop();
	}
});
