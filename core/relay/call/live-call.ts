/** One call while it runs: what has happened so far, and its one end. */

import type { RelayedCall } from "../../contract/call.ts";
import { type Denial, Fault } from "../../contract/fault.ts";
import type { Costs, Ending, Outcome } from "../../contract/outcome.ts";
import type { Observation } from "../../contract/passthrough.ts";
import type { CallTrace } from "../../contract/trace.ts";
import type { Target } from "../../contract/upstream.ts";
import { clientGone } from "../../errors/no-answer.ts";
import type { Loss } from "../../neutral/model.ts";
import { tiersServed } from "../../wire/tiers-served.ts";
import type { Permits } from "../policies/permits.ts";
import { AttemptRecords } from "./attempt-records.ts";
import type { Compaction, OpenStream, Waiting } from "./call-parts.ts";
import { givenUp, notTheUpstreams, speaksOfUpstream } from "./endings.ts";
import type { StreamPass } from "./exchange.ts";
import type { Guarded } from "./guarded.ts";
import { type Recording, record } from "./record.ts";
import { nothingSeen, soundly, soundlySeen } from "./sound-amounts.ts";
import { plainStop, redacted } from "./upstream-words.ts";
import { type CallEnd, usedBy, usedInAll } from "./used.ts";

const noCompaction: Compaction = {};
const none: readonly never[] = [];

export interface LiveCallOptions extends Recording {
	/** Absent where no plugin knows prices. */
	readonly costs?: Costs | undefined;
	/** Told once, when the call has been settled and recorded. */
	ended?(live: LiveCall): void;
}

/** What an attempt may be billed, and by whom. */
type Bill = Pick<Outcome, "usage" | "target"> & { readonly tiers: readonly string[] };

export class LiveCall {
	readonly routed: RelayedCall;
	readonly permits: Permits;
	/** Absent where calls are not traced. */
	readonly trace: CallTrace | undefined;
	/** Set by whoever waits. */
	waitsFor: Waiting | undefined;
	/** What became of each attempt. */
	readonly attempts: AttemptRecords;
	private sent = false;
	/** A part of a batch has been answered, and is paid for: nothing is tried elsewhere. */
	partlyDone = false;
	target: Target | undefined;
	losses: readonly Loss[] = none;
	tiers: readonly string[] = none;
	emulated: string | undefined;
	compaction = noCompaction;
	/** Why Portico itself ended the call; undefined while it runs, and when the client left. */
	stoppedFor: Denial | undefined;
	private endTimeLimit: (() => void) | undefined;
	/** Its client and its time are watched (`CallWatch`). */
	watched = false;
	/** Set once its answer goes on as a stream. */
	stream: OpenStream | undefined;
	/** Its answer has begun, or it has none. */
	answering = false;
	/** What the guards made of the request; absent where none is loaded. */
	guarded: Guarded | undefined;
	/** The guard that refused the answer. */
	refusedBy: string | undefined;
	/** What the call was charged, once it has ended and where that is known. */
	charged: number | undefined;
	private leftAt: number | undefined;
	private firstByteMs: number | undefined;
	firstContentMs: number | undefined;
	private sentAt: number | undefined;
	private seen = nothingSeen;
	/** Who sees more of the answer as it comes. */
	private observer: Pick<StreamPass, "seen"> | undefined;
	/** What the attempts before this one may be billed. */
	private earlier: Bill | undefined;
	/** It has been settled and recorded. */
	isOver = false;
	readonly options: LiveCallOptions;

	constructor(routed: RelayedCall, permits: Permits, options: LiveCallOptions) {
		this.routed = routed;
		this.permits = permits;
		this.options = options;
		this.trace = options.tracer?.begin(routed.request.headers);
		this.attempts = new AttemptRecords(options.clock, options.tracer);
	}

	/** Counts bytes of the answer before they are held for it; ends the call when there is no room for them. */
	hold(bytes: number): void {
		// It was not waited for any longer, and what it held is given back.
		if (this.isOver) throw new Fault(clientGone);
		const denial = this.routed.held?.hold(bytes);
		if (!denial) return;
		this.stoppedFor = denial;
		throw new Fault(denial);
	}

	/** The client has gone. */
	get left(): boolean {
		return this.leftAt !== undefined;
	}

	leave(): void {
		this.leftAt ??= this.options.clock.monotonic();
	}

	/** Milliseconds since the client went. */
	leftSince(): number {
		return this.leftAt === undefined ? 0 : this.options.clock.monotonic() - this.leftAt;
	}

	/** From now on only what comes of the answer is waited for. */
	answers(): void {
		this.answering = true;
		this.endTimeLimit?.();
	}

