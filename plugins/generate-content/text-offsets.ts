/** Offsets in UTF-8 bytes, as Google counts, and in UTF-16 units, as the neutral form does. */

/** The UTF-8 bytes of the first `end` units of the text. A half of a pair at the end counts for nothing. */
export const bytesBefore = (text: string, end: number): number => {
	let bytes = 0;
	const last = Math.min(end, text.length);
	for (let at = 0; at < last; at++) {
		const unit = text.charCodeAt(at);
		if (unit < 0x80) bytes += 1;
		else if (unit < 0x800) bytes += 2;
		else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
		else if (unit > 0xdbff) bytes += 4;
	}
	return bytes;
};

/** The unit that begins at or after the byte offset; the text's length when the offset is behind it. */
export const unitsBefore = (text: string, offset: number): number => {
	let bytes = 0;
	for (let at = 0; at < text.length; at++) {
		if (bytes >= offset) return at;
		const unit = text.charCodeAt(at);
		if (unit < 0x80) bytes += 1;
		else if (unit < 0x800) bytes += 2;
		else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
		else {
			bytes += 4;
			at++;
		}
	}
	return text.length;
};
