/**
 * Model routes that are no conversation: embeddings, rerank, speech. An endpoint is named once; a dialect is one vendor's
 * wire form of it, for clients, for upstreams, or for both. Where both speak the same dialect, bytes pass.
 */
import type { Loss } from "../neutral/model.ts";
import type { Units, Usage } from "../neutral/response.ts";
import type { EncodedResponse } from "./client-side.ts";
import type { Denial, RenderDenial } from "./fault.ts";
import type { JsonBody } from "./json-body.ts";
import type { ModelAsk, ModelCall, ModelRequest } from "./model-ask.ts";
import type { StreamEditor } from "./passthrough.ts";
import { slot } from "./token.ts";
import type { StreamEvent, UpstreamMessage, UpstreamWire } from "./upstream-side.ts";

/** One field or file of a form; its value stands in the form's bytes from `start` to `end`. */
export interface FormPart {
	readonly name: string;
	/** Given for files. */
	readonly filename?: string;
	/** The part's own `content-type`, when it has one. */
	readonly type?: string;
	readonly start: number;
	readonly end: number;
}

/** A `multipart/form-data` body as it arrived. Only the heads of its parts are read. */
export interface FormBody {
	readonly bytes: Uint8Array;
	/** With its boundary, as the client sent it. */
	readonly contentType: string;
	readonly parts: readonly FormPart[];
}

/** The body of a request in the form that the dialect asks for. */
export type EndpointBody =
	| { readonly type: "json"; readonly json: JsonBody }
	| { readonly type: "form"; readonly form: FormBody };

/** A request of an endpoint as it arrived. */
export interface EndpointRequest extends Omit<ModelRequest, "body"> {
	readonly body: EndpointBody;
}

/** The most that a call can use: what is held of a quota until the real use is known. */
export interface Bound {
	/** Model tokens; a token stands for at least one byte of what is sent. */
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** What is used besides tokens. */
	readonly units?: Units;
}

/** What `read` finds out before anything is decoded: what routing, limits and prices need. */
export interface EndpointCall extends Pick<ModelCall, "stream" | "affinity"> {
	/** The model the client asked for. */
	readonly model: string;
	readonly bound: Bound;
	/** How many texts are written at once; 1 unless said. */
	readonly answers?: number;
	/** The words that are sent to the model, for policies and guards that read prompts. */
	readonly texts: readonly string[];
	/**
	 * The request names what an upstream's account keeps, such as a voice that was made there. Of the upstreams of its dialect
	 * only one whose account is the token's alone may be asked; in other dialects the name is left behind.
	 */
	readonly looksUp?: Denial;
	/** About how many input tokens there are besides `texts` (ids of tokens, pictures), where the upstream does not say. */
	readonly otherTokens?: number;
}

/** A request of an endpoint with what `read` found. */
export interface EndpointAsk extends EndpointRequest, Pick<ModelAsk, "steered"> {
	readonly dialect: string;
	readonly call: EndpointCall;
}

/** A request as it goes to an upstream of another dialect. */
export interface EncodedEndpointRequest {
	/** One message, or several whose answers `decodeAnswer` gets in the same order: a batch that is too long for one. */
	readonly messages: readonly UpstreamMessage[];
	/** What the target's dialect has no place for. */
	readonly losses: readonly Loss[];
}

/** Reads a passing stream of events for accounting. */
export interface EndpointObserver {
	event(event: StreamEvent): void;
	/** The dialect's own announcement of the end was seen. */
	readonly finished: boolean;
	/** What the upstream said it used; undefined until it did. */
	readonly usage: Usage | undefined;
}

/** How an answer that comes as events goes on to its client as something else. */
export interface EndpointRecast {
	/** The media type that the client asked for. */
	readonly type: string;
	/** The bytes that an event brings. */
	event(event: StreamEvent): Uint8Array | undefined;
}

/**
 * One vendor's wire form of an endpoint. `Asked` and `Answer` are the endpoint's own terms, which every dialect of it
 * translates from and to.
 *
 * @example
 * // An answer that says nothing of tokens: one search for each request.
 * observe: () => ({ input: { total: 0 }, output: { total: 0 }, units: { searches: 1 } }),
 */
