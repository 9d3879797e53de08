/** When this process is told to stop, and when whoever told it does not want to wait any longer. */
import type { Clock } from "../contract/clock.ts";
import { onSignal } from "../runtime/system.ts";

interface ToldToStop {
	/** Resolves with the first SIGTERM or SIGINT. */
	readonly stop: Promise<void>;
	/** Resolves with a SIGINT that comes later: Ctrl-C for the second time. */
	readonly now: Promise<void>;
}

/** One Ctrl-C comes twice: from the terminal, and from the process that launched this one. Milliseconds. */
const onePress = 500;

export const hearStop = (clock: Clock): ToldToStop => {
	const stop = Promise.withResolvers<void>();
	const now = Promise.withResolvers<void>();
	let since: number | undefined;
	const told = (): void => {
		since ??= clock.monotonic();
		stop.resolve();
	};
	onSignal("SIGTERM", told);
	onSignal("SIGINT", () => {
		told();
		if (since !== undefined && clock.monotonic() - since > onePress) now.resolve();
	});
	return { stop: stop.promise, now: now.promise };
};
