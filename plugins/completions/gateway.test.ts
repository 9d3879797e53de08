/** Completions and moderations through the front door: what goes upstream, what comes back, and what is charged. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"completions",
			"moderations",
			{ use: "prices", with: { models: { "base-1": { input: 1, output: 10 } } } },
			"quota",
			{
				use: "router",
				with: {
					upstreams: [{ name: "one", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "k-upstream" }],
					models: [
						{ name: "base", targets: [{ upstream: "one", model: "base-1" }] },
						{ name: "omni-moderation-latest", targets: [{ upstream: "one" }] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const ask = (path: string, body: object, key: string) =>
	gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
const usedBy = async (id: string) => (await gateway.admin("GET", `/admin/tokens/${id}`))["used"];
const event = (value: object | string): string =>
	`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const piece = (text: string, reason: string | null = null) =>
	event({ id: "c", model: "base-1", choices: [{ index: 0, text, finish_reason: reason }] });
const counted = event({
	id: "c",
	model: "base-1",
	choices: [],
	usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});
const done = event("[DONE]");

test("a stream is asked for its usage, which is charged and kept from a client that did not ask", async () => {
	upstream.answer(() => streamOf([piece("a"), piece("b", "stop"), counted, done]));
	const { id, key } = await gateway.token({ quota: 1 });
	const text = await (await ask("/v1/completions", { model: "base", prompt: "x", stream: true }, key)).text();
	expect(upstream.received.at(-1)).toMatchObject({
		path: "/v1/completions",
		json: { model: "base-1", prompt: "x", stream: true, max_tokens: 16, stream_options: { include_usage: true } },
	});
	expect(text).toBe(`${piece("a")}${piece("b", "stop")}${done}`.replaceAll("base-1", "base"));
	expect(await usedBy(id)).toBe(0.000_025);
});

test("a stream whose upstream tells nothing is charged by what was seen", async () => {
	upstream.answer(() => streamOf([piece("a"), piece("b"), piece("c", "stop"), done]));
	const { id, key } = await gateway.token({ quota: 1 });
	await (await ask("/v1/completions", { model: "base", prompt: "four letters", stream: true }, key)).text();
	expect(await usedBy(id)).toBe(0.000_033); // 3 tokens in, 3 out
});

test("ids of tokens are charged by their number where the upstream tells nothing", async () => {
	upstream.answer(() => streamOf([piece("a", "stop"), done]));
	const { id, key } = await gateway.token({ quota: 1 });
	await (await ask("/v1/completions", { model: "base", prompt: [[1, 2, 3], [4]], stream: true }, key)).text();
	expect(await usedBy(id)).toBe(0.000_014);
});

test("usage without an input, or told before the text, is not all that is charged", async () => {
	const told = (usage: object): string => event({ id: "c", model: "base-1", choices: [], usage });
	const pieces = Array.from({ length: 6 }, () => piece("a"));
	const early = told({ prompt_tokens: 5, completion_tokens: 1 });
	const charged = async (answer: Response, stream: boolean): Promise<unknown> => {
		upstream.answer(() => answer);
		const { id, key } = await gateway.token({ quota: 1 });
		await (await ask("/v1/completions", { model: "base", prompt: [1, 2, 3], stream }, key)).text();
		return await usedBy(id);
	};
	expect(await charged(streamOf([early, ...pieces, done]), true)).toBe(0.000_065);
	expect(await charged(streamOf([...pieces, told({ prompt_tokens: 0, completion_tokens: 6 }), done]), true)).toBe(
		0.000_063,
	);
	const usage = { prompt_tokens: 0, completion_tokens: 6 };
	const choices = [{ index: 0, text: "a", finish_reason: "stop" }];
	expect(await charged(Response.json({ id: "c", model: "base-1", choices, usage }), false)).toBe(0.000_063);
});

test("a stream that breaks off is an error in it, and charged no less than what came", async () => {
	upstream.answer(() => streamOf([piece("a"), piece("b")]));
	const { id, key } = await gateway.token({ quota: 1 });
	const text = await (await ask("/v1/completions", { model: "base", prompt: "x", stream: true }, key)).text();
	expect(text).toContain('"error"');
	expect(text).not.toContain("[DONE]");
	expect(await usedBy(id)).toBeGreaterThanOrEqual(0.000_02);
});

test("what is held covers every prompt and every answer of it", async () => {
	upstream.answer(() => Response.json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }));
	const asked = upstream.received.length;
	const body = { model: "base", prompt: ["a", "b"], n: 2, best_of: 4, max_tokens: 100 };
	const { key } = await gateway.token({ quota: 0.007 }); // 2 prompts × 4 × 100 tokens at $10 a million are $0.008
	expect((await ask("/v1/completions", body, key)).status).toBe(429);
	expect(upstream.received.length).toBe(asked);
	const { key: richer } = await gateway.token({ quota: 0.009 });
	expect((await ask("/v1/completions", body, richer)).status).toBe(200);
});

test("what is held covers prompts that are given as vectors, too", async () => {
	upstream.answer(() => Response.json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 300 } }));
	const asked = upstream.received.length;
	const body = { model: "base", prompt: "a", prompt_embeds: ["AAAA", "AAAA"], max_tokens: 100 };
	const { key } = await gateway.token({ quota: 0.0025 }); // 3 answers of 100 tokens at $10 a million are $0.003
	expect((await ask("/v1/completions", body, key)).status).toBe(429);
	expect(upstream.received.length).toBe(asked);
	const { key: richer, id } = await gateway.token({ quota: 0.0035 });
	expect((await ask("/v1/completions", body, richer)).status).toBe(200);
	expect(await usedBy(id)).toBe(0.003_001);
});

test("filling in the middle keeps Mistral's address, with a limit that is known", async () => {
	upstream.answer(() => Response.json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }));
	const body = { model: "base", prompt: "a", suffix: "b" };
	expect((await gateway.ask("/v1/fim/completions", body)).status).toBe(200);
	expect(upstream.received.at(-1)).toMatchObject({
		path: "/v1/fim/completions",
		json: { ...body, model: "base-1", max_tokens: 4096 },
	});
});

test("moderation has a usual model, and costs nothing of a quota at OpenAI's", async () => {
	upstream.answer(() => Response.json({ id: "m", model: "omni-moderation-latest", results: [{ flagged: false }] }));
	const { id, key } = await gateway.token({ quota: 0.000_001 });
	for (const none of [{}, { model: null }]) {
		const response = await ask("/v1/moderations", { ...none, input: ["some words"] }, key);
		expect([response.status, await usedBy(id)]).toEqual([200, 0]);
		expect(upstream.received.at(-1)).toMatchObject({
			path: "/v1/moderations",
			json: { model: "omni-moderation-latest", input: ["some words"] },
		});
	}
});
