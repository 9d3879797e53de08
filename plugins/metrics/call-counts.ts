/** What is counted of every call, by names that the operator gave, and by models at the upstreams. */
import { type CallRecord, toDollars } from "#core";
import { ByLabels } from "./counter.ts";
import type { ModelNames } from "./model-names.ts";
import { Histogram, type Labels, type Metric, type Sample } from "./service.ts";

/** Of models that the config does not name more rows than these are counted together. */
const mostTallies = 2_000;

/** Calls that went to one model and ended alike. */
interface Tally {
	readonly labels: Labels;
	readonly tokens: { input: number; cache_read: number; output: number; reasoning: number };
	calls: number;
	repeated: number;
	cost: number;
	/** Their times, those of streams by themselves; absent before the first. */
	times?: Times;
	streamTimes?: Times;
}

/** The times of calls that went to one upstream. */
interface Times {
	readonly labels: Labels;
	readonly whole: Histogram;
	readonly firstByte: Histogram;
	readonly firstContent: Histogram;
}

export class CallCounts {
	private readonly names: ModelNames;
	private readonly tallies = new ByLabels<Tally>();
	private readonly times = new Map<string, Times>();

	constructor(names: ModelNames) {
		this.names = names;
	}

	/** One look-up a call, and no label is made twice. */
	count(call: CallRecord): void {
		const { usage } = call.outcome;
		const tally = this.tallyOf(call);
		tally.calls += call.repeats ?? 1;
		tally.repeated += Math.max(0, call.attempts.length + (call.leftOut?.length ?? 0) - 1);
		tally.cost += call.charge?.charged ?? 0;
		if (usage) {
			tally.tokens.input += usage.input.total;
			tally.tokens.cache_read += usage.input.cacheRead ?? 0;
			tally.tokens.output += usage.output.total;
			tally.tokens.reasoning += usage.output.reasoning ?? 0;
		}
		// A refusal takes no time worth a place among answers.
		if (call.outcome.ending === "refused") return;
		const times = tally[call.stream ? "streamTimes" : "times"] ?? this.timesOf(tally, call);
		times.whole.observe(call.durationMs / 1000);
		if (call.firstByteMs !== undefined) times.firstByte.observe(call.firstByteMs / 1000);
		if (call.firstContentMs !== undefined) times.firstContent.observe(call.firstContentMs / 1000);
	}

	metrics(): readonly Metric[] {
		const tallies = this.tallies.all;
		const times = [...this.times.values()];
		const sum = (name: string, help: string, value: (tally: Tally) => number): Metric => ({
			name,
			type: "counter",
			help,
			samples: tallies.map((tally) => ({ labels: tally.labels, value: value(tally) })),
		});
		const sent = tallies.filter(({ labels }) => labels["ending"] !== "refused");
		const whereTo = (name: string, help: string, value: (tally: Tally) => number): Metric => ({
			...sum(name, help, value),
			samples: sent.map((tally) => ({ labels: tally.labels, value: value(tally) })),
		});
		const histogram = (name: string, help: string, of: (times: Times) => Histogram): Metric => ({
			name,
			type: "histogram",
			help,
			samples: times.flatMap((each) => of(each).samples(each.labels)),
		});
		return [
			sum("portico_calls_total", "Calls that are over, by how they ended.", ({ calls }) => calls),
			whereTo("portico_repeated_attempts_total", "Attempts beyond the first of a call.", ({ repeated }) => repeated),
			whereTo("portico_cost_dollars_total", "What calls cost, where a price is known.", ({ cost }) => toDollars(cost)),
			{
				name: "portico_model_tokens_total",
				type: "counter",
				help: "Model tokens; input includes what was cached, output includes reasoning.",
				samples: tallies.flatMap(tokenSamples),
			},
			histogram(
				"portico_call_duration_seconds",
				"From a call's arrival to the end of its answer.",
				({ whole }) => whole,
			),
			histogram(
				"portico_time_to_first_byte_seconds",
				"From a call's arrival to the first byte of its answer.",
				({ firstByte }) => firstByte,
			),
			histogram(
				"portico_first_content_seconds",
				"From a call's arrival to the first words of its streamed answer.",
				({ firstContent }) => firstContent,
			),
		];
	}

	close(): void {
		this.tallies.clear();
		this.times.clear();
	}

	private tallyOf(call: CallRecord, other?: string): Tally {
		const { protocol, status, outcome } = call;
		const { ending, target } = outcome;
		const upstream = target?.upstream.name ?? "";
		const model = other ?? target?.model ?? "";
		const values = [protocol, status, ending, upstream, model];
		const known = this.tallies.find(values);
		if (known) return known;
		if (other === undefined && !this.isTold(upstream, model, ending === "completed" && status < 400))
			return this.tallyOf(call, "other");
		const tally: Tally = {
			labels: { protocol, upstream, model, status: String(status), ending },
			tokens: { input: 0, cache_read: 0, output: 0, reasoning: 0 },
			calls: 0,
			repeated: 0,
			cost: 0,
		};
		this.tallies.add(values, tally);
		return tally;
	}

	private isTold(upstream: string, model: string, well: boolean): boolean {
		if (this.names.isConfigured(upstream, model)) return true;
		return this.tallies.all.length < mostTallies && this.names.isAnswered(upstream, model, well);
	}

	/** Shared by the tallies of all endings. */
	private timesOf(tally: Tally, { protocol, stream, outcome: { target } }: CallRecord): Times {
		const upstream = target?.upstream.name ?? "";
		const key = `${protocol}\n${stream}\n${upstream}`;
		const labels = { protocol, upstream, stream: String(stream) };
		const times = this.times.get(key) ?? {
			labels,
			whole: new Histogram(),
			firstByte: new Histogram(),
			firstContent: new Histogram(),
		};
		this.times.set(key, times);
		tally[stream ? "streamTimes" : "times"] = times;
		return times;
	}
}

const tokenSamples = ({ labels, tokens }: Tally): readonly Sample[] =>
	Object.entries(tokens)
		.filter(([, value]) => value > 0)
		.map(([type, value]) => ({ labels: { ...labels, type }, value }));
