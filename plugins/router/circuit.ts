/** Keeps calls away from an upstream that fails, and lets one through now and then to see whether it has recovered. */
import { type AttemptReport, adviceOnUpstream, type Clock, type Denial, definedOnly, lacksSocket } from "#core";

/** Failures in a row after which the circuit opens. */
const tolerated = 5;
/** How long it stays open at first and at most, in milliseconds; it doubles with every probe that fails. */
const firstPauseMs = 5_000;
const longestPauseMs = 60_000;
/** Each pause is shorter by up to this share, so that nodes which lost an upstream together do not come back to it together. */
const jitter = 0.2;
/** How long a probe is waited for before another may be made: a call that was to be one may end without having tried. */
const probeMs = 5_000;

/** Failures that speak of the upstream; others speak of the request. */
const upstreamsFault: ReadonlySet<Denial["kind"]> = new Set(["upstream", "overloaded", "upstream_timeout", "internal"]);

type CircuitState = "closed" | "open" | "half-open";

interface LastFailure {
	readonly at: string;
	readonly kind: Denial["kind"];
	/** The upstream's own words, where it had any. */
	readonly message: string;
	readonly status?: number;
	/** What can be done about it. */
	readonly advice?: string;
}

/** What operators are shown of an upstream besides its circuit. */
export interface Trouble {
	/** Failures in a row. */
	readonly failures: number;
	/** When the first of them was. */
	readonly failingSince?: string;
	/** Until a call looks whether it has recovered; absent while nothing keeps calls away. */
	readonly openForSeconds?: number;
	/** The last failure there was, however long ago. */
	readonly lastFailure?: LastFailure;
}

export class Circuit {
	private readonly clock: Clock;
	private readonly random: () => number;
	private failures = 0;
	private pauseMs = firstPauseMs;
	private openUntil = 0;
	private probedUntil = 0;
	/** Who tries it meanwhile: two at the most, for what one tries may not be what the upstream does well. */
	private readonly probing = new Set<string | undefined>();
	/** For whom it failed since it went well, or since it was tried anew: two at the most. */
	private readonly failedFor = new Set<string | undefined>();
	private failingSince = 0;
	/** Streams that it broke off in a row, since when, and for whom: two at the most. */
	private broken = 0;
	private brokenSince = 0;
	private readonly brokenFor = new Set<string | undefined>();
	/** When it last answered anybody, whatever it said; by the monotonic clock. */
	private answeredAt = Number.NEGATIVE_INFINITY;
	private last: LastFailure | undefined;
	/** It has answered since this circuit was made. */
	private heard = false;

	/** `random`: from 0 to 1. */
	constructor(clock: Clock, random: () => number) {
		this.clock = clock;
		this.random = random;
	}

	get state(): CircuitState {
		if (this.failures < tolerated) return "closed";
		return this.clock.monotonic() < this.openUntil ? "open" : "half-open";
	}

	/**
	 * Whether a call may try. An open circuit keeps away for whom it failed: that one alone, who may ask for what no upstream
	 * does, or everybody, once it failed for two. A half-open one lets a probe through at a time, of each of two.
	 */
	admits(caller?: string): boolean {
		const { state } = this;
		if (state === "closed") return true;
		if (state === "open") return this.isOneOther(this.failedFor, caller);
		const now = this.clock.monotonic();
		if (now >= this.probedUntil) this.probing.clear();
		if (this.probing.size > 0 && !this.isOneOther(this.probing, caller)) return false;
		this.probing.add(caller);
		this.probedUntil = now + probeMs;
		return true;
	}

	/** Whether these are one other caller. */
	private isOneOther(callers: ReadonlySet<string | undefined>, caller: string | undefined): boolean {
		return caller !== undefined && callers.size === 1 && !callers.has(undefined) && !callers.has(caller);
	}

	/** Why calls are kept away, where they are. */
	get whyAway(): string {
		const { openForSeconds } = this.trouble;
		return openForSeconds === undefined
			? "its circuit is half open, and another call tries it"
			: `its circuit is open for ${openForSeconds} s more`;
	}

