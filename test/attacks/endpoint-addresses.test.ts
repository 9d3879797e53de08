/**
 * Promise: what a request of an endpoint names leads nobody into the upstream's own network: servers of models that an
 * operator runs read whatever address they are given.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream(({ path }) =>
		path === "/audio/speech"
			? new Response("sound", { headers: { "content-type": "audio/wav" } })
			: Response.json({
					object: "list",
					model: "m",
					data: [{ object: "embedding", index: 0, embedding: [0.6, 0.8] }],
					results: [{ index: 0, relevance_score: 0.5 }],
					usage: { prompt_tokens: 1, total_tokens: 1 },
				}),
	);
	const endpoints = [{ embeddings: "jina" }, { rerank: "cohere" }, "moderations"];
	const common = { protocol: "chat-completions", url: upstream.url, endpoints };
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"embeddings",
			"rerank",
			"moderations",
			"audio",
			{
				use: "router",
				with: {
					upstreams: [
						{ ...common, name: "shared", key: "key-shared" },
						{ ...common, name: "own", key: "key-own", tenancy: "single" },
					],
					models: [
						{ name: "m", targets: [{ upstream: "shared" }] },
						{ name: "one", targets: [{ upstream: "own" }] },
						{ name: "either", targets: [{ upstream: "shared" }, { upstream: "own" }] },
					],
				},
			},
		],
	});
});
beforeEach(() => {
	upstream.received.length = 0;
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const inner = "http://10.0.0.7/a.png";
const picture = (url: string, model = "m") => ({ model, input: [{ image: url }] });

test.each([
	["/v1/embeddings", picture(inner), "input[0].image"],
	["/v1/embeddings", { model: "m", input: [{ url: " ht\ttp://localhost:9000/a.png" }] }, "input[0].url"],
	["/v1/embeddings", picture(`${" ".repeat(200)}${inner}`), "input[0].image"],
	["/v1/embeddings", picture(`h${"\n".repeat(200)}ttp://10.0.0.7/a.png`), "input[0].image"],
	["/v1/embeddings", picture("gs://the-operators-bucket/a.png"), "input[0].image"],
	["/v1/embeddings", picture("ftp://10.0.0.7/a.png"), "input[0].image"],
	["/v1/embeddings", { ...picture("https://cdn.example/a.png"), images: ["file:///etc/passwd"] }, "images[0]"],
	["/v2/rerank", { model: "m", query: "x", documents: [{ text: "a", image: inner }] }, "documents[0].image"],
	["/v2/rerank", { model: "m", query: inner, documents: [{ text: inner, image: inner }] }, "documents[0].image"],
	["/v1/embeddings", { model: "m", input: [inner, { image: inner }] }, "input[1].image"],
	["/v1/embeddings", picture(`\u00a0\u3000\x85${inner}`), "input[0].image"],
	[
		"/v1/moderations",
		{ model: "m", input: [{ type: "image_url", image_url: { url: "http://[::1]/a" } }] },
		"input[0].image_url.url",
	],
	[
		"/v1/moderations",
		{ model: "m", input: [{ type: "image_url", image_url: { url: inner, text: "a", content: "b" } }] },
		"input[0].image_url.url",
	],
	["/v1/audio/speech", { model: "m", input: "x", voice: "a", ref_audio: "http://169.254.169.254/a" }, "ref_audio"],
])("%s %j", async (path, body, at) => {
	const answer = await gateway.ask(path, body);
	expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(at)]);
	expect(upstream.received).toHaveLength(0);
});

test.each([
	["a public address", "/v1/embeddings", picture("https://cdn.example/a.png")],
	["a text that is an address", "/v1/embeddings", { model: "m", input: [{ text: inner }, inner] }],
	["a document that is an address", "/v2/rerank", { model: "m", query: inner, documents: [inner, "b"] }],
	["where a text stands", "/v2/rerank", { model: "m", query: "x", documents: [{ text: "a", url: inner }] }],
	["an address where the account is one client's alone", "/v1/embeddings", picture(inner, "one")],
])("%s goes on", async (_name, path, body) => {
	expect((await gateway.ask(path, body)).status).toBe(200);
	expect(upstream.received).toHaveLength(1);
});

test("of several upstreams those alone are told whose account is one client's", async () => {
	expect((await gateway.ask("/v1/embeddings", picture(inner, "either"))).status).toBe(200);
	expect(upstream.received.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer key-own"]);
});
