/** How long an MP3 lasts: the sum of its frames. Tags that tell a length or a rate are not believed. */
import { type Frame, runSeconds } from "./frame-run.ts";

/** Kilobits a second, by layer; first for version 1, then for the others. */
const bitRates: readonly (readonly (readonly number[])[])[] = [
	[
		[32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
		[32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
		[32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
	],
	[
		[32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
		[8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
		[8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
	],
];
const sampleRates = [44_100, 48_000, 32_000];

/** How many times slower than the first version each of the others samples. */
const rateShares = [4, 1, 2, 1];

const samplesOf = (version: number, layer: number): number => {
	if (layer === 1) return 384;
	return layer === 3 && version !== 3 ? 576 : 1152;
};

const secondOfBytes = (kilobits: number): number => (kilobits * 1000) / 8;

/** The frame that begins here; undefined where none does. */
const frameAt = (bytes: Uint8Array, at: number): Frame | undefined => {
	const kind = bytes[at + 1] ?? 0;
	const rates = bytes[at + 2] ?? 0xff;
	if (bytes[at] !== 0xff || (kind & 0xe0) !== 0xe0 || rates >= 0xf0) return undefined;
	const version = (kind >> 3) & 3; // 0: 2.5, 2: 2, 3: 1
	const layer = 4 - ((kind >> 1) & 3);
	const sampleRate = sampleRates[(rates >> 2) & 3];
	const kilobits = bitRates[version === 3 ? 0 : 1]?.[layer - 1]?.[(rates >> 4) - 1];
	if (version === 1 || sampleRate === undefined || kilobits === undefined) return undefined;
	const seconds = samplesOf(version, layer) / (sampleRate / (rateShares[version] ?? 1));
	const slot = layer === 1 ? 4 : 1;
	const slots = Math.floor((seconds * secondOfBytes(kilobits)) / slot + 1e-9) + ((rates >> 1) & 1);
	return { bytes: slots * slot, seconds };
};

/** Where the tags before the sound end. */
const afterTags = (bytes: Uint8Array): number => {
	let at = 0;
	while (bytes[at] === 0x49 && bytes[at + 1] === 0x44 && bytes[at + 2] === 0x33) {
		let size = 0;
		for (let next = at + 6; next < at + 10; next++) size = size * 128 + ((bytes[next] ?? 0) & 0x7f);
		const hasFooter = ((bytes[at + 5] ?? 0) & 0x10) !== 0;
		at += 10 + size + (hasFooter ? 10 : 0);
	}
	return at;
};

export const isMp3 = (bytes: Uint8Array): boolean =>
	(bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33) || frameAt(bytes, 0) !== undefined;

/** Seconds; undefined where no frames follow each other. */
export const mp3Seconds = (bytes: Uint8Array): number | undefined => runSeconds(bytes, afterTags(bytes), frameAt);
