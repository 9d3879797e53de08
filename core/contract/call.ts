/** What is known at each phase of a call. A later phase's type holds everything of the earlier ones. */
import type { NeutralRequest } from "../neutral/request.ts";
import type { Bound, EndpointAsk } from "./endpoint.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { ModelCall } from "./model-ask.ts";
import type { ProtocolAsk } from "./protocol.ts";
import type { Target } from "./upstream.ts";

/** A request that a route takes: nothing of its body has been read. */
export interface Admitted {
	/** The call's own id, never used twice: the ledger's key. */
	readonly id: string;
	/** What is given back as `x-request-id` and `request-id`: the client's own when it sent a usable one, else `id`. */
	readonly requestId: string;
	readonly request: Request;
	/**
	 * Where the client reached this server: `https://portico.example`. The name is the client's own word; the scheme that of
	 * the socket, or what a trusted proxy says.
	 */
	readonly origin: string;
	/** Parsed once. Its path is not to be trusted for access decisions: the matched route is. */
	readonly url: URL;
	/** Path parameters of the matched route. */
	readonly params: Readonly<Record<string, string>>;
	/** The client's address, normalised; `undefined` when a proxy's header could not be read. */
	readonly address: string | undefined;
	/** The path pattern of the matched route, for logs. */
	readonly route: string;
	/** Monotonic milliseconds. */
	readonly startedAt: number;
	/** Called when the end of the answer is about to be sent: after that the connection may not idle for ever. */
	readonly answered?: () => void;
}

/** Whose token it is. */
export interface TokenOwner {
	/** `per_…` */
	readonly id: string;
	/** What all tokens of the person may spend together, micro-dollars; absent: no limit. */
	readonly ceiling?: number;
	/** What each policy's `compile` made of what all tokens of the person share, by setting key (`budgets`). */
	readonly compiled?: ReadonlyMap<string, unknown>;
}

/** An API key that Portico issued. */
export interface AccessToken {
	readonly id: string;
	readonly name: string;
	/** Settings by key, as stored. */
	readonly settings: Readonly<Record<string, unknown>>;
	/** The person it belongs to, where it is somebody's. */
	readonly owner?: TokenOwner;
	/** What each policy's `compile` made of its setting, by setting key: of every one in `settings`, or the token is refused. */
	readonly compiled: ReadonlyMap<string, unknown>;
}

/** A call whose token is known and valid. */
export interface Identified extends Admitted {
	readonly token: AccessToken;
	/** Whose share it takes of what all calls share: the token's owner when the call began, or the token where nobody owns it. */
	readonly caller: string;
	/** What the call holds of the memory that all calls share; absent where nothing is counted. Given back when its handler has answered. */
	readonly held?: HeldBytes;
}

/** A call that says what it asks for, before it is known where that may go: what a router chooses by. */
export interface AskedCall extends Identified {
	/** The model asked for, what is done with it, and what the client limits itself to. */
	readonly model: ModelCall;
	/** The wire format the client speaks: `messages`, `openai`; `tasks` for a task. */
	readonly protocol: string;
	/** The bytes of the request's body. */
	readonly requestBytes: number;
	/**
	 * The request in its neutral form: decoded at the first question, kept, and used again by the translation. Throws
	 * `Fault` (`invalid_request`) for a request that no upstream could accept.
	 *
	 * @example
	 * const { messages } = call.prompt();
	 * const words = messages.flatMap(({ blocks }) => blocks.filter((block) => block.type === "text"));
	 */
	prompt(): NeutralRequest;
}

/** What every call has that knows where it may go, whatever it is for. */
interface RoutedCall extends AskedCall {
	/** Where the call may go, in the order in which it is tried. Never empty. */
	readonly targets: readonly [Target, ...Target[]];
}

/** A conversation, or a question about one (how many tokens it is). */
export interface ModelRouted extends RoutedCall {
	readonly surface: "model";
	readonly ask: ProtocolAsk;
}

/** A task about to be taken on. Its `prompt()` is what the model is asked to make, pictures included. */
export interface TaskRouted extends RoutedCall {
	readonly surface: "task";
	/** `image`, `video`, `music` … */
	readonly taskKind: string;
}

/** A call of an endpoint (`embeddings`, `rerank`), whose name is its operation. */
export interface EndpointRouted extends RoutedCall {
	readonly surface: "endpoint";
	readonly ask: EndpointAsk;
	/** The most it can use. */
	readonly bound: Bound;
	/** What it says that changes the price of its tokens, as `RequestFacts.tiers` tells it of conversations. */
	readonly tiers: readonly string[];
}

/**
 * A call that knows where it may go. What all have in common stands on each; `surface` tells them apart.
 *
 * @example
 * check(call) {
 * 	if (call.surface === "task" && call.taskKind === "video") return deny("permission", "No films here.");
 * 	return undefined;
 * }
 */
export type Routed = RelayedCall | TaskRouted;

/** A call that goes to an upstream at once; tasks go their own way. */
export type RelayedCall = ModelRouted | EndpointRouted;
