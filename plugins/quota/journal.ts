/**
 * The journal: an append-only file that survives the death of its process. A promise is in it before anything is sent
 * upstream; charges and ledger rows follow within the same turn of the event loop.
 *
 * One line a record, fields parted by tabs, the first field the kind. Files are called `<process>-<number>.journal`; a
 * higher number replaces the lower ones of the same process.
 */
import { Buffer } from "node:buffer";
import {
	closeSync,
	existsSync,
	fstatSync,
	ftruncateSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	unlinkSync,
	writeSync,
} from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers";

/** What this process writes. */
export interface Journal {
	/** Bytes. */
	readonly size: number;
	/** Writes at once, after whatever waits. Throws when it cannot be written: then nothing may be promised. */
	now(line: string): void;
	/** Writes within this turn of the event loop. */
	soon(line: string): void;
	/** Resolves when what `soon` was given in this turn is written, all of it in one write. Rejects as `now` throws. */
	kept(): Promise<void>;
	/** Writes what waits. Throws when it cannot be written. */
	flush(): void;
	/** Begins anew with what still matters; only then is the rest removed. Also how a journal begins. */
	restart(lines: readonly string[]): void;
	/** Removes it, when all it tells has come true, or leaves it for the next start. */
	close(remove: boolean): void;
}

/** What another process left. */
export interface LeftJournal {
	readonly process: string;
	/** Where it lies, for an operator who must look into it. */
	readonly path: string;
	/** Its whole lines, in fields; a line that was torn by the crash is left out. */
	records(): readonly (readonly string[])[];
	remove(): void;
	/** Puts it aside under another name, which is returned: no start reads it again. */
	keep(): string;
}

/** Where the journals of one node are. */
export interface Journals {
	/** `failed` hears of lines that could not be written soon; they are tried again with the next. */
	begin(process: string, failed: (error: unknown) => void): Journal;
	left(): readonly LeftJournal[];
}

const suffix = ".journal";
const numberOf = (file: string): number => Number(file.slice(file.lastIndexOf("-") + 1, -suffix.length));
const processOf = (file: string): string => file.slice(0, file.lastIndexOf("-"));

/** How far apart two readings of when the machine was started may be. */
const bootTolerance = 120;

/**
 * Names the boot of this machine: what was written but had not reached the disk is lost with it. Linux gives it an id;
 * elsewhere it is the second in which the machine was started, as its clock tells.
 */
export const bootId = (): string => {
	const file = "/proc/sys/kernel/random/boot_id";
	if (existsSync(file)) return readFileSync(file, "utf8").trim();
	return `at ${Math.round(Date.now() / 1000 - uptime())}`;
};

/** Whether two names are of one boot. A clock that was set meanwhile makes them two, which costs money but loses none. */
export const sameBoot = (one: string, other: string): boolean => {
	if (one === other) return true;
	const [a, b] = [one, other].map((name) => /^at (\d+)$/.exec(name)?.[1]);
	return a !== undefined && b !== undefined && Math.abs(Number(a) - Number(b)) <= bootTolerance;
};

/** Whole lines as fields. */
const recordsOf = (text: string): readonly (readonly string[])[] =>
	text
		.split("\n")
		.slice(0, -1)
		.map((line) => line.split("\t"));

export const fileJournals = (folder: string): Journals => ({
	begin: (process, failed) => new FileJournal(folder, process, failed),
	left() {
		if (!existsSync(folder)) return [];
		const files = readdirSync(folder).filter((file) => file.endsWith(suffix));
		const newest = new Map<string, string>();
		for (const file of files) {
			const known = newest.get(processOf(file));
			if (known === undefined || numberOf(file) > numberOf(known)) newest.set(processOf(file), file);
		}
		for (const file of files) if (newest.get(processOf(file)) !== file) unlinkSync(join(folder, file));
		return [...newest].map(([process, file]) => ({
			process,
			path: join(folder, file),
			records: () => recordsOf(readFileSync(join(folder, file), "utf8")),
			remove: () => unlinkSync(join(folder, file)),
			keep() {
				const kept = join(folder, `${file}.damaged`);
				renameSync(join(folder, file), kept);
				return kept;
			},
		}));
	},
});

