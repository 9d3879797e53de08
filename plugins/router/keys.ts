/** Several keys of one upstream: used in turn, or by the client's affinity so that the provider's cache keeps hitting. */
import type { Clock, KeyNotes } from "#core";

/** How long a key rests that was refused or limited, unless the upstream named a shorter wait. Milliseconds. */
const restMs = 60_000;
/** A key rests longer by up to this share: nodes that were limited together must not ask again together. */
const jitter = 0.1;

/** A number from 0 on that is the same for the same text. */
export const spread = (text: string): number => {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	// The last characters have reached few of the upper bits by now; ids that differ in nothing else would stay together.
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
};

/** Statuses by which an upstream may speak of the key and not of the request; with 400 its words decide. */
export const maySpeakOfKey = new Set([400, 401, 402, 403, 429]);

export class Keys {
	private readonly keys: readonly string[];
	private readonly clock: Clock;
	private readonly random: () => number;
	private readonly restsUntil = new Map<string, number>();
	private turn = 0;

	/** `random`: from 0 to 1. */
	constructor(keys: readonly string[], clock: Clock, random: () => number) {
		this.keys = keys;
		this.clock = clock;
		this.random = random;
	}

	/** A key that is not resting; when all are, the one whose turn it is: trying beats refusing. `notes` are told which. */
	choose(affinity: string | undefined, notes?: KeyNotes): string | undefined {
		if (this.keys.length < 2) return this.keys[0];
		const first = affinity === undefined ? this.turn++ : spread(affinity);
		const key = this.awake(first, []) ?? this.keys[first % this.keys.length];
		this.tell(key, notes);
		return key;
	}

	/** A key for the same call, where those that were tried did not help: none that rests, for another target may do better. */
	another(tried: readonly string[]): string | undefined {
		return this.awake(this.turn, tried);
	}

	/** For each key: true where it is used, false where it rests. */
	states(): readonly boolean[] {
		const now = this.clock.monotonic();
		return this.keys.map((key) => (this.restsUntil.get(key) ?? 0) <= now);
	}

	/** Tells which of several keys is sent, and which rest meanwhile. */
	tell(key: string | undefined, notes: KeyNotes | undefined): void {
		if (!notes || key === undefined || this.keys.length < 2) return;
		const resting = this.states().flatMap((up, index) => (up || this.keys[index] === key ? [] : [index + 1]));
		notes.sends(this.keys.indexOf(key) + 1, resting);
	}

	private awake(first: number, tried: readonly string[]): string | undefined {
		const { length } = this.keys;
		const now = this.clock.monotonic();
		for (let step = 0; step < length; step++) {
			const key = this.keys[(first + step) % length];
			if (key !== undefined && !tried.includes(key) && (this.restsUntil.get(key) ?? 0) <= now) return key;
		}
		return undefined;
	}

	/** The key was refused or limited, by an upstream that asked for so long a wait. */
	rest(key: string, seconds = Number.POSITIVE_INFINITY): void {
		const wait = Math.min(restMs, seconds * 1000);
		this.restsUntil.set(key, this.clock.monotonic() + wait * (1 + jitter * this.random()));
	}
}
