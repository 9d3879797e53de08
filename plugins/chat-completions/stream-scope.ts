/** What the parts of one stream's decoder share. */
import type { DecodeContext } from "#core";

/** Members of a chunk that vendors fill with random letters, to hide how long its text is. */
export const padding: readonly string[] = ["obfuscation", "p"];

export interface StreamScope {
	readonly context: DecodeContext;
	/** The number of the next block: each is used once in a stream. */
	nextBlock(): number;
}
