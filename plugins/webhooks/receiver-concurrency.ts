/**
 * How many attempts may run at once: in all, of one caller, and to one receiver. All tokens of a person are one caller: they may
 * make as many as they like. A receiver that answers a caller promptly gets many; one that is not known to, one, and a few more
 * while there is room. So receivers that hang can fill their own share of the sockets and never the share of those that answer,
 * and what they fill is their caller's: others keep a share of all places, and a sixteenth of them is for callers that have none.
 */
interface ConcurrencyLimits {
	/** Attempts in flight in all. */
	readonly overall: number;
	/** Attempts in flight to one receiver (scheme, host and port). A caller that has none there has one beside them. */
	readonly perReceiver: number;
}

/** An answer within this time makes a receiver prompt, in milliseconds. */
const promptWithin = 1000;

/** Attempts of one caller in flight to a receiver that is not known to be prompt, while there is room. */
const unprovenDepth = 16;

/** Receivers of callers that are remembered. */
const longestMemory = 10_000;

/** What one caller has in flight at one receiver. */
interface Load {
	readonly caller: string;
	readonly receiver: string;
	running: number;
	prompt: boolean;
}

/** What one caller has in flight in all, and of that at receivers not known to be prompt. */
interface Share {
	running: number;
	unproven: number;
}

const noShare: Share = { running: 0, unproven: 0 };

/** Of which rows another attempt may begin. A load is a caller's at a receiver, by its `loadName`. */
export interface Reach {
	/** None but those of the `open` loads. */
	readonly only: boolean;
	/** Of these callers only their `open` loads. */
	readonly narrowed: readonly string[];
	readonly open: readonly string[];
	/** Loads of other callers that are full. */
	readonly full: readonly string[];
}

export const loadName = (caller: string, receiver: string): string => `${caller} ${receiver}`;

/** Whether one more leaves a share to others: a caller that is alone gets four fifths, and the next four fifths of what is left. */
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

	/** Takes a place for an attempt of this caller at this receiver, if there is one. */
	enter(caller: string, receiver: string): boolean {
		const name = loadName(caller, receiver);
		const load = this.loads.get(name) ?? { caller, receiver, running: 0, prompt: false };
		if (!this.hasRoom(load)) return false;
		this.loads.set(name, load);
		this.add(load, 1);
		return true;
	}

	private add(load: Load, change: 1 | -1): void {
		const { caller, receiver, prompt } = load;
		const share = this.shares.get(caller) ?? { ...noShare };
		load.running += change;
		share.running += change;
		this.running += change;
		if (!prompt) this.addUnproven(share, change);
		if (share.running === 0) this.shares.delete(caller);
		else this.shares.set(caller, share);
		const there = (this.atReceiver.get(receiver) ?? 0) + change;
		if (there === 0) this.atReceiver.delete(receiver);
		else this.atReceiver.set(receiver, there);
	}

	private addUnproven(share: Share, change: number): void {
		share.unproven += change;
		this.unproven += change;
	}

	private hasRoom({ caller, receiver, running, prompt }: Load): boolean {
		const { overall, perReceiver } = this.limits;
		const share = this.shares.get(caller) ?? noShare;
		// However many callers take all they can, each other has a place for one at a time.
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
	leave(caller: string, receiver: string, durationMs: number | undefined): void {
		const load = this.loads.get(loadName(caller, receiver));
		if (!load) return;
		this.add(load, -1);
		if (durationMs !== undefined) this.judge(load, durationMs < promptWithin);
		if (this.loads.size > longestMemory) this.forget();
	}

	private judge(load: Load, prompt: boolean): void {
		const share = this.shares.get(load.caller);
		if (share && prompt !== load.prompt) this.addUnproven(share, prompt ? -load.running : load.running);
		load.prompt = prompt;
	}

	reach(): Reach {
		const isOpen = (caller: string): boolean => this.hasRoom({ caller, receiver: "", running: 0, prompt: false });
		const narrowed = new Set([...this.shares.keys()].filter((caller) => !isOpen(caller)));
		// A caller of whom nothing runs is called by no name.
		const only = !isOpen("");
		const open: string[] = [];
		const full: string[] = [];
		for (const [name, load] of this.loads) {
			const hasRoom = this.hasRoom(load);
			if (only || narrowed.has(load.caller)) {
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
