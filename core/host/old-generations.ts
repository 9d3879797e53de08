/** What a reload has replaced: each stops once its last call is over, and its plugins may take their time over it. */
import type { Clock } from "../contract/clock.ts";
import type { Log } from "../contract/log.ts";
import { describe } from "../errors/describe.ts";
import { stoppedOrLate } from "./in-time.ts";
import { callsOf, type Running } from "./running.ts";

const lookAgainMs = 250;

/** Ends its jobs and stops its plugins. */
export const retire = async ({ jobs, refusals, generation }: Running, mustEnd: AbortSignal): Promise<void> => {
	const ended = jobs?.stop();
	await stoppedOrLate(ended, mustEnd);
	refusals.flush();
	await Promise.all([ended, generation.stop(mustEnd)]);
};

export class OldGenerations {
	private readonly clock: Clock;
	private readonly log: Log;
	private readonly mustEnd: AbortSignal;
	private readonly serving = new Set<Running>();
	private readonly stopping = new Set<Promise<void>>();

	constructor(clock: Clock, log: Log, mustEnd: AbortSignal) {
		this.clock = clock;
		this.log = log;
		this.mustEnd = mustEnd;
	}

	/** Those on which calls still run. */
	all(): readonly Running[] {
		return [...this.serving];
	}

	/** Stops it once its last call is over. */
	letGo(built: Running): void {
		this.serving.add(built);
		void built.jobs?.stop();
		const look = (): void => {
			if (!this.serving.has(built)) return;
			if (callsOf(built) > 0) this.clock.after(lookAgainMs, look);
			else this.retire(built);
		};
		look();
	}

	/** Stops all of them, whatever runs on them; settles when those have stopped too that had begun to stop before. */
	async stop(): Promise<void> {
		for (const built of this.serving) this.retire(built);
		await Promise.all(this.stopping);
	}

	private retire(built: Running): void {
		this.serving.delete(built);
		const stopping = retire(built, this.mustEnd)
			.catch((error: unknown) => this.log.error("an old generation could not be stopped", { error: describe(error) }))
			.then(() => void this.stopping.delete(stopping));
		this.stopping.add(stopping);
	}
}
