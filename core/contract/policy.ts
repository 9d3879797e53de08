/** Policies: rules that can refuse a call. */
import type { TSchema } from "@sinclair/typebox";
import type { Identified, Routed, TokenOwner } from "./call.ts";
import type { Denial } from "./fault.ts";
import type { ModelInfo } from "./model-listing.ts";
import type { Charge, Outcome } from "./outcome.ts";
import type { Statement } from "./store.ts";
import { slot } from "./token.ts";

/**
 * A setting that tokens may carry, owned by the policy that enforces it. The schema extends the admin API and the
 * command line (`expiresAt` becomes `--expires-at`); a token whose setting no loaded policy owns is refused.
 */
export interface TokenSetting<Compiled> {
	/** camelCase, and no other plugin's: `expiresAt`. */
	readonly key: string;
	/**
	 * Checked when a token is created or changed. A `description` is shown on the command line and in the console. Its
	 * `form: { label, order, unit, note, widget }` says how the console asks for it, where key and description do not do;
	 * `widget: "time"` helps with dates.
	 */
	readonly schema: TSchema;
	/** Refuses values a schema cannot (a malformed address): returns the complaint, in words. */
	refuse?(value: unknown): string | undefined;
	/** Turns the stored value into what the checks use, once: it is kept with the token. Throwing, undefined or a promise refuses the token. */
	compile(value: unknown): Compiled;
	/**
	 * The part of a token's value that its owner's limit allows; the value itself, unchanged, where that is all of it;
	 * undefined where nothing is left. Without it the setting cannot be a limit of a person. Both values passed the schema.
	 *
	 * @example
	 * narrow: (value, limit) => Math.min(Number(value), Number(limit)),
	 */
	narrow?(value: unknown, limit: unknown): unknown;
	/** Statements written in the same batch as the token, for policies that keep state beside it. `value` undefined: removed. */
	statements?(tokenId: string, value: unknown): readonly Statement[];
	/** Fields added to what the admin API and `GET /v1/me` show of a token (`used`, `remaining`; none of its own), and whose it is. */
	view?(tokenId: string, value: unknown, owner?: TokenOwner): Promise<Readonly<Record<string, unknown>>>;
	/** What the command line's table shows of it, where JSON is not all that people want to read. `shown`: the token as the admin API shows it. */
	inWords?(value: unknown, shown: Readonly<Record<string, unknown>>): string;
	/** The stored value for words of the command line, JSON among them; `none` is not asked about. Throws an `Error` whose message is the complaint. */
	fromWords?(words: string): unknown;
}

/** What a policy holds for a call it let through. */
export interface Permit {
	/**
	 * For what must be written down first: nothing is sent before it resolves, with undefined or with why the call is refused.
	 * Rejecting refuses too. Started at once, one write can serve all calls of a moment.
	 */
	readonly ready?: Promise<Denial | undefined>;
	/** Output tokens the upstream must be limited to. */
	readonly maxOutputTokens?: number;
	/** For how long an answer is read to its end once its client has gone, to be charged exactly; not at all unless said. */
	readonly readOnMs?: number;
	/** What the call's record is marked with. */
	readonly tags?: Readonly<Record<string, string>>;
	/** The answer's headers tell where it came from, in which attempt, and what it cost. */
	readonly explains?: boolean;
	/** Headers for the answer (rate-limit headers); names in lower case, values in Latin-1: `encodeURIComponent` writes anything. */
	readonly headers?: Readonly<Record<string, string>>;
	/**
	 * Told while a stream runs, with content pieces and bytes so far; `cut` ends the stream with the protocol's own length
	 * finish.
	 */
	progress?(pieces: number, contentBytes?: number): "go_on" | "cut";
	/**
	 * Called exactly once, newest permit first, whatever ended the call. Must not throw. Gives what it charged, where it
	 * charges: the call's record has it.
	 */
	settle?(outcome: Outcome): Charge | undefined;
}

type MaybeSoon<Answer> = Answer | undefined | Promise<Answer | undefined>;

/**
 * All must pass; the order among policies does not matter; whatever throws refuses (fail closed): a `Fault` by its denial,
 * anything else as a failure that the log tells.
 *
 * @example
 * add(policies, {
 * 	name: "no-films",
 * 	check: (call) => (call.surface === "task" && call.taskKind === "video" ? deny("permission", "No films.") : undefined),
 * });
 * // With a setting of tokens: what `compile` gave comes second, and its type is to be named there.
 * add(policies, {
 * 	name: "short-talks",
 * 	setting: { key: "maxMessages", schema: t.Integer({ minimum: 1, description: "Messages of a conversation." }), compile: Number },
 * 	check: (call, most: number = Number.POSITIVE_INFINITY) =>
 * 		call.prompt().messages.length > most ? deny("invalid_request", `At most ${most} messages.`) : undefined,
 * });
 */
export interface Policy<Compiled = unknown> {
	readonly name: string;
	readonly setting?: TokenSetting<Compiled>;
	/**
	 * Before the body is read, on every token route; for model calls and new tasks once more after a body that took its time.
	 * `setting` is undefined when the token has none.
	 */
	admit?(call: Identified, setting: Compiled | undefined): MaybeSoon<Denial>;
	/**
	 * Before the body is read, for model calls and new tasks: what can be refused without the body is refused here, so that nobody
	 * sends it for nothing. `protocol` is the client's, or `tasks`.
	 */
	beforeBody?(call: Identified, setting: Compiled | undefined, protocol: string): MaybeSoon<Denial>;
	/** Once the model and its targets are known. */
	check?(call: Routed, setting: Compiled | undefined): MaybeSoon<Permit | Denial>;
	/** Whether a list of models shows this one to this token. */
	shows?(model: ModelInfo, setting: Compiled | undefined): boolean;
}

/** Rules that can refuse a call. */
export const policies = slot<Policy>("policies");
