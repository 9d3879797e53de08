/**
 * What a protocol plugin gives: its wire format, once, for both sides. The core calls these functions; it knows no
 * protocol itself. All of them are pure but for the state that a decoder, encoder or observer keeps of its own stream.
 */

import type { LossWords, NeutralLoss } from "../neutral/losses.ts";
import type { Loss, ModelCapabilities, NameMap } from "../neutral/model.ts";
import type { NeutralRequest } from "../neutral/request.ts";
import type { NeutralEvent, NeutralResponse, Usage } from "../neutral/response.ts";
import type { Compaction, Continuation, Conversations } from "./conversations.ts";
import type { RequestFacts } from "./facts.ts";
import type { Denial } from "./fault.ts";
import type { JsonBody } from "./json-body.ts";
import type { ModelListing, ModelQuestion } from "./model-listing.ts";
import type { RenderDenial } from "./route.ts";
import { slot } from "./token.ts";

/**
 * What a call is for: `generate` and `count_tokens` in every protocol, `compact` where a protocol has it, the name of an
 * endpoint (`embeddings`) or the kind of a task (`image`). Plugins add their own.
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
	/** A key of the client's by which calls share a provider's cache (`prompt_cache_key` and the like). */
	readonly affinity?: string;
	/** The client wants some fields of the answer only: `Passthrough.restore` is called to give it those. */
	readonly selective?: boolean;
}

/** A model request with what `read` found, as it goes through the phases. */
export interface ModelAsk extends ModelRequest {
	readonly protocol: Protocol;
	readonly call: ModelCall;
	/** What was taken out of the request because it would have steered the call elsewhere. */
	readonly steered?: readonly Loss[];
	/** Set by `Conversations.load` when the request goes on from a kept answer. */
	readonly continues?: Continuation;
	/**
	 * Set by `Conversations.load` when the request names what an upstream's account keeps: the answer of every upstream but one
	 * of the same protocol whose account is the token's alone, and of rules that must know the whole input beforehand.
	 */
	readonly onlyUpstream?: Denial;
	/**
	 * The same for what only an upstream of this protocol looks up there, and a translation leaves behind: such an upstream
	 * is asked only where its account is the caller's own.
	 */
	readonly looksUp?: Denial;
	/** Set by `Conversations.load` when the request holds what only upstreams of the same protocol can read: the answer of all others. */
	readonly onlyProtocol?: Denial;
}

/** One server-sent event. `name` is absent when the stream gave none. */
export interface StreamEvent {
	readonly name?: string;
	readonly data: string;
}

/** What was seen of an answer that passed through as bytes. */
export interface Observation {
	readonly usage?: Usage;
	/** False where `usage` was told before all was generated, and so is the least there can be; as `finished` unless said. */
	readonly usageIsTotal?: boolean;
	/** The protocol's own announcement of the end was seen. */
	readonly finished: boolean;
	/** An error told within the answer. */
	readonly error?: Denial;
	/** How many events carried generated content: a count of tokens that is never too high for a well-behaved upstream. */
	readonly pieces: number;
	/** UTF-8 bytes of generated content, approximately. */
	readonly contentBytes: number;
	/** The whole answer, once it has ended, for `Conversations.save`; only from protocols that keep conversations. */
	readonly answer?: unknown;
}

/** Reads a passing stream for accounting. It must be cheap: parse an event's JSON only when it can matter. */
export interface StreamObserver {
	event(event: StreamEvent): void;
	result(): Observation;
	/** Text that ends the stream as if the model had reached its output limit: what a client is told at the bound of its quota. */
	cut(): string;
	/** What `renderStreamDenial` would write, where the protocol can say more for having seen the stream; preferred to it. */
	fail?(denial: Denial): string;
}

/** What must differ between the client's bytes and the upstream's. */
export interface PassthroughChanges {
	/** The model name to send; equal to the one asked when there is no alias. */
	readonly model: string;
	/** A lower output limit, or one where the client gave none. */
	readonly maxOutputTokens?: number;
	/** What is known of the model. */
	readonly capabilities?: ModelCapabilities;
}

/** A request as it goes to an upstream. `path` begins with `/` and is added to the upstream's `url`; it may hold a query. */
export interface UpstreamMessage {
	readonly method?: "DELETE"; // POST unless said.
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array;
	/** Of a passthrough: what of the client's request could not go along, in the client's own words. */
	readonly losses?: readonly Loss[];
}

/** Same protocol on both sides. */
export interface Passthrough {
	/** The client's request with only what must change. Headers: those of the client that this protocol lets through. */
	request(ask: ModelAsk, changes: PassthroughChanges): UpstreamMessage;
	/** What a whole JSON answer says. `body` is the parsed answer. */
	observe(body: unknown): Observation;
	/** The answer's text with the client's names and chosen fields; called where a name differs, or for a selective call. */
	restore(text: string, ask: ModelAsk, changes: PassthroughChanges): string;
	observer(ask: ModelAsk): StreamObserver;
	/**
	 * Absent when the stream may pass as it is. Otherwise called for each event and returns the text to send in its
	 * place: the alias put back, injected usage removed, other framing. `end` gives what must follow the last event.
	 */
	editor(ask: ModelAsk, changes: PassthroughChanges): StreamEditor | undefined;
}

