/** Sends what is due: claims as many deliveries as receivers have room for, posts them, and records what came of it. */
import { type ClaimedWork, type Clock, describe, type Log, WorkQueue } from "#core";
import { type Delivery, leaseMs, type Queue } from "./queue.ts";
import type { ReceiverConcurrency } from "./receiver-concurrency.ts";
import type { AttemptRecorder } from "./recorder.ts";
import type { SecretBook } from "./secrets.ts";
import type { AttemptResult, Send } from "./sender.ts";
import type { Receiver } from "./service.ts";
import { signatureHeaders } from "./signature.ts";

/** Between the write that made a delivery and its first attempt, so that the client's answer goes first; in milliseconds. */
const wakeDelayMs = 10;

/** Deliveries claimed in one write. */
const claimSize = 256;

interface DispatcherOptions {
	readonly queue: Queue;
	readonly concurrency: ReceiverConcurrency;
	readonly send: Send;
	readonly secrets: SecretBook;
	readonly receivers: () => readonly Receiver[];
	readonly clock: Clock;
	/** Milliseconds since 1970, by the clock all nodes share. */
	now(): number;
	readonly log: Log;
	readonly userAgent: string;
	readonly recorder: AttemptRecorder;
}

/** A text as a header may hold it: what is not printable ASCII, and `%`, is percent-encoded, so that plain words stay plain. */
const headerText = (text: string): string =>
	text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/g, (part) => encodeURIComponent(part));

export class Dispatcher {
	private readonly options: DispatcherOptions;
	private readonly queue: WorkQueue;
	private cancelWake: (() => void) | undefined;

	constructor(options: DispatcherOptions) {
		this.options = options;
		const { queue, clock, log } = options;
		this.queue = new WorkQueue({
			clock,
			leaseMs,
			now: options.now,
			claim: (lease) => this.claim(lease),
			nextDue: (now) => queue.nextDue(now),
			recover: (held) => queue.recover(options.now(), held),
			failed: (error) => log.error("deliveries could not be claimed", { error: describe(error) }),
		});
	}

	/** Looks for due deliveries a moment from now. */
	wake(): void {
		this.cancelWake ??= this.options.clock.after(wakeDelayMs, () => {
			this.cancelWake = undefined;
			this.queue.wake();
		});
	}

	/**
	 * Called every second: takes over the deliveries of nodes that died, and looks for due ones. Once a reload has aborted `others`
	 * they are those of the dispatcher that came with it, by whose rules they go.
	 */
	async tick(others?: AbortSignal): Promise<void> {
		await this.queue.tick(others);
	}

	/** Settles when what is due has been claimed, as far as there is room. */
	async claimed(): Promise<void> {
		await this.queue.claimed();
	}

	/** Claims nothing more; settles when the attempts under way have been recorded. */
	async stop(): Promise<void> {
		this.cancelWake?.();
		await this.queue.stop();
	}

	private async claim(lease: string): Promise<readonly ClaimedWork[] | undefined> {
		const { queue, concurrency, secrets } = this.options;
		if (concurrency.free <= 0) return undefined;
		const now = this.options.now();
		const due = await queue.due(now, concurrency.reach(), Math.min(concurrency.free, claimSize));
		const entered = due.filter(({ caller, origin }) => concurrency.enter(caller, origin));
		if (entered.length === 0) return undefined;
		let claimed: readonly Delivery[] = [];
		try {
			await secrets.load(entered.map(({ owner }) => owner));
			const ids = entered.map(({ id }) => id);
			claimed = await queue.claim(ids, lease, now);
		} finally {
			const ids = new Set(claimed.map(({ id }) => id));
			for (const { id, caller, origin } of entered) if (!ids.has(id)) concurrency.leave(caller, origin, undefined);
		}
		return claimed.map((delivery) => ({ ids: [delivery.id], ended: this.attempt(delivery) }));
	}

	private async attempt(delivery: Delivery): Promise<void> {
		const { concurrency, send, secrets, userAgent, recorder, receivers } = this.options;
		const startedAt = this.options.now();
		const body = new TextEncoder().encode(delivery.body);
		const message = {
			url: delivery.url,
			body,
			privateNetwork: receivers().some(({ owner, privateNetwork }) => privateNetwork && owner === delivery.owner),
			headers: {
				"content-type": "application/json",
				"user-agent": userAgent,
				...signatureHeaders(delivery.id, Math.floor(startedAt / 1000), body, secrets.valid(delivery.owner, startedAt)),
				"x-task-id": delivery.subject,
				"x-event-seq": String(delivery.sequence),
				"x-delivery-attempt": String(delivery.attempts + 1),
				...(delivery.failure && {
					"x-failure-code": headerText(delivery.failure.code),
					"x-failure-reason": headerText(delivery.failure.reason),
				}),
			},
		};
		const result = await send(message).catch((): AttemptResult => ({ error: "network_error", durationMs: 0 }));
		concurrency.leave(delivery.caller, delivery.origin, result.durationMs);
		await recorder.add({ delivery, startedAt, endedAt: this.options.now(), result });
	}
}
