import { describe, expect, test } from "bun:test";
import { createTestClock } from "#core/testing";
import { Keys } from "./keys.ts";

const keysOf = (...keys: string[]) => restingFor(0, ...keys);
const restingFor = (random: number, ...keys: string[]) => {
	const clock = createTestClock();
	return { keys: new Keys(keys, clock, () => random), clock };
};

describe("several keys of one upstream", () => {
	test("are used in turn", () => {
		const { keys } = keysOf("a", "b", "c");
		expect(Array.from({ length: 6 }, () => keys.choose(undefined))).toEqual(["a", "b", "c", "a", "b", "c"]);
	});

	test("are bound to an affinity", () => {
		const { keys } = keysOf("a", "b", "c");
		const chosen = keys.choose("user-1");
		keys.choose(undefined);
		expect(Array.from({ length: 5 }, () => keys.choose("user-1"))).toEqual(Array(5).fill(chosen));
	});

	test("rest a minute when refused or limited, or as long as the upstream said when that is shorter", async () => {
		const { keys, clock } = keysOf("a", "b");
		keys.rest("a");
		expect([keys.choose(undefined), keys.choose(undefined)]).toEqual(["b", "b"]);
		await clock.advance(59_999);
		expect([keys.choose(undefined), keys.choose(undefined)]).toEqual(["b", "b"]);
		await clock.advance(1);
		expect([keys.choose(undefined), keys.choose(undefined)].toSorted()).toEqual(["a", "b"]);
		keys.rest("a", 2);
		await clock.advance(2000);
		expect([keys.choose(undefined), keys.choose(undefined)].toSorted()).toEqual(["a", "b"]);
	});

	test.each([3600, undefined])("rest no longer than a minute where %p seconds were asked for", async (seconds) => {
		const { keys, clock } = keysOf("a", "b");
		keys.rest("a", seconds);
		await clock.advance(59_999);
		expect(keys.choose(undefined)).toBe("b");
		await clock.advance(1);
		expect([keys.choose(undefined), keys.choose(undefined)]).toContain("a");
	});

	test("rest up to a tenth longer, by chance: nodes that were limited together do not ask again together", async () => {
		for (const [chance, rest] of [
			[0, 2000],
			[0.5, 2100],
			[1, 2200],
		] as const) {
			const { keys, clock } = restingFor(chance, "a", "b");
			keys.rest("a", 2);
			await clock.advance(rest - 1);
			expect([keys.choose(undefined), keys.choose(undefined)]).toEqual(["b", "b"]);
			await clock.advance(1);
			expect([keys.choose(undefined), keys.choose(undefined)]).toContain("a");
		}
	});

	test("that all rest are used in turn again: trying beats refusing", () => {
		const { keys } = keysOf("a", "b");
		keys.rest("a");
		keys.rest("b");
		expect([keys.choose(undefined), keys.choose(undefined)]).toEqual(["a", "b"]);
	});

	test("none at all is no key", () => {
		const { keys } = keysOf();
		expect([keys.choose(undefined), keys.choose("user-1")]).toEqual([undefined, undefined]);
	});

	test("an affinity whose key rests goes to another and comes back", async () => {
		const { keys, clock } = keysOf("a", "b", "c");
		const chosen = keys.choose("user-1") ?? "";
		keys.rest(chosen, 1);
		expect(keys.choose("user-1")).not.toBe(chosen);
		await clock.advance(1000);
		expect(keys.choose("user-1")).toBe(chosen);
	});
});
