/** Promise: calls that wait for tasks, thousands of them by one key of repetition, ask the database little and have an end. */
import { expect, test } from "bun:test";
import { isFault } from "#core";
import { EndWaiters } from "../../plugins/tasks/end-waiters.ts";
import { createMovedClock } from "../support/moved-clock.ts";

test("one question a second for all of them, and no more than two thousand of one caller", async () => {
	const clock = createMovedClock();
	const questions: (readonly string[])[] = [];
	const waiters = new EndWaiters(clock, async (ids) => {
		questions.push(ids);
		return new Set(questions.length < 3 ? ids : []);
	});
	const { signal } = new AbortController();
	const begin = (id: string, caller = "one") => waiters.begin(id, { caller, limitMs: 60_000, signal });
	const waiting = Array.from({ length: 2_000 }, (_, number) => begin(`task_${number % 2}`));
	let refusal: unknown;
	try {
		begin("task_1");
	} catch (error) {
		refusal = isFault(error) ? error.denial : error;
	}
	expect(refusal).toMatchObject({
		kind: "rate_limited",
		code: "too_many_calls",
		message: expect.stringContaining("/v1/tasks/task_1"),
	});
	waiting.push(begin("task_1", "other"));
	let over = 0;
	for (const { over: ends } of waiting) void ends.then(() => over++);
	for (let second = 0; second < 3; second++) {
		expect(over).toBe(0);
		clock.advance(1_000);
		await new Promise((resolve) => setImmediate(resolve));
	}
	const both = ["task_0", "task_1"];
	expect(questions).toEqual([both, both, both]);
	expect(over).toBe(2_001);
	for (const { leave } of waiting) leave();
	begin("task_1").leave();
	clock.advance(60_000);
	expect(questions).toHaveLength(3);
});

test("what is told of, what takes too long and whose client leaves is waited for no more", async () => {
	const clock = createMovedClock();
	const waiters = new EndWaiters(clock, async (ids) => new Set(ids));
	const client = new AbortController();
	const begin = (id: string) => waiters.begin(id, { caller: "one", limitMs: 5_000, signal: client.signal });
	const over: string[] = [];
	for (const id of ["told", "late"]) void begin(id).over.then(() => over.push(id));
	waiters.tell("told");
	await Promise.resolve();
	expect(over).toEqual(["told"]);
	clock.advance(5_000);
	await Promise.resolve();
	expect(over).toEqual(["told", "late"]);
	const left = begin("left").over;
	client.abort();
	await left;
});
