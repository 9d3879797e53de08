import { expect, test } from "bun:test";
import type { AttemptRecord, CallRecord } from "#core";
import { AttemptCounts } from "./attempt-counts.ts";
import { ModelNames } from "./model-names.ts";

const attempt: AttemptRecord = {
	upstream: "main",
	model: "up",
	why: "only",
	skipped: [],
	startedAt: 0,
	durationMs: 100,
};

test("the time of attempts that are left out of the list is not Portico's own", () => {
	const counts = new AttemptCounts(new ModelNames());
	counts.count({
		protocol: "messages",
		stream: false,
		status: 200,
		attempts: [attempt, attempt],
		leftOut: [attempt, attempt, attempt],
		durationMs: 502,
		losses: [],
		outcome: { ending: "completed" },
	} as unknown as CallRecord);
	const samples = counts
		.metrics()
		.flatMap((metric) => metric.samples.map((sample) => ({ name: metric.name, ...sample })));
	expect(samples.find(({ name, suffix }) => name === "portico_overhead_seconds" && suffix === "_sum")?.value).toBe(
		0.002,
	);
	expect(samples.find(({ name }) => name === "portico_attempts_total")?.value).toBe(5);
});
