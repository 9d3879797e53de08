/** The first place from which on something holds, found by halves: a content may have millions of places, and be cited often. */

/** `holds` is true for every place behind the first one. Without any, `length`. */
export const firstIndex = (length: number, holds: (index: number) => boolean): number => {
	let [from, to] = [0, length];
	while (from < to) {
		const middle = Math.floor((from + to) / 2);
		if (holds(middle)) to = middle;
		else from = middle + 1;
	}
	return from;
};
