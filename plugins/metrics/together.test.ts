import { expect, test } from "bun:test";
import fc from "fast-check";
import { expose } from "./exposition.ts";
import { figure, Histogram, type Metric } from "./service.ts";
import { decodeMetrics, lasting, together } from "./together.ts";

const counter = (name: string, ...samples: readonly (readonly [string, number])[]): Metric => ({
	name,
	type: "counter",
	help: "Calls.",
	samples: samples.map(([model, value]) => ({ labels: { model }, value })),
});

test("what two workers counted is added up, and what only one has seen is there too", () => {
	const all = together([
		[counter("calls", ["a", 2], ["b", 1]), figure("running", "gauge", "Running.", 3)],
		[counter("calls", ["c", 5], ["a", 40]), figure("running", "gauge", "Running.", 4)],
	]);
	expect(expose(all)).toBe(
		`# HELP calls Calls.\n# TYPE calls counter\ncalls{model="a"} 42\ncalls{model="b"} 1\ncalls{model="c"} 5\n` +
			"# HELP running Running.\n# TYPE running gauge\nrunning 7\n",
	);
});

test("a gauge says itself when its figures are no sum; a counter is always one", () => {
	const told = (value: number): readonly Metric[] => [
		figure("open", "gauge", "Open.", value, "highest"),
		figure("well", "gauge", "Well.", value, "lowest"),
		figure("calls", "counter", "Calls.", value, "highest"),
	];
	expect(together([told(1), told(0), told(1)]).map(({ samples }) => samples[0]?.value)).toEqual([1, 0, 2]);
});

test("of a process that ended stays what it counted, and not what it was like", () => {
	const metrics = [counter("calls", ["a", 2]), figure("running", "gauge", "Running.", 3)];
	expect(lasting(metrics)).toEqual([counter("calls", ["a", 2])]);
});

const seconds = fc.array(fc.integer({ min: 0, max: 700_000 }).map((milliseconds) => milliseconds / 1000));

test("a histogram of many workers is that of one who saw everything, on the wire and back", () => {
	fc.assert(
		fc.property(fc.array(seconds, { minLength: 1, maxLength: 4 }), (workers) => {
			const shown = (times: readonly number[]): readonly Metric[] => {
				const histogram = new Histogram();
				for (const time of times) histogram.observe(time);
				return [{ name: "took", type: "histogram", help: "Took.", samples: histogram.samples({ upstream: "main" }) }];
			};
			const wired = workers.map((times) => decodeMetrics(JSON.parse(JSON.stringify(shown(times)))));
			const rounded = (metrics: readonly Metric[]) =>
				metrics[0]?.samples.map(({ suffix, labels, value }) => [suffix, labels, Math.round(value * 1000)]);
			expect(rounded(together(wired))).toEqual(rounded(shown(workers.flat())));
		}),
	);
});

test("what is no metric is left out", () => {
	expect(decodeMetrics(undefined)).toEqual([]);
	expect(
		decodeMetrics([
			{ name: "x", type: "strange" },
			{ name: "y", type: "gauge", samples: [{ value: "1" }] },
		]),
	).toEqual([{ name: "y", type: "gauge", help: "", samples: [] }]);
});
