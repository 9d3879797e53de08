/** What the ways to read a call have in common, whether it is of a protocol or of an endpoint. */
import type { Admitted, AskedCall, Identified, RelayedCall } from "../../contract/call.ts";
import type { ModelCall, Operation } from "../../contract/model-ask.ts";
import type { Plan, Router } from "../../contract/router.ts";
import type { Pace } from "../../wire/body.ts";
import type { MaybeLater } from "../../wire/pending.ts";
import type { RulesOf } from "../policies/token-rules.ts";

export interface ReadingOptions {
	readonly rulesOf: RulesOf;
	readonly router: Router;
	readonly pace: Pace;
	readonly bodyLimitBytes: number;
	/** Throws `Fault` when there is no such model. */
	planFor(call: AskedCall): Plan;
}

/** A call that has been read. */
export interface Read {
	readonly routed: RelayedCall;
	readonly plan: Plan;
}

/** One way into the relay. */
export interface Entry {
	/** The wire format, for rows and policies. */
	readonly protocol: string;
	/** What a call by it is for, before its body is read. */
	operation(call: Admitted): Operation;
	/** The whole body. Rejects with `Fault` as `readBody` does. */
	body(call: Identified): Promise<Uint8Array>;
	/**
	 * What the body asks, and where that may go; at once, unless an earlier conversation belongs to it. Leaves the model in
	 * `start` as soon as it is known, for the row of a call that is refused later.
	 */
	read(call: Identified, body: Uint8Array, start: { model?: ModelCall }): MaybeLater<Read>;
}
