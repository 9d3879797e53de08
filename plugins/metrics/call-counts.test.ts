import { expect, test } from "bun:test";
import type { CallRecord, Router } from "#core";
import { AttemptCounts } from "./attempt-counts.ts";
import { CallCounts } from "./call-counts.ts";
import { ModelNames } from "./model-names.ts";

const attempt = (model: string, status: number) => ({ upstream: "main", model, status, durationMs: 1 });

const call = (model: string, status = 200): CallRecord =>
	({
		protocol: "messages",
		stream: false,
		status,
		attempts: [attempt(model, status)],
		losses: [],
		durationMs: 5,
		outcome: { ending: status < 400 ? "completed" : "upstream_failed", target: { model, upstream: { name: "main" } } },
	}) as unknown as CallRecord;

/** By the model's name, how often it is told. */
const counted = (calls: readonly CallRecord[]) => {
	const names = new ModelNames();
	const target = { model: "named", upstream: { name: "main" } };
	names.follow({ models: () => [{ name: "alias" }], targets: () => [target] } as unknown as Router);
	const [counts, attempts] = [new CallCounts(names), new AttemptCounts(names)];
	for (const one of calls) {
		counts.count(one);
		attempts.count(one);
	}
	const metrics = [...counts.metrics(), ...attempts.metrics()];
	return (metric: string) => {
		const samples = metrics.find(({ name }) => name === metric)?.samples ?? [];
		const of = (model: string) =>
			samples.filter(({ labels }) => labels["model"] === model).reduce((sum, { value }) => sum + value, 0);
		return { rows: samples.length, of };
	};
};

const madeUp = (count: number, status: number): readonly CallRecord[] =>
	Array.from({ length: count }, (_, number) => call(`made-up-${number}`, status));

test.each(["portico_calls_total", "portico_attempts_total"])("%s: names that clients make up", (metric) => {
	const refused = counted([...madeUp(2_500, 404), call("real"), call("real", 500), call("named"), call("named", 500)])(
		metric,
	);
	expect(refused.rows).toBe(5);
	expect([refused.of("other"), refused.of("real"), refused.of("named")]).toEqual([2_500, 2, 2]);
	const taken = counted([...madeUp(2_500, 200), call("made-up-7"), call("late"), call("named"), call("named", 500)])(
		metric,
	);
	expect([taken.of("made-up-7"), taken.of("late"), taken.of("other"), taken.of("named")]).toEqual([2, 0, 2_001, 2]);
});
