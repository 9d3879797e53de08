/** What a protocol does for its clients: reads their requests and writes their answers. */
import type { LossWords } from "../neutral/losses.ts";
import type { Loss } from "../neutral/model.ts";
import type { NeutralRequest } from "../neutral/request.ts";
import type { Finish, NeutralEvent, NeutralResponse } from "../neutral/response.ts";
import type { Compaction } from "./conversations.ts";
import type { Denial, RenderDenial } from "./fault.ts";
import type { ModelAsk, ModelCall, ModelRequest, Operation } from "./model-ask.ts";
import type { ModelListing } from "./model-listing.ts";

/** How a whole answer goes out. */
export interface EncodedResponse {
	/** Sent as JSON. */
	readonly body: unknown;
	/** Parts of the answer that this protocol cannot express. */
	readonly losses?: readonly Loss[];
	readonly headers?: Readonly<Record<string, string>>;
}

/** Writes a neutral stream in the wire form. Returns text to send, `""` for nothing. */
export interface StreamEncoder {
	push(event: NeutralEvent): string;
	/** What `Conversations.save` is to have of the answer, once it has ended; only from protocols that keep any. */
	answer?(): unknown;
}

/**
 * The side that answers clients.
 *
 * @example
 * read: ({ body: { value } }) => ({
 * 	operation: "generate",
 * 	name: asText(value["model"]) ?? "",
 * 	stream: value["stream"] === true,
 * 	candidates: 1,
 * }),
 */
export interface ClientSide {
	/** Paths (POST) that clients call; every alias is listed. */
	readonly paths: readonly string[];
	/** True when this protocol's clients may send their key as `?key=`. */
	readonly keyInQuery?: boolean;
	/** True when the headers or the query show this protocol's client, at an address that others answer too. */
	claims?(headers: Headers, url: URL): boolean;
	/** What a call of this address is for, before its body is read; `generate` unless given. */
	operationAt?(path: string): Operation;
	/** Finds the model and the few other things routing needs. Throws `Fault` when the request cannot be one. */
	read(request: ModelRequest): ModelCall;
	/** Lenient. Throws `Fault` (`invalid_request`, with `parameter`) for what no upstream could accept. */
	decodeRequest(ask: ModelAsk): NeutralRequest;
	/** The words in which this protocol's clients are told what an upstream cannot take. */
	readonly lossWords?: LossWords;
	/** A whole answer that is no failure; its `usage` is there, estimated where the upstream told none. */
	encodeResponse(response: NeutralResponse, request: NeutralRequest): EncodedResponse;
	streamEncoder(request: NeutralRequest): StreamEncoder;
	/** The body that tells a count of tokens; absent where clients cannot ask for one. */
	encodeTokenCount?(tokens: number): unknown;
	/** What a call is told that has no answer. */
	readonly renderDenial: RenderDenial;
	/** What is written into an open stream that cannot go on; after it the stream is closed. */
	renderStreamDenial(denial: Denial, ask: ModelAsk): string;
	/** Whether clients know the word by which a failed answer ended, and are told it; otherwise they are told an error. */
	readonly tellsFailure?: (finish: Finish) => boolean;
	/** The media type of a stream for this request. */
	streamType(ask: ModelAsk): string;
	/** What may be written between events of a silent stream; absent where clients cannot bear any. */
	readonly keepAlive?: string;
	/** Absent where the protocol's clients cannot ask for it. */
	readonly compaction?: Compaction;
	/** Lists of models in this protocol's shape. */
	readonly models?: ModelListing;
}