	/** A limit on the time until the answer begins, in place of the one before. `end` cancels it. */
	limitTime(end: () => void): void {
		this.endTimeLimit?.();
		this.endTimeLimit = end;
	}

	/** Nobody wants the answer any more, or Portico ends the call: whatever is waited for upstream ends. */
	stop(why?: Denial): void {
		if (why) this.stoppedFor = why;
		this.waitsFor?.stop();
	}

	/** The request goes to an upstream: from here on it may be billed. */
	sending(target: Target): void {
		this.sent = true;
		this.target = target;
		this.sentAt = this.options.clock.monotonic();
		this.seen = nothingSeen;
		this.observer = undefined;
	}

	/** The upstream did not get the request, or did not take it: nothing is billed. */
	refused(): void {
		this.sentAt = undefined;
	}

	/** Another upstream is asked: what this one may bill counts where none after it takes the call on. */
	givesWay(): void {
		const bill = this.billed(this.endAs("upstream_failed"));
		if (bill.usage) this.earlier = bill;
	}

	get mayBeBilled(): boolean {
		return this.sentAt !== undefined;
	}

	/** Who sees the answer from now on, however the call ends. */
	observe(observer: Pick<StreamPass, "seen">): void {
		this.observer = observer;
	}

	/** All there is of the answer has been seen. */
	saw(seen: Observation): void {
		this.seen = seen;
		this.observer = undefined;
	}

	/** The first byte of the answer is there. */
	firstByte(): void {
		this.firstByteMs ??= this.options.clock.monotonic() - this.routed.startedAt;
		this.attempts.firstByte();
	}

	/** The first of a streamed answer's words is there. */
	firstContent(): void {
		this.firstContentMs = this.options.clock.monotonic() - this.routed.startedAt;
	}

	/** What the answer tells of its service tier, in place of what was asked for. */
	private served(tier: string): readonly string[] {
		// A summary that was made first may have been served otherwise.
		return this.compaction.used ? this.tiers : tiersServed(this.tiers, tier);
	}

	/** Of the attempt that ends so; where it took nothing on, of the last before it that may have. */
	private billed(end: CallEnd): Bill {
		const usage = usedBy(this.routed, end);
		if (!usage && this.earlier) return this.earlier;
		const { target, seen } = end;
		return { usage, target, tiers: seen.tier === undefined ? this.tiers : this.served(seen.tier) };
	}

	/** As it would be if it ended now. */
	private endAs(ending: Ending): CallEnd {
		const { routed, target, sentAt, observer, options } = this;
		return {
			ending,
			seen: observer ? soundlySeen(observer, routed.id, options.log) : soundly(this.seen),
			target,
			permitted: this.permits.maxOutputTokens,
			writes: this.compaction.limit,
			sentMs: sentAt === undefined ? undefined : options.clock.monotonic() - sentAt,
			unreadMs: this.stream?.unread.milliseconds ?? 0,
		};
	}

	/** Settles and records; the first of all ends counts. */
	end(ending: Ending, status: number, denial?: Denial): void {
		if (this.isOver) return;
		this.isOver = true;
		const { routed } = this;
		const end = this.endAs(ending);
		const { seen, target } = end;
		const bill = this.billed(end);
		const told = denial ?? seen.error;
		const outcome: Outcome = {
			ending,
			sent: this.sent,
			contentBytes: seen.contentBytes,
			pieces: seen.pieces,
			...bill,
			usage: usedInAll(this.compaction.used, bill.usage),
			denial: told && target ? redacted(told, target) : told,
			stopped: plainStop(seen.stopped),
		};
		if (givenUp.has(ending)) this.attempts.giveUp(this.stream !== undefined);
		this.attempts.end(notTheUpstreams.has(ending) ? seen.error && outcome.denial : outcome.denial);
		if (this.stream && speaksOfUpstream(ending, told, this.stream)) this.attempts.streamEnded(outcome.denial);
		const charge = this.permits.settle(outcome) ?? this.options.costs?.chargeOf(outcome, routed.model.name);
		this.charged = charge?.charged;
		record(
			this.options,
			{ call: routed, token: routed.token, protocol: routed.protocol, model: routed.model },
			{
				outcome,
				status,
				attempts: this.attempts.list,
				leftOut: this.attempts.leftOut,
				losses: this.losses,
				firstByteMs: this.firstByteMs,
				firstContentMs: this.firstContentMs,
				charge,
				tags: this.permits.tags,
			},
		);
		routed.answered?.();
		this.options.ended?.(this);
	}
}
