/**
 * An id of 32 hexadecimal digits: the time in milliseconds, then 74 bits by chance. Rows that are made together stand together
 * in a table's indexes, which makes writing them several times cheaper.
 */
export const orderedId = (now: number = Date.now()): string => {
	const random = crypto.randomUUID();
	return now.toString(16).padStart(12, "0") + random.slice(14, 18) + random.slice(19, 23) + random.slice(24);
};
