/** Time as a service, so that tests move it instead of waiting for it. */
import { service } from "./plugin/token.ts";

export interface Clock {
	/** Wall time, milliseconds since 1970. For what people set: expiry, schedules, timestamps. */
	now(): number;
	/** Milliseconds that only grow. For durations, leases and time limits. */
	monotonic(): number;
	/** Runs `action` once after `milliseconds`; returns what cancels it. Never keeps the process alive. */
	after(milliseconds: number, action: () => void): () => void;
}

/** Given by the host. */
export const clock = service<Clock>("clock");

/** The real clock. */
export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	after(milliseconds, action) {
		const timer = setTimeout(action, milliseconds);
		(timer as unknown as { unref?: () => void }).unref?.();
		return () => clearTimeout(timer);
	},
};
