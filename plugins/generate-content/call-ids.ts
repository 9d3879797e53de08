/** Ids of function calls that came without one: the same for the same place, so that histories stay equal from turn to turn. */
import { createHash } from "node:crypto";

/** An id that every protocol takes. `place` is what makes it different from others. */
export const callId = (...place: readonly (string | number)[]): string =>
	`call_${createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, 24)}`;
