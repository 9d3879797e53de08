/** Replaces what patterns find in a request by stand-ins, which the answer gives back. */
import { type Guard, mapTexts, type NeutralRequest } from "#core";
import type { Pattern } from "./patterns.ts";
import { Search } from "./search.ts";

/** The stand-ins of one request. The same words always get the same one, so that a conversation reads the same each time. */
class StandIns {
	/** For each stand-in the words it stands for. */
	readonly restore = new Map<string, string>();
	private readonly stands = new Map<string, string>();
	private readonly counts = new Map<string, number>();
	private readonly isTaken: (stand: string) => boolean;

	constructor(isTaken: (stand: string) => boolean) {
		this.isTaken = isTaken;
	}

	for(name: string, words: string): string {
		const key = `${name}:${words}`;
		const known = this.stands.get(key);
		if (known !== undefined) return known;
		let count = this.counts.get(name) ?? 0;
		let stand: string;
		do stand = `[${name}_${++count}]`;
		while (this.isTaken(stand));
		this.counts.set(name, count);
		this.stands.set(key, stand);
		this.restore.set(stand, words);
		return stand;
	}
}

/** What looks like a stand-in in the client's own words keeps its meaning. */
const takenIn = (request: NeutralRequest): ((stand: string) => boolean) => {
	const taken = new Set<string>();
	mapTexts(request, (text) => {
		if (text.includes("[")) for (const [stand] of text.matchAll(/\[[\w-]+_\d+\]/g)) taken.add(stand);
		return text;
	});
	return (stand) => taken.has(stand);
};

/** Millions of numbers and words as long as this stand in a large request: those that hold nothing are not gathered. */
const short = 32;

const isIn = ({ expression }: Pattern, text: string): boolean => {
	expression.lastIndex = 0;
	return expression.test(text);
};

export const patternGuard = (name: string, patterns: readonly Pattern[]): Guard => ({
	name,
	async inspect(request, call) {
		const texts = new Map<string, string>();
		mapTexts(request, (text) => {
			if (text.length > short || patterns.some((pattern) => isIn(pattern, text))) texts.set(text, text);
			return text;
		});
		const search = new Search(call.request.signal);
		let stands: StandIns | undefined;
		for (const text of texts.keys()) {
			let changed = text;
			for (const pattern of patterns)
				changed = await search.replaced(changed, pattern, (words) => {
					stands ??= new StandIns(takenIn(request));
					return stands.for(pattern.name, words);
				});
			texts.set(text, changed);
		}
		return stands && { replace: mapTexts(request, (text) => texts.get(text) ?? text), restore: stands.restore };
	},
});
