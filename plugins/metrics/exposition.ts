/** Prometheus' text format, version 0.0.4. */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
	readonly labels: Labels;
	readonly value: number;
	/** `_bucket`, `_sum` or `_count` for the parts of a histogram. */
	readonly suffix?: string;
}

export interface Metric {
	readonly name: string;
	readonly type: "counter" | "gauge" | "histogram";
	/** One sentence. */
	readonly help: string;
	readonly samples: readonly Sample[];
}

export const contentType = "text/plain; version=0.0.4; charset=utf-8";

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

const escaped = (value: string): string => value.replace(/[\\"\n]/g, (character) => escapes[character] ?? character);

const labelled = (labels: Labels): string => {
	const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
	return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
};

/** The metrics as one text; those without samples are left out. */
export const expose = (metrics: readonly Metric[]): string =>
	metrics
		.filter(({ samples }) => samples.length > 0)
		.flatMap(({ name, type, help, samples }) => [
			`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`,
			...samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${labelled(labels)} ${value}\n`),
		])
		.join("");
