/**
 * Holds back lines that say the same again and again: a full disk, or a plugin that throws, would fill the log with one for
 * every call. What is held back is counted, and told once a minute.
 */
import type { Clock } from "../contract/clock.ts";
import type { LogFields } from "../contract/log.ts";
import type { Spoken } from "./log-lines.ts";

type Say = (level: Spoken, message: string, fields: LogFields) => void;

/** How often the same is said within a minute before it is held back. */
const saidAtMost = 20;
const windowMs = 60_000;
/** How many different lines are watched at once; more than that are no repetition. */
const watchedAtMost = 1000;

/** Which call a line is about makes it no other line. */
const idOfCall = /^(callId|requestId|call_id|request_id)$/;

const keyOf = (plugin: string, level: Spoken, message: string, fields: LogFields): string =>
	JSON.stringify([plugin, level, message, Object.entries(fields).filter(([name]) => !idOfCall.test(name))]);

interface Line {
	said: number;
	held: number;
	/** Says how often it was held back, with what it said last. */
	tell(): void;
}

export class RepeatedLines {
	private readonly clock: Clock;
	private readonly lines = new Map<string, Line>();
	private cancel: (() => void) | undefined;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** Says it, or counts it. */
	take(plugin: string, level: Spoken, message: string, fields: LogFields, say: Say): void {
		const key = keyOf(plugin, level, message, fields);
		let line = this.lines.get(key);
		if (line === undefined && this.lines.size < watchedAtMost) {
			line = { said: 0, held: 0, tell: () => {} };
			this.lines.set(key, line);
			this.cancel ??= this.clock.after(windowMs, this.windowEnds);
		}
		if (line === undefined || line.said < saidAtMost) {
			if (line) line.said++;
			say(level, message, fields);
			return;
		}
		const repeated = ++line.held;
		line.tell = () => say(level, message, { ...fields, repeated });
	}

	/** Tells what was held back. A line that goes on is told once for each minute; one that ended is forgotten. */
	tell(): void {
		for (const [key, line] of this.lines) {
			if (line.held === 0) this.lines.delete(key);
			else line.tell();
			line.held = 0;
		}
	}

	private readonly windowEnds = (): void => {
		this.tell();
		this.cancel = this.lines.size === 0 ? undefined : this.clock.after(windowMs, this.windowEnds);
	};
}
