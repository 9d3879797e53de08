/** What models cost. Money is a whole number of micro-dollars; rates are dollars per million tokens, that is micro-dollars per token. */
import { type Fees, service, slot, type Units, type Usage } from "#core";

/** A rate, or one that changes for the whole call when its input is longer than `above` tokens. */
export type Rate = number | { readonly base: number; readonly steps: readonly { above: number; rate: number }[] };

/** What a model costs. A rate that is absent is that of the plain tokens of its side; what has no rate at all has no known price. */
export interface Price {
	/** Dollars per million tokens. */
	readonly input?: Rate;
	readonly output?: Rate;
	readonly cacheRead?: Rate;
	/** For sound; that of all else when absent. */
	readonly cacheReadAudio?: Rate;
	readonly cacheWrite?: Rate;
	/** For what is kept for an hour or longer. */
	readonly cacheWriteLong?: Rate;
	readonly reasoning?: Rate;
	readonly inputAudio?: Rate;
	readonly inputImage?: Rate;
	readonly inputVideo?: Rate;
	readonly outputAudio?: Rate;
	readonly outputImage?: Rate;
	readonly outputVideo?: Rate;
	/** Dollars for each call, each web search, each search in stored files. */
	readonly perRequest?: number;
	readonly perWebSearch?: number;
	/** For each search of OpenAI's older tool, where it costs otherwise. */
	readonly perWebSearchPreview?: number;
	readonly perFileSearch?: number;
	/** Dollars for a container that code runs in, and for each image that a tool of the model makes. */
	readonly perCodeSession?: number;
	/** How many times the plain rates a tier costs: `{ priority: 2 }`. */
	readonly tiers?: Readonly<Record<string, number>>;
	/** Dollars for each image, each that it is made of, each unfinished one shown before it, each second of video, each song of a task. */
	readonly perImage?: number;
	readonly perInputImage?: number;
	readonly perPartialImage?: number;
	readonly perSecond?: number;
	readonly perSong?: number;
	/** Dollars for each minute of sound that goes in, and that comes out. */
	readonly perMinuteAudioIn?: number;
	/** Seconds of sound that a call which hears any is billed at least. */
	readonly leastSecondsAudioIn?: number;
	readonly perMinuteAudioOut?: number;
	/** Dollars for each million characters that are spoken. */
	readonly perMillionCharacters?: number;
	/** Dollars for each thousand searches of a reranker. */
	readonly perThousandSearches?: number;
	/** Dollars for each page of a document. */
	readonly perPage?: number;
	/** What the pictures, seconds and songs of tasks cost otherwise, by what the request says: the first that fits counts. */
	readonly variants?: readonly Variant[];
	/** The most input tokens the model takes, where known. */
	readonly contextWindow?: number;
}

/** One word of a request's field, exactly as it is sent. */
export type Word = string | number | boolean;

/** What costs otherwise where a request's fields are these; a rate that is absent is the plain one. */
export interface Variant {
	/** By a field's name its words, any of which fits: `null` for a field that is not sent, `"*"` for whatever it says. */
	readonly when: Readonly<Record<string, Word | null | readonly (Word | null)[]>>;
	readonly perImage?: number;
	readonly perSecond?: number;
	readonly perSong?: number;
}

/** What a request says by its fields; `null` for what is not one short word (64 characters, no address). */
export type Said = Readonly<Record<string, Word | null>>;

/** What is known of a task besides how much it makes. */
export interface TaskFacts {
	/** Absent where it cannot be told what the request says: it then costs the dearest that there is. */
	readonly said?: Said;
	/** What the upstream says that it made, by the same names. It goes before what was asked for. */
	readonly told?: Readonly<Record<string, unknown>>;
}

/** The most that a call may use. */
export interface UsageBound {
	readonly inputTokens: number;
	readonly outputTokens: number;
	readonly fees?: Fees;
	/** What an endpoint uses besides tokens. */
	readonly units?: Units;
	/** Words of the request that change the price of its tokens. */
	readonly tiers?: readonly string[];
	/** True when something may be written to a cache that keeps it for an hour. */
	readonly longCache?: boolean;
}

/** What a task makes, or the most that it can. */
export interface TaskUnits {
	/** Or whatever else it makes by the piece, at the price's `perImage`. */
	readonly images?: number;
	/** Pictures that it was sent, to be changed or to be made into others, at the price's `perInputImage`. */
	readonly inputImages?: number;
	/** Unfinished pictures that were shown. */
	readonly partialImages?: number;
	readonly seconds?: number;
	readonly songs?: number;
}

/** Where else to look than under the upstream's name for the model. */
export interface PriceHints {
	/** The name the client asked for. */
	readonly requested?: string;
	/** The upstream's name: a provider of that name is asked first, as the same model costs differently elsewhere. */
	readonly upstream?: string;
}

/** Tokens of one kind and what a million of them costs, in dollars. */
export interface PricePart {
	readonly what: "input" | "read from a cache" | "written to a cache" | "output" | "reasoning";
	readonly tokens: number;
	readonly rate: number;
}

export interface Prices {
	/** From the config, then from the data package, each by `model` and then by `requested`; then the config's default. */
	find(model: string, hints?: PriceHints): Price | undefined;
	/** The upstreams that the config has prices of; whoever knows all upstreams checks that they exist. */
	readonly upstreams?: readonly string[];
	/** Micro-dollars, rounded up once. Undefined when the price has no rate for something that was used. */
	cost(usage: Usage, price: Price, tiers?: readonly string[]): number | undefined;
	/** The same by kinds of tokens, for people; without fees, units and tiers. */
	parts(usage: Usage, price: Price): readonly PricePart[];
	/** Dollars that reading so many tokens from a cache saved. */
	saved(cachedTokens: number, price: Price): number;
	/** The first of these tiers whose price nobody knows. */
	unknownTier(tiers: readonly string[], price: Price): string | undefined;
	/** No usage within the bound costs more. Undefined when the price has no rate for something within it. */
	bound(bound: UsageBound, price: Price): number | undefined;
	/** Whether it has a rate for input and for output, or is one for each call: any number of tokens then has a bound. */
	isPriced(price: Price): boolean;
	/** The most output tokens that cost no more than `microDollars` at this price, whatever kind they are. */
	outputFor(microDollars: number, inputTokens: number, price: Price, tiers?: readonly string[]): number;
	/**
	 * Micro-dollars, rounded up once, of the variant that fits; of the dearest that may fit where that is not certain.
	 * Undefined when the price has no rate for one of the units.
	 */
	taskCost(units: TaskUnits, price: Price, facts?: TaskFacts): number | undefined;
}

/**
 * What an upstream asks for, whatever the model, or for each by the name that it has there: of an upstream that a plugin brings,
 * or by a price list that a plugin reads. The config's prices go before it, the data package after it. Each call asks for it; what
 * changes is a new object.
 *
 * @example
 * add(upstreamPrices, { upstream: "openrouter", price: (model) => list.get(model) }); // a job reads the list anew
 */
export interface UpstreamPrice {
	readonly upstream: string;
	readonly price: Price | ((model: string) => Price | undefined);
}

export const upstreamPrices = slot<UpstreamPrice>("prices.upstreams");

export const prices = service<Prices>("prices");
