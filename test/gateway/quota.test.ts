/** Quotas through the front door: what calls hold, what they are charged, what is said when there is no more. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

interface Asked {
	readonly max_tokens?: number;
	readonly max_completion_tokens?: number;
	readonly stream?: boolean;
}

const limitOf = (json: unknown): number | undefined => {
	const asked = json as Asked;
	return asked.max_completion_tokens ?? asked.max_tokens;
};

/** A whole answer that used so many tokens. */
const answered = (input: number, output: number): Response =>
	Response.json({
		id: "chatcmpl-1",
		object: "chat.completion",
		created: 1,
		model: "priced",
		choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(output) }, finish_reason: "stop" }],
		usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
	});

beforeAll(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "up", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "k" },
						{ name: "claude", protocol: "messages", url: upstream.url, key: "k" },
					],
					models: [
						{ name: "cached", targets: [{ upstream: "claude" }] },
						{ name: "priced", targets: [{ upstream: "up" }], caps: { maxOutput: 1000, thinking: "none" } },
						{ name: "unpriced", targets: [{ upstream: "up" }] },
						{ name: "free", targets: [{ upstream: "up" }] },
						{ name: "cheap", targets: [{ upstream: "up" }] },
					],
				},
			},
			{
				use: "prices",
				with: {
					models: {
						priced: { input: 1, output: 10 },
						free: { input: 0, output: 0 },
						cheap: { input: 0.05, output: 0.4 },
						cached: { input: 1, output: 10, cacheWrite: 2 },
					},
				},
			},
			"quota",
			"ledger",
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});
beforeEach(() => {
	upstream.received.length = 0;
	upstream.answer(() => answered(10, 20));
});

const path = "/v1/chat/completions";
const ask = (key: string, more: object = {}, init: RequestInit = {}): Promise<Response> =>
	gateway.ask(
		path,
		{ model: "priced", messages: [{ role: "user", content: "Hello" }], ...more },
		{
			...init,
			headers: { authorization: `Bearer ${key}` },
		},
	);
/** What the ledger says the token cost, and the rows it adds up. */
const recorded = async (id: string) => {
	const { data } = (await gateway.admin("GET", `/admin/usage?by=token&token=${id}`)) as {
		data: { calls: number; cost: number; excess: number }[];
	};
	return data[0] ?? { calls: 0, cost: 0, excess: 0 };
};
const balance = async (id: string) =>
	(await gateway.admin("GET", `/admin/tokens/${id}`)) as { used: number; remaining?: number };

