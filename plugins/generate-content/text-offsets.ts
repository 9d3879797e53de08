/** Offsets in UTF-8 bytes, as Google counts, and in UTF-16 units, as the neutral form does. */

/** A half of a pair counts for nothing, the other half for both. */
const bytesOf = (unit: number): number => {
	if (unit < 0x80) return 1;
	if (unit < 0x800) return 2;
	if (unit < 0xd800 || unit > 0xdfff) return 3;
	return unit > 0xdbff ? 4 : 0;
};

/** The UTF-8 bytes of the first `end` units of the text. A half of a pair at the end counts for nothing. */
export const bytesBefore = (text: string, end: number, from = 0): number => {
	let bytes = 0;
	const last = Math.min(end, text.length);
	for (let at = from; at < last; at++) bytes += bytesOf(text.charCodeAt(at));
	return bytes;
};

const stride = 256;

/** Both offsets of one text, that is asked of often: no more of it than a stride is looked at each time. */
export class TextOffsets {
	readonly bytes: number;
	private readonly text: string;
	/** The bytes before each stride. */
	private readonly strides: number[] = [];

	constructor(text: string) {
		this.text = text;
		let bytes = 0;
		for (let at = 0; at < text.length; at += stride) {
			this.strides.push(bytes);
			bytes += bytesBefore(text, at + stride, at);
		}
		this.bytes = bytes;
	}

	bytesBefore(end: number): number {
		const last = Math.max(0, Math.min(Math.floor(end / stride), this.strides.length - 1));
		return (this.strides[last] ?? 0) + bytesBefore(this.text, end, last * stride);
	}

	/** The unit that begins at or after the byte offset; the text's length when the offset is behind it. */
	unitsBefore(offset: number): number {
		let [from, to] = [0, this.strides.length];
		while (to - from > 1) {
			const middle = Math.floor((from + to) / 2);
			if ((this.strides[middle] ?? 0) < offset) from = middle;
			else to = middle;
		}
		let bytes = this.strides[from] ?? 0;
		for (let at = from * stride; at < this.text.length; at++) {
			if (bytes >= offset) return at;
			bytes += bytesOf(this.text.charCodeAt(at));
		}
		return this.text.length;
	}
}
