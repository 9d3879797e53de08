/**
 * Writes the log: a line of JSON for each message, on standard error. Lines of one turn of the event loop go in one write,
 * which a busy gateway feels; those of an error and of a warning go at once, as does what waits when the process ends.
 */
import { Buffer } from "node:buffer";
import { fstatSync, writeSync } from "node:fs";
import process from "node:process";
import { setImmediate } from "node:timers";
import type { Clock } from "../contract/clock.ts";
import type { Log, LogFields } from "../contract/log.ts";
import { withoutKeys } from "../errors/redact.ts";
import { systemClock } from "../wire/system-clock.ts";
import { jsonLines, type LineForm, type Spoken, textLines } from "./log-lines.ts";
import { RepeatedLines } from "./repeated-lines.ts";

/** `silent` logs nothing. */
export type LogLevel = Spoken | "silent";

const severity = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

/** Takes whole lines. `now`: nothing may wait. */
type Sink = (line: string, now: boolean) => void;

const longestValue = 256;

/** Keeps a hostile name or path from flooding a line; control characters are escaped by JSON itself. */
const clip = (fields: LogFields): LogFields => {
	for (const key in fields) {
		const value = fields[key];
		if (typeof value === "string" && value.length > longestValue) return clipped(fields);
	}
	return fields;
};

const clipped = (fields: LogFields): LogFields =>
	Object.fromEntries(
		Object.entries(fields).map(([key, value]) => [
			key,
			typeof value === "string" && value.length > longestValue ? `${value.slice(0, longestValue)}…` : value,
		]),
	);

/** An error's own words may hold the key that it was made with: a plugin's do, or a library's it asks. */
const withoutKeysIn = (fields: LogFields): LogFields =>
	Object.fromEntries(
		Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? withoutKeys(value) : value]),
	);

interface Speech {
	readonly least: LogLevel;
	readonly write: Sink;
	readonly form: LineForm;
	readonly repeated: RepeatedLines;
	/** Which of several processes speaks: their lines come out of one. */
	readonly worker?: number | undefined;
}

const speak = (speech: Speech, plugin = ""): Log => {
	const { least, write, form, repeated, worker } = speech;
	const line = form(plugin, worker);
	const lineNow = (level: Spoken, message: string, fields: LogFields): void =>
		write(line(level, message, fields), true);
	const say =
		(level: Spoken): Log["info"] =>
		(message, fields = {}) => {
			if (severity[level] < severity[least]) return;
			if (severity[level] < severity.warn) write(line(level, message, clip(fields)), false);
			else repeated.take(plugin, level, withoutKeys(message), withoutKeysIn(clip(fields)), lineNow);
		};
	return {
		debug: say("debug"),
		info: say("info"),
		warn: say("warn"),
		error: say("error"),
		of: (name) => speak(speech, name),
	};
};

/** What a pipe takes whole, so that lines of several processes on one do not mix. A file takes any length whole. */
const pieceLength = 4096;
/** Beyond it the oldest lines are given up: whoever reads them has stopped. */
const mostWaiting = 4 * 1024 * 1024;
const retryMs = 10;

const standardError = 2;
let begun: Buffer = Buffer.alloc(0);
let waiting = "";
let scheduled = false;
let goesToFile: boolean | undefined;

const isFile = (): boolean => {
	try {
		return fstatSync(standardError).isFile();
	} catch {
		return false;
	}
};

/** Whole lines from the beginning of what waits; one that is too long goes alone. */
const firstPiece = (): string => {
	goesToFile ??= isFile();
	if (goesToFile || waiting.length <= pieceLength) return waiting;
	const end = waiting.lastIndexOf("\n", pieceLength - 1);
	return waiting.slice(0, (end === -1 ? waiting.indexOf("\n") : end) + 1);
};

/** How many went out: none where the reader of a pipe is behind, all where nobody holds it any more. */
const write = (bytes: Buffer): number => {
	try {
		return writeSync(standardError, bytes);
	} catch (error) {
		return error instanceof Error && Reflect.get(error, "code") === "EAGAIN" ? 0 : bytes.length;
	}
};

/** True when all went out. A piece of which a pipe took only the beginning goes on where it stopped, be it within a letter. */
const writeWaiting = (): boolean => {
	while (begun.length > 0 || waiting !== "") {
		if (begun.length === 0) {
			const piece = firstPiece();
			begun = Buffer.from(piece);
			waiting = waiting.slice(piece.length);
		}
		const count = write(begun);
		if (count === 0) return false;
		begun = begun.subarray(count);
	}
	return true;
};

const flush = (): void => {
	scheduled = !writeWaiting();
	if (scheduled) setTimeout(flush, retryMs).unref();
};

const toStandardError: Sink = (line, now) => {
	waiting += line;
	if (waiting.length > mostWaiting) waiting = waiting.slice(waiting.indexOf("\n", mostWaiting / 2) + 1);
	if (now) flush();
	else if (!scheduled) {
		scheduled = true;
		setImmediate(flush);
	}
};

/** How long the end of the process waits for a reader who is behind: the last lines often say why it ends. */
const mostAtExitMs = 2_000;
const sleeping = new Int32Array(new SharedArrayBuffer(4));

process.on("exit", () => {
	const until = systemClock.monotonic() + mostAtExitMs;
	while (!writeWaiting() && systemClock.monotonic() < until) Atomics.wait(sleeping, 0, 0, retryMs);
});

export type LogFormat = "json" | "text";

/** Text for a terminal, JSON for everything else, unless `format` says which. Colours unless `NO_COLOR` is set. */
const formOf = (format: LogFormat | undefined): LineForm => {
	const { isTTY, columns } = process.stderr;
	if ((format ?? (isTTY ? "text" : "json")) === "json") return jsonLines;
	return textLines(isTTY && !process.env["NO_COLOR"], isTTY ? columns || 160 : Number.POSITIVE_INFINITY);
};

/** A log on standard error, in this format. A function stands in for it in tests, and gets JSON. */
export const createLog = (
	least: LogLevel,
	to?: LogFormat | ((line: string) => void),
	clock: Clock = systemClock,
): Log => {
	const repeated = new RepeatedLines(clock);
	if (typeof to === "function") return speak({ least, write: to, form: jsonLines, repeated });
	return speak({ least, write: toStandardError, form: formOf(to), repeated });
};

/** A log that keeps its lines back until it is told to let them go, so that something else can be said first. */
export const createHeldLog = (
	least: LogLevel,
	format?: LogFormat,
	worker?: number,
): { readonly log: Log; release(): void } => {
	let held: string[] | undefined = [];
	const write: Sink = (line, now) => (held ? void held.push(line) : toStandardError(line, now));
	const repeated = new RepeatedLines(systemClock);
	// Before what waits is written.
	process.prependListener("exit", () => repeated.tell());
	return {
		log: speak({ least, write, form: formOf(format), repeated, worker }),
		release() {
			// At once: what ends a start is said next, and belongs below them.
			if (held) toStandardError(held.join(""), true);
			held = undefined;
		},
	};
};
