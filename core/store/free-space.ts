/** Warns in the log before the disk of the database is full: afterwards nothing can be written, and calls are refused. */
import { statfsSync } from "node:fs";
import type { Log } from "../contract/log.ts";

/** Bytes of a disk. */
export interface Space {
	readonly free: number;
	readonly total: number;
}

const mebibyte = 1024 * 1024;
/** A tenth of a small disk, a gibibyte of a large one. */
const scarceBelow = ({ total }: Space): number => Math.min(total / 10, 1024 * mebibyte);

/** What this process may still write on the disk that a folder lies on; undefined where the system does not tell. */
export const spaceOf = (folder: string): Space | undefined => {
	try {
		const { bavail, blocks, bsize } = statfsSync(folder);
		return blocks > 0 ? { free: bavail * bsize, total: blocks * bsize } : undefined;
	} catch {
		return undefined;
	}
};

/** To be called now and then. Warns when space becomes scarce, and each time that half of what was left is gone. */
export const watchSpace = (space: () => Space | undefined, log: Log): (() => void) => {
	let warnedAt = Number.POSITIVE_INFINITY;
	return () => {
		const found = space();
		if (found === undefined) return;
		const { free, total } = found;
		if (free > scarceBelow(found)) warnedAt = Number.POSITIVE_INFINITY;
		else if (free <= warnedAt / 2) {
			warnedAt = free;
			log.warn("the disk of the database is nearly full; without room on it calls are refused", {
				freeMegabytes: Math.floor(free / mebibyte),
				totalMegabytes: Math.floor(total / mebibyte),
			});
		}
	};
};
