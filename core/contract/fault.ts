/**
 * Refusals and faults. A refusal is a value (`Denial`); a fault is the same value, thrown. Each is written once, in the
 * shape of the protocol whose route was called.
 */
import { type Denial, type DenialKind, denialKinds } from "../neutral/denial.ts";

export type { Denial, DenialKind } from "../neutral/denial.ts";

const mark = Symbol.for("portico.fault");

/** Plain JavaScript may name a kind that is none, and there is no status for it: its author is told where it is made. */
const ofKnownKind = (denial: Denial): Denial => {
	if (denialKinds.includes(denial.kind)) return denial;
	throw new TypeError(`a refusal cannot be of the kind "${denial.kind}": there are ${denialKinds.join(", ")}`);
};

/**
 * A denial that is thrown. `cause` is for the log only.
 *
 * @example
 * throw new Fault({ kind: "invalid_request", parameter: "model", message: "model: is missing; name one." });
 */
export class Fault extends Error {
	override readonly name = "Fault";
	readonly denial: Denial;
	constructor(denial: Denial, cause?: unknown) {
		super(denial.message, { cause });
		this.denial = ofKnownKind(denial);
		Object.defineProperty(this, mark, { value: true });
	}
}

/** True for a `Fault` made by any copy of this module. */
export const isFault = (error: unknown): error is Fault => typeof error === "object" && error !== null && mark in error;

/**
 * Makes a denial, for policies and readers.
 *
 * @example
 * return deny("permission", "This key is for the office network only.", { code: "ip_not_allowed" });
 */
export const deny = (kind: DenialKind, message: string, more: Omit<Denial, "kind" | "message"> = {}): Denial =>
	ofKnownKind({ kind, message, ...more });

/** Whether an answer is a denial and not what was asked for. */
export const isDenial = <T extends object>(answer: T | Denial): answer is Denial => "kind" in answer;

/** A refusal or fault as it goes out. `body` is sent as JSON. */
export interface RenderedDenial {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: unknown;
}

/** Renders a denial in the shape of one protocol. */
export type RenderDenial = (denial: Denial, requestId: string) => RenderedDenial;
