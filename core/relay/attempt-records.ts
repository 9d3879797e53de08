/** What became of each attempt of a call, for its record. */
import type { Clock } from "../contract/clock.ts";
import { type Denial, isFault } from "../contract/fault.ts";
import type { AttemptRecord, PassedOver } from "../contract/outcome.ts";
import type { KeyNotes, Target } from "../contract/router.ts";
import type { Tracer } from "../contract/trace.ts";
import { scrubMessage, withoutKeys } from "../errors/redact.ts";
import { vendorWords } from "../errors/vendor-words.ts";
import { asRecord, asText } from "../neutral/json.ts";

/** An attempt that may still change. */
interface Open extends Changeable {
	readonly target: Target;
	readonly begunAt: number;
	ended: boolean;
}
type Changeable = { -readonly [K in keyof AttemptRecord]: AttemptRecord[K] };

/** Of more than these the ones in the middle are left out. */
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
	private readonly clock: Clock;
	private readonly all: Open[] = [];
	private readonly tracer: Tracer | undefined;

	constructor(clock: Clock, tracer?: Tracer) {
		this.clock = clock;
		this.tracer = tracer;
	}

	/** The span of the attempt that runs. */
	get spanId(): string | undefined {
		return this.all.at(-1)?.spanId;
	}

	get count(): number {
		return this.all.length;
	}

	/** An attempt begins. */
	begin(target: Target, why: string, skipped = nothing): void {
		if (this.all.length >= most) this.all.pop();
		const begunAt = this.clock.monotonic();
		this.all.push({
			target,
			upstream: target.upstream.name,
			model: withoutKeys(target.model),
			why,
			skipped,
			startedAt: this.clock.now(),
			durationMs: 0,
			begunAt,
			ended: false,
			...(this.tracer && traced(this.tracer, target)),
		});
	}

	sends(place: number, resting: readonly number[]): void {
		const now = this.all.at(-1);
		if (!now) return;
		now.key = place;
		if (resting.length === 0) return;
		const rests = resting.map((key) => ({ upstream: now.upstream, reason: `key ${key} rests after it was refused` }));
		now.skipped = [...now.skipped, ...rests];
	}

	failed(status: number, words: string): void {
		const now = this.all.at(-1);
		if (!now) return;
		now.status = status;
		this.said(words);
		this.end();
		this.begin(now.target, "next key");
	}

	/** The upstream answered with this status. */
	answered(status: number): void {
		const now = this.all.at(-1);
		if (now) now.status = status;
	}

	/** What the upstream said of its failure: the body of its answer. */
	said(words: string): void {
		const now = this.all.at(-1);
		if (now) Object.assign(now, vendorWords(now.target.upstream.redact?.(words) ?? words));
	}

	/** The first byte of the answer is there. */
	firstByte(): void {
		const now = this.all.at(-1);
		if (now && !now.ended) now.firstByteMs ??= this.clock.monotonic() - now.begunAt;
	}

	/** The attempt is over; `denial` is why it failed, `error` what it was made of. The first of all ends counts. */
	end(denial?: Denial, error?: unknown): void {
		const now = this.all.at(-1);
		if (!now || now.ended) return;
		now.ended = true;
		now.durationMs = this.clock.monotonic() - now.begunAt;
		if (!denial) return;
		now.code ??= denial.code ?? causeOf(error) ?? denial.kind;
		now.message ??= scrubMessage(denial.message);
		const cause = now.status === undefined ? causeOf(error) : undefined;
		if (cause !== undefined) now.message = `${now.message} (${cause})`;
	}

	get list(): readonly AttemptRecord[] {
		return this.all.map(({ target: _, begunAt: __, ended: ___, ...record }) => record);
	}
}
