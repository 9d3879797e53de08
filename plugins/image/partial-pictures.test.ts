/** Pictures on their way, by OpenAI's own SDKs: what the upstream shows before it is done comes as it comes, and is charged once. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import OpenAI6 from "openai-6";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

const png = (text: string) => Buffer.from(`\x89PNG\r\n\x1a\n ${text}`, "latin1").toString("base64");
const usage = { input_tokens: 50, output_tokens: 250, total_tokens: 300 };
const shown = { created_at: 1, size: "1024x1024", quality: "high", background: "opaque", output_format: "png" };

const event = (fields: Record<string, unknown>) =>
	`event: ${String(fields["type"])}\ndata: ${JSON.stringify(fields)}\n\n`;
const drawn = (verb: string, partials: number): readonly string[] => [
	...Array.from({ length: partials }, (_, index) =>
		event({ type: `${verb}.partial_image`, b64_json: png(`half ${index}`), partial_image_index: index, ...shown }),
	),
	event({ type: `${verb}.completed`, b64_json: png("done"), usage, ...shown }),
];

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"expiry",
			"model-list",
			"ip-whitelist",
			"rate-limit",
			{ use: "prices", with: { models: { "gpt-image-1": { perImage: 0.25 } } } },
			"quota",
			"ledger",
			"router",
			"tasks",
			{
				use: "image",
				with: {
					upstreams: [{ name: "up", type: "openai-images", url: `${upstream.url}/v1`, models: ["gpt-image-1"] }],
				},
			},
		],
	});
});
beforeEach(() => {
	upstream.received.length = 0;
	upstream.answer(({ path, json, text }) => {
		const verb = path.endsWith("edits") ? "image_edit" : "image_generation";
		const asked = (json as { partial_images?: number } | undefined)?.partial_images;
		return streamOf(drawn(verb, asked ?? Number(/name="partial_images"\r\n\r\n(\d)/.exec(text)?.[1] ?? 0)));
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const usedBy = async (key: string): Promise<unknown> => {
	const me = await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
	return ((await me.json()) as { used: unknown }).used;
};

describe.each([
	["7", OpenAI],
	["6", OpenAI6 as unknown as typeof OpenAI],
])("openai %s", (_, Client) => {
	const client = (apiKey = gateway.key, baseURL = `${gateway.url}/v1`) =>
		new Client({ baseURL, apiKey, maxRetries: 0 });
	const order = { model: "gpt-image-1", prompt: "a cat", stream: true, partial_images: 2 } as const;

	test("images.generate", async () => {
		const { key } = await gateway.token({ quota: 1 });
		const events: unknown[] = [];
		for await (const one of await client(key).images.generate(order)) events.push(one);
		expect(events).toEqual([
			{ type: "image_generation.partial_image", b64_json: png("half 0"), partial_image_index: 0, ...shown },
			{ type: "image_generation.partial_image", b64_json: png("half 1"), partial_image_index: 1, ...shown },
			expect.objectContaining({ type: "image_generation.completed", b64_json: png("done"), usage }),
		]);
		expect(upstream.received.map(({ json }) => json)).toEqual([order]);
		expect(await usedBy(key)).toBe(0.258);
	});

	test("images.edit", async () => {
		const image = await toFile(Buffer.from("\x89PNG\r\n\x1a\n cat", "latin1"), "cat.png", { type: "image/png" });
		const types: string[] = [];
		for await (const one of await client().images.edit({ ...order, image })) types.push(one.type);
		expect(types).toEqual(["image_edit.partial_image", "image_edit.partial_image", "image_edit.completed"]);
		expect(upstream.received[0]?.text).toContain('name="stream"\r\n\r\ntrue');
	});

	test("no stream, or no partial pictures, asks the upstream for none", async () => {
		upstream.answer(() => Response.json({ created: 1, data: [{ b64_json: png("done") }], usage }));
		const { stream: _stream, ...whole } = order;
		const answer = await client().images.generate(whole as OpenAI.ImageGenerateParamsNonStreaming);
		expect(answer.data).toEqual([{ b64_json: png("done") }]);
		const types: string[] = [];
		for await (const one of await client().images.generate({ ...order, partial_images: 0 })) types.push(one.type);
		expect(types).toEqual(["image_generation.completed"]);
		for (const { json } of upstream.received) expect(json).toEqual({ model: "gpt-image-1", prompt: "a cat" });
	});

	test("the model of Azure's address, and Google's address for OpenAI's clients", async () => {
		const bases = ["/openai/deployments/gpt-image-1", "/v1beta/openai", "/openai/v1"];
		for (const base of bases) {
			const types: string[] = [];
			for await (const one of await client(gateway.key, gateway.url + base).images.generate(order))
				types.push(one.type);
			expect(types).toHaveLength(3);
		}
		const { key } = await gateway.token({ models: ["other"] });
		const refused = client(key, `${gateway.url}/openai/deployments/gpt-image-1`).images.generate({
			...order,
			model: "other",
		});
		expect(await refused.then(undefined, ({ status }) => status)).toBe(404);
	});
});

test("a stream says what its upstream does not, as OpenAI's SDK for Java insists", async () => {
	const bare = { b64_json: png("x"), created_at: 1, output_format: "png" };
	upstream.answer(() =>
		streamOf([
			event({ type: "image_generation.partial_image", partial_image_index: 0, ...bare }),
			event({ type: "image_generation.completed", ...bare }),
		]),
	);
	const order = { model: "gpt-image-1", prompt: "x", stream: true, partial_images: 1, quality: "low" } as const;
	const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
	const events: unknown[] = [];
	for await (const one of await client.images.generate(order)) events.push(one);
	const auto = { size: "auto", background: "auto", output_format: "png" };
	const none = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
	expect(events).toEqual([
		expect.objectContaining({ ...auto, quality: "auto", partial_image_index: 0 }),
		expect.objectContaining({ ...auto, quality: "low", usage: expect.objectContaining(none) }),
	]);
});

test("a picture on its way is there before the last is made", async () => {
	const held = Promise.withResolvers<void>();
	const [first = "", last = ""] = drawn("image_generation", 1);
	upstream.answer(() => {
		const bytes = new TextEncoder();
		const body = new ReadableStream<Uint8Array>({
			async start(controller) {
				controller.enqueue(bytes.encode(first));
				await held.promise;
				controller.enqueue(bytes.encode(last));
				controller.close();
			},
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});
	const answer = await gateway.ask("/v1/images/generations", {
		model: "gpt-image-1",
		prompt: "x",
		stream: true,
		partial_images: 1,
	});
	const reader = answer.body?.getReader();
	const text = new TextDecoder();
	expect(text.decode((await reader?.read())?.value)).toContain("partial_image");
	held.resolve();
	let rest = "";
	for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
		rest += text.decode(next.value);
	expect(rest).toContain("image_generation.completed");
});

describe("what goes wrong", () => {
	const ask = (key: string, partial_images: unknown = 1) =>
		gateway.ask(
			"/v1/images/generations",
			{ model: "gpt-image-1", prompt: "x", stream: true, partial_images },
			{ headers: { authorization: `Bearer ${key}` } },
		);
	const error = event({ type: "error", error: { message: "The safety system said no.", code: "moderation_blocked" } });

	test("before anything was shown is answered with its status, and costs nothing", async () => {
		upstream.answer(() => streamOf([error]));
		const { key } = await gateway.token({ quota: 1 });
		const answer = await ask(key);
		expect(answer.status).toBe(400);
		expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining("safety") } });
		expect(await usedBy(key)).toBe(0);
	});

	test("after something was shown is told within the stream, as OpenAI's SDK reads it", async () => {
		upstream.answer(() => streamOf([drawn("image_generation", 1)[0] ?? "", error]));
		const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
		const types: string[] = [];
		const all = (async () => {
			const order = { model: "gpt-image-1", prompt: "x", stream: true, partial_images: 1 } as const;
			for await (const one of await client.images.generate(order)) types.push(one.type);
		})();
		expect(await all.then(undefined, ({ message }) => message)).toContain("safety");
		expect(types).toEqual(["image_generation.partial_image"]);
	});

	test("a stream that breaks off has failed, and what it may have cost is charged", async () => {
		upstream.answer(() => streamOf([drawn("image_generation", 1)[0] ?? ""]));
		const { key } = await gateway.token({ quota: 1 });
		const text = await (await ask(key)).text();
		expect(text).toContain("event: error");
		expect(text).not.toContain("completed");
		expect(await usedBy(key)).toBe(0.254);
	});

	test.each([4, -1, 1.5, "many", true])("%p partial pictures are refused", async (count) => {
		const answer = await ask(gateway.key, count);
		expect(answer.status).toBe(400);
		expect(await answer.json()).toMatchObject({ error: { param: "partial_images" } });
	});

	test("fewer than were asked for cost what came, and more than that no more than was asked for", async () => {
		for (const [shows, dollars] of [
			[0, 0.25],
			[1, 0.254],
			[9, 0.262],
		] as const) {
			upstream.answer(() => streamOf(drawn("image_generation", shows)));
			const { key } = await gateway.token({ quota: 1 });
			await (await ask(key, 3)).text();
			expect(await usedBy(key)).toBe(dollars);
		}
	});

	test("a task, of which nobody is shown any, asks for none", async () => {
		const input = { partial_images: 3 };
		const wish = { model: "gpt-image-1", prompt: "x", partial_images: 3 };
		for (const [path, body] of [
			["/v1/tasks", { ...wish, kind: "image", input }],
			["/kling/v1/images/generations", { ...wish, model_name: "gpt-image-1" }],
			["/v1/images/generations", { ...wish, async: true }],
		] as const) {
			upstream.received.length = 0;
			await (await gateway.ask(path, body)).text();
			while (upstream.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
			expect(upstream.received[0]?.json).not.toHaveProperty("partial_images");
		}
	});

	test("a quota for one lets one of twenty through", async () => {
		const { key } = await gateway.token({ quota: 0.3 });
		const answers = await Promise.all(Array.from({ length: 20 }, () => ask(key)));
		await Promise.all(answers.map((answer) => answer.text()));
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status === 200)).toHaveLength(1);
		expect(await usedBy(key)).toBe(0.254);
	});
});