describe("a call under a quota", () => {
	test("is charged what it used, in whole micro-dollars", async () => {
		const { id, key } = await gateway.token({ quota: 1.5 });
		expect(await balance(id)).toMatchObject({ used: 0, remaining: 1.5 });
		expect((await ask(key)).status).toBe(200);
		expect(await balance(id)).toMatchObject({ used: 0.00021, remaining: 1.49979 });
		const me = (await (
			await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } })
		).json()) as object;
		expect(me).toMatchObject({ used: 0.00021, remaining: 1.49979 });
	});

	test("gets the model's own limit when it gives none, and keeps its own otherwise", async () => {
		const { key } = await gateway.token({ quota: 1.5 });
		await ask(key);
		await ask(key, { max_tokens: 77 });
		expect(upstream.received.map(({ json }) => limitOf(json))).toEqual([1000, 77]);
	});

	test("gets all that it asks for however little that costs, from its token's first call on", async () => {
		for (let length = 0; length < 20; length++) {
			const { key } = await gateway.token({ quota: 5 });
			const messages = [{ role: "user", content: "x".repeat(length) }];
			for (let time = 0; time < 2; time++) await ask(key, { model: "cheap", max_tokens: 1, messages });
		}
		expect(new Set(upstream.received.map(({ json }) => limitOf(json)))).toEqual(new Set([1]));
	});

	test("is limited to what is left", async () => {
		const { id, key } = await gateway.token({ quota: 0.002 });
		upstream.answer(({ json }) => answered(10, limitOf(json) ?? 0));
		expect((await ask(key, { max_tokens: 900 })).status).toBe(200);
		const limit = limitOf(upstream.received[0]?.json) ?? 0;
		expect(limit).toBeGreaterThan(150);
		expect(limit).toBeLessThan(200);
		expect((await balance(id)).used).toBeLessThanOrEqual(0.002);
	});

	test("is refused when nothing is left, in words that do not invite another try", async () => {
		const { key } = await gateway.token({ quota: 0.00001 });
		const response = await ask(key);
		expect(response.status).toBe(429);
		expect(response.headers.get("x-should-retry")).toBe("false");
		expect(await response.json()).toMatchObject({ error: { code: "insufficient_quota" } });
		expect(upstream.received).toHaveLength(0);
	});

	test("that only fills the cache holds what its input costs, and is charged what it wrote", async () => {
		const usage = { input_tokens: 10, cache_creation_input_tokens: 100, cache_read_input_tokens: 0, output_tokens: 0 };
		upstream.answer(() =>
			Response.json({ id: "m", type: "message", role: "assistant", model: "cached", content: [], usage }),
		);
		const warm = async (quota: number) => {
			const { id, key } = await gateway.token({ quota });
			const body = { model: "cached", max_tokens: 0, messages: [{ role: "user", content: "x".repeat(1000) }] };
			const { status } = await gateway.ask("/v1/messages", body, { headers: { authorization: `Bearer ${key}` } });
			return [status, (await balance(id)).used];
		};
		expect(await warm(1)).toEqual([200, 0.00021]);
		expect(upstream.received[0]?.json).toMatchObject({ max_tokens: 0 });
		upstream.received.length = 0;
		expect(await warm(0.00001)).toEqual([402, 0]);
		expect(upstream.received).toHaveLength(0);
	});

	test("is refused for a model without a price, and free of charge for one that costs nothing", async () => {
		const { id, key } = await gateway.token({ quota: 0.00001 });
		const refused = await ask(key, { model: "unpriced" });
		expect(refused.status).toBe(403);
		expect(await refused.json()).toMatchObject({ error: { code: "model_not_priced" } });
		expect((await ask(key, { model: "free" })).status).toBe(200);
		expect(await balance(id)).toMatchObject({ used: 0, remaining: 0.00001 });
	});

	test("is refused whatever it asks for when the quota is nothing", async () => {
		const { key } = await gateway.token({ quota: 0 });
		expect((await ask(key, { model: "free" })).status).toBe(429);
		expect(upstream.received).toHaveLength(0);
	});

	test("costs nothing when the upstream fails", async () => {
		const { id, key } = await gateway.token({ quota: 1 });
		upstream.answer(
			() =>
				new Response('{"error":{"message":"no"}}', { status: 500, headers: { "content-type": "application/json" } }),
		);
		expect((await ask(key)).status).toBeGreaterThanOrEqual(500);
		expect(await balance(id)).toMatchObject({ used: 0, remaining: 1 });
	});

	test("is charged what it held when the upstream reports more, and the log says so", async () => {
		const { id, key } = await gateway.token({ quota: 0.01 });
		upstream.answer(() => answered(10, 5_000));
		await ask(key, { max_tokens: 100 });
		const { used } = await balance(id);
		expect(used).toBeGreaterThan(0.001);
		expect(used).toBeLessThan(0.002);
		expect(await recorded(id)).toMatchObject({ calls: 1, cost: used, excess: 0.05001 - used });
		expect(gateway.log.some(({ msg }) => String(msg).includes("reported more than the call had reserved"))).toBe(true);
	});

	test("of a token without a quota is counted all the same", async () => {
		const { id, key } = await gateway.token();
		await ask(key);
		expect(await balance(id)).toMatchObject({ used: 0.00021 });
		expect(await balance(id)).not.toHaveProperty("remaining");
		expect(limitOf(upstream.received[0]?.json)).toBeUndefined();
		expect(await recorded(id)).toMatchObject({ calls: 1, cost: 0.00021, excess: 0 });
	});

	test("asks for several answers and holds for each", async () => {
		const { key } = await gateway.token({ quota: 0.0025 });
		await ask(key, { n: 2, max_tokens: 200 });
		expect(limitOf(upstream.received[0]?.json)).toBeLessThan(130);
	});
});

describe("a quota changed while it is used", () => {
	test("can be topped up, lowered below what is used, and taken away", async () => {
		const { id, key } = await gateway.token({ quota: 0.0001 });
		expect((await ask(key, { max_tokens: 100 })).status).toBe(429);
		await gateway.admin("PATCH", `/admin/tokens/${id}`, { quota: 1 });
		expect((await ask(key)).status).toBe(200);
		await gateway.admin("PATCH", `/admin/tokens/${id}`, { quota: 0.0001 });
		expect(await balance(id)).toMatchObject({ used: 0.00021, remaining: 0 });
		expect((await ask(key)).status).toBe(429);
		await gateway.admin("PATCH", `/admin/tokens/${id}`, { quota: null });
		expect((await ask(key)).status).toBe(200);
		expect((await balance(id)).used).toBe(0.00042);
	});
});

