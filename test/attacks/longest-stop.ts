/**
 * How long the event loop stood still while something was done. What is measured is the time that the machine gave the
 * thread: on a busy one the thread waits for its turn amid its work, and that is no fault of the work.
 */
import process from "node:process";

const spentMs = (): number => {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1000;
};

export const longestStop = async <T>(
	work: () => Promise<T>,
): Promise<{ readonly result: T; readonly stoppedMs: number }> => {
	let [last, longest] = [spentMs(), 0];
	const timer = setInterval(() => {
		const now = spentMs();
		longest = Math.max(longest, now - last);
		last = now;
	}, 5);
	try {
		const result = await work();
		longest = Math.max(longest, spentMs() - last);
		return { result, stoppedMs: longest };
	} finally {
		clearInterval(timer);
	}
};
