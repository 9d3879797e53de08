/** The tokens, and those that somebody looks for. */
import type { Refusal } from "../data/call.ts";
import { usePersons } from "../data/person-names.ts";
import { wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { type Token, tokenOf, withOwner } from "./token.ts";

interface Tokens {
	/** Whether the server has said which there are. */
	readonly known: boolean;
	/** The latest first. */
	readonly tokens: readonly Token[];
	/** Those that the words fit. */
	readonly found: readonly Token[];
	/** There are more than a page shows: of the others the server looks at the beginning of the name. */
	readonly more: boolean;
	/** The server has not said yet which of the others the words fit. */
	readonly looking: boolean;
	readonly failure: Refusal | undefined;
	reload(): void;
}

const list = "/admin/tokens?limit=1000";
/** The server takes no more of a name. */
const longestName = 64;

const matches = (token: Token, words: string): boolean =>
	[token.name, token.preview, token.owner ?? "", token.id].some((one) => one.toLowerCase().includes(words));

/** A whole key, as of one that leaked, finds its token as keys are shown, and goes nowhere itself. */
const asShown = (words: string): string =>
	/^sk-[0-9A-Za-z]{49}$/.test(words) ? `${words.slice(0, 6)}…${words.slice(-4)}` : words;

export const useTokens = (words: string): Tokens => {
	const all = useAnswer(list);
	const more = all.data?.["hasMore"] === true;
	const sought = asShown(words.trim());
	const looks = more && sought !== "";
	const others = useAnswer(looks ? `${list}&name=${encodeURIComponent(sought.slice(0, longestName))}` : undefined);
	const persons = usePersons();
	const byId = new Map(
		[all.data, others.data]
			.flatMap((data) => (data ? wires(data, "data").map(tokenOf) : []))
			.map((token) => [token.id, withOwner(token, persons)]),
	);
	const tokens = [...byId.values()].sort(
		(a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || a.name.localeCompare(b.name),
	);
	return {
		known: all.data !== undefined,
		tokens,
		found: tokens.filter((token) => matches(token, sought.toLowerCase())),
		more,
		looking: looks && others.data === undefined && others.failure === undefined,
		failure: all.failure ?? others.failure,
		reload() {
			all.reload();
			others.reload();
		},
	};
};
