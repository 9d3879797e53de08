/** Whoever ends a call early is charged no less than its upstream bills: at every phase, in every protocol, streamed or whole. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { answers, type Counts, requestOf } from "../support/upstream-answers.ts";
import { sized } from "./sized.ts";
import {
	type AttackProtocol,
	type AttackWorld,
	type AttackWorldOptions,
	attackProtocols,
	attackWorld,
	rates,
} from "./world.ts";

/** What the upstream generates in a second while it thinks in secret, as Portico takes for granted of unknown models. */
const thoughtsPerSecond = 500;
const limit = 20_000;
const inputTokens = 5;

let world: AttackWorld;
const start = async (options?: AttackWorldOptions): Promise<void> => {
	world = await attackWorld(options);
};

const costOf = ({ input, output }: Counts): number => input * rates.input + output * rates.output;
const callers = sized(2, 25);

/** Sends what `pieces` gives and then nothing more, until it is left. */
const held = (pieces: readonly string[]): Response => {
	const encoder = new TextEncoder();
	const body = new ReadableStream<Uint8Array>({
		start(controller) {
			for (const piece of pieces) controller.enqueue(encoder.encode(piece));
		},
	});
	return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

interface Attacker {
	readonly key: string;
	readonly speaks: AttackProtocol;
	readonly upstream: AttackProtocol;
	readonly prompt?: string;
	readonly stream?: boolean;
}

const ask = (
	{ key, speaks, upstream, prompt = "Hello", stream = true }: Attacker,
	signal?: AbortSignal,
): Promise<Response> => {
	const { path, body } = requestOf(speaks, { model: `${upstream}-m`, prompt, stream, limit });
	const headers = { authorization: `Bearer ${key}`, "x-goog-api-key": key };
	return world.gateway.ask(path, body, { headers, ...(signal && { signal }) });
};

/** Reads until it has seen `text` and leaves. */
const readTo = async (attacker: Attacker, text: string): Promise<void> => {
	const abort = new AbortController();
	const response = await ask(attacker, abort.signal);
	expect(response.status).toBe(200);
	const decoder = new TextDecoder();
	let read = "";
	for await (const piece of response.body ?? []) {
		read += decoder.decode(piece, { stream: true });
		if (read.includes(text)) break;
	}
	expect(read).toContain(text);
	abort.abort();
};

/** Every protocol as it passes through, and once each as it is translated. */
const ways = attackProtocols.flatMap((upstream): [string, AttackProtocol, AttackProtocol][] => [
	[`${upstream}, passed through`, upstream, upstream],
	[`${upstream}, translated`, upstream === "messages" ? "chat-completions" : "messages", upstream],
]);

/** What the ledger says that the token cost, in micro-dollars: it must say what `used` says. */
const recorded = async (id: string): Promise<number> => {
	const { data } = (await world.gateway.admin("GET", `/admin/usage?by=token&token=${id}`)) as {
		data: { cost: number }[];
	};
	return Math.round((data[0]?.cost ?? 0) * 1_000_000);
};

describe("a model that does not think", () => {
	beforeAll(() => start({ capabilities: { thinking: "none" } }));
	afterAll(() => world.stop());

	test.each(ways)("read to its last word and left before its count: %s", async (_name, speaks, upstream) => {
		const words = 400;
		const { id, key } = await world.gateway.token({ quota: 100 });
		const text = Array.from({ length: words - 1 }, (_, index) => answers[upstream].word(`w${index} `));
		world.upstream.answer(() =>
			held([answers[upstream].opening({ input: inputTokens, output: 0 }), ...text, answers[upstream].word("LAST")]),
		);
		await Promise.all(Array.from({ length: callers }, () => readTo({ key, speaks, upstream }, "LAST")));
		const used = await world.used(key);
		expect(used).toBeGreaterThanOrEqual(callers * costOf({ input: inputTokens, output: words }));
		// And not more than a word or so of difference: nobody is charged for time that this model cannot have hidden.
		expect(used).toBeLessThan(callers * costOf({ input: 100, output: words * 1.2 }));
		expect(await recorded(id)).toBe(used);
	});

	test("whose server counts its input at the end only", async () => {
		const prompt = "Twelve words of some text that any tokenizer makes some tokens of. ".repeat(300);
		const opening = answers.messages.opening({ input: 0, output: 0 });
		for (const speaks of ["messages", "chat-completions"] as const) {
			const { key } = await world.gateway.token({ quota: 100 });
			world.upstream.answer(() => held([opening, answers.messages.word("LAST")]));
			await readTo({ key, speaks, upstream: "messages", prompt }, "LAST");
			expect(await world.used(key)).toBeGreaterThanOrEqual(costOf({ input: prompt.length / 6, output: 1 }));
		}
	});

	const event = (type: string, more: object): string =>
		`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
	/** Two searches and a picture, or two searches. */
	const hosted = {
		responses: ["web_search_call", "web_search_call", "image_generation_call"].map((type, index) => {
			const item = {
				id: `i_${index}`,
				type,
				...(type === "image_generation_call" ? { result: "iVBORw0KGgo=" } : { action: { type: "search", query: "q" } }),
			};
			const place = { output_index: index + 1 };
			const begins = event("response.output_item.added", { ...place, item: { ...item, status: "in_progress" } });
			return begins + event("response.output_item.done", { ...place, item: { ...item, status: "completed" } });
		}),
		messages: [1, 2].map((index) =>
			event("content_block_start", {
				index,
				content_block: { type: "server_tool_use", id: `srvtoolu_${index}`, name: "web_search", input: {} },
			}),
		),
	};
	const search = 35_000;
	test.each([
		["responses", "responses", 2 * search + 250_000],
		["messages", "messages", 2 * search],
		// No other protocol asks for pictures of a tool.
		["messages", "responses", 2 * search],
		["responses", "messages", 2 * search],
	] as const)("left after tools of the upstream's own have run: %s at %s", async (speaks, upstream, fees) => {
		const { id, key } = await world.gateway.token();
		const before = upstream === "messages" ? event("content_block_stop", { index: 0 }) : "";
		world.upstream.answer(() =>
			held([
				answers[upstream].opening({ input: inputTokens, output: 0 }),
				answers[upstream].word("FIRST"),
				before,
				...hosted[upstream],
			]),
		);
		await readTo({ key, speaks, upstream }, "FIRST");
		const used = await world.used(key);
		expect(used).toBeGreaterThanOrEqual(fees);
		expect(used).toBeLessThan(fees + 2_000);
		expect(await recorded(id)).toBe(used);
	});

	test("left after results that the model reads, and all before them again", async () => {
		const found = Array.from({ length: 10 }, (_, index) => ({
			type: "web_search_result",
			url: `https://example.org/${index}`,
			title: "The port",
			encrypted_content: "x".repeat(3_000),
		}));
		const block = (index: number) => {
			const content_block = { type: "web_search_tool_result", tool_use_id: `srvtoolu_${index}`, content: found };
			return event("content_block_start", { index, content_block }) + event("content_block_stop", { index });
		};
		for (const speaks of ["messages", "chat-completions"] as const) {
			const { key } = await world.gateway.token({ quota: 100 });
			const stop = event("content_block_stop", { index: 0 });
			const opening = answers.messages.opening({ input: 2_000, output: 0 });
			const text = event("content_block_start", { index: 3, content_block: { type: "text", text: "" } });
			const last = event("content_block_delta", { index: 3, delta: { type: "text_delta", text: "LAST" } });
			world.upstream.answer(() => held([opening, stop, block(1), block(2), text, last]));
			await readTo({ key, speaks, upstream: "messages" }, "LAST");
			// Of 30,000 bytes, 8,000 tokens or so: they were read twice, and those of the second result once.
			expect(await world.used(key)).toBeGreaterThanOrEqual((3 * 2_000 + 3 * 8_000) * rates.input);
			expect(await world.used(key)).toBeLessThan((3 * 2_000 + 3 * 12_000) * rates.input);
		}
	});

	test("code that Google runs costs its tokens alone, left early too", async () => {
		const { key } = await world.gateway.token();
		const parts = [{ executableCode: { language: "PYTHON", code: "print(1)" } }, { text: "FIRST" }];
		const chunk = { candidates: [{ content: { role: "model", parts }, index: 0 }], modelVersion: "m" };
		world.upstream.answer(() => held([`data: ${JSON.stringify(chunk)}\n\n`]));
		await readTo({ key, speaks: "messages", upstream: "generate-content" }, "FIRST");
		expect(await world.used(key)).toBeLessThan(1_000);
	});

	test.each(ways)("broken off by the upstream: %s", async (_name, speaks, upstream) => {
		const words = 100;
		const { id, key } = await world.gateway.token({ quota: 100 });
		const pieces = Array.from({ length: words }, (_, index) => answers[upstream].word(`w${index} `));
		world.upstream.answer(
			() =>
				new Response([answers[upstream].opening({ input: inputTokens, output: 0 }), ...pieces].join(""), {
					headers: { "content-type": "text/event-stream" },
				}),
		);
		await (await ask({ key, speaks, upstream })).text();
		const used = await world.used(key);
		expect(used).toBeGreaterThanOrEqual(costOf({ input: inputTokens, output: words }));
		expect(await recorded(id)).toBe(used);
	});
});

