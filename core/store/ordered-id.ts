/** Ids that sort by the time at which they were made. */

/** So many ids are drawn at once: asking for chance costs more than an id. */
const drawnAtOnce = 64;
const digits = 20;
let drawn = "";
let used = 0;

/**
 * An id of 32 hexadecimal digits: the time in milliseconds, then 80 bits by chance. Rows that are made together stand together
 * in a table's indexes, which makes writing them several times cheaper.
 */
export const orderedId = (now: number = Date.now()): string => {
	if (used === drawn.length) {
		drawn = Buffer.from(crypto.getRandomValues(new Uint8Array((drawnAtOnce * digits) / 2))).toString("hex");
		used = 0;
	}
	used += digits;
	return now.toString(16).padStart(12, "0") + drawn.slice(used - digits, used);
};
