import { expect, test } from "bun:test";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { UpstreamConcurrency } from "./upstream-concurrency.ts";

const enterAll = (concurrency: UpstreamConcurrency, name: string, token = "one"): number => {
	let entered = 0;
	while (concurrency.enter(name, token)) entered++;
	return entered;
};

test("an upstream gets as many requests as it was said to bear", () => {
	const upstreams = [
		{ name: "a", concurrency: 4 },
		{ name: "b", concurrency: 0 },
	];
	const concurrency = new UpstreamConcurrency(upstreams, createMovedClock());
	expect([enterAll(concurrency, "a"), enterAll(concurrency, "b"), enterAll(concurrency, "unheard-of")]).toEqual([
		4, 1, 0,
	]);
	expect(concurrency.full()).toEqual(["a", "b"]);
});

test("half as many after it turned one away, never none; one more for each round of answers, never more than at first", () => {
	const concurrency = new UpstreamConcurrency([{ name: "a", concurrency: 8 }], createMovedClock());
	const round = (answered: boolean | undefined): number => {
		const entered = enterAll(concurrency, "a");
		for (let index = 0; index < entered; index++) concurrency.leave("a", "one", index === 0 ? answered : undefined);
		return entered;
	};
	expect([round(false), round(false), round(false), round(false)]).toEqual([8, 4, 2, 1]);
	expect(round(false)).toBe(1);
	expect([round(true), round(true), round(true), round(true)]).toEqual([1, 2, 2, 3]);
	for (let index = 0; index < 100; index++) round(true);
	expect(round(undefined)).toBe(8);
});

test("a token that has its share lets others go first, and so do they when they have theirs", () => {
	const concurrency = new UpstreamConcurrency([{ name: "a", concurrency: 8 }], createMovedClock());
	expect(concurrency.served()).toEqual([]);
	for (let count = 0; count < 3; count++) concurrency.enter("a", "one");
	expect(concurrency.served()).toEqual([]);
	enterAll(concurrency, "a");
	expect(concurrency.served()).toEqual(["a one"]);
	concurrency.leave("a", "one", undefined);
	concurrency.enter("a", "two");
	expect(concurrency.served()).toEqual(["a one"]);
	for (let count = 0; count < 3; count++) {
		concurrency.leave("a", "one", undefined);
		concurrency.enter("a", "two");
	}
	expect(concurrency.served()).toEqual(["a one", "a two"]);
	for (let count = 0; count < 4; count++) concurrency.leave("a", "one", undefined);
	expect(concurrency.served()).toEqual(["a two"]);
});

test("one that hangs at an upstream that was busy keeps the others waiting for half a minute, not until it is given up", () => {
	const clock = createMovedClock();
	const concurrency = new UpstreamConcurrency([{ name: "a", concurrency: 3 }], clock);
	for (let turned = 0; turned < 4; turned++) {
		expect(concurrency.enter("a", "one")).toBe(true);
		concurrency.leave("a", "one", false);
	}
	clock.advance(600_000);
	expect(enterAll(concurrency, "a")).toBe(1);
	clock.advance(29_000);
	expect([concurrency.full(), enterAll(concurrency, "a")]).toEqual([["a"], 0]);
	clock.advance(1_000);
	expect([concurrency.full(), enterAll(concurrency, "a", "two")]).toEqual([[], 1]);
	clock.advance(29_000);
	expect(concurrency.full()).toEqual(["a"]);
	// Another that is answered keeps the place that it had, and what hangs is waited for anew.
	concurrency.leave("a", "two", true);
	expect([enterAll(concurrency, "a"), concurrency.full()]).toEqual([1, ["a"]]);
	// However long it lasts, never more than at first.
	clock.advance(600_000);
	expect([enterAll(concurrency, "a"), concurrency.full()]).toEqual([1, ["a"]]);
});
