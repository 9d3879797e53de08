/** What this process holds: sockets, files and memory, which must come back to where they were after every fault (INV7). */
import { heapStats } from "bun:jsc";
import { readdirSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { until } from "./until.ts";

/** Sockets that may come and go: clients and servers of this one process keep a few connections open on purpose. */
const spareSockets = 4;
/** A connection to the database that was replaced leaves its file open until SQLite's other locks on it are gone. */
const spareFiles = 6;
/** What a fault may leave behind, in bytes: the log is kept, and code that is run for the first time is compiled. */
const spareBytes = 8 * 1024 * 1024;

interface Held {
	readonly sockets: number;
	/** Names of files: a journal that was begun anew is one more and one less. */
	readonly files: readonly string[];
}

const held = (): Held => {
	const targets = readdirSync("/proc/self/fd").flatMap((number) => {
		try {
			return [readlinkSync(`/proc/self/fd/${number}`)];
		} catch {
			// Closed since it was listed.
			return [];
		}
	});
	return {
		sockets: targets.filter((target) => target.startsWith("socket:")).length,
		files: targets.filter((target) => /^\/(?!dev\/|proc\/)/.test(target)).map((path) => basename(path)),
	};
};

/** Live objects and what hangs on them, after everything else has been collected. */
const memory = (): number => {
	Bun.gc(true);
	const { heapSize, extraMemorySize } = heapStats();
	return heapSize + extraMemorySize;
};

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;

/** Remembers what is held now; each answer says what is held beyond that, and how much memory beyond the answer before. */
export const watchResources = (): (() => Promise<readonly string[]>) => {
	// Collected first: what earlier tests gave up closes its files when it is.
	let bytesBefore = memory();
	const before = held();
	const most = before.sockets + spareSockets;
	const mostFiles = before.files.length + spareFiles;
	return async () => {
		// Collected first: a database's connection that was given up closes its files when it is.
		const [bytes, earlier] = [memory(), bytesBefore];
		await until(() => held().sockets <= most && held().files.length <= mostFiles);
		const { sockets, files } = held();
		bytesBefore = bytes;
		return [
			...(sockets <= most ? [] : [`INV7: ${sockets} sockets are open, ${before.sockets} before`]),
			...(files.length <= mostFiles ? [] : [`INV7: open files ${files.join()}, before ${before.files.join()}`]),
			...(bytes <= earlier + spareBytes ? [] : [`INV7: ${megabytes(bytes)} in memory, ${megabytes(earlier)} before`]),
		];
	};
};
