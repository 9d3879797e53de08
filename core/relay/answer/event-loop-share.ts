/** How calls share the turns of the event loop, so that none of them keeps it from the others. */

/** Pieces up to this size may use twice the turn's share, so that a slow model's words do not wait behind large pieces. */
const short = 4 * 1024;

interface Waiting {
	readonly amount: number;
	readonly begin: () => void;
}

/** So much of one sort of work is begun in one turn and no more; the rest waits for later turns, in its order. */
class TurnShare {
	private readonly perTurn: number;
	/** Counted until there is no room; a count that goes on into a later turn costs a wait for the turn's end at most. */
	private begun = 0;
	private readonly waiting: Waiting[] = [];

	constructor(perTurn: number) {
		this.perTurn = perTurn;
	}

	/** Takes room: undefined when there is some in this turn, else resolves in the turn that has. */
	take(amount: number): Promise<void> | undefined {
		const isFull =
			amount <= short ? this.begun >= 2 * this.perTurn : this.waiting.length > 0 || this.begun >= this.perTurn;
		if (!isFull) {
			this.begun += amount;
			return undefined;
		}
		return this.wait(amount);
	}

	private wait(amount: number): Promise<void> {
		return new Promise((begin) => {
			if (this.waiting.length === 0) setImmediate(this.nextTurn);
			this.waiting.push({ amount, begin });
		});
	}

	private readonly nextTurn = (): void => {
		this.begun = 0;
		for (let next = this.waiting[0]; next && this.begun < this.perTurn; next = this.waiting[0]) {
			this.waiting.shift();
			this.begun += next.amount;
			next.begin();
		}
		if (this.waiting.length > 0) setImmediate(this.nextTurn);
	};
}

/**
 * Bytes that all streams together work through: upstreams that send faster than that would otherwise leave no time for
 * anything else.
 */
export const streamWork = new TurnShare(64 * 1024);

/** Bytes of requests that are begun. A larger one has a turn for itself. */
const newCalls = new TurnShare(256 * 1024);

/**
 * What a call begins with: undefined when this turn has room for its bytes, else it resolves in the turn that has. Of many
 * large ones that come at once the first are on their way to their upstreams, and are held once, before the last are
 * read; else all would be read first, and held in every form.
 */
export const roomToBegin = ({ headers }: Request): Promise<void> | undefined =>
	newCalls.take(Number(headers.get("content-length")) || 0);

let ending: PromiseWithResolvers<void> | undefined;

const turnOver = (): void => {
	ending?.resolve();
	ending = undefined;
};

/**
 * The runtime's server ends a connection on which something follows a request that has no answer yet, and that request
 * with it. Whether something followed at once is known when this turn of the event loop ends: nothing is sent before.
 */
export const turnEnds = (): Promise<void> => {
	if (!ending) {
		ending = Promise.withResolvers();
		setImmediate(turnOver);
	}
	return ending.promise;
};
