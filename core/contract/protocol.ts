/**
 * What a protocol plugin gives: its wire format, once, for both sides. The core calls these functions; it knows no
 * protocol itself. All of them are pure but for the state that a decoder, encoder or observer keeps of its own stream.
 */
import type { ClientSide } from "./client-side.ts";
import type { Conversations } from "./conversations.ts";
import type { RequestFacts } from "./facts.ts";
import type { ModelAsk } from "./model-ask.ts";
import type { Passthrough } from "./passthrough.ts";
import { slot } from "./token.ts";
import type { UpstreamSide } from "./upstream-side.ts";

/**
 * One wire format. Each part is a file here: `client-side.ts`, `upstream-side.ts`, `passthrough.ts`, `facts.ts`,
 * `conversations.ts`.
 *
 * @example
 * add(protocols, { name: "telegraph", client, upstream, passthrough, facts });
 */
export interface Protocol {
	/** `chat-completions`, `messages` …: the word used in config. */
	readonly name: string;
	readonly conversations?: Conversations;
	readonly client: ClientSide;
	readonly upstream: UpstreamSide;
	readonly passthrough: Passthrough;
	readonly facts: RequestFacts;
}

/** A model request with the protocol it came by, as the phases of a call have it. */
export interface ProtocolAsk extends ModelAsk {
	readonly protocol: Protocol;
}

/** Every protocol clients may speak and upstreams may be. */
export const protocols = slot<Protocol>("protocols");
