/** What an upstream may bill that broke off is charged, even where the next one refuses the call; an answer is charged alone. */
import { afterEach, expect, test } from "bun:test";
import { streamOf } from "#core/testing";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
afterEach(() => world.stop());

const inputTokens = 40;
const outputTokens = 7;

/** It has counted the prompt, and then it fails. */
const brokenOff = (): Response => {
	const message = { id: "m", type: "message", role: "assistant", content: [], model: "m" };
	const usage = { input_tokens: inputTokens, output_tokens: 0 };
	const start = { type: "message_start", message: { ...message, usage } };
	const error = { type: "error", error: { type: "api_error", message: "Internal server error" } };
	return streamOf([start, error].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
};

const refused = (status: number) => (): Response =>
	Response.json({ error: { message: "This does not go.", type: "invalid_request_error" } }, { status });

const answered = (): Response =>
	Response.json({
		choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
		usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens },
	});

/** What a call costs whose first upstream breaks off, and how it ends. */
const afterBreak = async (next: () => Response): Promise<readonly [status: number, used: number]> => {
	const at = { key: "upstream-key" };
	const second = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: next });
	const first = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: brokenOff });
	const upstreams = [
		{ ...at, name: "first", protocol: "messages", url: `http://127.0.0.1:${first.port}` },
		{ ...at, name: "second", protocol: "chat-completions", url: `http://127.0.0.1:${second.port}` },
	];
	const models = [{ name: "m", targets: [{ upstream: "first", model: "dear" }, { upstream: "second" }] }];
	world = await attackWorld({
		plugins: [
			{ use: "router", with: { upstreams, models } },
			{ use: "prices", with: { models: { dear: { input: 100, output: 100 }, m: { input: 1, output: 10 } } } },
		],
	});
	const { key } = await world.gateway.token({ quota: 1 });
	const question = { model: "m", max_tokens: 50, messages: [{ role: "user", content: "Hello" }] };
	const headers = { authorization: `Bearer ${key}` };
	const { status } = await world.gateway.ask("/v1/chat/completions", question, { headers });
	const used = await world.used(key);
	await Promise.all([first.stop(true), second.stop(true)]);
	return [status, used];
};

test.each([400, 404, 429])("the next refuses with %d", async (status) => {
	const [, used] = await afterBreak(refused(status));
	expect(used).toBeGreaterThanOrEqual(inputTokens * 100);
	expect(used).toBeLessThanOrEqual((inputTokens + 50) * 100);
});

test("the next answers", async () => {
	expect(await afterBreak(answered)).toEqual([200, inputTokens + outputTokens * 10]);
});
