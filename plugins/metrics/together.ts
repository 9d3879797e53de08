/** The figures of several workers as those of one. */
import { asList, asNumber, asRecord, asText } from "#core";
import type { Metric, Sample, Together } from "./service.ts";

const types = ["counter", "gauge", "histogram"] as const;
const ways = ["sum", "highest", "lowest"] as const;

const decodeSample = (value: unknown): readonly Sample[] => {
	const { labels, value: number, suffix } = asRecord(value);
	const figure = asNumber(number);
	if (figure === undefined) return [];
	const texts = Object.entries(asRecord(labels)).map(([name, text]) => [name, asText(text) ?? ""] as const);
	const part = asText(suffix);
	return [{ labels: Object.fromEntries(texts), value: figure, ...(part !== undefined && { suffix: part }) }];
};

/** What another worker told. */
export const decodeMetrics = (value: unknown): readonly Metric[] =>
	asList(value).flatMap((one) => {
		const { name, type, help, samples, together } = asRecord(one);
		const known = types.find((each) => each === type);
		if (known === undefined) return [];
		const way = ways.find((each) => each === together);
		const decoded = asList(samples).flatMap(decodeSample);
		return [
			{
				name: asText(name) ?? "",
				type: known,
				help: asText(help) ?? "",
				...(way && { together: way }),
				samples: decoded,
			},
		];
	});

/** What stays of a process that has ended: what it counted. What it was like is over. */
export const lasting = (metrics: readonly Metric[]): readonly Metric[] =>
	metrics.filter(({ type }) => type !== "gauge");

const ofTwo: Readonly<Record<Together, (one: number, other: number) => number>> = {
	sum: (one, other) => one + other,
	highest: Math.max,
	lowest: Math.min,
};

const keyOf = ({ suffix = "", labels }: Sample): string => JSON.stringify([suffix, Object.entries(labels)]);

/** One metric of many, each sample by its labels. */
const fold = (metrics: readonly [Metric, ...Metric[]]): Metric => {
	const [first] = metrics;
	const join = ofTwo[(first.type === "gauge" && first.together) || "sum"];
	const found = new Map<string, Sample>();
	for (const sample of metrics.flatMap(({ samples }) => samples)) {
		const key = keyOf(sample);
		const known = found.get(key);
		found.set(key, known ? { ...known, value: join(known.value, sample.value) } : sample);
	}
	return { ...first, samples: [...found.values()] };
};

/** Everything that anybody told, each metric once. */
export const together = (told: readonly (readonly Metric[])[]): readonly Metric[] => {
	const byName = new Map<string, [Metric, ...Metric[]]>();
	for (const metric of told.flat()) {
		const known = byName.get(metric.name);
		if (known) known.push(metric);
		else byName.set(metric.name, [metric]);
	}
	return [...byName.values()].map(fold);
};
