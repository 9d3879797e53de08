/** What is told of a call whose answer does not come, or not to its end, and no upstream says why. */
import type { Denial } from "../contract/fault.ts";

export const shuttingDown: Denial = {
	kind: "overloaded",
	message: "Portico is being stopped and could not finish this answer. Ask again.",
	retryAfterSeconds: 1,
};

/** What a reader of the answer is told when nobody is left to read it. */
export const clientGone: Denial = { kind: "internal", message: "The client left." };

/** What a connection that broke before its answer means. */
export const lost: Denial = {
	kind: "upstream",
	code: "upstream_broke_off",
	message: "The upstream closed the connection.",
};

/** Told when nothing comes of an answer for too long. */
export const silent: Denial = {
	kind: "upstream_timeout",
	message: "The upstream fell silent in the middle of its answer. Ask again.",
};
/** Why an answer ends that its client takes no more of. */
export const stalled: Denial = { kind: "client_timeout", message: "The client stopped reading." };

/** The word for an attempt that was left before anything had come of its answer, be it that a status had. */
export const noAnswerYet = "no_answer_yet";
/** After so long with nothing, not even a status, it tells of the upstream that it was left. */
const speaksOfItMs = 30_000;

/** What it means that an attempt was left after so long without an answer; undefined where that tells of the client alone. */
export const leftUnanswered = (milliseconds: number, sent = "nothing"): Denial | undefined =>
	milliseconds < speaksOfItMs
		? undefined
		: {
				kind: "upstream_timeout",
				code: noAnswerYet,
				message: `It had sent ${sent} after ${Math.floor(milliseconds / 1000)} seconds, when the call was given up.`,
			};

/** Told when an answer takes longer than a call may. */
export const tooLong: Denial = {
	kind: "upstream_timeout",
	message: "The answer took longer than the operator allows.",
};
