/** A quota for so many calls is spent on no more, however many come at once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sized } from "./sized.ts";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
});
afterAll(() => world.stop());

test("many calls at once on a quota for a few of them", async () => {
	const [input, output, affordable] = [20, 100, 10];
	let billed = 0;
	world.upstream.answer(async ({ json }) => {
		await new Promise((resolve) => setTimeout(resolve, 20));
		const { max_completion_tokens: limit, max_tokens } = json as {
			max_completion_tokens?: number;
			max_tokens?: number;
		};
		const given = Math.min(output, limit ?? max_tokens ?? output);
		billed += input * rates.input + given * rates.output;
		return Response.json({
			id: "c",
			object: "chat.completion",
			created: 1,
			model: "m",
			choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(given) }, finish_reason: "stop" }],
			usage: { prompt_tokens: input, completion_tokens: given, total_tokens: input + given },
		});
	});
	const quota = affordable * (input * rates.input + output * rates.output);
	const { key } = await world.gateway.token({ quota: quota / 1_000_000 });
	const body = { model: "chat-completions-a", max_tokens: output, messages: [{ role: "user", content: "Hello" }] };
	const headers = { authorization: `Bearer ${key}` };
	const ask = async (): Promise<number> => (await world.gateway.ask("/v1/chat/completions", body, { headers })).status;
	const statuses = await Promise.all(Array.from({ length: sized(100, 2_000) }, ask));
	expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
	expect(statuses).toContain(200);
	expect(statuses).toContain(429);
	expect(billed).toBeLessThanOrEqual(quota);
	expect(await world.used(key)).toBe(billed);
});
