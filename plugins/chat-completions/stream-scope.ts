/** What the parts of one stream's decoder share. */
import type { DecodeContext } from "#core";

export interface StreamScope {
	readonly context: DecodeContext;
	/** The number of the next block: each is used once in a stream. */
	nextBlock(): number;
}
