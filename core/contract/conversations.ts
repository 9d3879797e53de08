/** Conversations that a protocol keeps, so that a client may go on from an answer by its id, or makes shorter. */
import type { NeutralRequest } from "../neutral/request.ts";
import type { Usage } from "../neutral/response.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { ModelAsk } from "./model-ask.ts";
import type { Target } from "./upstream.ts";

/** The token that asks, and the person it belongs to. */
interface Asker {
	readonly id: string;
	readonly owner?: { readonly id: string };
}

/**
 * Conversations that clients go on from by the id of an answer. Called for every call of the protocol, whatever its upstream
 * speaks: the protocol decides which calls concern it.
 *
 * @example
 * // Keeps nothing, and sends what names a file to upstreams alone whose account is the token's.
 * load: (ask) => (namesFile(ask.body) ? { ...ask, onlyUpstream: fileDenial } : ask),
 */
export interface Conversations {
	/**
	 * Called right after `read`. Gives the request with the kept conversation put before its own input, and `onlyUpstream` when
	 * it names what an upstream's account keeps. Throws `Fault` when this token has no such answer. Count what you load in
	 * `held`, before you load it.
	 */
	load(ask: ModelAsk, token: Asker, held?: HeldBytes): ModelAsk | Promise<ModelAsk>;
	/**
	 * Called once for an answer that ended well, and awaited before its end reaches the client, who may go on at once. Must not
	 * throw. `answer`: the client's body, where it was translated and is no stream; else what `StreamEncoder.answer` or
	 * `Observation.answer` gave (not called where that is nothing). `target`: who answered. Absent where nothing is kept.
	 */
	save?(ask: ModelAsk, token: Asker, answer: unknown, target?: Target): Promise<void> | undefined;
}

/** Makes a conversation shorter that has passed the limit its client set, where the upstream does not do it itself. */
export interface Compaction {
	/** The request for a summary that takes the conversation's place; undefined while it is within its limit. */
	ask(request: NeutralRequest): NeutralRequest | undefined;
	/** The request that goes on from the summary. `answer`: what the client would have got for `ask`; throws `Fault` where it holds none. */
	goOn(request: NeutralRequest, answer: unknown, usage: Usage): NeutralRequest;
	/** Whether a refusal by an upstream of this protocol says that it does not know what was asked of it. */
	isUnknown(ask: ModelAsk, status: number, text: string): boolean;
}
