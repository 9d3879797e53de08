/** Records of calls on their way to the collector: bounded, sent in batches, one at a time, never waited for by a call. */
import { type CallRecord, type CallTrace, type Clock, describe, type Log } from "#core";
import type { Names } from "./conventions.ts";
import type { SpanExport } from "./export.ts";
import { type CallSpan, hasFailed, spansOf } from "./spans.ts";

/** Calls that wait; what comes when there are so many is counted, and left out. */
const most = 2_048;
const batchCalls = 256;
const pauseMs = 500;

interface QueueOptions {
	readonly clock: Clock;
	readonly log: Log;
	readonly names: Names;
	/** How long a stop waits for what is on its way. */
	readonly stopMs: number;
}

export class SpanQueue {
	private readonly options: QueueOptions;
	private waiting: CallRecord[] = [];
	private out: SpanExport | undefined;
	private sending: Promise<void> | undefined;
	private cancel: (() => void) | undefined;
	private dropped = 0;
	private failing = false;
	private stopped = false;

	constructor(options: QueueOptions) {
		this.options = options;
	}

	open(out: SpanExport): void {
		this.out = out;
		this.schedule();
	}

	/** A call that failed is kept whatever was decided of its trace. */
	add(call: CallRecord): void {
		if (this.stopped || !call.trace || !(call.trace.sampled || hasFailed(call))) return;
		if (this.waiting.length >= most) {
			this.dropped++;
			return;
		}
		this.waiting.push(call);
		this.schedule();
	}

	private schedule(): void {
		if (this.cancel || !this.out || this.stopped || this.sending || this.waiting.length === 0) return;
		this.cancel = this.options.clock.after(pauseMs, () => {
			this.cancel = undefined;
			this.sending = this.send().finally(() => {
				this.sending = undefined;
				this.schedule();
			});
		});
	}

	private async send(): Promise<void> {
		const calls = this.waiting.splice(0, batchCalls);
		const spans = calls.flatMap((call): (readonly [CallTrace, CallSpan])[] =>
			spansOf(call, this.options.names).flatMap((span) => (call.trace ? [[call.trace, span] as const] : [])),
		);
		if (spans.length === 0 || !this.out) return;
		try {
			await this.out.send(spans);
			if (this.failing) this.options.log.info("the collector takes spans again", { callsLeftOut: this.dropped });
			this.failing = false;
			this.dropped = 0;
		} catch (error) {
			this.dropped += calls.length;
			if (!this.failing)
				this.options.log.warn("the collector does not take spans; those of the calls in between are left out", {
					error: describe(error),
				});
			this.failing = true;
		}
	}

	/** Sends what waits, as long as a stop may take. */
	async stop(): Promise<void> {
		if (this.stopped) return;
		this.stopped = true;
		this.cancel?.();
		const { out } = this;
		if (!out) return;
		const enough = Promise.withResolvers<void>();
		const cancel = this.options.clock.after(this.options.stopMs, () => enough.resolve());
		const rest = async (): Promise<void> => {
			await this.sending;
			while (this.waiting.length > 0 && !this.failing) await this.send();
			await out.close();
		};
		await Promise.race([rest().catch(() => undefined), enough.promise]);
		cancel();
	}
}
