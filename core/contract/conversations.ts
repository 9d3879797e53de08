/** Conversations that a protocol keeps, so that a client may go on from an answer by its id, or makes shorter. */
import type { NeutralRequest } from "../neutral/request.ts";
import type { Usage } from "../neutral/response.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { ModelAsk } from "./model-ask.ts";
import type { Target } from "./upstream.ts";

/**
 * Conversations that clients go on from by the id of an answer. These are called for every call of the protocol, whatever
 * the upstream speaks; the protocol decides which concern it.
 *
 * @example
 * // Keeps nothing, and sends what names a file to upstreams alone whose account is the token's.
 * load: (ask) => (namesFile(ask.body) ? { ...ask, onlyUpstream: fileDenial } : ask),
 */
export interface Conversations {
	/**
	 * Right after `read`, before anything else looks at the body: the request with the conversation it goes on from put
	 * before its own input, and `onlyUpstream` when it names what an upstream's account keeps. Throws `Fault` when there is no
	 * such answer for this token. What is read for it is counted as `held` by the call, before it is read.
	 */
	load(ask: ModelAsk, token: { readonly id: string }, held?: HeldBytes): ModelAsk | Promise<ModelAsk>;
	/**
	 * Once, for an answer that has ended well; awaited before the end reaches the client, who may go on from it at once.
	 * `answer`: as the client has it, whole where it was translated and is no stream, else what `StreamEncoder.answer` or
	 * `Observation.answer` gives, and not called where that is nothing; `target`: whose it is. Never throws.
	 * Absent where nothing is kept.
	 */
	save?(ask: ModelAsk, token: { readonly id: string }, answer: unknown, target?: Target): Promise<void> | undefined;
}

/** How a conversation that passes a limit of its client's is made shorter where the upstream does not do it itself. */
export interface Compaction {
	/** What is asked first, for the summary that goes on in the conversation's place; undefined while it is within its limit. */
	ask(request: NeutralRequest): NeutralRequest | undefined;
	/**
	 * The request that goes on from the summary. `answer`: what the client would have got for `ask`, and `usage` what that
	 * used. Throws `Fault` where it holds no summary.
	 */
	goOn(request: NeutralRequest, answer: unknown, usage: Usage): NeutralRequest;
	/** Whether a refusal by an upstream of this protocol says that it does not know what was asked of it. */
	isUnknown(ask: ModelAsk, status: number, text: string): boolean;
}
