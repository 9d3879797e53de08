/** How a call ended and what it used: told to permits and recorders. */
import type { Loss } from "../neutral/model.ts";
import type { Usage } from "../neutral/response.ts";
import type { AccessToken } from "./call.ts";
import type { Denial } from "./fault.ts";
import type { Operation } from "./model-ask.ts";
import { service, slot } from "./token.ts";
import type { CallTrace } from "./trace.ts";
import type { Target } from "./upstream.ts";

/**
 * `completed`: the upstream announced the end and the client had it all. `refused`: a policy or reader said no.
 * `cut`: ended at the bound of a permit. `shut_down`: Portico was told to stop.
 */
export type Ending =
	| "completed"
	| "client_left"
	| "upstream_failed"
	| "refused"
	| "cut"
	| "timed_out"
	| "shut_down"
	| "failed";

/** How a call ended, as permits are told. */
export interface Outcome {
	readonly ending: Ending;
	/** Whether a request was sent to an upstream at all. */
	readonly sent: boolean;
	/** What the upstream counted, or Portico's estimate (`estimated: true`); absent when nothing was used. */
	readonly usage?: Usage | undefined;
	/** The target that answered, or the last one tried. */
	readonly target?: Target | undefined;
	/** What the sent request said that changes the price of its tokens (`RequestFacts.tiers`), corrected by the answer where that tells its tier. */
	readonly tiers?: readonly string[];
	readonly denial?: Denial | undefined;
	/** The upstream's own word for an end that is not the answer's: a limit, a filter, a tool call that cannot be read. */
	readonly stopped?: string | undefined;
	/** Bytes of generated content that were read from the upstream, approximately. */
	readonly contentBytes: number;
	/** Events of a stream that brought content, or parts of a whole answer. */
	readonly pieces: number;
}

/** What a call was charged, in micro-dollars. */
export interface Charge {
	/** Absent where no price is known. */
	readonly charged?: number;
	/** What the upstream reported beyond what had been held; the operator bears it. */
	readonly excess?: number;
}

/** Something that was not tried, and why: a target whose circuit is open, a key that rests. */
export interface PassedOver {
	readonly upstream: string;
	/** The model at the upstream; absent where a key was passed over. */
	readonly model?: string;
	/** In words an operator can act on. */
	readonly reason: string;
}

/** One try at one target. For operators only: `message` is what the vendor itself said. */
export interface AttemptRecord {
	readonly upstream: string;
	/** The name the upstream knows. */
	readonly model: string;
	/** The place of the upstream's key in the config, from 1, where it has several. */
	readonly key?: number;
	/** Why this target: `only`, `affinity`, `weight`, `chosen`, `next`, `probe` … */
	readonly why: string;
	/** What was passed over to come to it. */
	readonly skipped: readonly PassedOver[];
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	/** To the end of its answer, or to its failure. Milliseconds, as the next. */
	readonly durationMs: number;
	readonly firstByteMs?: number;
	/** The upstream's HTTP status; absent when it gave none. */
	readonly status?: number;
	/** What went wrong, as one word; absent when nothing did. `no_answer_yet`: it was left before it had answered. */
	readonly code?: string;
	/** The vendor's own message, without the operator's keys and addresses. */
	readonly message?: string;
	/** Its span, where calls are traced, and the host that was asked. */
	readonly spanId?: string;
	readonly host?: string;
}

/** Whose call it was. */
export type CallToken = Pick<AccessToken, "id" | "name">;

/** One finished call, as recorders get it. Times in milliseconds. */
export interface CallRecord {
	readonly id: string;
	/** What the client was told as `x-request-id`. */
	readonly requestId?: string;
	/** When it was over, since 1970. */
	readonly at: number;
	readonly token?: CallToken | undefined;
	/** The beginning of the SHA-256 of a key that is no token's. */
	readonly keyDigest?: string | undefined;
	/** Refusals of a flood are counted: how many this one record stands for. */
	readonly repeats?: number | undefined;
	readonly route: string;
	/** The client's; `tasks` for tasks; for what calls no model, what its route says, or its plugin's name. */
	readonly protocol: string;
	readonly operation: Operation;
	/** The model asked for; absent when the body could not be read. */
	readonly model?: string | undefined;
	readonly stream: boolean;
	/** What the client was told, in its protocol's numbers; 499 where it left before that. */
	readonly status: number;
	readonly outcome: Outcome;
	/** Every try, in order; of very many the first and the last ones only. */
	readonly attempts: readonly AttemptRecord[];
	/** The tries that `attempts` leaves out, for whoever counts them. */
	readonly leftOut?: readonly AttemptRecord[] | undefined;
	/** The one figure that rows, log and metrics tell. Absent when nothing was used or no price is known. */
	readonly charge?: Charge | undefined;
	/** From its arrival to the first byte of its answer; the next two count from its arrival too. */
	readonly firstByteMs?: number | undefined;
	/** To the first word of a streamed answer; absent where it had none, or is no stream. */
	readonly firstContentMs?: number | undefined;
	readonly durationMs: number;
	readonly address?: string | undefined;
	readonly userAgent?: string | undefined;
	/** What the upstream could not take of it, as the client was told. */
	readonly losses: readonly Loss[];
	/** What permits marked it with, for reports. */
	readonly tags?: Readonly<Record<string, string>> | undefined;
	/** Where calls are traced. */
	readonly trace?: CallTrace | undefined;
}

/**
 * Called after settlement, for every model call, and for calls that were refused before their body was read. Must not
 * throw; failures are logged and change nothing.
 *
 * @example
 * add(recorders, { name: "counter", record: ({ outcome }) => counts.add(outcome.ending) });
 */
export interface Recorder {
	readonly name: string;
	record(call: CallRecord): void;
}

/** What hears of every call that is over. */
export const recorders = slot<Recorder>("recorders");

/**
 * Says what a finished call cost where no permit charged for it.
 *
 * @example
 * provide(costs, { chargeOf: ({ usage }) => (usage ? { charged: usage.output.total * 2 } : undefined) });
 */
export interface Costs {
	/** Undefined when it used nothing. Asked once a call. `model`: the name the client asked for. */
	chargeOf(outcome: Outcome, model: string): Charge | undefined;
}

/** Given by whoever knows prices. */
export const costs = service<Costs>("costs");
