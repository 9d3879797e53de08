/** Time as a service, so that tests move it instead of waiting for it. */
import { service } from "./token.ts";

/**
 * What tells the time and waits.
 *
 * @example
 * needs: { clock },
 * setup: ({ needs }) => {
 * 	let cancel = () => {};
 * 	return {
 * 		start: () => void (cancel = needs.clock.after(30_000, refresh)), // in a test: `await clock.advance(30_000)`
 * 		stop: () => cancel(),
 * 	};
 * },
 */
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
