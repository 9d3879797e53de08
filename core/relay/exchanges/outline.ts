/** An answer of many megabytes without its vectors and long texts: what else it says is found without reading those. */

const longList = 256;
const longText = 4096;
const quote = 0x22;
const backslash = 0x5c;
const open = 0x5b;
const close = 0x5d;
const minus = 0x2d;

const beginsNumber = (byte: number | undefined): boolean =>
	byte === minus || (byte !== undefined && byte >= 0x30 && byte <= 0x39);

/** The quote that ends the text which begins at `from`; the end of all where there is none. */
const endOfText = (whole: Buffer, from: number): number => {
	for (let at = whole.indexOf(quote, from + 1); at !== -1; at = whole.indexOf(quote, at + 1)) {
		let escapes = 0;
		while (whole[at - 1 - escapes] === backslash) escapes++;
		if (escapes % 2 === 0) return at;
	}
	return whole.length;
};

/** The same JSON with its long lists of numbers and its long texts left empty. */
export const outlineOf = (bytes: Uint8Array): Buffer => {
	const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const kept: Buffer[] = [];
	let from = 0;
	const leaveOut = (begin: number, end: number): void => {
		kept.push(whole.subarray(from, begin));
		from = end;
	};
	/** Between two texts there are only signs, numbers and words. */
	const leaveOutLists = (begin: number, end: number): void => {
		let last = begin;
		for (let at = whole.indexOf(open, begin); at !== -1 && at < end; ) {
			if (last <= at) last = whole.indexOf(close, at);
			if (last === -1 || last > end) return;
			const next = whole.indexOf(open, at + 1);
			const isFlat = next === -1 || next > last;
			if (isFlat && last - at > longList && beginsNumber(whole[at + 1])) leaveOut(at + 1, last);
			at = next;
		}
	};
	for (let at = 0; at < whole.length; ) {
		const next = whole.indexOf(quote, at);
		const text = next === -1 ? whole.length : next;
		if (text - at > longList) leaveOutLists(at, text);
		const end = endOfText(whole, text);
		if (end - text > longText) leaveOut(text + 1, end);
		at = end + 1;
	}
	return Buffer.concat([...kept, whole.subarray(from)]);
};
