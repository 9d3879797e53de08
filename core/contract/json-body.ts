/** Bodies that are JSON. */

/** Where a member of the root object stands in the text: its key, and its value from start to end. */
export interface Member {
	readonly keyStart: number;
	readonly valueStart: number;
	readonly valueEnd: number;
}

/**
 * A JSON body as it arrived, read once. `members` tells where the members of the root stand, so that one can be changed
 * and all other bytes stay (`editJsonBody`).
 *
 * @example
 * const { model } = body.value;
 * const sent = editJsonBody(body, { model: `${model}-latest` });
 */
export interface JsonBody {
	readonly bytes: Uint8Array;
	/** The same, decoded. */
	readonly text: string;
	/** The same, parsed. */
	readonly value: Readonly<Record<string, unknown>>;
	readonly members: ReadonlyMap<string, Member>;
}
