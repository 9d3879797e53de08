/** Where a call may go. The plugin `router`, or another in its place, gives the service; the core only asks it. */
import type { AskedCall, Routed } from "./call.ts";
import type { Denial } from "./fault.ts";
import type { ModelInfo } from "./model-listing.ts";
import type { AttemptRecord, PassedOver } from "./outcome.ts";
import { service, slot } from "./token.ts";
import type { Target } from "./upstream.ts";

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
	/**
	 * When it began, by the clock's `monotonic`. Given only for an attempt that was given up (mostly because the client left)
	 * after the upstream had sent nothing for 30 seconds, or of a stream nothing but its status (code `no_answer_yet`): a failure
	 * of the upstream where it has answered nobody since, and elsewhere a request that takes long.
	 */
	readonly begunAt?: number;
	/**
	 * Of a stream: `begun` while no more than its beginning is there, `ended` when it is told once more, of how it went on. Without
	 * an `error` it came to its end then. That its client left, or kept it waiting, is not told.
	 */
	readonly stream?: "begun" | "ended" | undefined;
	/** The call it was made for, as `plan` got it: what fails for one caller alone may be that caller's doing. */
	readonly call?: AskedCall | undefined;
}

/** `open`: calls are kept away from it; `half-open`: one call is let through to see. */
export interface UpstreamHealth {
	readonly upstream: string;
	/** What it does, where that is not model calls: `tasks`. */
	readonly of?: string;
	readonly circuit: "closed" | "open" | "half-open";
	/** For each of its keys, where it has any: true where it is used, false where it rests. */
	readonly keys?: readonly boolean[];
	/** When the first of its failures in a row was: ISO 8601. */
	readonly failingSince?: string;
	/** The last failure, in the upstream's own words where it had any, when it was (ISO 8601), and what can be done about it. */
	readonly lastFailure?: { readonly message: string; readonly at?: string; readonly advice?: string };
}

/**
 * Says where a call may go. One plugin gives it; the `router` plugin, or another in its place.
 *
 * @example
 * const [first] = needs.router.plan("gpt-5")?.targets ?? [];
 */
export interface Router {
	/**
	 * Undefined when no model of that name is configured. `call`: for whoever chooses by its words or its token; absent where no
	 * call is made. Policies and guards come later: `prompt()` decodes calls here that they then refuse, and shows them unchanged.
	 * Not asked for tasks. To choose among the targets of the config write a chooser instead (`choosers` of
	 * `#core/plugins/router`).
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

/**
 * Upstreams beside those of the router that are not well now, for `portico status`.
 *
 * @example
 * const isAway = true;
 * const offers = [add(unwellUpstreams, () => (isAway ? [{ upstream: "radar", of: "forecasts", circuit: "half-open" }] : []))];
 */
export const unwellUpstreams = slot<() => readonly UpstreamHealth[]>("unwellUpstreams");

/** Given by the plugin that routes. */
export const router = service<Router>("router");
