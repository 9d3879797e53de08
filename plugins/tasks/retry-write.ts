/** Writes what must not be lost: a database that refuses is asked again, for as long as the task's lease bears. */

/** Waits between tries, in milliseconds. */
const waits = [100, 500, 2000, 5000];

/** Rejects with the last refusal. */
export type RetryWrite = <T>(write: () => Promise<T>) => Promise<T>;

export const createRetryWrite =
	(pause: (milliseconds: number) => Promise<void>): RetryWrite =>
	async (write) => {
		for (const wait of waits) {
			try {
				return await write();
			} catch {
				await pause(wait);
			}
		}
		return await write();
	};
