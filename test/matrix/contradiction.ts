/** Recorded streams that contradict themselves. */
import type { NeutralEvent } from "#core";
import { isRaised, type Raised, type Told } from "./told.ts";

export const contradiction =
	"the recorded stream says one thing piece by piece and another when it is done; what went out is not taken back";

/** True for a stream whose texts, whole at their end, do not go on from the pieces that the client was told. */
export const contradicts = (events: readonly NeutralEvent[], got: Told | Raised): boolean => {
	const pieces = events.flatMap((event) =>
		event.type === "delta" && event.delta.type === "text" ? event.delta.text : [],
	);
	const finals = events.flatMap((event) =>
		event.type === "close" && event.final?.type === "text" ? event.final.text : [],
	);
	return !isRaised(got) && got.candidates[0]?.text === pieces.join("") && !finals.join("").startsWith(pieces.join(""));
};
