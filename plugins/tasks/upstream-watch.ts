/** What is known of an upstream of tasks that fails: told once in the log, and once when it is over; meanwhile `portico status` tells of it. */
import {
	adviceOnUpstream,
	type Clock,
	definedOnly,
	type Log,
	lacksSocket,
	refusesCredentials,
	slowUpstream,
	type UpstreamHealth,
	unansweredCode,
} from "#core";

/** An upstream that answers that it failed may speak of one job; so many times in a row it speaks of itself. */
const tolerated = 3;

interface Trouble {
	readonly what: "unreached" | "refused" | "failing";
	readonly since: number;
	readonly at: number;
	readonly message: string;
	readonly advice: string | undefined;
}

interface WatchOptions {
	readonly clock: Pick<Clock, "now">;
	readonly log: Log;
	/** Told when one begins to refuse Portico's key. */
	keyRefused(upstream: string, status: number): void;
	/** Told when it has failed, or was not to be reached, so often in a row that it is no chance. */
	failing(upstream: string, message: string): void;
	/** Told when what was wrong with it is over, and when it answers for the first time: it may have failed before a start. */
	recovered(upstream: string): void;
}

const failed = (status: number): string => `It answered that it failed (status ${status}).`;

export class UpstreamWatch {
	private readonly upstream: string;
	private readonly options: WatchOptions;
	private trouble: Trouble | undefined;
	/** How many requests in a row came to nothing, or were answered with a failure. */
	private failures = 0;
	private heard = false;

	/** `upstream`: its name in the config, or its host. */
	constructor(upstream: string, options: WatchOptions) {
		this.upstream = upstream;
		this.options = options;
	}

	/** Undefined while nothing is wrong with it. */
	get health(): UpstreamHealth | undefined {
		const { trouble, upstream } = this;
		return (
			trouble && {
				upstream,
				of: "tasks",
				circuit: "half-open",
				failingSince: new Date(trouble.since).toISOString(),
				lastFailure: {
					message: trouble.message,
					at: new Date(trouble.at).toISOString(),
					...definedOnly({ advice: trouble.advice }),
				},
			}
		);
	}

	/** No answer came. */
	failed(error: unknown): void {
		const { upstream, options } = this;
		const { log } = options;
		const isLate = error instanceof Error && error.name === "TimeoutError";
		const code = unansweredCode(error) ?? (error instanceof Error ? error.name : "unknown");
		if (!this.trouble) log.warn("an upstream of tasks cannot be reached", { upstream, reason: code });
		const message = isLate ? "It did not answer in time." : `It could not be reached. (${code})`;
		// A machine without a socket speaks of no upstream.
		if (!lacksSocket(code)) this.failsOnceMore(message);
		this.note("unreached", message, isLate ? slowUpstream : adviceOnUpstream({ code, message }));
	}

	/** Something answered that is not the upstream: a proxy, a page to sign in, or word of another address. */
	replaced(status: number): void {
		const { upstream, options } = this;
		const { log } = options;
		const [reason, what] = status >= 300 ? ["a redirect", "A redirect"] : ["a page", "A page of HTML"];
		if (!this.trouble) log.warn("an upstream of tasks cannot be reached", { upstream, reason, status });
		const message = `${what} came, something other than its answer (status ${status}).`;
		this.failsOnceMore(message);
		this.note("unreached", message, adviceOnUpstream({ message }));
	}

	answered(status: number): void {
		if (status >= 500) this.failsOnceMore(failed(status));
		else this.failures = 0;
		if (refusesCredentials(status)) this.refused(status);
		else if (this.failures >= tolerated) this.failsItself(status);
		else if (this.failures === 0 || this.trouble?.what !== "failing") this.over();
	}

	private failsOnceMore(message: string): void {
		const { upstream, options } = this;
		this.failures++;
		if (this.failures === tolerated) options.failing(upstream, message);
	}

	private refused(status: number): void {
		const { upstream, options } = this;
		if (this.trouble?.what !== "refused") {
			options.log.error("an upstream of tasks refused Portico's own key", { upstream, status });
			options.keyRefused(upstream, status);
		}
		this.note("refused", `It refused Portico's key (status ${status}).`, adviceOnUpstream({ status }));
	}

	private failsItself(status: number): void {
		const { upstream, options } = this;
		const { log } = options;
		if (!this.trouble) log.warn("an upstream of tasks fails", { upstream, status });
		this.note("failing", failed(status), adviceOnUpstream({ status }));
	}

	private over(): void {
		const { upstream, options } = this;
		const { log } = options;
		if (this.trouble) log.info("an upstream of tasks answers again", { upstream });
		const isFirst = !this.heard && this.failures === 0;
		if (this.trouble || isFirst) options.recovered(upstream);
		this.heard ||= isFirst;
		this.trouble = undefined;
	}

	private note(what: Trouble["what"], message: string, advice: string | undefined): void {
		const now = this.options.clock.now();
		this.trouble = { what, since: this.trouble?.since ?? now, at: now, message, advice };
	}
}

/** One for each name. */
export class UpstreamWatches {
	private readonly options: WatchOptions;
	private readonly byName = new Map<string, UpstreamWatch>();

	constructor(options: WatchOptions) {
		this.options = options;
	}

	of(upstream: string): UpstreamWatch {
		const watch = this.byName.get(upstream) ?? new UpstreamWatch(upstream, this.options);
		this.byName.set(upstream, watch);
		return watch;
	}

	/** Those that are not well. */
	unwell(): readonly UpstreamHealth[] {
		return [...this.byName.values()].flatMap(({ health }) => health ?? []);
	}
}