describe("a model that may think in secret", () => {
	beforeAll(() => start());
	afterAll(() => world.stop());

	test.each(ways)("left in its thoughts: %s", async (_name, speaks, upstream) => {
		const { id, key } = await world.gateway.token({ quota: 100 });
		const begun: number[] = [];
		/** What the upstream bills for what it has thought until now. */
		const billed = (): number =>
			begun.reduce((sum, at) => {
				const output = Math.floor(((performance.now() - at) / 1000) * thoughtsPerSecond);
				return sum + costOf({ input: inputTokens, output });
			}, 0);
		world.upstream.answer(() => {
			begun.push(performance.now());
			return held([answers[upstream].opening({ input: inputTokens, output: 0 })]);
		});
		const abort = new AbortController();
		const calls = Array.from({ length: callers }, () =>
			ask({ key, speaks, upstream }, abort.signal)
				.then((response) => response.text())
				.catch(() => undefined),
		);
		while (begun.length < callers) await pause(10);
		await pause(400);
		const atLeast = billed();
		abort.abort();
		await Promise.all(calls);
		const used = await world.used(key);
		expect(used).toBeGreaterThanOrEqual(atLeast);
		expect(used).toBeLessThan(billed() * 2);
		expect(await recorded(id)).toBe(used);
	});

	test.each([
		["streamed", true],
		["whole", false],
	])("long prompts left before the first byte, %s", async (_name, stream) => {
		const { id, key } = await world.gateway.token({ quota: 100 });
		const prompt = "a few words again and again ".repeat(sized(1_000, 7_200));
		let billed = 0;
		let arrived = 0;
		world.upstream.answer(async ({ text, signal }) => {
			arrived++;
			billed += costOf({ input: Math.floor(text.length / 4), output: 0 });
			await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
			return new Response(null, { status: 500 });
		});
		const abort = new AbortController();
		const calls = Array.from({ length: sized(5, 30) }, (_, index) => {
			const upstream = attackProtocols[index % attackProtocols.length] ?? "messages";
			return ask({ key, speaks: upstream, upstream, prompt, stream }, abort.signal).catch(() => undefined);
		});
		while (arrived < calls.length) await pause(10);
		await pause(250);
		abort.abort();
		await Promise.all(calls);
		const used = await world.used(key);
		expect(used).toBeGreaterThanOrEqual(billed + calls.length * costOf({ input: 0, output: 0.25 * thoughtsPerSecond }));
		expect(await recorded(id)).toBe(used);
	});

	test("never costs more than was held", async () => {
		const { key } = await world.gateway.token({ quota: 100 });
		world.upstream.answer(() => held([answers.messages.opening({ input: inputTokens, output: 0 })]));
		const abort = new AbortController();
		const headers = { authorization: `Bearer ${key}` };
		const body = { model: "messages-m", stream: true, max_tokens: 30, messages: [{ role: "user", content: "Hello" }] };
		const call = world.gateway.ask("/v1/messages", body, { headers, signal: abort.signal }).catch(() => undefined);
		await pause(300);
		abort.abort();
		await call;
		expect(await world.used(key)).toBe(costOf({ input: inputTokens, output: 30 }));
	});

	test("left after its finish and before its count is charged by the count", async () => {
		const { key } = await world.gateway.token({ quota: 100 });
		const counts = { input: inputTokens, output: 1_000, reasoning: 990 };
		const chat = answers["chat-completions"];
		world.upstream.answer(() => {
			const encoder = new TextEncoder();
			const body = new ReadableStream<Uint8Array>({
				async start(controller) {
					controller.enqueue(encoder.encode(chat.opening(counts) + chat.word("Hi") + chat.finish(counts)));
					await pause(200);
					controller.enqueue(encoder.encode(chat.count(counts)));
					controller.close();
				},
			});
			return new Response(body, { headers: { "content-type": "text/event-stream" } });
		});
		await readTo({ key, speaks: "chat-completions", upstream: "chat-completions" }, '"finish_reason":"stop"');
		expect(await world.used(key)).toBe(costOf(counts));
	});

	test("costs nothing where the upstream refuses or cannot be reached", async () => {
		const { key } = await world.gateway.token({ quota: 100 });
		world.upstream.answer(() => Response.json({ error: { message: "no" } }, { status: 429 }));
		expect((await ask({ key, speaks: "messages", upstream: "messages" })).status).toBe(429);
		world.upstream.answer(() =>
			held(['event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n']),
		);
		expect((await ask({ key, speaks: "messages", upstream: "messages" })).status).not.toBe(200);
		expect(await world.used(key)).toBe(0);
	});
});

