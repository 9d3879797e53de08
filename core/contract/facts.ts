/** What others must know of a request (its bound, its price, where it steers), said by the protocol that knows its fields. */
import type { JsonBody } from "./json-body.ts";

/** What may be billed by the piece, besides tokens. */
export interface Fees {
	readonly webSearches: number;
	readonly fileSearches: number;
	/** Containers that code runs in. */
	readonly codeSessions: number;
	readonly images: number;
}

/** The most that an upstream can be made to read and do by a request. No upstream may bill more for it. */
export interface RequestBound {
	/** Tokens for what stands in the body, pictures left out. */
	readonly tokens: number;
	/** Pictures the model sees; each counts by itself, however many bytes it has. */
	readonly images: number;
	/** Something outside the body is read as well (a file, an earlier answer), or what counts for more than its bytes. */
	readonly open: boolean;
	/** The context window that the request asks for, where a model has a larger one for those who ask. */
	readonly window?: number;
	/** How often the body is read: once more for each round of a tool that runs at the upstream. */
	readonly turns: number;
	readonly fees: Fees;
	/** `turns` and `fees` at an upstream of another protocol, which has no word for what limits the tools; absent where nothing limits them. */
	readonly unlimited?: Pick<RequestBound, "turns" | "fees">;
	/** Output tokens of a summary that may be written before the answer, and reads all once more; absent where none is. */
	readonly summary?: number;
	/** The most tokens that the model may think, where the request says so in a field that every upstream of the protocol reads. */
	readonly thinks?: number;
	/** The same by fields that only some of them read (`ModelCapabilities.thoughtFields`). */
	readonly thinksBy?: Readonly<Record<string, number>>;
	/** Output tokens that were predicted: those that the answer does not have are billed as well. Absent where none were. */
	readonly predicted?: number;
	/** Something is marked to be kept in a cache. */
	readonly caches?: boolean;
	/** Something may be kept in a cache for an hour. */
	readonly longCache: boolean;
	/** A tool or field that is billed in a way nobody here knows. */
	readonly unpriced?: string;
	/** The field by which a tool of the upstream's makes pictures that cost more than ordinary ones. */
	readonly dearPictures?: string;
}

/** What is taken out of a request before anybody else sees it. */
export interface Steering {
	/** Root fields of the body: their new value, or undefined to remove them. */
	readonly edits: Readonly<Record<string, unknown>>;
	/** What is removed, by the client's own names. */
	readonly removed: readonly string[];
}

/**
 * What a protocol says of its requests. All of it is cheap: it looks at the structure of a request, never at its texts.
 *
 * @example
 * tiers: ({ urgent }) => (urgent === true ? ["urgent"] : []), // priced by `prices.models[].tiers`
 */
export interface RequestFacts {
	/**
	 * `new BoundReader(body).result()` for a body that is text; tell the reader each picture in it (`inline`, `address`) before,
	 * or its base64 is held as text is: far more than a picture costs. `headers`: the client's, of a call that is made.
	 */
	bound(body: JsonBody, headers?: Headers): RequestBound;
	/**
	 * The words in a body of this protocol that change the price of its tokens, in lower case: `priority`, `fast`,
	 * `inference_geo:us`. Those that are known to change nothing are left out.
	 */
	tiers(body: Readonly<Record<string, unknown>>): readonly string[];
	/**
	 * The fields by which a client would choose another model, upstream, address or key; undefined when there is none.
	 * `mayUse` tells whether the token may use a model of that name.
	 */
	steering(body: JsonBody, mayUse: (model: string) => boolean): Steering | undefined;
}
