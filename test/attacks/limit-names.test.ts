/** Promise: what a call is limited to is what its upstream is told, in the words that this one reads. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

interface Limits {
	readonly max_tokens?: number;
	readonly max_completion_tokens?: number;
}

/** What each writes: DeepSeek and Z.ai read the older name alone. */
const written: Readonly<Record<string, (limits: Limits) => number>> = {
	"deepseek-chat": ({ max_tokens = 8192 }) => max_tokens,
	"glm-5.3": ({ max_tokens = 8192 }) => max_tokens,
};

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({
		router: (url) => ({
			upstreams: [{ name: "plain", protocol: "chat-completions", url: `${url}/v1`, key: "k" }],
			models: Object.keys(written).map((name) => ({ name, targets: [{ upstream: "plain" }] })),
		}),
	});
	world.upstream.answer(({ json }) => {
		const body = json as Limits & { readonly model: string };
		const output = written[body.model]?.(body) ?? 0;
		return Response.json({
			id: "c",
			object: "chat.completion",
			created: 1,
			model: body.model,
			choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "length" }],
			usage: { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output },
		});
	});
});
afterAll(() => world.stop());

const both = ["max_tokens", "max_completion_tokens"];
test.each(Object.keys(written).flatMap((model) => both.map((name) => [model, name])))(
	"%s writes, and is paid for, no more than %s says",
	async (model, name) => {
		const body = { model, messages: [{ role: "user", content: "Hi" }], [name]: 16 };
		const { status, call } = await world.askOnce(1, "/v1/chat/completions", body);
		expect(status).toBe(200);
		expect(call).toMatchObject({ outputTokens: 16, cost: (10 * rates.input + 16 * rates.output) / 1e6, excess: 0 });
	},
);
