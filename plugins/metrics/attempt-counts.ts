/** What is counted of attempts, refusals and losses, and how long calls take outside their attempts. */
import type { AttemptRecord, CallRecord } from "#core";
import { Counter } from "./counter.ts";
import type { ModelNames } from "./model-names.ts";
import { Histogram, type Metric } from "./service.ts";

/** Portico's own share of a call is milliseconds. Seconds. */
const shortBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5] as const;

const withoutAnswer = (code = ""): string => {
	if (code === "no_answer_yet") return "abandoned";
	return /timeout|timed_out/.test(code) ? "timeout" : "connect";
};

/** One word for how an attempt ended. */
const outcomeOf = ({ status, code }: AttemptRecord): string => {
	if (status === undefined) return withoutAnswer(code);
	if (status === 429) return "429";
	if (status >= 500) return "5xx";
	if (status >= 400) return "4xx";
	return code === undefined ? "ok" : "in_band";
};

/** Those of the middle last. */
const everyAttempt = ({ attempts, leftOut }: CallRecord): readonly AttemptRecord[] =>
	leftOut === undefined ? attempts : [...attempts, ...leftOut];

export class AttemptCounts {
	private readonly attempts: Counter;
	private readonly refusals = new Counter(["code"], { most: 200 });
	private readonly dropped = new Counter(["protocol", "field"], { most: 200 });
	/** By protocol, of whole answers and of streams. */
	private readonly overhead = { false: new Map<string, Histogram>(), true: new Map<string, Histogram>() };

	constructor(names: ModelNames) {
		this.attempts = new Counter(["upstream", "model", "outcome"], {
			isOwn: ([upstream = "", model = ""]) => names.isConfigured(upstream, model),
			isTold: ([upstream = "", model = "", outcome]) => names.isAnswered(upstream, model, outcome === "ok"),
		});
	}

	count(call: CallRecord): void {
		const { outcome, protocol, losses } = call;
		for (const attempt of everyAttempt(call)) this.attempts.add([attempt.upstream, attempt.model, outcomeOf(attempt)]);
		if (outcome.ending === "refused")
			this.refusals.add([outcome.denial?.code ?? outcome.denial?.kind ?? ""], call.repeats ?? 1);
		for (const { path } of losses) this.dropped.add([protocol, path.replace(/\[\d+\]/g, "[]")]);
		if (call.attempts.length > 0) this.countOverhead(call);
	}

	private countOverhead(call: CallRecord): void {
		const { protocol, stream, durationMs } = call;
		const byProtocol = this.overhead[stream ? "true" : "false"];
		const times = byProtocol.get(protocol) ?? new Histogram(shortBounds);
		byProtocol.set(protocol, times);
		let own = durationMs;
		for (const attempt of everyAttempt(call)) own -= attempt.durationMs;
		times.observe(Math.max(0, own) / 1000);
	}

	close(): void {
		for (const counter of [this.attempts, this.refusals, this.dropped]) counter.clear();
		for (const byProtocol of Object.values(this.overhead)) byProtocol.clear();
	}

	metrics(): readonly Metric[] {
		const counter = (name: string, help: string, { samples }: { samples: Metric["samples"] }): Metric => ({
			name,
			type: "counter",
			help,
			samples,
		});
		return [
			counter(
				"portico_attempts_total",
				"Attempts by upstream, model and outcome: ok, 4xx, 429, 5xx, connect, timeout, abandoned (the call ended before its answer), in_band (an error within an answer).",
				{ samples: this.attempts.samples() },
			),
			counter("portico_refusals_total", "Calls that were refused, by the reason's word.", {
				samples: this.refusals.samples(),
			}),
			counter("portico_dropped_total", "Fields that translation had to leave behind.", {
				samples: this.dropped.samples(),
			}),
			{
				name: "portico_overhead_seconds",
				type: "histogram",
				help: "What calls took outside their attempts.",
				samples: Object.entries(this.overhead).flatMap(([stream, byProtocol]) =>
					[...byProtocol].flatMap(([protocol, times]) => times.samples({ protocol, stream })),
				),
			},
		];
	}
}
