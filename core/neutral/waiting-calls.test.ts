import { expect, test } from "bun:test";
import { WaitingCalls } from "./waiting-calls.ts";

const waiting = (...calls: readonly (readonly [id: string, name: string])[]): WaitingCalls => {
	const made = new WaitingCalls();
	for (const [id, name] of calls) made.add(id, name);
	return made;
};

test("a result answers the call of its id, however often it comes", () => {
	const calls = waiting(["1", "a"], ["2", "a"]);
	expect(["2", "2", "1"].map((id) => calls.take(id, "b"))).toEqual(["2", "2", "1"]);
});

test("without an id it answers the oldest of its name that waits, without a name the oldest of all", () => {
	const calls = waiting(["1", "a"], ["2", "b"], ["3", "a"], ["4", "b"]);
	expect([calls.take(undefined, "a"), calls.take("3", "a"), calls.take(undefined, "a")]).toEqual(["1", "3", undefined]);
	expect([undefined, undefined, undefined].map((id) => calls.take(id, undefined))).toEqual(["2", "4", undefined]);
});

test("without an id, a name that no call has is none", () => {
	const calls = waiting(["1", "time-now"], ["2", "time-zone"]);
	const names = ["time__now", "time__zone", "time__now"];
	expect(names.map((name) => calls.take(undefined, name))).toEqual(["1", "2", undefined]);
});

test("an id that no call has leaves its name to tell", () => {
	const calls = waiting(["1", "a"]);
	expect([calls.take("x", "a"), calls.take("x", "a")]).toEqual(["1", undefined]);
});
