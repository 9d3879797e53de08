/** How long a WAV lasts: its bytes by the rate that its header tells. What the header says of its own length is not believed. */

import { slowestBytesPerSecond } from "./slowest.ts";

const text = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));

/** Chunks before the sound; no writer makes so many. */
const mostChunks = 64;
/** What stands behind so many may be one bit a second. */
const slowestRate = 1 / 8;
const plain = new Set([1, 3, 6, 7]); // PCM, floating point, A-law, µ-law
const extensible = 0xfffe;

const formatOf = (view: DataView, at: number, size: number, little: boolean): number => {
	const format = view.getUint16(at, little);
	return format === extensible && size >= 26 ? view.getUint16(at + 24, little) : format;
};

/** What is compressed has a bit for each sample at the least: that is less than `slowestBytesPerSecond` where they are few. */
const leastRateOf = (samples: number): number | undefined =>
	samples > 0 && samples / 8 < slowestBytesPerSecond ? samples / 8 : undefined;

/** Bytes of a second at the least that any reader of this header may take; undefined for most compressed or unlikely sound. */
const rateOf = (view: DataView, at: number, size: number, little: boolean): number | undefined => {
	if (size < 16 || at + size > view.byteLength) return undefined;
	const channels = view.getUint16(at + 2, little);
	const samples = view.getUint32(at + 4, little);
	const perSecond = view.getUint32(at + 8, little);
	const align = view.getUint16(at + 12, little);
	const bits = view.getUint16(at + 14, little);
	const likely = channels >= 1 && channels <= 8 && samples >= 1 && samples <= 384_000 && bits >= 8 && bits <= 64;
	if (!likely || !plain.has(formatOf(view, at, size, little))) return leastRateOf(samples);
	// Where its fields contradict each other the slowest counts.
	return Math.min(...[perSecond, samples * align, (samples * channels * bits) / 8].filter((rate) => rate > 0));
};

export const isWav = (bytes: Uint8Array): boolean =>
	bytes.length >= 12 && /^(?:RIFF|RIFX|RF64)$/.test(text(bytes, 0)) && text(bytes, 8) === "WAVE";

/** Seconds; undefined for what cannot be told by the header, and lasts as its bytes can. */
export const wavSeconds = (bytes: Uint8Array): number | undefined => {
	const little = text(bytes, 0) !== "RIFX";
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	// Of several headers some readers take the first, some the last: the slowest counts.
	let rate = Number.POSITIVE_INFINITY;
	let isKnown = true;
	let at = 12;
	for (let chunk = 0; at + 8 <= bytes.length; chunk++) {
		if (chunk === mostChunks) return bytes.length / slowestRate;
		const name = text(bytes, at);
		const size = view.getUint32(at + 4, little);
		const start = at + 8;
		if (name === "data") {
			if (isKnown && Number.isFinite(rate)) return (bytes.length - start) / rate;
			break;
		}
		if (name === "fmt ") {
			const told = rateOf(view, start, size, little);
			isKnown &&= told !== undefined;
			rate = Math.min(rate, told ?? rate);
		}
		at = start + size + (size % 2);
	}
	return rate < slowestBytesPerSecond ? bytes.length / rate : undefined;
};
