/** What became of each attempt of a call, for its record. */
import type { Clock } from "../contract/clock.ts";
import { type Denial, isFault } from "../contract/fault.ts";
import type { AttemptRecord, PassedOver } from "../contract/outcome.ts";
import type { KeyNotes, Target } from "../contract/router.ts";
import type { Tracer } from "../contract/trace.ts";
import { plainName, scrubMessage } from "../errors/redact.ts";
import { vendorWords, vendorWordsWithin } from "../errors/vendor-words.ts";
import { asRecord, asText } from "../neutral/json.ts";

type Changeable = { -readonly [K in keyof AttemptRecord]: AttemptRecord[K] };

/** An attempt, and what is known of it beside its record. */
interface Open {
	readonly record: Changeable;
	readonly target: Target;
	readonly begunAt: number;
	ended: boolean;
}

const utf8 = new TextDecoder();

/** Of more than these the ones in the middle are left out of the list. */
const most = 8;

const nothing: readonly PassedOver[] = [];

/** The system's own word for a connection that failed: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
const causeOf = (error: unknown): string | undefined => {
	const { cause } = isFault(error) ? error : { cause: error };
	return asText(asRecord(cause instanceof Error ? { code: Reflect.get(cause, "code") } : {})["code"]);
};

const traced = (tracer: Tracer, { upstream: { host } }: Target): Pick<AttemptRecord, "spanId" | "host"> => ({
	spanId: tracer.spanId(),
	...(host !== undefined && { host }),
});

export class AttemptRecords implements KeyNotes {
	/** What `list` leaves out; undefined where that is nothing. */
	leftOut: readonly AttemptRecord[] | undefined;
	private readonly clock: Clock;
	private readonly all: Open[] = [];
	private readonly tracer: Tracer | undefined;

	constructor(clock: Clock, tracer?: Tracer) {
		this.clock = clock;
		this.tracer = tracer;
	}

	/** The span of the attempt that runs. */
	get spanId(): string | undefined {
		return this.all.at(-1)?.record.spanId;
	}

	/** The attempt that runs, or ran last. */
	get last(): AttemptRecord | undefined {
		return this.all.at(-1)?.record;
	}

	get count(): number {
		return this.all.length + (this.leftOut?.length ?? 0);
	}

	/** An attempt begins. */
	begin(target: Target, why: string, skipped = nothing): void {
		if (this.all.length >= most)
			this.leftOut = [...(this.leftOut ?? []), ...this.all.splice(-1).map(({ record: left }) => left)];
		const record: Changeable = {
			upstream: target.upstream.name,
			model: plainName(target.model),
			why,
			skipped,
			startedAt: this.clock.now(),
			durationMs: 0,
		};
		if (this.tracer) Object.assign(record, traced(this.tracer, target));
		this.all.push({ record, target, begunAt: this.clock.monotonic(), ended: false });
	}

	sends(place: number, resting: readonly number[]): void {
		const record = this.all.at(-1)?.record;
		if (!record) return;
		record.key = place;
		if (resting.length === 0) return;
		const { upstream } = record;
		const rests = resting.map((key) => ({ upstream, reason: `key ${key} rests after it was refused` }));
		record.skipped = [...record.skipped, ...rests];
	}

	failed(status: number, words: string): void {
		const now = this.all.at(-1);
		if (!now) return;
		now.record.status = status;
		this.said(words);
		this.end();
		this.begin(now.target, "next key");
	}

	/** The upstream answered with this status. */
	answered(status: number): void {
		const now = this.all.at(-1);
		if (now) now.record.status = status;
	}

	/** What the upstream said of its failure: the body of its answer. */
	said(words: string): void {
		const now = this.all.at(-1);
		if (now) Object.assign(now.record, vendorWords(now.target.upstream.redact?.(words) ?? words));
	}

	/** An answer, or an event of one, in which the upstream told a failure. */
	saidWithin(answer: string | Uint8Array): void {
		const now = this.all.at(-1);
		const text = typeof answer === "string" ? answer : utf8.decode(answer);
		if (now) Object.assign(now.record, vendorWordsWithin(now.target.upstream.redact?.(text) ?? text));
	}

	/** The first byte of the answer is there. */
	firstByte(): void {
		const now = this.all.at(-1);
		if (now && !now.ended) now.record.firstByteMs ??= this.clock.monotonic() - now.begunAt;
	}

	/**
	 * The attempt is over; `denial` is why it failed, `error` what it was made of. Without either it went well, or was left
	 * before its upstream had answered. The first of all ends counts.
	 */
	end(denial?: Denial, error?: unknown): void {
		const now = this.all.at(-1);
		if (!now || now.ended) return;
		const { record } = now;
		now.ended = true;
		record.durationMs = this.clock.monotonic() - now.begunAt;
		if (!denial) {
			if (record.status === undefined) record.code = "no_answer_yet";
			return;
		}
		record.code ??= denial.code ?? causeOf(error) ?? denial.kind;
		record.message ??= scrubMessage(denial.message);
		const cause = record.status === undefined ? causeOf(error) : undefined;
		if (cause !== undefined) record.message = `${record.message} (${cause})`;
	}

	get list(): readonly AttemptRecord[] {
		return this.all.map(({ record }) => record);
	}
}
