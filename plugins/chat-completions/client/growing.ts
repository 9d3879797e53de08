/** What a stream keeps of a block while it is open. */
import type { Block, Citation, Opaque } from "#core";

/** A block that has been opened and not yet closed. */
export interface Growing {
	readonly shell: Block;
	/** Where a text begins in the whole content. */
	start: number;
	/** What must stand before a text that has not begun. */
	gap: string;
	/** What came of a thought or an image: it is wanted whole at the close. */
	text: string;
	/** The summary part that came last. */
	part: number;
	grown: boolean;
	readonly citations: Citation[];
	signature: Opaque | undefined;
}
