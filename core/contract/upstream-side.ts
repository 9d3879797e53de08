/** What a protocol does with an upstream: writes requests for it and reads its answers. */
import type { NeutralLoss } from "../neutral/losses.ts";
import type { Loss, ModelCapabilities, NameMap } from "../neutral/model.ts";
import type { NeutralRequest } from "../neutral/request.ts";
import type { NeutralEvent, NeutralResponse } from "../neutral/response.ts";
import type { Denial } from "./fault.ts";
import type { Operation } from "./model-ask.ts";
import type { ModelQuestion } from "./model-listing.ts";

/** A request as it goes to an upstream. `path` begins with `/` and is added to the upstream's `url`; it may hold a query. */
export interface UpstreamMessage {
	/** POST unless said. */
	readonly method?: "DELETE";
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	/** For a `fetch` of one's own: `body as RequestInit["body"]`, whose type asks in what memory the bytes lie. */
	readonly body: string | Uint8Array;
	/** For a passthrough: parts of the client's request that could not go along, by the client's own names. */
	readonly losses?: readonly Loss[];
}

/** A request with all its headers, as it is about to be sent: what a signature is made of. */
export interface SignedRequest {
	readonly method: string;
	/** The whole address. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array;
}

/**
 * One server-sent event; `name` is absent when the stream gave none. Of an upstream whose answer is lines of JSON
 * (`application/x-ndjson`, `application/jsonl`) one line.
 */
export interface StreamEvent {
	readonly name?: string;
	readonly data: string;
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

/** A neutral request in the wire form. */
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

/** Reads a stream in the wire form, event by event. */
export interface StreamDecoder {
	push(event: StreamEvent): readonly NeutralEvent[];
	/** The bytes ended. Gives what is still held; `end {clean:false}` unless the protocol had announced the end. */
	end(): readonly NeutralEvent[];
}

/** How any request is sent to an upstream of one wire format: how the key goes along, and what a failure means. */
export interface UpstreamWire {
	/** The header that carries the key, and fixed ones that the format demands. */
	headers(key: string | undefined): Readonly<Record<string, string>>;
	/**
	 * Headers made of the request itself, for vendors that want it signed. Called last, for each key and each try.
	 *
	 * @example
	 * sign: ({ body }, key = "") => ({ signature: createHmac("sha256", key).update(body).digest("hex") }), // of node:crypto
	 */
	sign?(request: SignedRequest, key: string | undefined): Readonly<Record<string, string>>;
	/** An answer that is not 2xx. The message must be fit for the client: no key, no address, no organisation. */
	decodeError(status: number, headers: Headers, text: string): Denial;
}

/**
 * The side that asks upstreams.
 *
 * @example
 * path: ({ stream }) => (stream ? "/v1/telegrams?wait=true" : "/v1/telegrams"),
 * headers: bearer,
 */
export interface UpstreamSide extends UpstreamWire {
	/** The path (and query) added to the upstream's `url`. */
	path(call: { readonly operation: Operation; readonly model: string; readonly stream: boolean }): string;
	/** Strict: writes what the target takes, and tells the rest in `losses`. What it throws (a `Fault`) ends the attempt. */
	encodeRequest(request: NeutralRequest, context: EncodeContext): EncodedRequest;
	/** A whole answer of 2xx, parsed. A failure told within it is its `error`; what it throws ends the attempt. */
	decodeResponse(body: unknown, context: DecodeContext): NeutralResponse;
	streamDecoder(context: DecodeContext): StreamDecoder;
	/** The protocol in which, by the words of a refusal, the same upstream takes what it refused in this one. */
	refersTo?(status: number, text: string): string | undefined;
	/** What the model cannot do, by the words of a refusal: a translated request is then written anew without it. */
	unable?(status: number, text: string): ModelCapabilities | undefined;
	/** How it is asked which models it has. */
	readonly models?: ModelQuestion;
	/** The count in an answer to `count_tokens`; absent when the protocol has no such route. */
	decodeTokenCount?(body: unknown): number | undefined;
}
