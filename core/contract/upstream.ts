/** Who answers model calls, and what it is told with each. */
import type { ModelCapabilities } from "../neutral/model.ts";
import type { ListedModel } from "./model-listing.ts";
import { slot } from "./token.ts";
import type { UpstreamMessage, UpstreamWire } from "./upstream-side.ts";

/** What an upstream with several keys tells of them, for the record of the call. Places are those in the config, from 1. */
export interface KeyNotes {
	/** The key that is sent, and those that rest meanwhile. */
	sends(place: number, resting: readonly number[]): void;
	/** The key that was sent was refused or limited, and another is tried. `words`: the body of the answer. */
	failed(status: number, words: string): void;
}

/** What a send is told besides the message. */
export interface SendOptions {
	readonly protocol: string;
	/** The endpoint, when the message is for one; `protocol` is then its dialect. */
	readonly endpoint?: string;
	/** That of the protocol or dialect. */
	readonly wire: UpstreamWire;
	readonly keys?: KeyNotes;
	/** Aborted when the client leaves or a limit is reached; an upstream aborts it itself when it gives up waiting. */
	readonly abort: AbortController;
	/** Whether the answer was asked for as a stream; one in one piece is taken too. */
	readonly stream: boolean;
	/** The call's id, for the upstream's log. */
	readonly callId: string;
	/** Headers that tell the upstream which trace this attempt belongs to; only where calls are traced. */
	traceHeaders?(): Readonly<Record<string, string>>;
	/** A sticky choice among several keys. */
	readonly affinity?: string;
	/** Whether it may be sent again after a connection that broke before anything was answered; it may not unless given. */
	mayRepeat?(): boolean;
}

/**
 * Something that answers model calls: a provider over HTTP, or a plugin's own (the demo). Nobody else knows its key or address.
 *
 * @example
 * add(upstreams, {
 * 	name: "echo",
 * 	protocols: ["chat-completions"],
 * 	async send({ body }) {
 * 		const { messages } = asRecord(parseJson(typeof body === "string" ? body : new TextDecoder().decode(body)));
 * 		const message = { role: "assistant", content: JSON.stringify(messages) };
 * 		const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
 * 		return Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }], usage });
 * 	},
 * });
 */
export interface Upstream {
	readonly name: string;
	/** Protocols it speaks, preferred first. */
	readonly protocols: readonly string[];
	/**
	 * `single`: its account is the token's alone, so that what a request names there (an answer, a file, a container) is the
	 * caller's own. Otherwise it serves others too, and such a request does not reach it.
	 */
	readonly tenancy?: "single";
	/** The host (and port) it is reached at, for traces: clients never hear it. */
	readonly host?: string;
	/** True when it keeps answers of a protocol that keeps any, and may be told by `DELETE` to forget one. */
	readonly remembers?: boolean;
	/** Who serves the models, as the table of models calls them (`KnownModels.vendors`). */
	readonly vendor?: string;
	/** Endpoints it serves beyond what its protocols bring, with their dialects; `usual` is the endpoint's usual one. */
	readonly endpoints?: Readonly<Record<string, string>>;
	/** Sends one attempt. Rejects with `Fault` (`upstream`, `upstream_timeout`) when there is no answer at all. */
	send(message: UpstreamMessage, options: SendOptions): Promise<Response>;
	/** Asks which models it has, where it can be asked. Rejects, or never answers, as upstreams do. */
	models?(signal: AbortSignal): Promise<readonly ListedModel[]>;
	/** For each of its keys, in the order of the config: true where it is used, false where it rests. */
	keys?(): readonly boolean[];
	/** Takes what is the operator's own (keys, addresses) out of this upstream's words, before a client hears them. */
	redact?(words: string): string;
}

/** Upstreams that plugins bring themselves; config names them like any other. */
export const upstreams = slot<Upstream>("upstreams");

/** One upstream plus the model name it knows. */
export interface Target {
	readonly upstream: Upstream;
	readonly model: string;
	readonly capabilities: ModelCapabilities;
}
