/**
 * Waits until this process has come to rest: what goes through its sockets, threads and database is done, or waits for a
 * clock that a test moves. A stretch of time counts only when the machine kept to it and the process spent it idle, so that
 * a busy machine makes a test slow and not wrong.
 */
const mostStretches = 20;

export const quiet = async (milliseconds: number): Promise<void> => {
	for (let stretch = 0; stretch < mostStretches; stretch++) {
		const began = performance.now();
		const before = process.cpuUsage();
		await new Promise((resolve) => setTimeout(resolve, milliseconds));
		const took = performance.now() - began;
		const { user, system } = process.cpuUsage(before);
		if (took < 2 * milliseconds + 2 && (user + system) / 1000 < took / 2) return;
	}
};
