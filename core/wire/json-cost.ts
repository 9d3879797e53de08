/**
 * What a JSON text costs whoever parses it and walks through it, told before it is parsed. A name that stood nowhere before costs
 * many times what a value does, and so does one in an object of very many.
 */
import { endOfString } from "../neutral/json.ts";
import { closes, colon, comma, isSpace, opens, quote } from "./json-signs.ts";

/** Names of one object, by which it is stored otherwise than small ones are. */
const usualNames = 1_000;
/** Names that are new or stand in such an object. */
const mostNames = 50_000;

/** Texts that are read for one request, added up. What is no JSON costs little, for its reader gives up. */
export class JsonCost {
	private readonly mostValues: number;
	private readonly seen = new Set<string>();
	private names = 0;
	private values = 0;

	constructor(mostValues: number) {
		this.mostValues = mostValues;
	}

	/** Why they are too much, in words. */
	get complaint(): string | undefined {
		if (this.names > mostNames) return `names more than ${mostNames} different fields`;
		return this.values > this.mostValues ? `has more than ${this.mostValues} values` : undefined;
	}

	add(text: string): this {
		/** Names so far, of each object that is open. */
		const open: number[] = [];
		for (let at = 0; at < text.length && this.names <= mostNames && this.values <= this.mostValues; at++) {
			const code = text.charCodeAt(at);
			if (code === quote) at = this.string(text, at, open);
			else if (code === comma) this.values++;
			else if (opens(code)) {
				this.values++;
				open.push(0);
			} else if (closes(code)) open.pop();
		}
		return this;
	}

	/** Texts in lists and objects that look like JSON: many protocols send arguments so, and they are read here. */
	addWithin(value: unknown): this {
		if (typeof value === "string") {
			if (/^\s*[[{]/.test(value)) this.add(value);
		} else if (typeof value === "object" && value !== null)
			for (const name in value) this.addWithin(value[name as keyof typeof value]);
		return this;
	}

	/** Counts it where it is a name; gives the place of its last quote. */
	private string(text: string, start: number, open: number[]): number {
		const end = endOfString(text, start);
		let after = end + 1;
		while (isSpace(text.charCodeAt(after))) after++;
		if (text.charCodeAt(after) !== colon) return end;
		const beside = (open.pop() ?? 0) + 1;
		open.push(beside);
		const { size } = this.seen;
		if (beside > usualNames || this.seen.add(text.slice(start + 1, end)).size > size) this.names++;
		return end;
	}
}
