import { describe, expect, test } from "bun:test";
import { PollSchedule } from "./poll-schedule.ts";
import type { TaskUpstream } from "./service.ts";

const upstream = (more: Partial<TaskUpstream> = {}): TaskUpstream => ({
	name: "up",
	kind: "image",
	models: ["*"],
	concurrency: 1,
	pollDelaysMs: [5000, 10_000],
	submit: () => Promise.reject(new TypeError("not asked here")),
	...more,
});
const together = upstream({ pollsTogether: 50, pollDelaysMs: [3000] });
const at = (random: number, now = 0): PollSchedule =>
	new PollSchedule(
		() => now,
		() => random,
	);

describe("a task is looked at again", () => {
	test.each([
		[0, 4000, 8000],
		[0.5, 5000, 10_000],
		[1, 6000, 12_000],
	])("at its upstream's pace, a fifth earlier or later (chance %p)", (chance, first, later) => {
		expect([at(chance).poll(upstream(), 0), at(chance).poll(upstream(), 1), at(chance).poll(upstream(), 9)]).toEqual([
			first,
			later,
			later,
		]);
	});

	test("on a whole second where many are asked after in one request, whatever the chance", () => {
		for (const now of [1, 400, 999])
			for (const chance of [0, 1]) expect((now + at(chance, now).poll(together, 0)) % 1000).toBe(0);
	});

	test.each([
		[0, 15_000, 30_000, 60_000],
		[1, 18_750, 37_500, 75_000],
	])("after no answer as late as was named, up to a quarter later (chance %p)", (chance, unnamed, half, most) => {
		expect(at(chance).unanswered(upstream(), 0, undefined)).toBe(unnamed);
		expect(at(chance).unanswered(upstream(), 0, 30_000)).toBe(half);
		expect(at(chance).unanswered(upstream(), 0, 3_600_000)).toBe(most);
		expect(at(chance).unanswered(together, 0, undefined)).toBe(15_000);
	});

	test("after no answer never sooner than at its pace", () => {
		expect(at(1).unanswered(upstream(), 1, 0)).toBe(12_000);
	});

	test.each([
		[0, [2000, 5000, 15_000]],
		[0.5, [2250, 5625, 16_875]],
		[1, [2500, 6250, 18_750]],
	])("three times after it was turned away, up to a quarter later (chance %p)", (chance, waits) => {
		expect([0, 1, 2].map((tries) => at(chance).busy(tries, 0))).toEqual(waits);
		expect(at(chance).busy(3, 0)).toBeUndefined();
	});

	test("never sooner than the upstream asked for, up to a minute", () => {
		expect([at(0).busy(0, 4000), at(0).busy(0, 3_600_000)]).toEqual([4000, 60_000]);
	});
});