/** A stream of so many words, one chunk each, that ends only when it is told to. */
const words = (count: number, more: readonly string[] = []): string[] => [
	...Array.from(
		{ length: count },
		(_, index) =>
			`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "priced", choices: [{ index: 0, delta: { content: `w${index} ` }, finish_reason: null }] })}\n\n`,
	),
	...more,
];
const ending = [
	`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "priced", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`,
	"data: [DONE]\n\n",
];

describe("a stream under a quota", () => {
	test("is cut at its bound with the protocol's own length finish", async () => {
		const { id, key } = await gateway.token({ quota: 1 });
		upstream.answer(() => streamOf(words(4_000, ending)));
		const text = await (await ask(key, { stream: true, max_tokens: 50 })).text();
		// A chunk that was under way is let through.
		const sent = text.match(/"content":"w/g)?.length ?? 0;
		expect(sent).toBeGreaterThanOrEqual(50);
		expect(sent).toBeLessThan(4_000);
		expect(text).toContain('"finish_reason":"length"');
		expect(text).toEndWith("data: [DONE]\n\n");
		expect((await balance(id)).used).toBeLessThanOrEqual(0.0007);
	});

	test("is charged what was delivered when the client leaves", async () => {
		const { id, key } = await gateway.token({ quota: 1 });
		let sent = 0;
		upstream.answer(() => {
			const all = words(1000);
			const encoder = new TextEncoder();
			return new Response(
				new ReadableStream({
					async pull(controller) {
						const piece = all[sent++];
						if (piece === undefined) return controller.close();
						controller.enqueue(encoder.encode(piece));
						await new Promise((resolve) => setTimeout(resolve, 2));
					},
				}),
				{ headers: { "content-type": "text/event-stream" } },
			);
		});
		const abort = new AbortController();
		const response = await ask(key, { stream: true, max_tokens: 1000 }, { signal: abort.signal });
		const reader = response.body?.getReader();
		let read = 0;
		while (read < 20) read += new TextDecoder().decode((await reader?.read())?.value).match(/"w\d+ "/g)?.length ?? 0;
		abort.abort();
		await until(() => gateway.portico.openCalls() === 0);
		const { used } = await balance(id);
		expect(used).toBeGreaterThanOrEqual((read * 10) / 1_000_000);
		expect(used).toBeLessThan(0.002);
	});
});

describe("a burst", () => {
	test("of 500 calls on a quota worth about 50 spends no more, and retries spend it to within a call", async () => {
		const perCall = 1_010;
		const { id, key } = await gateway.token({ quota: (50 * perCall) / 1_000_000 });
		let delivered = 0;
		// However slow the machine is: nobody is answered until somebody found the quota held by the others.
		const someHeld = Promise.withResolvers<void>();
		upstream.answer(async ({ json }) => {
			await someHeld.promise;
			const output = Math.min(100, limitOf(json) ?? 100);
			delivered += 10 + output * 10;
			return answered(10, output);
		});
		const kinds = new Map<string, number>();
		const call = async (): Promise<string> => {
			const response = await ask(key, { max_tokens: 100 });
			const body = (await response.json()) as { error?: { code?: string; message: string } };
			const kind = response.ok
				? "answered"
				: response.headers.get("retry-after") === "1" && response.headers.get("x-should-retry") !== "false"
					? "held"
					: (body.error?.code ?? "?");
			kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
			if (kind === "held") someHeld.resolve();
			return kind;
		};
		await Promise.all(Array.from({ length: 500 }, call));
		expect((await balance(id)).used).toBeLessThanOrEqual((50 * perCall) / 1_000_000);
		expect([...kinds.keys()].every((kind) => ["answered", "held", "insufficient_quota"].includes(kind))).toBe(true);
		const persistent = async (): Promise<void> => {
			while ((await call()) === "held") await new Promise((resolve) => setTimeout(resolve, 25));
		};
		await Promise.all(Array.from({ length: 200 }, persistent));
		const { used, remaining } = await balance(id);
		expect(delivered).toBe(Math.round(used * 1_000_000));
		expect(remaining).toBeLessThan(perCall / 1_000_000);
		expect(remaining).toBeGreaterThanOrEqual(0);
		expect(kinds.get("insufficient_quota")).toBeGreaterThan(0);
		expect((await recorded(id)).cost).toBe(used);
	}, 30_000);
});
