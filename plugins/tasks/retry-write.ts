/** Writes what must not be lost: a database that refuses is asked again, for as long as the task's lease bears. */

/** Waits between tries, in milliseconds. */
const waits = [100, 500, 2000, 5000];

/** Rejects with the last refusal. */
export type RetryWrite = <T>(write: () => Promise<T>) => Promise<T>;

/** `refused` hears the first refusal after a write that was taken. */
export const createRetryWrite = (
	pause: (milliseconds: number) => Promise<void>,
	refused: (error: unknown) => void,
): RetryWrite => {
	let refusing = false;
	return async (write) => {
		for (const wait of waits) {
			try {
				const written = await write();
				refusing = false;
				return written;
			} catch (error) {
				if (!refusing) refused(error);
				refusing = true;
				await pause(wait);
			}
		}
		return await write();
	};
};
