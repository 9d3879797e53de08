/** How long a WAV lasts: its bytes by the rate that its header tells. What the header says of its own length is not believed. */

const text = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));

/** Chunks before the sound; no writer makes so many. */
const mostChunks = 64;
const plain = new Set([1, 3, 6, 7]); // PCM, floating point, A-law, µ-law
const extensible = 0xfffe;

const formatOf = (view: DataView, at: number, size: number): number => {
	const format = view.getUint16(at, true);
	return format === extensible && size >= 26 ? view.getUint16(at + 24, true) : format;
};

/** Bytes of a second at the least that any reader of this header may take; undefined for compressed or unlikely sound. */
const rateOf = (view: DataView, at: number, size: number): number | undefined => {
	if (size < 16 || at + size > view.byteLength || !plain.has(formatOf(view, at, size))) return undefined;
	const channels = view.getUint16(at + 2, true);
	const samples = view.getUint32(at + 4, true);
	const perSecond = view.getUint32(at + 8, true);
	const align = view.getUint16(at + 12, true);
	const bits = view.getUint16(at + 14, true);
	const likely = channels >= 1 && channels <= 8 && samples >= 1_000 && samples <= 384_000 && bits >= 8 && bits <= 64;
	if (!likely) return undefined;
	// Where its fields contradict each other the slowest counts.
	return Math.min(...[perSecond, samples * align, (samples * channels * bits) / 8].filter((rate) => rate > 0));
};

export const isWav = (bytes: Uint8Array): boolean =>
	bytes.length >= 12 && /^(?:RIFF|RIFX|RF64)$/.test(text(bytes, 0)) && text(bytes, 8) === "WAVE";

/** Seconds; undefined for what cannot be told by the header. */
export const wavSeconds = (bytes: Uint8Array): number | undefined => {
	if (text(bytes, 0) === "RIFX") return undefined;
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	// Of several headers some readers take the first, some the last: the slowest counts.
	let rate = Number.POSITIVE_INFINITY;
	let at = 12;
	for (let chunk = 0; chunk < mostChunks && at + 8 <= bytes.length; chunk++) {
		const name = text(bytes, at);
		const size = view.getUint32(at + 4, true);
		const start = at + 8;
		if (name === "data") return Number.isFinite(rate) ? (bytes.length - start) / rate : undefined;
		if (name === "fmt ") {
			const told = rateOf(view, start, size);
			if (told === undefined) return undefined;
			rate = Math.min(rate, told);
		}
		at = start + size + (size % 2);
	}
	return undefined;
};
