import { expect, test } from "bun:test";
import type { Dialect, EndpointAsk } from "../../contract/endpoint.ts";
import type { Usage } from "../../neutral/response.ts";
import { createGathering } from "./gathering.ts";

const texts = ["a word", "another", "a third one"];

/** A call in as many messages as it has texts, whose upstream tells no use; how often its texts were gone through. */
const gathered = (estimate?: () => Usage) => {
	let times = 0;
	const call = {
		bound: { inputTokens: 999, outputTokens: 8 },
		get texts() {
			times++;
			return texts;
		},
	};
	const messages = texts.map((body) => ({ path: "/embed", headers: {}, body }));
	const gathering = createGathering({
		ask: { call } as unknown as EndpointAsk,
		dialect: { observe: () => undefined, ...(estimate && { estimate }) } as unknown as Dialect,
		messages,
		passes: false,
		answer: (bodies) => ({ body: bodies }),
	});
	const before = times;
	for (const _ of texts) gathering.take(new TextEncoder().encode('{"vector":[1]}'), "application/json");
	return { usage: gathering.seen(false).usage, times: times - before };
};

test("a call in many messages is gone through once to tell what they used, and is charged as one", () => {
	expect(gathered()).toEqual({
		usage: { input: { total: 9 }, output: { total: 12 }, estimated: true },
		times: 1,
	});
});

test("what the dialect estimates is asked for once too", () => {
	let asked = 0;
	const estimate = (): Usage => {
		asked++;
		return { input: { total: 30 }, output: { total: 0 } };
	};
	const { usage } = gathered(estimate);
	expect(asked).toBe(1);
	expect(usage).toMatchObject({ output: { total: 0 }, estimated: true });
});

test("what the dialect estimates is that of the whole call, whatever it counts", () => {
	const units = { characters: 25, searches: 1, audioSecondsIn: 1.5 };
	const { usage } = gathered(() => ({ input: { total: 0 }, output: { total: 7 }, units }));
	expect(usage).toMatchObject({ output: { total: 7 }, units: { characters: 25, searches: 1 } });
	expect(usage?.units?.audioSecondsIn).toBeCloseTo(1.5, 9);
});
