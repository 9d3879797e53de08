/** Notices that a database file, or the log beside it, was removed or replaced while it is open. */
import { statSync } from "node:fs";

/** A number that no other file has for as long as this one is open; undefined where there is none. */
const numberOf = (path: string): bigint | undefined => {
	try {
		return statSync(path, { bigint: true }).ino;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
};

export class RemovedFileCheck {
	readonly #paths: readonly string[];
	#opened = new Map<string, bigint>();

	constructor(file: string) {
		this.#paths = [file, `${file}-wal`];
	}

	/** What lies there now is what was opened. */
	take(): void {
		this.#opened = new Map();
		this.missing();
	}

	/** The path of a file that is open and lies there no longer. A log that is made only later is known from then on. */
	missing(): string | undefined {
		for (const path of this.#paths) {
			const now = numberOf(path);
			const opened = this.#opened.get(path);
			if (opened === undefined && now !== undefined) this.#opened.set(path, now);
			if (opened !== undefined && opened !== now) return path;
		}
		return undefined;
	}
}
