/** What belongs to the answers of a token, in this process's memory for an hour: reasoning that clients may not give back. */
import { createHash } from "node:crypto";
import { asList, asRecord, asText, type Clock } from "#core";
import { longestReasoning } from "./reasoning.ts";

/** All that is kept together, in bytes; the least recently used goes first, of the token that keeps the most. */
const mostKept = 16 * 1024 * 1024;
const keptForMs = 3_600_000;

export interface KeptText {
	/** Empty where two answers had the same key. */
	readonly text: string;
	/** Its bytes. */
	readonly size: number;
}

type Aged<Entry> = Entry & { readonly at: number };

/** What is kept of one token. */
export interface OfToken<Entry> {
	/** In the order of their last use. */
	readonly kept: Map<string, Aged<Entry>>;
	size: number;
}

export class KeptByToken<Entry extends KeptText> {
	/** By the token's id, in the order in which something was last kept of them. */
	readonly tokens = new Map<string, OfToken<Entry>>();
	private readonly clock: Clock;
	private readonly nothing: Entry;
	private size = 0;

	/** `nothing`: an entry without text. */
	constructor(clock: Clock, nothing: Entry) {
		this.clock = clock;
		this.nothing = nothing;
	}

	find(own: OfToken<Entry>, key: string): Entry {
		const found = own.kept.get(key);
		if (found === undefined) return this.nothing;
		const now = this.clock.monotonic();
		this.forget(own, key, found);
		if (now - found.at > keptForMs) return this.nothing;
		this.put(own, key, { ...found, at: now });
		return found;
	}

	keep(token: string, key: string, entry: Entry): void {
		const now = this.clock.monotonic();
		const own = this.tokens.get(token) ?? { kept: new Map(), size: 0 };
		this.tokens.delete(token);
		this.tokens.set(token, own);
		const before = own.kept.get(key);
		if (before) this.forget(own, key, before);
		// Where the same was asked twice and answered otherwise, nobody knows which of the answers comes back.
		const isOne = before === undefined || before.text === entry.text;
		this.put(own, key, { ...(isOne && entry.size <= longestReasoning ? entry : this.nothing), at: now });
		this.forgetOld(now);
		// However much one token keeps, what others keep stays.
		while (this.size > mostKept) this.dropOldest(own.size * this.tokens.size > mostKept ? own : this.largest(own));
	}

	private forgetOld(now: number): void {
		for (const [token, own] of this.tokens) {
			for (const [key, entry] of own.kept) {
				if (now - entry.at <= keptForMs) return;
				this.forget(own, key, entry);
			}
			this.tokens.delete(token);
		}
	}

	private largest(own: OfToken<Entry>): OfToken<Entry> {
		let found = own;
		for (const one of this.tokens.values()) if (one.size > found.size) found = one;
		return found;
	}

	private dropOldest(own: OfToken<Entry>): void {
		const [oldest] = own.kept;
		if (oldest) this.forget(own, ...oldest);
	}

	private put(own: OfToken<Entry>, key: string, entry: Aged<Entry>): void {
		own.kept.set(key, entry);
		own.size += key.length + entry.size;
		this.size += key.length + entry.size;
	}

	private forget(own: OfToken<Entry>, key: string, entry: Entry): void {
		own.kept.delete(key);
		own.size -= key.length + entry.size;
		this.size -= key.length + entry.size;
	}
}

/** What tells words apart, in however many parts they come. */
export const digestOfWords = (content: unknown): string => {
	const words = asText(content) ?? asList(content).map((part) => asText(asRecord(part)["text"]) ?? "");
	return createHash("sha256").update([words].flat().join("")).digest("base64url");
};

/**
 * Reasoning goes back to the model that was asked, behind the words that were answered: many upstreams count their calls anew in
 * each answer, so that an id alone tells neither the turn nor the conversation.
 */
export const keyOfCall = (model: string, before: string, id: string): string => JSON.stringify([model, before, id]);
