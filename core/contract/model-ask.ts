/** What a client asks of a model, as its protocol found it: a protocol's parts are given it, and so are the phases of a call. */
import type { Loss } from "../neutral/model.ts";
import type { Denial } from "./fault.ts";
import type { JsonBody } from "./json-body.ts";

/**
 * What a call is for: `generate` and `count_tokens` in every protocol, `compact` where a protocol has it, the name of an
 * endpoint (`embeddings`), the kind of a task (`image`), or `task` where that is not known; for what is no call of a model
 * what its route says (`models`). Plugins add their own.
 */
export type Operation = string;

/** Whether a model writes for it: then output is held, cut and charged. */
export const generates = (operation: Operation): boolean => operation === "generate" || operation === "compact";

/** A model request as it arrived, body read and parsed. */
export interface ModelRequest {
	readonly url: URL;
	readonly params: Readonly<Record<string, string>>;
	readonly headers: Headers;
	readonly body: JsonBody;
}

/** What `read` finds out without decoding the conversation. */
export interface ModelCall {
	readonly operation: Operation;
	/** The model the client asked for. */
	readonly name: string;
	readonly stream: boolean;
	/** The client's own limit on output tokens, when it gave one. */
	readonly maxOutputTokens?: number;
	/** How many answers are asked for; 1 unless said. */
	readonly candidates: number;
	/** A key in the body by which calls share a provider's cache (`prompt_cache_key`); without one the header `x-session-affinity` counts. */
	readonly affinity?: string;
	/** The client wants some fields of the answer only: `Passthrough.restore` is called to give it those. */
	readonly selective?: boolean;
}

/**
 * A model request with what `read` found. A call that knows where it may go has the whole protocol in it (`ProtocolAsk`).
 *
 * @example
 * streamType: ({ url }) => (url.searchParams.get("alt") === "sse" ? "text/event-stream" : "application/json"),
 */
export interface ModelAsk extends ModelRequest {
	readonly protocol: { readonly name: string };
	readonly call: ModelCall;
	/** What was taken out of the request because it would have steered the call elsewhere. */
	readonly steered?: readonly Loss[];

	// Set by `Conversations.load`; a denial is the answer of every upstream that does not qualify.

	/** The kept answer (`id`) that the request goes on from, and how many entries were put before its own input. */
	readonly continues?: { readonly id: string; readonly items: number };
	/**
	 * The request names what an upstream's account keeps: only an upstream of the same protocol whose account is the token's
	 * alone qualifies. Rules that must know the whole input beforehand refuse it with this too.
	 */
	readonly onlyUpstream?: Denial;
	/** The same, where a translation leaves behind what is named: upstreams of other protocols qualify too. */
	readonly looksUp?: Denial;
	/** The request holds what only upstreams of the same protocol can read. */
	readonly onlyProtocol?: Denial;
	/**
	 * Places that were filled from a kept answer (`messages[1].reasoning_details`). The client sent nothing there, so that what
	 * an upstream cannot take of it is no loss of the client's.
	 */
	readonly broughtBack?: ReadonlySet<string>;
}
