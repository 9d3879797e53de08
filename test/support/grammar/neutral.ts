/** Checks that a neutral stream keeps the order written at `NeutralEvent`. */
import type { NeutralEvent } from "#core";

/** What is wrong with a whole stream; empty when all is well. */
export const neutralFaults = (events: readonly NeutralEvent[]): string[] => {
	const check = new NeutralCheck();
	for (const event of events) check.push(event);
	return check.end();
};

class NeutralCheck {
	private readonly faults: string[] = [];
	private readonly open = new Map<number, number>();
	private readonly finished = new Set<number>();
	private count = 0;
	private next = 0;
	private started = false;
	private failed = false;
	private ended = false;

	push(event: NeutralEvent): void {
		this.expect(event, !this.ended, "after the end");
		this.expect(event, !this.failed || event.type === "end", "after an error");
		this.expect(event, this.started || event.type === "start" || event.type === "tick", "before the start");
		this.block(event);
		this.note(event);
		this.count++;
	}

	end(): string[] {
		if (!this.ended) this.faults.push("no end");
		return this.faults;
	}

	private block(event: NeutralEvent): void {
		switch (event.type) {
			case "open":
				this.expect(event, event.block === this.next++, `block ${event.block} is out of order`);
				this.expect(event, !this.finished.has(event.candidate), "its candidate had finished");
				if (event.shell.type === "tool_call")
					this.expect(event, event.shell.id !== "" && event.shell.name !== "", "a call without id or name");
				this.open.set(event.block, event.candidate);
				return;
			case "delta":
				this.expect(event, this.open.has(event.block), `block ${event.block} is not open`);
				this.expect(event, !("text" in event.delta) || event.delta.text !== "", "nothing in it");
				return;
			case "close":
				this.expect(event, this.open.delete(event.block), `block ${event.block} is not open`);
		}
	}

	private note(event: NeutralEvent): void {
		switch (event.type) {
			case "start":
				this.expect(event, !this.started, "a second start");
				this.expect(event, event.id !== "" && event.model !== "" && event.createdAt !== 0, "no id, model or time");
				this.started = true;
				return;
			case "finish":
				this.expect(event, !this.finished.has(event.candidate), "a second finish");
				this.expect(event, ![...this.open.values()].includes(event.candidate), "blocks of the candidate are open");
				this.finished.add(event.candidate);
				return;
			case "error":
				this.failed = true;
				return;
			case "end":
				this.expect(event, event.clean !== this.failed, event.clean ? "clean after an error" : "unclean without one");
				this.expect(event, !event.clean || this.open.size === 0, "blocks are open");
				this.ended = true;
		}
	}

	private expect(event: NeutralEvent, holds: boolean, otherwise: string): void {
		if (!holds) this.faults.push(`event ${this.count} (${event.type}): ${otherwise}`);
	}
}
