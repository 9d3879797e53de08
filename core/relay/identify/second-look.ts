/** What a token may do counts when its request is there, not when it began: a body that is held back outlasts no right. */

import type { Identified } from "../../contract/call.ts";
import type { Clock } from "../../contract/clock.ts";
import { type Denial, Fault, isDenial, isFault } from "../../contract/fault.ts";
import type { MaybeLater } from "../../wire/pending.ts";

/** As long as nodes may take to hear of what was changed: nobody is looked up twice for less. */
const freshMs = 2_000;

/**
 * Looks up the token of a call whose body took its time, as if the call came now; undefined where it took none. Rejects with
 * the refusal; else the call has its token as that is now, or as it was where the database cannot be asked.
 */
export type SecondLook = (call: Identified) => Promise<void> | undefined;

export const createSecondLook =
	(clock: Clock, identify: (call: Identified) => MaybeLater<Identified | Denial>): SecondLook =>
	(call) =>
		clock.monotonic() - call.startedAt <= freshMs ? undefined : passes(identify(call));

/** Where nobody can be asked, what was found when the call began stands: a machine that is late must not refuse what it let in. */
const passes = async (looking: MaybeLater<Identified | Denial>): Promise<void> => {
	let found: Identified | Denial;
	try {
		found = await looking;
	} catch (error) {
		if (isFault(error) && error.denial.kind === "overloaded") return;
		throw error;
	}
	if (isDenial(found)) throw new Fault(found);
};
