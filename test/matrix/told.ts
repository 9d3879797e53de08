/** What an official client understood of an answer, in words that can be compared across protocols. */

/** Why an answer ended, as coarsely as every protocol can tell it. */
export type Ended = "stop" | "length" | "tool_calls" | "filter" | "malformed" | "failed" | "unfinished";

export interface ToldCandidate {
	/** All that was said, refusals included, in order. */
	readonly text: string;
	readonly thinking: string;
	readonly tools: readonly { readonly name: string; readonly arguments: unknown }[];
	readonly ended: Ended;
	/** Addresses that the text cites, each once, in order of the alphabet. */
	readonly cited: readonly string[];
	/** Images and sound. */
	readonly media: number;
}

export interface ToldUsage {
	/** All input tokens, cached ones included. */
	readonly input: number;
	readonly cacheRead: number;
	/** All output tokens, reasoning included. */
	readonly output: number;
}

export interface Told {
	readonly candidates: readonly ToldCandidate[];
	readonly usage: ToldUsage | undefined;
}

/** The client raised an error instead of giving an answer. */
export interface Raised {
	readonly raised: string;
	/** The upstream told the error; otherwise the client could not read what it was given. */
	readonly told: boolean;
}

export const isRaised = (told: Told | Raised): told is Raised => "raised" in told;

/** Arguments as a value where they are JSON, else as the text they are. */
export const argumentsOf = (text: string): unknown => {
	if (text.trim() === "") return {};
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
};

/** The strings, each once, in order of the alphabet. */
export const distinct = (urls: readonly unknown[]): readonly string[] =>
	[...new Set(urls.filter((url): url is string => typeof url === "string"))].sort();
