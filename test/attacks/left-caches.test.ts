/** Promise: who leaves before the first word pays for what the upstream may have written to its cache by then, at that rate. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

const price = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25, cacheWriteLong: 2 };

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({
		plugins: [{ use: "prices", with: { models: { "*": price } } }],
		capabilities: { thinking: "none" },
	});
});
afterAll(() => world.stop());

const words = "word ".repeat(20_000);

/** Micro-dollars that a call costs which its client leaves as soon as it has reached the upstream. */
const costOf = async (part: object, more: object = {}): Promise<number> => {
	const { key } = await world.gateway.token({ quota: 1 });
	const leaving = new AbortController();
	world.upstream.answer(
		({ signal }) =>
			new Promise((_, reject) => {
				signal.addEventListener("abort", () => reject(new Error("left")));
				leaving.abort();
			}),
	);
	const body = {
		model: "messages-a",
		max_tokens: 16,
		stream: true,
		messages: [{ role: "user", content: [{ type: "text", text: words, ...part }] }],
		...more,
	};
	const init = { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal };
	await expect(world.gateway.ask("/v1/messages", body, init)).rejects.toThrow();
	return await world.used(key);
};

test("by the marks of the request", async () => {
	const plain = await costOf({});
	expect(plain).toBeGreaterThan(words.length / 5);
	const ephemeral = { type: "ephemeral" };
	const within = (times: number) => [plain * times * 0.99, plain * times * 1.01] as const;
	for (const [part, more, times] of [
		[{ cache_control: ephemeral }, {}, 1.25],
		[{}, { cache_control: ephemeral }, 1.25],
		[{ cache_control: { ...ephemeral, ttl: "1h" } }, {}, 2],
		[{ cache_control: ephemeral }, { system: [{ type: "text", text: "x", cache_control: { ttl: "1h" } }] }, 2],
	] as const) {
		const cost = await costOf(part, more);
		const [least, most] = within(times);
		expect(cost).toBeGreaterThan(least);
		expect(cost).toBeLessThan(most);
	}
});
