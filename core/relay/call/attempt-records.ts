/** What became of each attempt of a call, for its record. */
import type { AskedCall } from "../../contract/call.ts";
import type { Clock } from "../../contract/clock.ts";
import { type Denial, isFault } from "../../contract/fault.ts";
import type { AttemptRecord, PassedOver } from "../../contract/outcome.ts";
import type { AttemptReport, Router } from "../../contract/router.ts";
import type { Tracer } from "../../contract/trace.ts";
import type { KeyNotes, Target } from "../../contract/upstream.ts";
import { leftUnanswered, noAnswerYet } from "../../errors/no-answer.ts";
import { plainName, scrubMessage } from "../../errors/redact.ts";
import { unansweredCode } from "../../errors/unanswered.ts";
import { vendorWords, vendorWordsWithin } from "../../errors/vendor-words.ts";

type Changeable = { -readonly [K in keyof AttemptRecord]: AttemptRecord[K] };

const utf8 = new TextDecoder();

/** Of more than these the ones in the middle are left out of the list. */
const most = 8;

const nothing: readonly PassedOver[] = [];

const causeOf = (error: unknown): string | undefined => unansweredCode(isFault(error) ? error.cause : error);

const traced = (tracer: Tracer, { upstream: { host } }: Target): Pick<AttemptRecord, "spanId" | "host"> => ({
	spanId: tracer.spanId(),
	...(host !== undefined && { host }),
});

export class AttemptRecords implements KeyNotes {
	/** What `list` leaves out; undefined where that is nothing. */
	leftOut: readonly AttemptRecord[] | undefined;
	/** What it told of its upstream that the call was given up, if anything: an upstream that hangs is heard of by that alone. */
	silence: AttemptReport | undefined;
	private readonly clock: Clock;
	private readonly tracer: Tracer | undefined;
	private readonly records: Changeable[] = [];
	readonly list: readonly AttemptRecord[] = this.records;
	/** The attempt that runs, or ran last, and what is known of it beside its record. */
	private record: Changeable | undefined;
	private target: Target | undefined;
	/** When it began, by the clock's monotonic time. */
	private begunAt = 0;
	private ended = false;
	/** Who hears of the stream that this call's answer is, and the call as the router knows it. */
	private hearer: Pick<Router, "report"> | undefined;
	private call: AskedCall | undefined;

	constructor(clock: Clock, tracer?: Tracer) {
		this.clock = clock;
		this.tracer = tracer;
	}

	/** The attempt that runs, or ran last. */
	get last(): AttemptRecord | undefined {
		return this.record;
	}

	get count(): number {
		return this.records.length + (this.leftOut?.length ?? 0);
	}

	/**
	 * The call is given up: where nothing of an answer has come for long, that tells of the upstream. `streams`: the answer is a
	 * stream, of which a status alone is nothing.
	 */
	giveUp(streams: boolean): void {
		const { record, target, begunAt } = this;
		if (!record || !target || this.ended) return;
		const isUnanswered = record.status === undefined;
		if (!isUnanswered && !(streams && record.firstByteMs === undefined)) return;
		const sent = isUnanswered ? undefined : `a status (${record.status}) and nothing else`;
		const error = leftUnanswered(this.clock.monotonic() - begunAt, sent);
		if (!error) return;
		this.silence = { target, error, said: record, begunAt };
		this.end(error);
	}

	/** A stream of which something had come has ended, and its attempt with it: `error` where its upstream broke it off. */
	streamEnded(error: Denial | undefined): void {
		const { record, target, hearer, call } = this;
		if (!target || record?.status === undefined || record.firstByteMs === undefined) return;
		if (error) hearer?.report({ target, call, stream: "ended", error, said: record });
		else hearer?.report({ target, call, stream: "ended" });
	}

	/** An attempt begins. */
	begin(target: Target, why: string, skipped = nothing): void {
		if (this.records.length >= most) this.leftOut = [...(this.leftOut ?? []), ...this.records.splice(-1)];
		const record: Changeable = {
			upstream: target.upstream.name,
			model: plainName(target.model),
			why,
			skipped,
			startedAt: this.clock.now(),
			durationMs: 0,
		};
		if (this.tracer) Object.assign(record, traced(this.tracer, target));
		this.records.push(record);
		this.record = record;
		this.target = target;
		this.begunAt = this.clock.monotonic();
		this.ended = false;
	}

	sends(place: number, resting: readonly number[]): void {
		const { record } = this;
		if (!record) return;
		record.key = place;
		if (resting.length === 0) return;
		const { upstream } = record;
		const rests = resting.map((key) => ({ upstream, reason: `key ${key} rests after it was refused` }));
		record.skipped = [...record.skipped, ...rests];
	}

	failed(status: number, words: string): void {
		const { target } = this;
		if (!target) return;
		this.answered(status);
		this.said(words);
		this.end();
		this.begin(target, "next key");
	}

	/** The upstream answered with this status. */
	answered(status: number): void {
		if (this.record) this.record.status = status;
	}

	/** What the upstream said of its failure: the body of its answer. */
	said(words: string): void {
		const { record, target } = this;
		if (record) Object.assign(record, vendorWords(target?.upstream.redact?.(words) ?? words));
	}

	/** An answer, or an event of one, in which the upstream told a failure. */
	saidWithin(answer: string | Uint8Array): void {
		const { record, target } = this;
		const text = typeof answer === "string" ? answer : utf8.decode(answer);
		if (record) Object.assign(record, vendorWordsWithin(target?.upstream.redact?.(text) ?? text));
	}

	/** The first byte of the answer is there. */
	firstByte(): void {
		const { record } = this;
		if (!record || this.ended || record.firstByteMs !== undefined) return;
		record.firstByteMs = this.clock.monotonic() - this.begunAt;
		if (this.hearer) this.streamBegan();
	}

	/** From now on the router hears of the stream: of its first byte, for a status alone tells nothing good, and of its end. */
	tellOfStream(hearer: Pick<Router, "report">, call: AskedCall): void {
		this.hearer = hearer;
		this.call = call;
		if (this.record?.firstByteMs !== undefined) this.streamBegan();
	}

	/** Of what was answered here the upstream knows nothing. */
	private streamBegan(): void {
		const { record, target, hearer, call } = this;
		if (!target || record?.status === undefined) return;
		hearer?.report({ target, firstByteMs: record.firstByteMs, call, stream: "begun" });
	}

	/**
	 * The attempt is over; `denial` is why it failed, `error` what it was made of. Without either it went well, or was left
	 * before its upstream had answered. The first of all ends counts.
	 */
	end(denial?: Denial, error?: unknown): void {
		const { record } = this;
		if (!record || this.ended) return;
		this.ended = true;
		record.durationMs = this.clock.monotonic() - this.begunAt;
		if (!denial) {
			if (record.status !== undefined) return;
			record.code = noAnswerYet;
			return;
		}
		record.code ??= denial.code ?? causeOf(error) ?? denial.kind;
		// What a client is to do is nothing for those who read of attempts: they are told what they can do.
		record.message ??= scrubMessage(denial.message).replace(/ Ask again\b.*$/s, "");
		const cause = record.status === undefined ? causeOf(error) : undefined;
		if (cause !== undefined) record.message = `${record.message} (${cause})`;
	}
}
