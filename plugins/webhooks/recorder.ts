/**
 * Records attempts in the order in which they end, many in one write when they come fast. If the database refuses, it tries
 * again until the lease is over.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Clock, describe, type Log, type Store, type WireRecord } from "#core";
import type { Outcomes } from "./outcomes.ts";
import { type Ended, leaseMs, type Queue } from "./queue.ts";

/** Attempts recorded in one write. */
const batchSize = 200;

/** How long the first of a batch waits for company, in real milliseconds: one write for many is what makes a thousand a second cheap. */
const gatherMs = 4;

/** Waits between tries of a write that failed, in milliseconds. */
const firstWaitMs = 50;
const longestWaitMs = 1000;

interface RecorderOptions {
	readonly store: Store;
	readonly queue: Queue;
	readonly clock: Clock;
	readonly log: Log;
	readonly outcomes: Outcomes;
}

export class AttemptRecorder {
	private readonly options: RecorderOptions;
	private waiting: { readonly ended: Ended; recorded(): void }[] = [];
	private running: Promise<void> | undefined;

	constructor(options: RecorderOptions) {
		this.options = options;
	}

	/** Settles when the attempt has been recorded, or given up. */
	add(ended: Ended): Promise<void> {
		return new Promise((recorded) => {
			this.waiting.push({ ended, recorded });
			this.running ??= this.run();
		});
	}

	private async run(): Promise<void> {
		while (this.waiting.length > 0) {
			if (this.waiting.length < batchSize) await pause(gatherMs);
			const batch = this.waiting.splice(0, batchSize);
			await this.write(batch.map(({ ended }) => ended));
			for (const { recorded } of batch) recorded();
		}
		this.running = undefined;
	}

	private async write(batch: readonly Ended[]): Promise<void> {
		const { log, outcomes } = this.options;
		const rows = await this.writtenRows(batch);
		try {
			if (rows) outcomes.note(rows, batch);
		} catch (error) {
			log.error("what became of attempts could not be noted", { deliveries: batch.length, error: describe(error) });
		}
	}

	/** What the database says of the deliveries; undefined when it was given up. */
	private async writtenRows(batch: readonly Ended[]): Promise<readonly WireRecord[] | undefined> {
		const { store, queue, clock, log } = this.options;
		const giveUpAt = clock.monotonic() + leaseMs;
		for (let wait = firstWaitMs; ; wait = Math.min(wait * 2, longestWaitMs)) {
			try {
				const written = await store.write(queue.record(batch));
				return written[1]?.rows ?? [];
			} catch (error) {
				if (clock.monotonic() >= giveUpAt) {
					log.error("attempts could not be recorded; their deliveries will be sent again", {
						deliveries: batch.length,
						error: describe(error),
					});
					return undefined;
				}
				await new Promise<void>((resolve) => clock.after(wait, resolve));
			}
		}
	}
}
