import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlugin, startGateway, startUpstream } from "#core/testing";

test("stranger-rerank keeps the contract, and its README's example runs", async () => {
	assert.deepEqual(await checkPlugin(import.meta.dirname), []);
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
			import.meta.dirname,
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
		assert.deepEqual([response.status, await response.json()], [200, answer]);
		assert.deepEqual(
			upstream.received.map(({ path, json }) => [path, json]),
			[["/rerank", asked]],
		);
		assert.equal((await gateway.admin("GET", `/admin/tokens/${id}`))["used"], 0.002);
		assert.equal((await gateway.ask("/v1/stranger-rerank", { model: "ranker" }, { headers })).status, 400);
	} finally {
		await gateway.stop();
		await upstream.stop();
	}
});
