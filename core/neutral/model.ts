/** What a model can take, and what an encoder had to leave behind. */
import type { Effort } from "./request.ts";

/** What a target model can take. Absent means: nothing is known, so nothing is held back. Encoders obey it. */
export interface ModelCapabilities {
	/** The most tokens of prompt and answer together. */
	readonly contextWindow?: number;
	/** The most output tokens the model gives; also the default where a protocol demands a limit. */
	readonly maxOutput?: number;
	/** A limit of no output is one to it; to others, gateways among them, it is none. */
	readonly limitOfNothing?: boolean;
	/** The most output tokens that it thinks before an answer and its limit does not count; where `thinking` is none, none. */
	readonly thinksBeside?: number;
	/** The fields by which its vendor is told to think less; any, unless said. What it does not read limits nothing. */
	readonly thoughtFields?: readonly string[];
	/** The most output tokens it generates in a second: what an answer that nobody waited for may have come to by then. */
	readonly tokensPerSecond?: number;
	/** The most tokens it counts one picture as. */
	readonly imageTokens?: number;
	/** It turns what it is given into vectors, and writes nothing. */
	readonly embeds?: boolean;
	/** How thinking is asked for; `always`: by an effort, and it cannot be switched off. */
	readonly thinking?: "none" | "budget" | "effort" | "adaptive" | "always";
	/** Bounds of a thinking budget; `off`: whether a budget of 0 switches thinking off. */
	readonly budget?: { readonly min: number; readonly max: number; readonly off?: boolean };
	/** The efforts it takes; none: its thinking has no levels. */
	readonly efforts?: readonly Effort[];
	/** The efforts are those that all of its family take; it may take more, so what a client asks of it by name stays. */
	readonly effortsAssumed?: boolean;
	/** Anthropic's `between_tools` is its least thinking: none at first, and short notes between calls of tools. */
	readonly betweenTools?: boolean;
	/** The field of Chat Completions that switches thinking off: `reasoning_effort` unless said. */
	readonly thinkingSwitch?: "thinking";
	/**
	 * The model refuses temperature, top_p and the like; `thinking`: unless its thinking is switched off; `asked`: only when
	 * it is asked to think, which it does not by itself.
	 */
	readonly samplingRefused?: boolean | "thinking" | "asked";
	/** It refuses stop sequences in Chat Completions. */
	readonly stopRefused?: boolean;
	/** The model refuses temperature and top_p together. */
	readonly temperatureOrTopP?: boolean;
	readonly nativeSchema?: boolean;
	/** A response format and functions may stand in one request. */
	readonly schemaBesideTools?: boolean;
	readonly strictTools?: boolean;
	/** A tool's schema may say a type beside alternatives that are of it, and a tuple's members as `items`. */
	readonly typedUnions?: boolean;
	/** A tool's schema may have alternatives at its root. */
	readonly rootUnions?: boolean;
	/** Whether it can be made to call a tool; `unthinking`: only while it does not think; `unnamed`: any, but not a certain one. */
	readonly forcedCalls?: boolean | "unthinking" | "unnamed";
	/** It refuses thinking of its own from a conversation that was changed since, unless it is told to leave it out. */
	readonly boundThinking?: boolean;
	readonly customTools?: boolean;
	readonly imagesInToolResults?: boolean;
	/** It searches the web when asked by `web_search_options` of Chat Completions; `always`: at each call, asked or not. */
	readonly searches?: boolean | "always";
	/** It takes films, or documents by their address, in Chat Completions. */
	readonly films?: boolean;
	readonly documentAddresses?: boolean;
	readonly developerRole?: boolean;
	/**
	 * The field of Chat Completions that limits its output: what the other says it does not read, unless it is OpenAI's.
	 * `either`: it reads both, and by the older limits the answer alone, not what it thinks before.
	 */
	readonly maxTokensField?: "max_tokens" | "max_completion_tokens" | "either";
	readonly mixServerAndFunctionTools?: boolean;
	/** The usage of a stream of Chat Completions may be asked for. */
	readonly streamUsage?: boolean;
	readonly prefill?: boolean;
	readonly midSystem?: boolean;
	/** Who serves it, where that decides which fields may be sent: `openai`, `mistral`, `groq` … */
	readonly vendor?: string;
	/** The vendor refuses a request with a field that it does not know. */
	readonly strictFields?: boolean;
	/** It refuses the first tool call of a step without a signature, or a word in its place. */
	readonly signedCalls?: boolean;
	/** While it thinks it refuses tool calls in the history that have no reasoning beside them. */
	readonly reasoningWithCalls?: boolean;
	/** Ids of tool calls must be nine letters and digits. */
	readonly nineCharacterCallIds?: boolean;
	/** It refuses a user's message directly behind the results of tools. */
	readonly answerAfterResults?: boolean;
}

/** What a request says of its thoughts, as in its bound. */
interface SaidOfThoughts {
	readonly thinks?: number;
	readonly thinksBy?: Readonly<Record<string, number>>;
}

/** Output tokens that may be billed for each answer beyond its limit. What is said of them counts where the upstream reads it. */
export const beyondLimit = (
	{ thinking, thinksBeside = 0, thoughtFields }: ModelCapabilities,
	{ thinks = thinksBeside, thinksBy = {} }: SaidOfThoughts = {},
): number => {
	if (thinking === "none") return 0;
	const read = Object.keys(thinksBy).filter((field) => thoughtFields?.includes(field) !== false);
	return Math.min(thinksBeside, thinks, ...read.map((field) => thinksBy[field] ?? thinksBeside));
};

/** Output tokens that may come for a limit of none, where that may be read as no limit. `unknown` where nobody knows what it can write. */
export const beyondNothing = (
	limit: number | undefined,
	{ limitOfNothing, maxOutput }: ModelCapabilities,
	unknown: number,
): number => (limit === 0 && limitOfNothing !== true ? (maxOutput ?? unknown) : 0);

/** One thing that could not be carried, as the client is told it. `path` is its own name for it: `top_k`, `input[2].content[0]`. */
export interface Loss {
	readonly path: string;
	readonly reason: string;
}

/** What a client is told whose protocol has no word for an answer that only paused amid the upstream's own tools. */
export const pausedLoss: Loss = {
	path: "pause_turn",
	reason: "the model paused amid its own tools and is not done; ask again with the conversation so far",
};

/** Why a choice of tools is told as lost where none may be forced. */
export const unforced = "the model cannot be made to call a tool; it was left to choose";

/** Names that were changed for the upstream and are changed back in its answer: upstream's name → client's name. */
export interface NameMap {
	readonly tools: ReadonlyMap<string, string>;
	/** The tool whose call is the answer itself, where the schema of an answer went as a tool. */
	readonly answer?: string;
}