	get trouble(): Trouble {
		const wait = this.openUntil - this.clock.monotonic();
		return {
			failures: this.failures,
			...(this.state === "open" && { openForSeconds: Math.ceil(wait / 1000) }),
			...(this.failures > 0 && { failingSince: new Date(this.failingSince).toISOString() }),
			...(this.last && { lastFailure: this.last }),
		};
	}

	/** Says when calls begin to be kept away, when they no longer are, and when it answered for the first time. */
	report(report: AttemptReport): "opened" | "closed" | "answered" | undefined {
		const { error, said, begunAt, stream } = report;
		// A status alone, of one that was given up, is no answer.
		if (!error || (said?.status !== undefined && begunAt === undefined)) this.answeredAt = this.clock.monotonic();
		if (error && upstreamsFault.has(error.kind))
			return stream === "ended" ? this.brokeOff(error, report) : this.failed(error, report);
		// Refused before anything was sent: the upstream knows nothing of it.
		if (error && (said?.status === undefined || stream)) return undefined;
		if (stream && this.isNoProof(stream)) return undefined;
		const wasOpen = this.failures >= tolerated;
		if (wasOpen) this.broken = 0;
		const wasHeard = this.heard;
		this.heard = true;
		this.failures = 0;
		this.pauseMs = firstPauseMs;
		this.failedFor.clear();
		if (wasOpen) return "closed";
		return wasHeard ? undefined : "answered";
	}

	/** The beginning of a stream proves nothing where those before it were broken off; the end of one proves nothing else. */
	private isNoProof(stream: "begun" | "ended"): boolean {
		const breaksOff = this.broken >= tolerated;
		if (stream === "begun") return breaksOff;
		if (!breaksOff) this.broken = 0;
		return !breaksOff;
	}

	/** A stream was broken off after its first byte, by which it had counted as an answer. */
	private brokeOff(error: Denial, report: AttemptReport): "opened" | undefined {
		if (this.broken === 0) {
			this.brokenSince = this.clock.now();
			this.brokenFor.clear();
		}
		this.broken++;
		if (this.brokenFor.size < 2) this.brokenFor.add(report.call?.caller);
		this.last = this.failureOf(error, report.said);
		if (this.broken < tolerated) return undefined;
		if (this.failures < tolerated - 1) {
			this.failures = tolerated - 1;
			this.failingSince = this.brokenSince;
			for (const caller of this.brokenFor) this.failedFor.add(caller);
		}
		return this.failed(error, report);
	}

	private failed(error: Denial, { said, begunAt, call }: AttemptReport): "opened" | undefined {
		// This machine had no socket to reach it by: that speaks of no upstream.
		if (lacksSocket(said?.code ?? "")) return undefined;
		// Given up while others were answered: that speaks of what was asked, or of a client that does not wait.
		if (begunAt !== undefined && begunAt < this.answeredAt) return undefined;
		this.last = this.failureOf(error, said);
		if (this.failures === 0) this.failingSince = this.clock.now();
		const { state } = this;
		if (state === "half-open") this.failedFor.clear();
		if (this.failedFor.size < 2) this.failedFor.add(call?.caller);
		// Calls that were under way when it opened tell nothing new, but for whom it fails.
		if (state === "open") return undefined;
		this.failures++;
		if (this.failures < tolerated) return undefined;
		if (this.failures > tolerated) this.pauseMs = Math.min(longestPauseMs, this.pauseMs * 2);
		this.openUntil = this.clock.monotonic() + this.pauseMs * (1 - jitter * this.random());
		this.probedUntil = 0;
		this.probing.clear();
		return this.failures === tolerated ? "opened" : undefined;
	}

	private failureOf(error: Denial, said: AttemptReport["said"] = {}): LastFailure {
		const { status, code = error.code ?? error.kind, message = error.message } = said;
		return {
			at: new Date(this.clock.now()).toISOString(),
			kind: error.kind,
			message,
			...definedOnly({ status, advice: adviceOnUpstream({ code, message, ...definedOnly({ status }) }) }),
		};
	}
}
