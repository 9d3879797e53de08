/** The demo's embeddings: for each text always the same vector, of length 1, that no meaning went into. */

/** As many as OpenAI's small model has. */
const usualDimensions = 1536;
/** More than any model has; each costs time and bytes. */
export const mostDimensions = 4096;

/** A number of 32 bits that depends on every character (FNV-1a). */
const hashOf = (text: string): number => {
	let hash = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	return hash >>> 0;
};

export const vectorOf = (text: string, dimensions = usualDimensions): Float64Array => {
	// Never 0, from which this generator (xorshift32) does not get away.
	let state = hashOf(text) || 1;
	const vector = new Float64Array(dimensions);
	let squares = 0;
	for (let at = 0; at < dimensions; at++) {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		const value = state / 0x80000000;
		vector[at] = value;
		squares += value * value;
	}
	const length = Math.sqrt(squares) || 1;
	return vector.map((value) => value / length);
};