export interface Dialect<Asked = unknown, Answer = unknown> extends UpstreamWire {
	/** The vendor's name: `openai`, `cohere`. */
	readonly name: string;
	/** Paths (POST) that its clients call; empty where only upstreams speak it. Dialects of one endpoint may share a path. */
	readonly paths: readonly string[];
	/** Whether a request is in this dialect, at a path that several share. The first that claims it reads it; else the first of the path. */
	claims?(request: EndpointRequest): boolean;
	readonly body: "json" | "form";
	readonly renderDenial: RenderDenial;
	/**
	 * Fields of a body, beside `model`, that decide what is asked and what it costs. Other spellings of them, which an upstream
	 * might read and Portico would not, are taken out of a request; so is what would choose another upstream.
	 */
	readonly fields?: readonly string[];
	/** True when its clients may send their key as `?key=`. */
	readonly keyInQuery?: boolean;
	/** Throws `Fault` (`invalid_request`, with `parameter`) for what no upstream could accept. */
	read(request: EndpointRequest): EndpointCall;
	/** The path added to the upstream's `url`. */
	path(call: { readonly model: string; readonly stream: boolean; readonly request?: EndpointRequest }): string;
	/**
	 * What a whole answer says it used; undefined where it does not, which is what `estimate` is for. Where one request went as
	 * several messages each answer is asked, and what they say is added up. `body` is its JSON; undefined for one that is no
	 * JSON (sound), of which only the length in bytes is known. An answer that holds an `error`, whole or as an event, counts as
	 * failed before it comes here.
	 */
	observe(body: unknown, ask: EndpointAsk, bytes: number): Usage | undefined;
	/** What the call used, where the answer does not say. Unless given: the tokens of its texts, and its `otherTokens`. */
	estimate?(ask: EndpointAsk): Usage;
	/** For answers that come as events. */
	observer?(ask: EndpointAsk): EndpointObserver;
	/** What changes events on their way to the client of the same dialect; undefined where they may pass as they are. */
	editor?(ask: EndpointAsk, model: string): StreamEditor | undefined;
	/** How an answer that comes as events goes on as something else (sound); undefined where events were asked for. */
	recast?(ask: EndpointAsk): EndpointRecast | undefined;
	/** The client's request for an upstream of this dialect. Unless given: its own bytes, with the target's model in their `model`. */
	passthrough?(ask: EndpointAsk, model: string): UpstreamMessage;

	// Only where another dialect can serve its clients, or it can serve others'.

	/** The client's request in the endpoint's own terms. */
	decodeRequest?(ask: EndpointAsk): Asked;
	/** `model`: the upstream's name for it. What it throws (a `Fault`) ends the attempt. */
	encodeRequest?(asked: Asked, model: string): EncodedEndpointRequest;
	/** `bodies`: the JSON of each answer, or the bytes of one that is no JSON. */
	decodeAnswer?(bodies: readonly unknown[], asked: Asked): Answer;
	/** `usage`: what all answers together used. `body` may be bytes: then `headers` name their type. */
	encodeAnswer?(answer: Answer, ask: EndpointAsk, usage: Usage): EncodedResponse;
}

/**
 * A model route that is no conversation. It lives the whole life of a call: routed, metered, failed over, recorded.
 *
 * @example
 * add(endpoints, { name: "rerank", dialects: [cohere, jina], usual: "cohere", defaults: {} });
 */
export interface Endpoint<Asked = unknown, Answer = unknown> {
	/** The word in config (`upstreams[].endpoints`), rows and metrics: `embeddings`. */
	readonly name: string;
	readonly dialects: readonly Dialect<Asked, Answer>[];
	/** The dialect of an upstream that config says serves this endpoint, without saying how. */
	readonly usual: string;
	/** Dialects that upstreams speak because of their protocol: `{ "chat-completions": "openai" }`. */
	readonly defaults: Readonly<Record<string, string>>;
	/** Largest body, bytes; the server's own limit unless said. */
	readonly bodyLimitBytes?: number;
}

/** Model routes beside the protocols. */
export const endpoints = slot<Endpoint>("endpoints");
