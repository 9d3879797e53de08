/**
 * How long the event loop stood still while something was done: by the clock, but no longer than this process computed
 * meanwhile, so that what else a busy machine does is not counted.
 */

const computedMs = (): number => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
};

export const longestStop = async <T>(
	work: () => Promise<T>,
): Promise<{ readonly result: T; readonly stoppedMs: number }> => {
	let [last, computed, longest] = [performance.now(), computedMs(), 0];
	const look = (): void => {
		const [now, computedNow] = [performance.now(), computedMs()];
		longest = Math.max(longest, Math.min(now - last, computedNow - computed));
		[last, computed] = [now, computedNow];
	};
	const timer = setInterval(look, 5);
	try {
		const result = await work();
		look();
		return { result, stoppedMs: longest };
	} finally {
		clearInterval(timer);
	}
};
