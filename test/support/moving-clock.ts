/** A clock that stands still until a test moves it. */
import type { Clock } from "#core";

interface Timer {
	readonly at: number;
	readonly action: () => void;
}

/** More than any sound test sets off in one move. */
const mostTimers = 10_000;

export class MovingClock implements Clock {
	private time = 0;
	private readonly timers = new Set<Timer>();
	/** What the wall clock says beyond the time that has passed. */
	wall: number;

	constructor(wall = Date.UTC(2026, 10, 21)) {
		this.wall = wall;
	}

	now(): number {
		return this.wall + this.time;
	}

	monotonic(): number {
		return this.time;
	}

	after(milliseconds: number, action: () => void): () => void {
		const timer = { at: this.time + milliseconds, action };
		this.timers.add(timer);
		return () => this.timers.delete(timer);
	}

	/** Lets time pass, running what falls due on its way, each after what the one before set going has come to rest. */
	async move(milliseconds: number): Promise<void> {
		const end = this.time + milliseconds;
		for (let fired = 0; ; fired++) {
			if (fired > mostTimers) throw new Error("timers are set and fire without end");
			const due = [...this.timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
			if (!due) break;
			this.timers.delete(due);
			this.time = Math.max(this.time, due.at);
			due.action();
			await settle();
		}
		this.time = end;
		await settle();
	}

	/** How long until the next timer falls due; infinite when none waits. */
	get nextIn(): number {
		let next = Number.POSITIVE_INFINITY;
		for (const { at } of this.timers) next = Math.min(next, at - this.time);
		return Math.max(0, next);
	}

	/** Lets time pass without anything running: a process that was stopped. */
	jump(milliseconds: number): void {
		this.time += milliseconds;
	}
}

/** Lets every promise that can go on do so. */
export const settle = async (): Promise<void> => {
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};
