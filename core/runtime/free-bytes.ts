/** How much room there is on a disk. */
import { statfsSync } from "node:fs";

/** Bytes that this process may still write where the folder lies; undefined where the system does not tell. */
export const freeBytes = (folder: string): number | undefined => {
	try {
		const { bavail, bsize, blocks } = statfsSync(folder);
		return blocks > 0 ? bavail * bsize : undefined;
	} catch {
		return undefined;
	}
};
