/**
 * How many attempts may run at once: in all, of one token, and to one receiver. A receiver that answers a token promptly gets
 * many; one that is not known to, one, and a few more while there is room. So receivers that hang can fill their own share of
 * the sockets and never the share of those that answer, and what they fill is their token's: others keep a share of all
 * places, and a sixteenth of them is for tokens that have none.
 */
interface ConcurrencyLimits {
	/** Attempts in flight in all. */
	readonly overall: number;
	/** Attempts in flight to one receiver (scheme, host and port). A token that has none there has one beside them. */
	readonly perReceiver: number;
}

/** An answer within this time makes a receiver prompt, in milliseconds. */
const promptWithin = 1000;

/** Attempts of one token in flight to a receiver that is not known to be prompt, while there is room. */
const unprovenDepth = 16;

/** Receivers of tokens that are remembered. */
const longestMemory = 10_000;

/** What one token has in flight at one receiver. */
interface Load {
	readonly owner: string;
	readonly receiver: string;
	running: number;
	prompt: boolean;
}

/** What one token has in flight in all, and of that at receivers not known to be prompt. */
interface Share {
	running: number;
	unproven: number;
}

const noShare: Share = { running: 0, unproven: 0 };

/** Of which rows another attempt may begin. A load is a token's at a receiver, by its `loadName`. */
export interface Reach {
	/** None but those of the `open` loads. */
	readonly only: boolean;
	/** Of these tokens only their `open` loads. */
	readonly narrowed: readonly string[];
	readonly open: readonly string[];
	/** Loads of other tokens that are full. */
	readonly full: readonly string[];
}

export const loadName = (owner: string, receiver: string): string => `${owner} ${receiver}`;

/** Whether one more leaves a share to others: a token that is alone gets four fifths, and the next four fifths of what is left. */
const leavesRoom = (own: number, free: number): boolean => own < 4 * free;

export class ReceiverConcurrency {
	private readonly limits: ConcurrencyLimits;
	private readonly loads = new Map<string, Load>();
	private readonly shares = new Map<string, Share>();
	private readonly atReceiver = new Map<string, number>();
	private running = 0;
	private unproven = 0;

	constructor(limits: ConcurrencyLimits) {
		this.limits = limits;
	}

	/** Attempts that could begin now, at the most. */
	get free(): number {
		return Math.max(0, this.limits.overall - this.running);
	}

	/** Takes a place for an attempt of this token at this receiver, if there is one. */
	enter(owner: string, receiver: string): boolean {
		const name = loadName(owner, receiver);
		const load = this.loads.get(name) ?? { owner, receiver, running: 0, prompt: false };
		if (!this.hasRoom(load)) return false;
		this.loads.set(name, load);
		this.add(load, 1);
		return true;
	}

	private add(load: Load, change: 1 | -1): void {
		const { owner, receiver, prompt } = load;
		const share = this.shares.get(owner) ?? { ...noShare };
		load.running += change;
		share.running += change;
		this.running += change;
		if (!prompt) this.addUnproven(share, change);
		if (share.running === 0) this.shares.delete(owner);
		else this.shares.set(owner, share);
		const there = (this.atReceiver.get(receiver) ?? 0) + change;
		if (there === 0) this.atReceiver.delete(receiver);
		else this.atReceiver.set(receiver, there);
	}

	private addUnproven(share: Share, change: number): void {
		share.unproven += change;
		this.unproven += change;
	}

	private hasRoom({ owner, receiver, running, prompt }: Load): boolean {
		const { overall, perReceiver } = this.limits;
		const share = this.shares.get(owner) ?? noShare;
		// However many tokens take all they can, each other has a place for one at a time.
		const kept = Math.floor(overall / 16);
		const free = overall - this.running;
		if (share.running === 0 ? free <= 0 : !leavesRoom(share.running, free - kept)) return false;
		if (running > 0 && (this.atReceiver.get(receiver) ?? 0) >= perReceiver) return false;
		if (prompt) return true;
		if (share.unproven === 0) return this.unproven < overall - kept;
		if (!leavesRoom(share.unproven, Math.floor((overall * 3) / 4) - this.unproven)) return false;
		return running === 0 || (running < unprovenDepth && share.unproven < overall / 8);
	}

	/** Gives the place back. `durationMs` is how long the attempt took; undefined when none was made. */
	leave(owner: string, receiver: string, durationMs: number | undefined): void {
		const load = this.loads.get(loadName(owner, receiver));
		if (!load) return;
		this.add(load, -1);
		if (durationMs !== undefined) this.judge(load, durationMs < promptWithin);
		if (this.loads.size > longestMemory) this.forget();
	}

	private judge(load: Load, prompt: boolean): void {
		const share = this.shares.get(load.owner);
		if (share && prompt !== load.prompt) this.addUnproven(share, prompt ? -load.running : load.running);
		load.prompt = prompt;
	}

	reach(): Reach {
		const isOpen = (owner: string): boolean => this.hasRoom({ owner, receiver: "", running: 0, prompt: false });
		const narrowed = new Set([...this.shares.keys()].filter((owner) => !isOpen(owner)));
		// A token of which nothing runs is called by no name.
		const only = !isOpen("");
		const open: string[] = [];
		const full: string[] = [];
		for (const [name, load] of this.loads) {
			const hasRoom = this.hasRoom(load);
			if (only || narrowed.has(load.owner)) {
				if (hasRoom) open.push(name);
			} else if (!hasRoom) full.push(name);
		}
		return { only, narrowed: [...narrowed], open, full };
	}

	private forget(): void {
		for (const [name, load] of this.loads) {
			if (this.loads.size <= longestMemory / 2) return;
			if (load.running === 0) this.loads.delete(name);
		}
	}
}
