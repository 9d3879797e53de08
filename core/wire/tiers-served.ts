/** The tiers of a call once its answer told which one it was served in. */
import { serviceWords } from "./request-bound.ts";

/** Where an answer says so, it does not tell what it was served in. */
const untold = new Set(["", "auto", "unspecified"]);

/** A speed and a place are no service tiers. */
const isServiceTier = (word: string): boolean => word !== "fast" && !word.includes(":");

/** The same, with the service tier that the answer tells in place of the one that was asked for: that one is billed. */
export const tiersServed = (asked: readonly string[], told: string): readonly string[] => {
	if (!asked.some(isServiceTier) || untold.has(told.trim().toLowerCase())) return asked;
	return [...serviceWords(told), ...asked.filter((word) => !isServiceTier(word))];
};
