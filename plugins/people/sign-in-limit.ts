/** At most so many at once; who waits too long is sent away. Checking passwords takes more processor time than anything else a stranger can ask for. */
import { type Clock, deny, Fault } from "#core";

const atOnce = 2;
const waitMs = 2_000;

export class Turns {
	private readonly clock: Clock;
	private running = 0;
	private readonly waiting: (() => void)[] = [];

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** Throws `Fault` (`rate_limited`) when no turn comes in time. */
	async take<T>(work: () => Promise<T>): Promise<T> {
		if (this.running >= atOnce) await this.wait();
		else this.running++;
		try {
			return await work();
		} finally {
			// The turn goes over to whoever waits, so that nobody slips in between.
			const next = this.waiting.shift();
			if (next) next();
			else this.running--;
		}
	}

	private wait(): Promise<void> {
		return new Promise((resolve, reject) => {
			const cancel = this.clock.after(waitMs, () => {
				this.waiting.splice(this.waiting.indexOf(go), 1);
				reject(
					new Fault(
						deny("rate_limited", "Too many people are signing in at this moment; try again.", { retryAfterSeconds: 2 }),
					),
				);
			});
			const go = (): void => {
				cancel();
				resolve();
			};
			this.waiting.push(go);
		});
	}
}
