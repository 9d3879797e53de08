/** A protocol where client and upstream both speak it: the bytes pass, changed where they must be and read for accounting. */
import type { ModelCapabilities } from "../neutral/model.ts";
import type { Usage } from "../neutral/response.ts";
import type { Denial } from "./fault.ts";
import type { ModelAsk } from "./model-ask.ts";
import type { StreamEvent, UpstreamMessage } from "./upstream-side.ts";

/** What was seen of an answer that passed through as bytes. */
export interface Observation {
	readonly usage?: Usage;
	/** False where `usage` was told before all was generated, and so is the least there can be; as `finished` unless said. */
	readonly usageIsTotal?: boolean;
	/** True when the upstream bills nothing for such an answer, though it may tell usage. */
	readonly unbilled?: boolean;
	/** Calls of tools of the upstream's own that were seen to begin, by name as in `usage`: for an answer whose end tells none. */
	readonly serverTools?: Usage["serverTools"];
	/**
	 * Results of the upstream's own tools that were seen: after each the model reads everything again. `bytes`: of the results
	 * alone, as often as they were read.
	 */
	readonly results?: { readonly times: number; readonly bytes: number };
	/** The service tier that the answer was served in, by its own word; it replaces the asked one (`RequestFacts.tiers`). */
	readonly tier?: string;
	/** The protocol's own announcement of the end was seen. */
	readonly finished: boolean;
	/** An error told within the answer. */
	readonly error?: Denial;
	/** The upstream's own word for an end that is not the answer's: a limit, a filter, a tool call that cannot be read. */
	readonly stopped?: string;
	/** How many events carried generated content. Well-behaved upstreams send no more events than tokens. */
	readonly pieces: number;
	/** UTF-8 bytes of generated content, approximately. */
	readonly contentBytes: number;
	/** What `Conversations.save` is to have of the answer, once it has ended; only from protocols that keep such answers. */
	readonly answer?: unknown;
}

/** How far a stream has come: what is asked after every chunk. */
export type Progress = Pick<Observation, "finished" | "pieces" | "contentBytes">;

/** Reads a passing stream for accounting. It must be cheap: parse an event's JSON only when it can matter. */
export interface StreamObserver {
	event(event: StreamEvent): void;
	result(): Observation;
	/** These fields of `result` alone, for observers whose `result` costs more than a look at a few fields. */
	progress?(): Progress;
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
	readonly capabilities: ModelCapabilities;
}

/**
 * Same protocol on both sides.
 *
 * @example
 * request: ({ body, headers }, { model }) => ({
 * 	path: "/v1/telegrams",
 * 	headers: definedOnly({ "anthropic-beta": headers.get("anthropic-beta") ?? undefined }),
 * 	body: editJsonBody(body, { model }),
 * }),
 */
export interface Passthrough {
	/** The client's request with only what must change. Headers: those of the client that this protocol lets through. */
	request(ask: ModelAsk, changes: PassthroughChanges): UpstreamMessage;
	/** What a whole JSON answer says. `body` is the parsed answer. */
	observe(body: unknown): Observation;
	/**
	 * The answer's text with the client's names and chosen fields; called where a name differs, or for a selective call.
	 * `body` is the parsed answer.
	 */
	restore(text: string, ask: ModelAsk, changes: PassthroughChanges, body: unknown): string;
	observer(ask: ModelAsk): StreamObserver;
	/**
	 * Absent when the stream may pass as it is. Otherwise called for each event and returns the text to send in its
	 * place: the alias put back, injected usage removed, other framing.
	 */
	editor(ask: ModelAsk, changes: PassthroughChanges): StreamEditor | undefined;
}

/** Changes a passing stream, event by event. `end` gives what must follow the last one. */
export interface StreamEditor {
	event(event: StreamEvent): string;
	end(): string;
}