class FileJournal implements Journal {
	size = 0;
	private readonly folder: string;
	private readonly process: string;
	private readonly failed: (error: unknown) => void;
	private file: number | undefined;
	private path = "";
	private sequence = 0;
	/** Lines that wait, each with its end. */
	private tail = "";
	private scheduled = false;
	/** Settles with the next write of what waits. */
	private written: PromiseWithResolvers<void> | undefined;

	constructor(folder: string, process: string, failed: (error: unknown) => void) {
		this.folder = folder;
		this.process = process;
		this.failed = failed;
	}

	now(line: string): void {
		this.append(`${line}\n`);
	}

	soon(line: string): void {
		this.tail = `${this.tail}${line}\n`;
		if (this.scheduled) return;
		this.scheduled = true;
		setImmediate(this.turnEnds);
	}

	kept(): Promise<void> {
		this.written ??= Promise.withResolvers();
		return this.written.promise;
	}

	private readonly turnEnds = (): void => {
		const { written } = this;
		this.scheduled = false;
		this.written = undefined;
		try {
			this.flush();
			if (this.file === undefined) throw new Error("the journal is not open");
			written?.resolve();
		} catch (error) {
			written?.reject(error);
			if (this.file !== undefined) this.failed(error);
		}
	};

	flush(): void {
		if (this.tail === "" || this.file === undefined) return;
		this.append("");
	}

	restart(lines: readonly string[]): void {
		// Not again: where it was moved away under a running process another in its place would be in the way of its return.
		if (this.file === undefined) mkdirSync(this.folder, { recursive: true });
		const path = join(this.folder, `${this.process}-${++this.sequence}${suffix}`);
		rmSync(`${path}.part`, { force: true });
		// For appending: what is written after a write that failed goes to where that began.
		const file = openSync(`${path}.part`, "a", 0o600);
		const size = writeAll(file, lines.map((line) => `${line}\n`).join(""));
		renameSync(`${path}.part`, path);
		const [oldFile, oldPath] = [this.file, this.path];
		[this.file, this.path, this.size, this.tail] = [file, path, size, ""];
		if (oldFile === undefined) return;
		closeSync(oldFile);
		rmSync(oldPath, { force: true });
	}

	close(remove: boolean): void {
		if (this.file === undefined) return;
		if (!remove) this.flush();
		closeSync(this.file);
		this.file = undefined;
		// With its folder moved away it stays, and tells the next start of leases that are closed.
		if (remove) rmSync(this.path, { force: true });
	}

	/** Writes what waits, and `last` behind it. */
	private append(last: string): void {
		if (this.file === undefined) throw new Error("the journal is not open");
		try {
			this.size += writeAll(this.file, `${this.tail}${last}`);
			this.tail = "";
		} catch (error) {
			this.keepWhole(this.file);
			throw error;
		}
	}

	/**
	 * Of a write that failed the whole lines stay, and wait no more. What was torn is cut off: on a full disk it would take, one
	 * try after the other, what room was made.
	 */
	private keepWhole(file: number): void {
		const waiting = Buffer.from(this.tail);
		try {
			const fitted = waiting.subarray(0, Math.max(0, fstatSync(file).size - this.size));
			const whole = fitted.lastIndexOf("\n") + 1;
			ftruncateSync(file, this.size + whole);
			this.size += whole;
			this.tail = waiting.subarray(whole).toString();
		} catch {
			// The next line begins on a line of its own.
			this.tail = `\n${this.tail}`;
		}
	}
}

/** How many bytes they were. */
const writeAll = (file: number, text: string): number => {
	const written = writeSync(file, text);
	if (written === Buffer.byteLength(text)) return written;
	const bytes = Buffer.from(text);
	for (let at = written; at < bytes.length; ) at += writeSync(file, bytes, at);
	return bytes.length;
};

/** A journal of this size is begun anew as soon as that is cheap, and of the larger one in any case. Bytes. */
const largeJournal = 4 * 1024 * 1024;
const hugeJournal = 16 * 1024 * 1024;

/** Whether a journal of `size` bytes is to be begun anew; `kept` entries would have to be written again. */
export const isWorthTrimming = (size: number, kept: number): boolean =>
	size >= hugeJournal || (size >= largeJournal && kept <= 100);
