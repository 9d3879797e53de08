/** What costs nothing still obeys: counts of tokens and test callbacks are limited, and no model is free for want of a rate. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { joined } from "../support/people-world.ts";
import { type Receiver, startReceiver, status } from "../support/receiver.ts";
import { sized } from "./sized.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
let receiver: Receiver;
beforeAll(async () => {
	receiver = await startReceiver(status(200));
	world = await attackWorld({
		plugins: [
			"demo",
			"people",
			{ use: "webhooks", with: { allowPrivateNetworks: true } },
			{
				use: "prices",
				with: {
					models: {
						"messages-half": { input: 1 },
						"messages-*": { input: 1, output: 10 },
					},
				},
			},
		],
	});
});
afterAll(async () => {
	await world.stop();
	await receiver.close();
});

const post = (path: string, key: string, body: object): Promise<Response> =>
	world.gateway.ask(path, body, { headers: { authorization: `Bearer ${key}`, "x-goog-api-key": key } });
const messages = [{ role: "user", content: "Hello" }];
const counts: readonly (readonly [path: string, body: object])[] = [
	["/v1/messages/count_tokens", { model: "messages-a", messages }],
	["/v1/responses/input_tokens", { model: "messages-a", input: "Hello" }],
	["/v1beta/models/messages-a:countTokens", { contents: [{ role: "user", parts: [{ text: "Hello" }] }] }],
];

describe("counts of tokens", () => {
	test.each(counts)("%s is refused where the quota is used up, and nobody is asked", async (path, body) => {
		world.upstream.received.length = 0;
		world.upstream.answer(() => Response.json({ input_tokens: 5 }));
		for (const quota of [0, 0.000001]) {
			const { key } = await world.gateway.token({ quota });
			const refused = await Promise.all(Array.from({ length: sized(5, 200) }, () => post(path, key, body)));
			// 402 is how Anthropic's clients are told.
			const told = path.includes("messages/") ? 402 : 429;
			expect(refused.map((response) => response.status).filter((one) => one !== told)).toEqual([]);
		}
		expect(world.upstream.received).toEqual([]);
		const { key } = await world.gateway.token({ quota: 1 });
		expect((await post(path, key, body)).status).toBe(200);
		expect(await world.used(key)).toBe(0);
	});

	test.each(counts)("%s counts as a request", async (path, body) => {
		world.upstream.answer(() => Response.json({ input_tokens: 5 }));
		const { key } = await world.gateway.token({ rateLimit: { requestsPerMinute: 3 } });
		const answers = await Promise.all(Array.from({ length: sized(10, 500) }, () => post(path, key, body)));
		expect(answers.filter((response) => response.status === 200)).toHaveLength(3);
		expect(answers.filter((response) => response.status === 429)).toHaveLength(answers.length - 3);
	});
});

describe("a refusal of Anthropic's", () => {
	const refused = (category: string | null, output: number) => {
		const delta = { stop_reason: "refusal", stop_sequence: null, stop_details: { type: "refusal", category } };
		const usage = { input_tokens: 100, output_tokens: output };
		const content = output > 0 ? [{ type: "text", text: "Well" }] : [];
		const message = { id: "m", type: "message", role: "assistant", model: "messages-a", content, ...delta, usage };
		const begun = { ...message, content: [], stop_reason: null, stop_details: null };
		const block = { index: 0, content_block: { type: "text", text: "" }, delta: { type: "text_delta", text: "Well" } };
		const said = ["content_block_start", "content_block_delta", "content_block_stop"].map((type) => ({
			type,
			...block,
		}));
		const events = [
			{ type: "message_start", message: begun },
			...(output > 0 ? said : []),
			{ type: "message_delta", delta, usage },
			{ type: "message_stop" },
		];
		const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
		world.upstream.answer(({ json }) =>
			(json as { stream?: boolean }).stream
				? new Response(text, { headers: { "content-type": "text/event-stream" } })
				: Response.json(message),
		);
	};
	test.each([
		["cyber", 0, 0],
		[null, 0, 0],
		["a later one", 0, 0],
		["bio", 0, 100],
		["cyber", 10, 200],
	] as const)("%s after %i tokens costs %i", async (category, output, cost) => {
		refused(category, output);
		for (const path of ["/v1/messages", "/v1/chat/completions"])
			for (const stream of [false, true]) {
				const { key } = await world.gateway.token({ quota: 1 });
				const response = await post(path, key, { model: "messages-a", max_tokens: 50, messages, stream });
				expect(response.status).toBe(200);
				await response.text();
				expect(await world.used(key)).toBe(cost);
			}
	});
});

test("test callbacks of one token are limited though it has no limit of its own", async () => {
	const { key } = await world.gateway.token();
	const posts = await Promise.all(
		Array.from({ length: sized(150, 1_000) }, () => post("/v1/webhooks/test", key, { url: `${receiver.origin}/t` })),
	);
	const statuses = posts.map((response) => response.status);
	expect([...new Set(statuses)].sort()).toEqual([200, 429]);
	expect(posts.find((response) => response.status === 429)?.headers.get("retry-after")).toMatch(/^\d+$/);
	expect(statuses.filter((one) => one === 200).length).toBeLessThanOrEqual(30);
	const other = await world.gateway.token();
	expect((await post("/v1/webhooks/test", other.key, { url: `${receiver.origin}/t` })).status).toBe(200);
});

test("and so are those of all tokens of a member", async () => {
	const mallory = await joined(world.gateway, "mallory");
	const statuses: number[] = [];
	for (let made = 0; made < 20; made++) {
		const { body } = await mallory.ask("POST", "/admin/tokens", { name: "one of many" });
		for (let time = 0; time < 2; time++) {
			const response = await post("/v1/webhooks/test", String(body["key"]), { url: `${receiver.origin}/t` });
			statuses.push(response.status);
		}
	}
	expect(statuses.filter((one) => one === 200)).toHaveLength(30);
});

test("a model without a rate for its output is refused under a quota, and nobody is asked", async () => {
	world.upstream.received.length = 0;
	const { key } = await world.gateway.token({ quota: 1 });
	const response = await post("/v1/messages", key, { model: "messages-half", max_tokens: 5, messages });
	expect(response.status).toBe(403);
	expect(await response.text()).toContain("not known");
	expect(world.upstream.received).toEqual([]);
});
