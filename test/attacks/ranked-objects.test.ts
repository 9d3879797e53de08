/** Promise: a document of several fields, all of which are ranked, pays for them all, whatever its `text` says. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({
		plugins: ["rerank", { use: "prices", with: { models: { m: { input: 1, perThousandSearches: 2 } } } }],
		router: (url) => ({
			upstreams: [
				{ name: "up", protocol: "chat-completions", url: `${url}/v2`, key: "k", endpoints: [{ rerank: "cohere" }] },
			],
			models: [{ name: "m", targets: [{ upstream: "up" }] }],
		}),
	});
});
afterAll(() => world.stop());

const letter = "Words of a letter that is ranked by its body and not by its name. ".repeat(3_000);
const results = [{ index: 0, relevance_score: 0.5 }];

test.each([
	["nothing is told", { results }],
	["tokens are told, and no searches", { results, meta: { billed_units: { input_tokens: 40_000 } } }],
])("%s", async (_what, answer) => {
	world.upstream.answer(() => Response.json(answer));
	const cost = async (document: object | string): Promise<number> => {
		const body = { model: "m", query: "What?", documents: [document], rank_fields: ["text", "body"] };
		const { status, call } = await world.askOnce(1, "/v2/rerank", body);
		expect(status).toBe(200);
		return (call as { cost: number }).cost;
	};
	expect(await cost({ text: "a", body: letter })).toBeGreaterThanOrEqual(await cost(letter));
});
