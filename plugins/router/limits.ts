/** Which targets have said that they are limited, and for how long: until then calls go elsewhere, where they can. */
import type { Clock, Denial, Target } from "#core";

/** However long a wait an upstream names: a limit may be lifted before. Milliseconds. */
const longestMs = 60_000;
/** Names of models come from clients where a pattern lets them, so what is kept is bounded. */
const keptTargets = 1_000;

/** Vendors limit by model: others of the same upstream may be free. */
const nameOf = ({ upstream, model }: Target): string => `${upstream.name}\n${model}`;

export class Limits {
	private readonly clock: Clock;
	private readonly until = new Map<string, number>();

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** Only a wait that the upstream itself named counts: without one nobody knows how long a limit lasts. */
	report({ kind, retryAfterSeconds }: Denial, target: Target): void {
		if (kind !== "rate_limited" || retryAfterSeconds === undefined) return;
		if (this.until.size >= keptTargets) this.until.clear();
		this.until.set(nameOf(target), this.clock.monotonic() + Math.min(longestMs, retryAfterSeconds * 1000));
	}

	/** That it is limited, and for how long; undefined for one that is not. */
	words(target: Target): string | undefined {
		if (this.until.size === 0) return undefined;
		const wait = (this.until.get(nameOf(target)) ?? 0) - this.clock.monotonic();
		return wait > 0 ? `it is limited for ${Math.ceil(wait / 1000)} s more, as it says` : undefined;
	}
}
