/** What every chunk of a stream shares. */
export interface ChunkFrame {
	/** The text before and after a chunk's choices. */
	readonly head: string;
	readonly tail: string;
	/** Seconds since 1970. */
	readonly createdAt: number;
	/** The client reads calls in the oldest form. */
	readonly legacy: boolean;
}
