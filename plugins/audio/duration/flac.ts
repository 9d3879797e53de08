/** How long a FLAC lasts: the larger of what its header says and the sum of the frames that are in it. */

/** How frames begin, of one size each or of several. */
const starts = [Buffer.from([0xff, 0xf8]), Buffer.from([0xff, 0xf9])];
/** Places of a whole file that are looked at: hours of sound have fewer. */
const mostLooked = 300_000;
/** Seconds of a byte at the most: a frame of 65,536 samples, one each second, is no shorter than this. */
const densest = 65_536 / 8;

/** Stands for a rate that is not told. */
const endless = Number.POSITIVE_INFINITY;

const blockSizes = [0, 192, 576, 1152, 2304, 4608];
const sampleRates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/** The checksum of each byte, of the polynomial x⁸ + x² + x + 1. */
const sums = Uint8Array.from({ length: 256 }, (_, byte) => {
	let sum = byte;
	for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ (sum & 0x80 ? 0x07 : 0)) & 0xff;
	return sum;
});

const crc8 = (bytes: Uint8Array, from: number, to: number): number => {
	let crc = 0;
	for (let at = from; at < to; at++) crc = sums[crc ^ (bytes[at] ?? 0)] ?? 0;
	return crc;
};

/** Bytes of the frame's number, which is written as UTF-8 is. */
const numberBytes = (first: number): number => {
	if (first < 0x80) return 1;
	const ones = Math.clz32(~(first << 24));
	return ones >= 2 && ones <= 7 ? ones : 0;
};

const samplesOf = (code: number, bytes: Uint8Array, at: number): number => {
	if (code === 6) return (bytes[at] ?? 0) + 1;
	if (code === 7) return (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) + 1;
	return code >= 8 ? 256 << (code - 8) : (blockSizes[code] ?? 0);
};

const rateBytes = (code: number): number => (code === 12 ? 1 : code === 13 || code === 14 ? 2 : 0);

/** The codes from 12 on say how the rate is written behind the size: in kHz, in Hz, in tens of Hz. */
const rateOf = (code: number, bytes: Uint8Array, at: number): number => {
	if (code < 12) return sampleRates[code] ?? 0;
	const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
	return code === 12 ? first * 1_000 : (first * 256 + second) * (code === 14 ? 10 : 1);
};

/** Samples and rate (0: that of the header) of the frame that begins here; undefined where none does. */
const frameAt = (bytes: Uint8Array, at: number): { readonly samples: number; readonly rate: number } | undefined => {
	const [sizes, channels, first] = [bytes[at + 2] ?? 0, bytes[at + 3] ?? 0, bytes[at + 4] ?? 0];
	if ((channels & 1) !== 0 || channels >> 4 > 10) return undefined;
	const [sizeCode, rateCode] = [sizes >> 4, sizes & 15];
	const number = numberBytes(first);
	if (sizeCode === 0 || rateCode === 15 || number === 0) return undefined;
	const sizeAt = at + 4 + number;
	const rateAt = sizeAt + (sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0);
	const end = rateAt + rateBytes(rateCode);
	if (end >= bytes.length || crc8(bytes, at, end) !== bytes[end]) return undefined;
	return { samples: samplesOf(sizeCode, bytes, sizeAt), rate: rateOf(rateCode, bytes, rateAt) };
};

/** Seconds of the frame that begins here; 0 where none does. `rate`: that of the header. */
export const flacFrameSeconds = (bytes: Uint8Array, at: number, rate: number): number => {
	const begins = bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8;
	const frame = begins ? frameAt(bytes, at) : undefined;
	return frame ? frame.samples / Math.min(rate, frame.rate || endless) : 0;
};

export const isFlac = (bytes: Uint8Array): boolean =>
	bytes[0] === 0x66 && bytes[1] === 0x4c && bytes[2] === 0x61 && bytes[3] === 0x43;

/** Seconds; undefined where neither the header nor a frame tells any. However slow a rate is, decoders go by it. */
export const flacSeconds = (bytes: Uint8Array): number | undefined => {
	if (bytes.length < 26) return undefined;
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const rate = view.getUint32(18) >>> 12;
	const told = rate > 0 ? ((view.getUint8(21) & 15) * 2 ** 32 + view.getUint32(22)) / rate : 0;
	const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	let seconds = 0;
	let looked = 0;
	for (const start of starts)
		for (let at = whole.indexOf(start, 42); at !== -1; at = whole.indexOf(start, at + 2)) {
			if (++looked > mostLooked) return bytes.length * densest;
			const frame = frameAt(bytes, at);
			if (frame) seconds += frame.samples / Math.min(rate || endless, frame.rate || endless);
		}
	return Math.max(told, seconds) || undefined;
};
