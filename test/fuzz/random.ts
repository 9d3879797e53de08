/** Chance that a seed decides, so that what was found can be found again. */
import { randomNumbers } from "../support/chunkings.ts";

export class Chance {
	private readonly next: () => number;

	constructor(seed: number) {
		this.next = randomNumbers(seed);
	}

	/** True in this share of all cases. */
	happens(share: number): boolean {
		return this.next() < share;
	}

	/** A whole number from 0 to below `end`; 0 where there is none. */
	below(end: number): number {
		return Math.floor(this.next() * end);
	}

	pick<T>(list: readonly [T, ...T[]]): T {
		return list[this.below(list.length)] ?? list[0];
	}

	/** One of a list that may be empty. */
	some<T>(list: readonly T[]): T | undefined {
		return list[this.below(list.length)];
	}
}
