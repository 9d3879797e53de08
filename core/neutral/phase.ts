/** Texts that a model says on the way and the answer itself, where a protocol has one text for both. */
import type { TextBlock } from "./content.ts";

/** What stands between two texts that become one: a blank line where one was said on the way to the other. */
export const gapBetween = (before: TextBlock | undefined, after: TextBlock): string =>
	before !== undefined && before.phase !== after.phase ? "\n\n" : "";
