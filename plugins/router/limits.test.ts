/** A target that is limited is passed over for as long as it says, and no longer. */
import { afterEach, expect, test } from "bun:test";
import { createTestClock, type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../../test/support/chat-answers.ts";
import { routerTo } from "../../test/support/router-to.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

const limited = (wait: Readonly<Record<string, string>>): Response =>
	Response.json({ error: { message: "Too many.", code: "rate_limit_exceeded" } }, { status: 429, headers: wait });

/** Two upstreams; the first answers as `first` says. `m` and `n` lead to both, `only` to the first. */
const open = async (first: () => Response) => {
	const ups: ScriptedUpstream[] = [startUpstream(first), startUpstream(() => Response.json(chatAnswer()))];
	for (const up of ups) ends.push(() => up.stop());
	const urls = ups.map(({ url }) => url);
	const clock = createTestClock();
	const gateway: TestGateway = await startGateway({
		clock,
		plugins: ["tokens", "chat-completions", routerTo(urls, { m: 2, n: 2, only: 1 })],
	});
	ends.push(() => gateway.stop());
	const ask = async (model: string): Promise<number> =>
		(await gateway.ask("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hello" }] })).status;
	return { clock, ask, asked: () => ups.map(({ received }) => received.length) };
};

test("for its model alone, and asked again when the wait is over", async () => {
	const { clock, ask, asked } = await open(() => limited({ "retry-after": "20" }));
	expect([await ask("m"), await ask("m"), await ask("m")]).toEqual([200, 200, 200]);
	expect(asked()).toEqual([1, 3]);
	await ask("n");
	expect(asked()).toEqual([2, 4]);
	await clock.advance(19_000);
	await ask("m");
	expect(asked()).toEqual([2, 5]);
	await clock.advance(2_000);
	await ask("m");
	expect(asked()).toEqual([3, 6]);
});

test("where nothing else is left it is asked all the same", async () => {
	const { ask, asked } = await open(() => limited({ "retry-after": "20" }));
	expect([await ask("only"), await ask("only")]).toEqual([429, 429]);
	expect(asked()[0]).toBe(2);
});

test("one that names no wait is asked with every call", async () => {
	const { ask, asked } = await open(() => limited({}));
	await ask("m");
	await ask("m");
	expect(asked()).toEqual([2, 2]);
});

test("a day's wait is believed for a minute", async () => {
	const { clock, ask, asked } = await open(() => limited({ "retry-after": "86400" }));
	await ask("m");
	await clock.advance(59_000);
	await ask("m");
	expect(asked()).toEqual([1, 2]);
	await clock.advance(2_000);
	await ask("m");
	expect(asked()).toEqual([2, 3]);
});
