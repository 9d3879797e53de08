/**
 * Most events of a stream repeat the one before but for a few values: a piece of text, a number in a row, padding. That
 * is found out here by comparing what stands between those values, for a fraction of what a search or a parse costs.
 */
import { parseJson } from "../neutral/json.ts";

/** An event as it is written. JSON may hold line ends between its members, and each line needs its `data: `. */
export const eventText = (data: string, name?: string): string =>
	`${name === undefined ? "" : `event: ${name}\n`}data: ${data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data}\n\n`;

/** Texts that do not repeat in so many attempts are not waited for any more. */
const mostAttempts = 16;

const isOfNumber = (unit: number): boolean =>
	(unit >= 48 && unit <= 57) || unit === 45 || unit === 43 || unit === 46 || unit === 69 || unit === 101;

/** Members by their names, and where they begin in a text. Made once for all the streams of a kind. */
export interface EventMembers {
	/** Those that hold the piece of text; exactly one of them is in an event. */
	readonly wanted: ReadonlySet<string>;
	/** Where the value of one of them begins, or of one of no interest. */
	readonly pattern: RegExp;
}

/** `wanted`: members that hold the piece of text; exactly one of them is in an event. `others`: members whose value is of no interest. */
export const eventMembers = (wanted: readonly string[], others: readonly string[] = []): EventMembers => ({
	wanted: new Set(wanted),
	pattern: new RegExp(`"(${[...wanted, ...others].join("|")})"\\s*:\\s*(?=["\\d-])`, "g"),
});

const nothing: readonly string[] = [];

export class EventTemplate {
	private readonly members: EventMembers;
	/** Bytes of the string that was measured last. */
	private counted = 0;
	/** What stands before each value that changes, and after the last. */
	private parts = nothing;
	private place = -1;
	private attempts = 0;
	/** Where each value that changes begins and ends in the text that repeated last. */
	private readonly spots: number[] = [];
	/** The name of the member whose string is wanted, as it was learnt. */
	name = "";
	/** Where that string stands in the text that repeated last, without its quotes, and its UTF-8 bytes with escapes as they stand. */
	start = 0;
	end = 0;
	bytes = 0;

	constructor(members: EventMembers) {
		this.members = members;
	}

	/** True when nothing of a JSON text differs from the one learnt but values of the named members. */
	repeats(text: string): boolean {
		const last = this.parts.length - 1;
		let at = 0;
		for (let index = 0; index <= last; index++) {
			const part = this.parts[index] ?? "";
			if (!text.startsWith(part, at)) return false;
			at += part.length;
			if (index === last) break;
			const from = at;
			at = text.charCodeAt(from) === 34 ? this.stringEnd(text, from + 1) : this.numberEnd(text, from);
			if (at === -1) return false;
			this.spots[2 * index] = from;
			this.spots[2 * index + 1] = at;
			if (index !== this.place) continue;
			this.start = from + 1;
			this.end = at - 1;
			this.bytes = this.counted;
		}
		const repeats = last > 0 && at === text.length;
		if (repeats) this.attempts = 0;
		return repeats;
	}

	/** The string of the text that repeated last; undefined when it is none. */
	value(text: string): string | undefined {
		// Not a slice, which would keep all of its chunk in memory for as long as the answer is gathered.
		const value = parseJson(text.slice(this.start - 1, this.end + 1));
		return typeof value === "string" ? value : undefined;
	}

	/** The text that repeated last as it is to be written, given how the one learnt was written. */
	reworded(text: string, written: EventTemplate): string {
		const { parts } = written;
		let made = parts[0] ?? "";
		for (let index = 1; index < parts.length; index++)
			made += text.slice(this.spots[2 * index - 2], this.spots[2 * index - 1]) + (parts[index] ?? "");
		written.attempts = 0;
		return made;
	}

	/** Learns a text together with how it was written, which may differ between the values that change and not in them. */
	learnBoth(text: string, written: EventTemplate, asWritten: string): void {
		this.learn(text);
		written.learn(asWritten);
		if (this.parts.length !== written.parts.length) this.parts = nothing;
	}

	/** Takes a JSON text as the one to be repeated. Nothing of it but the wanted string may matter to whoever asks `repeats`. */
	learn(text: string): void {
		this.place = -1;
		this.parts = nothing;
		if (this.attempts++ > mostAttempts) return;
		const { wanted, pattern } = this.members;
		const parts: string[] = [];
		let at = 0;
		pattern.lastIndex = 0;
		for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
			const { 1: name = "" } = found;
			const from = pattern.lastIndex;
			const isString = text.charCodeAt(from) === 34;
			const end = isString ? this.stringEnd(text, from + 1) : this.numberEnd(text, from);
			if (end === -1) return;
			if (wanted.has(name)) {
				if (this.place !== -1 || !isString) return;
				this.place = parts.length;
				this.name = name;
			}
			parts.push(text.slice(at, from));
			at = end;
		}
		if (this.place === -1) return;
		parts.push(text.slice(at));
		this.parts = parts;
	}

	/** Behind the closing quote of the string that begins at `from`; -1 for one that JSON does not allow. */
	private stringEnd(text: string, from: number): number {
		let bytes = 0;
		for (let at = from; ; at++) {
			const unit = text.charCodeAt(at);
			if (unit === 34) {
				this.counted = bytes;
				return at + 1;
			}
			// Beyond the end there is no number, and no comparison holds.
			if (!(unit >= 32)) return -1;
			if (unit === 92) at++;
			bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
		}
	}

	private numberEnd(text: string, from: number): number {
		let at = from;
		while (isOfNumber(text.charCodeAt(at))) at++;
		return at === from ? -1 : at;
	}
}
