/**
 * Calls of tools, one after the other. OpenAI ends an item before it begins the next, and clients such as LangChain put a
 * call together from the pieces between: of calls that an upstream tells side by side, the later ones wait their turn.
 */
import type { NeutralEvent } from "#core";

export type BlockEvent = Extract<NeutralEvent, { type: "open" | "delta" | "close" }>;

export class CallsInTurn {
	private readonly tell: (event: BlockEvent) => void;
	/** The call that is told. */
	private current: number | undefined;
	private readonly waiting = new Map<number, BlockEvent[]>();

	constructor(tell: (event: BlockEvent) => void) {
		this.tell = tell;
	}

	push(event: BlockEvent): void {
		const { block } = event;
		const waits = this.waiting.get(block);
		if (waits) {
			waits.push(event);
			return;
		}
		if (event.type === "open") {
			if (event.shell.type !== "tool_call") this.release();
			else if (this.current === undefined) this.current = block;
			else {
				this.waiting.set(block, [event]);
				return;
			}
		}
		this.tell(event);
		if (event.type === "close" && block === this.current) this.next();
	}

	private next(): void {
		this.current = undefined;
		for (const [block, events] of this.waiting) {
			this.waiting.delete(block);
			for (const event of events) this.push(event);
			return;
		}
	}

	/** Nothing waits any more: something else begins, or all is over. */
	release(): void {
		for (const events of this.waiting.values()) for (const event of events) this.tell(event);
		this.waiting.clear();
	}
}
