/** What an open stream holds of the memory that all calls share: what has begun and is not whole, and what its client leaves unread. */
import { type Fault, isFault } from "../../contract/fault.ts";
import type { LiveCall } from "../call/live-call.ts";
import type { UpstreamBody } from "./upstream-body.ts";

/** An event that waits for its end is counted from here on; nearly all are far shorter. */
const uncounted = 64 * 1024;
/** The runtime takes in so much of an upstream that nobody reads, and no more. */
const unreadBytes = 4 * 1024 * 1024;

export class StreamMemory {
	private readonly live: LiveCall;
	private readonly source: UpstreamBody;
	private read = 0;
	private unfinished = 0;
	private counted = 0;

	constructor(live: LiveCall, source: UpstreamBody) {
		this.live = live;
		this.source = source;
	}

	/** Something was read; `whole` when it ended an event. Throws `Fault` when there is no room for what waits. */
	took(bytes: number, whole: boolean): void {
		this.read += bytes;
		this.unfinished = whole ? 0 : this.unfinished + bytes;
		if (this.unfinished > uncounted || this.counted > 0) this.count(this.unfinished);
	}

	/** The client takes no more, and an upstream that goes on fills what stands between. Gives the `Fault` when there is no room. */
	clientWaits(): Fault | undefined {
		try {
			this.count(this.unfinished + Math.min(this.read, unreadBytes));
			return undefined;
		} catch (error) {
			if (isFault(error)) return error;
			throw error;
		}
	}

	clientTakes(): void {
		this.count(this.unfinished);
	}

	private count(bytes: number): void {
		const more = bytes - this.counted;
		if (this.live.isOver || more === 0) return;
		if (more > 0) this.source.holdOrStop(more);
		else this.live.routed.held?.giveBack(-more);
		this.counted = bytes;
	}
}
