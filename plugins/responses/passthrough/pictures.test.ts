/** Pictures that a model of OpenAI's draws on its way to an answer pass as they come, and count once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

const event = (type: string, fields: object, sequence_number: number) =>
	`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`;
const response = {
	id: "resp_1",
	object: "response",
	created_at: 1,
	model: "gpt-5",
	status: "in_progress",
	output: [] as unknown[],
};
const call = { id: "ig_1", type: "image_generation_call", status: "in_progress" };
const half = "aGFsZg".repeat(40_000);
const done = { ...call, status: "completed", result: "d2hvbGU=" };
const usage = {
	input_tokens: 100,
	input_tokens_details: { cached_tokens: 0 },
	output_tokens: 20,
	output_tokens_details: { reasoning_tokens: 0 },
	total_tokens: 120,
};
const partial = (index: number) => ({
	item_id: "ig_1",
	output_index: 0,
	partial_image_index: index,
	partial_image_b64: half,
});
const pieces = [
	event("response.created", { response }, 0),
	event("response.output_item.added", { output_index: 0, item: call }, 1),
	event("response.image_generation_call.partial_image", partial(0), 2),
	event("response.image_generation_call.partial_image", partial(1), 3),
	event("response.output_item.done", { output_index: 0, item: done }, 4),
	event("response.completed", { response: { ...response, status: "completed", output: [done], usage } }, 5),
];

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream(() => streamOf(pieces));
	gateway = await startGateway({
		plugins: [
			"tokens",
			"responses",
			{ use: "prices", with: { models: { "gpt-5": { input: 1, output: 10, perImage: 0.04 } } } },
			"quota",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "responses", url: `${upstream.url}/v1`, key: "up-key" }],
					models: [{ name: "gpt-5", targets: [{ upstream: "main" }] }],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const body = {
	model: "gpt-5",
	input: "Draw a cat.",
	tools: [{ type: "image_generation" as const, partial_images: 2 }],
};

test("byte for byte, and the tokens and the picture are charged", async () => {
	const { key } = await gateway.token({ quota: 100 });
	const answer = await gateway.ask(
		"/v1/responses",
		{ ...body, stream: true },
		{ headers: { authorization: `Bearer ${key}` } },
	);
	expect(await answer.text()).toBe(pieces.join(""));
	expect(upstream.received.at(-1)?.json).toMatchObject({ ...body, stream: true });
	const me = await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
	// 100 tokens at $1 and 20 at $10 a million, and one picture.
	expect(await me.json()).toMatchObject({ used: 0.0403 });
});

test("OpenAI's SDK sees each as it comes", async () => {
	const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
	const seen: number[] = [];
	for await (const one of await client.responses.create({ ...body, stream: true }))
		if (one.type === "response.image_generation_call.partial_image") seen.push(one.partial_image_index);
	expect(seen).toEqual([0, 1]);
});
