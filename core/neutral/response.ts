/** The protocol-free form of a response, and of the stream whose fold it is. */

import type { Block, Citation, Extras, Opaque, TokenLogprob } from "./content.ts";
import type { Denial } from "./denial.ts";

/** How one candidate ended. `raw` is the upstream's own word. */
export interface Finish {
	readonly reason:
		| "stop"
		| "stop_sequence"
		| "length"
		| "context_full"
		| "tool_calls"
		| "refusal"
		| "safety"
		| "recitation"
		| "malformed_call"
		| "pause"
		| "error"
		| "other";
	readonly raw?: string;
	readonly stopSequence?: string;
	readonly message?: string;
	/** True when the upstream bills nothing for an answer that ended so before it had begun. */
	readonly unbilled?: boolean;
	readonly extras?: Extras;
}

/** What is used besides model tokens. */
export interface Units {
	/** Seconds of sound that went in, and that came out; fractions count. */
	readonly audioSecondsIn?: number;
	readonly audioSecondsOut?: number;
	/** Characters that were spoken. */
	readonly characters?: number;
	/** Searches, as vendors of rerankers count them. */
	readonly searches?: number;
	readonly images?: number;
	readonly pages?: number;
}

/** Model tokens. All totals are inclusive: `input.total` holds cached and cache-written, `output.total` holds reasoning. */
export interface Usage {
	readonly input: {
		readonly total: number;
		readonly cacheRead?: number;
		/** The part of `cacheRead` that is sound; `audio` holds it too. */
		readonly cacheReadAudio?: number;
		readonly cacheWrite?: number;
		/** The part of `cacheWrite` kept for an hour, or longer; the rest is kept for minutes. */
		readonly cacheWriteLong?: number;
		readonly audio?: number;
		readonly image?: number;
		readonly video?: number;
		readonly toolUse?: number;
	};
	readonly output: {
		readonly total: number;
		readonly reasoning?: number;
		readonly audio?: number;
		readonly image?: number;
		readonly video?: number;
		readonly acceptedPrediction?: number;
		readonly rejectedPrediction?: number;
	};
	/** Calls of tools that the upstream ran itself, by name: `{ web_search: 2 }`. */
	readonly serverTools?: Readonly<Record<string, number>>;
	/** What endpoints use besides. */
	readonly units?: Units;
	/** Billed with the answer and told apart from it: a summary made first, what another model was asked. */
	readonly beside?: Pick<Usage, "input" | "output">;
	/** True when Portico counted because the upstream did not. */
	readonly estimated?: boolean;
	readonly extras?: Extras;
}

/** What a search found for the whole answer; spans are citations on the text blocks. */
export interface Grounding {
	readonly queries: readonly string[];
	readonly sources: readonly { readonly url?: string; readonly title?: string }[];
	readonly raw?: { readonly protocol: string; readonly value: unknown };
}

export interface Candidate {
	readonly index: number;
	readonly blocks: readonly Block[];
	readonly finish: Finish;
	readonly grounding?: Grounding;
	readonly extras?: Extras;
}

export interface NeutralResponse {
	readonly id: string;
	/** Seconds since 1970. */
	readonly createdAt: number;
	/** The model the upstream says it was. */
	readonly model: string;
	readonly candidates: readonly Candidate[];
	readonly usage?: Usage;
	readonly tier?: string;
	/** Set when the prompt itself was blocked: then there are no candidates. */
	readonly promptBlocked?: { readonly reason: string; readonly message?: string };
	/** Set when the response is a failure told within a 200. */
	readonly error?: Denial;
	readonly extras?: Extras;
}

/** One growth of an open block. */
export type Delta =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "arguments"; readonly text: string }
	/** `part` numbers the summary part it belongs to (0 when there is only one). */
	| { readonly type: "thinking"; readonly text: string; readonly part?: number }
	| { readonly type: "signature"; readonly value: Opaque }
	| { readonly type: "citation"; readonly citation: Citation }
	| { readonly type: "refusal"; readonly text: string }
	| { readonly type: "media"; readonly base64: string }
	| { readonly type: "transcript"; readonly text: string }
	| { readonly type: "logprobs"; readonly items: readonly TokenLogprob[] }
	| { readonly type: "extras"; readonly extras: Extras };

/**
 * One event of a stream. The order that `normalize` guarantees: one `start`; each `block` number opened once, extended
 * only while open, closed once; one `finish` per candidate after its blocks; `usage` any time; `end` last and once.
 */
export type NeutralEvent =
	| {
			readonly type: "start";
			readonly id: string;
			readonly model: string;
			readonly createdAt: number;
			readonly usage?: Usage;
			readonly tier?: string;
			readonly extras?: Extras;
	  }
	/** `shell` is the block with what is known so far; its text, arguments or parts grow by `delta`. Complete blocks (media, server results) open whole. */
	| { readonly type: "open"; readonly block: number; readonly candidate: number; readonly shell: Block }
	| { readonly type: "delta"; readonly block: number; readonly delta: Delta }
	/** `final` is the authoritative whole when the upstream sent it; it replaces what was gathered. */
	| { readonly type: "close"; readonly block: number; readonly final?: Block }
	| { readonly type: "grounding"; readonly candidate: number; readonly grounding: Grounding }
	/** Totals so far; a later one replaces an earlier one. */
	| { readonly type: "usage"; readonly usage: Usage; readonly tier?: string }
	| { readonly type: "finish"; readonly candidate: number; readonly finish: Finish; readonly extras?: Extras }
	| { readonly type: "blocked"; readonly reason: string; readonly message?: string }
	| { readonly type: "error"; readonly error: Denial }
	/** The upstream is alive but has nothing to say (a ping, a comment). */
	| { readonly type: "tick" }
	/** The stream is over. `clean` only when the upstream announced it. */
	| { readonly type: "end"; readonly clean: boolean };

const added = <T extends { readonly [name in keyof T]?: number | undefined }>(a: T, b: T): T => {
	const sum: Record<string, number> = {};
	for (const part of [a, b])
		for (const [name, amount] of Object.entries<number | undefined>(part)) sum[name] = (sum[name] ?? 0) + (amount ?? 0);
	return { ...a, ...b, ...sum };
};

/** Whether it tells that nothing was answered, and nothing billed beside. */
export const tellsNoOutput = (usage: Usage | undefined): boolean => usage?.output.total === 0 && !usage.beside;

/** Tells of nothing that neither tells of; estimated where one is. */
export const addUsage = (a: Usage, b: Usage): Usage => {
	const units: Units = added(a.units ?? {}, b.units ?? {});
	const serverTools = added<Readonly<Record<string, number>>>(a.serverTools ?? {}, b.serverTools ?? {});
	return {
		...b,
		input: added(a.input, b.input),
		output: added(a.output, b.output),
		...(Object.keys(units).length > 0 && { units }),
		...(Object.keys(serverTools).length > 0 && { serverTools }),
		...(a.beside && { beside: b.beside ? addUsage(a.beside, b.beside) : a.beside }),
		...((a.estimated || b.estimated) && { estimated: true }),
	};
};

/** All that is billed, in one count. */
export const billedUsage = ({ beside, ...answer }: Usage): Usage => (beside ? addUsage(beside, answer) : answer);