describe("with abandoned: finish", () => {
	beforeAll(() => start({ plugins: [{ use: "quota", with: { abandoned: "finish" } }] }));
	afterAll(() => world.stop());

	/** Goes on for half a second whether anybody reads or not, then tells its count. */
	const patient = (upstream: AttackProtocol, counts: Counts): Response => {
		const encoder = new TextEncoder();
		const body = new ReadableStream<Uint8Array>({
			async start(controller) {
				controller.enqueue(encoder.encode(answers[upstream].opening(counts)));
				controller.enqueue(encoder.encode(answers[upstream].word("FIRST")));
				await pause(500);
				controller.enqueue(encoder.encode(answers[upstream].finish(counts) + answers[upstream].count(counts)));
				controller.close();
			},
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	};
	const counts = { input: 50, output: 777, reasoning: 700 };

	test.each(ways)("what is left is charged exactly: %s", async (_name, speaks, upstream) => {
		const { id, key } = await world.gateway.token({ quota: 100 });
		world.upstream.answer(() => patient(upstream, counts));
		await readTo({ key, speaks, upstream }, "FIRST");
		expect(await world.used(key)).toBe(costOf(counts));
		expect(await recorded(id)).toBe(costOf(counts));
	});

	test.each([
		["streamed", true],
		["whole", false],
	])("also when it is left before the first byte, %s", async (_name, stream) => {
		const { key } = await world.gateway.token({ quota: 100 });
		const asked = Promise.withResolvers<void>();
		world.upstream.answer(async () => {
			asked.resolve();
			await pause(300);
			return stream ? patient("messages", counts) : Response.json(answers.messages.whole("Hi", counts));
		});
		const abort = new AbortController();
		const call = ask({ key, speaks: "messages", upstream: "messages", stream }, abort.signal).catch(() => undefined);
		await asked.promise;
		abort.abort();
		await call;
		await pause(50);
		expect(await world.used(key)).toBe(costOf(counts));
	});
});
