/** Where a call may go. The plugin `router`, or another in its place, gives the service; the core only asks it. */

import type { ModelCapabilities } from "../neutral/model.ts";
import type { AskedCall, Routed } from "./call.ts";
import type { Denial } from "./fault.ts";
import type { ListedModel } from "./model-listing.ts";
import type { AttemptRecord, PassedOver } from "./outcome.ts";
import type { UpstreamMessage, UpstreamSide } from "./protocol.ts";
import { service, slot } from "./token.ts";

/** Told what an upstream with several keys does with them, for the record of the call. Places are those in the config, from 1. */
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
	/** How the key is sent and what a failure means: the words of the protocol or dialect. */
	readonly wire: Pick<UpstreamSide, "headers" | "sign" | "decodeError">;
	readonly keys?: KeyNotes;
	/** Aborted when the client leaves or a limit is reached; an upstream aborts it itself when it gives up waiting. */
	readonly abort: AbortController;
	/** Whether the answer was asked for as a stream. */
	readonly stream: boolean;
	/** The call's id, for the upstream's log. */
	readonly callId: string;
	/** Headers that tell the upstream which trace this attempt belongs to; only where calls are traced. */
	traceHeaders?(): Readonly<Record<string, string>>;
	/** A sticky choice among several keys. */
	readonly affinity?: string;
	/** Whether it may be sent again when the connection broke before anything was answered. Not, unless it says so. */
	mayRepeat?(): boolean;
}

/**
 * Something that answers model calls: a provider over HTTP, or a plugin's own (the demo). Nobody else knows its key or address.
 *
 * @example
 * add(upstreams, { name: "echo", protocols: ["chat-completions"], send: async ({ path }) => Response.json({ path }) });
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

/** A model that clients may ask for. */
export interface ModelInfo {
	readonly name: string;
	/** Seconds since 1970. */
	readonly createdAt: number;
	readonly ownedBy: string;
	readonly capabilities: ModelCapabilities;
}

/** The plan for one call: targets in the order in which they are to be tried. */
export interface Plan {
	readonly targets: readonly [Target, ...Target[]];
	/** `strict`: answer 400 rather than leave something behind in translation. */
	readonly translation: "lossy" | "strict";
	/** Why each target stands where it does, in their order. */
	readonly why?: readonly string[];
	/** Targets that were put last, and why. */
	readonly passedOver?: readonly PassedOver[];
}

/** How an attempt ended, told to the router for its circuits. */
export interface AttemptReport {
	readonly target: Target;
	/** Absent when it went well. */
	readonly error?: Denial;
	/** What the upstream said of it, for operators only. */
	readonly said?: Pick<AttemptRecord, "status" | "code" | "message"> | undefined;
	/** Milliseconds from its beginning to the first byte of its answer; absent where none was handed on. */
	readonly firstByteMs?: number | undefined;
	/** The call that it was made for, as `plan` was told it: what fails for one caller alone may be what that one asks for. */
	readonly call?: AskedCall;
}

/** `open`: calls are kept away from it; `half-open`: one call is let through to see. */
export interface UpstreamHealth {
	readonly upstream: string;
	readonly circuit: "closed" | "open" | "half-open";
	/** For each of its keys, where it has any: true where it is used, false where it rests. */
	readonly keys?: readonly boolean[];
	/** When the first of its failures in a row was: ISO 8601. */
	readonly failingSince?: string;
	/** The last failure, in the upstream's own words where it had any, and what can be done about it. */
	readonly lastFailure?: { readonly message: string; readonly advice?: string };
}

/**
 * Says where a call may go. One plugin gives it; the `router` plugin, or another in its place.
 *
 * @example
 * const [first] = needs.router.plan("gpt-5")?.targets ?? [];
 */
export interface Router {
	/**
	 * Undefined when no model of that name is configured. `call`: what is asked, for whoever chooses by its words or its token;
	 * absent where no call is made. It is asked before the policies, so a `prompt()` looked at here is decoded for calls too
	 * that are refused, and what guards change of it is changed later. Tasks are not asked about. What only chooses among the
	 * targets of the config is no router, but one of the `choosers` of `#core/plugins/router`.
	 *
	 * @example
	 * plan: (_model, _affinity, call) => ({ targets: [call?.prompt().tools ? large : small], translation: "lossy" }),
	 */
	plan(model: string, affinity?: string, call?: AskedCall): Plan | undefined;
	/** Models with exact names (patterns are not listed). */
	models(): readonly ModelInfo[];
	/** The same, and what upstreams list of the models that a pattern leads to. It waits for none of them for long. */
	listed?(): Promise<readonly ModelInfo[]>;
	/** The model of that name, also when only a pattern knows it. */
	model(name: string): ModelInfo | undefined;
	/** Every target that a name may lead to, where that can be told; nothing is chosen by it. */
	targets?(name: string): readonly Target[];
	/** Whether an attempt that ended with this denial may be followed by one at the next target. */
	mayFollow(denial: Denial, call: Routed): boolean;
	report(report: AttemptReport): void;
	/** The state of the upstreams, for whoever watches over them. */
	health?(): readonly UpstreamHealth[];
}

/** Given by the plugin that routes. */
export const router = service<Router>("router");
