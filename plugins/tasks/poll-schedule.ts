/** When a task is looked at again. Times vary by chance, so that tasks that became due together do not ask their upstream together. */
import type { TaskUpstream } from "./service.ts";

/** Waits before a submission is tried again, in milliseconds; after the last the task has failed. */
const busyDelaysMs = [2000, 5000, 15_000];

/** The longest that an upstream may ask to wait. */
const longestBusyMs = 60_000;

/** How long to wait after a poll that was not answered. */
const unansweredMs = 15_000;

/** Tasks of an upstream that is asked after many at once become due at whole multiples of this. */
const meetingMs = 1000;

/** Whether an upstream is asked after each of its jobs alone. */
const isAlone = ({ pollsTogether = 1 }: TaskUpstream): boolean => pollsTogether === 1;

export type Paced = Pick<TaskUpstream, "name" | "pollDelaysMs">;

/** The longest that a task of any of these waits to be looked at, or a little more. */
export const longestWaitMs = (upstreams: readonly Paced[]): number => {
	const paces = upstreams.map(({ pollDelaysMs }) => Math.max(...pollDelaysMs) * 1.25 + meetingMs);
	return Math.max(longestBusyMs * 1.25, ...paces);
};

export class PollSchedule {
	private readonly now: () => number;
	private readonly random: () => number;

	/** `random`: from 0 to 1. */
	constructor(now: () => number, random: () => number) {
		this.now = now;
		this.random = random;
	}

	/**
	 * Until the next poll after so many: the upstream's own pace, a fifth earlier or later, unless it takes many in one
	 * request: then they meet on whole seconds.
	 */
	poll(upstream: TaskUpstream, polls: number): number {
		const delays = upstream.pollDelaysMs;
		const delay = delays[Math.min(polls, delays.length - 1)] ?? 5000;
		if (isAlone(upstream) || delay < meetingMs) return Math.round(delay * (0.8 + 0.4 * this.random()));
		return delay + meetingMs - ((this.now() + delay) % meetingMs);
	}

	/** Until the next poll after one that was not answered; `retryAfterMs` as the upstream named it. */
	unanswered(upstream: TaskUpstream, polls: number, retryAfterMs: number | undefined): number {
		const named = Math.min(retryAfterMs ?? unansweredMs, longestBusyMs);
		return Math.max(this.poll(upstream, polls), isAlone(upstream) ? this.later(named) : named);
	}

	/**
	 * Until a submission that was turned away is tried again, after so many tries; undefined when it has been tried often
	 * enough. `retryAfterMs` counts where the same upstream is asked again.
	 */
	busy(tries: number, retryAfterMs: number): number | undefined {
		const delay = busyDelaysMs[tries];
		return delay === undefined ? undefined : this.later(Math.max(delay, Math.min(retryAfterMs, longestBusyMs)));
	}

	/** Up to a quarter longer, never shorter. */
	private later(wait: number): number {
		return Math.round(wait * (1 + this.random() / 4));
	}
}