export interface StreamEditor {
	event(event: StreamEvent): string;
	end(): string;
}

/** How a whole answer goes out. */
export interface EncodedResponse {
	readonly body: unknown;
	/** What of the answer has no word in this protocol. */
	readonly losses?: readonly Loss[];
	readonly headers?: Readonly<Record<string, string>>;
}

/** Writes a neutral stream in the wire form. Returns text to send, `""` for nothing. */
export interface StreamEncoder {
	push(event: NeutralEvent): string;
	/** The whole answer, once it has ended, for `Conversations.save`; only from protocols that keep conversations. */
	answer?(): unknown;
}

/** The side that answers clients. */
export interface ClientSide {
	/** Paths (POST) that clients call; every alias is listed. */
	readonly paths: readonly string[];
	/** True when this protocol's clients may send their key as `?key=`. */
	readonly keyInQuery?: boolean;
	/** True when the headers or the query show this protocol's client, at an address that others answer too. */
	claims?(headers: Headers, url: URL): boolean;
	/** Finds the model and the few other things routing needs. Throws `Fault` when the request cannot be one. */
	read(request: ModelRequest): ModelCall;
	/** Lenient. Throws `Fault` (`invalid_request`, with `parameter`) for what no upstream could accept. */
	decodeRequest(ask: ModelAsk): NeutralRequest;
	/** The words in which this protocol's clients are told what an upstream cannot take. */
	readonly lossWords?: LossWords;
	encodeResponse(response: NeutralResponse, request: NeutralRequest): EncodedResponse;
	streamEncoder(request: NeutralRequest): StreamEncoder;
	encodeTokenCount?(tokens: number): unknown;
	readonly renderDenial: RenderDenial;
	/** What is written into an open stream that cannot go on; after it the stream is closed. */
	renderStreamDenial(denial: Denial, ask: ModelAsk): string;
	/** The media type of a stream for this request. */
	streamType(ask: ModelAsk): string;
	/** What may be written between events of a silent stream; absent where clients cannot bear any. */
	readonly keepAlive?: string;
	/** Absent where the protocol's clients cannot ask for it. */
	readonly compaction?: Compaction;
	/** Lists of models in this protocol's shape. */
	readonly models?: ModelListing;
}

/** What an encoder knows of the target. */
export interface EncodeContext {
	/** The upstream's name for the model. */
	readonly model: string;
	/** The family opaque values are bound to (`familyOf(model)`). */
	readonly family: string;
	readonly capabilities: ModelCapabilities;
	/** What the request is for, where its body depends on it (`count_tokens`); `generate` unless said. */
	readonly operation?: Operation;
}

export interface EncodedRequest {
	readonly body: unknown;
	/** Extra headers this body needs (`anthropic-beta`). */
	readonly headers?: Readonly<Record<string, string>>;
	/** What could not be carried, by its neutral place; the client's protocol words it. */
	readonly losses: readonly NeutralLoss[];
	readonly names: NameMap;
}

/** What a decoder knows of the call it decodes the answer of. */
export interface DecodeContext {
	readonly family: string;
	readonly names: NameMap;
	/** For answers that name a thing only the request explains (custom tools that went as functions). */
	readonly request: NeutralRequest;
}

export interface StreamDecoder {
	push(event: StreamEvent): readonly NeutralEvent[];
	/** The bytes ended. Gives what is still held; `end {clean:false}` unless the protocol had announced the end. */
	end(): readonly NeutralEvent[];
}

/** The side that asks upstreams. */
export interface UpstreamSide {
	/** The path (and query) added to the upstream's `url`. */
	path(call: { readonly operation: Operation; readonly model: string; readonly stream: boolean }): string;
	/** The header that carries the key, and fixed ones this protocol demands. */
	headers(key: string | undefined): Readonly<Record<string, string>>;
	encodeRequest(request: NeutralRequest, context: EncodeContext): EncodedRequest;
	decodeResponse(body: unknown, context: DecodeContext): NeutralResponse;
	streamDecoder(context: DecodeContext): StreamDecoder;
	/** An answer that is not 2xx. The message must be fit for the client: no key, no address, no organisation. */
	decodeError(status: number, headers: Headers, text: string): Denial;
	/** How it is asked which models it has. */
	readonly models?: ModelQuestion;
	/** The count in an answer to `count_tokens`; absent when the protocol has no such route. */
	decodeTokenCount?(body: unknown): number | undefined;
}

export interface Protocol {
	/** `chat-completions`, `messages` …: the word used in config. */
	readonly name: string;
	readonly conversations?: Conversations;
	readonly client: ClientSide;
	readonly upstream: UpstreamSide;
	readonly passthrough: Passthrough;
	readonly facts: RequestFacts;
}

/** Every protocol clients may speak and upstreams may be. */
export const protocols = slot<Protocol>("protocols");
