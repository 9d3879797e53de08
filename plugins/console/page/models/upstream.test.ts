import { expect, test } from "bun:test";
import { failingIn, stateOf, upstreamOf } from "./upstream.ts";

test.each([
	[{ circuit: "closed" }, "Working", "good"],
	[{ circuit: "closed", keys: [true, true] }, "Working", "good"],
	[{ circuit: "closed", keys: [false] }, "Its key rests", "stop"],
	[{ circuit: "closed", keys: [false, false] }, "All its keys rest", "stop"],
	[{ circuit: "closed", keys: [true, false, true] }, "Keys at rest: 1 of 3", "warn"],
	[{ circuit: "half-open", keys: [true] }, "To be tried again", "warn"],
	[{ circuit: "open", openForSeconds: 4, keys: [false] }, "Left alone, 4 s more", "stop"],
] as const)("%j is said to be: %s", (wire, word, tone) => expect(stateOf(upstreamOf(wire))).toEqual([word, tone]));

test("an upstream fails until it is known to work again, not only while it is left alone", () => {
	const upstreams = [
		{ upstream: "a", circuit: "half-open", failing: true },
		{ upstream: "b", circuit: "closed", keys: [false], failing: true },
		{ upstream: "idle", circuit: "half-open", failing: false },
		{ upstream: "studio", of: "tasks", circuit: "half-open", failing: true },
	];
	expect(failingIn({ upstreams }).map(({ upstream }) => upstream)).toEqual(["a", "b"]);
	expect(failingIn({ upstreams }, "tasks").map(({ upstream }) => upstream)).toEqual(["studio"]);
});
