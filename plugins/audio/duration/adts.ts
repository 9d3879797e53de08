/** How long AAC in ADTS lasts (files that end in `.aac`): the sum of its frames. */
import { type Frame, runSeconds } from "./frame-run.ts";

const sampleRates = [
	96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const blockSamples = 1024;
const headBytes = 7;

/** The frame that begins here; undefined where none does. */
const frameAt = (bytes: Uint8Array, at: number): Frame | undefined => {
	const [sync, kind, rates, three, four, five, six] = bytes.subarray(at, at + headBytes);
	if (sync !== 0xff || six === undefined || ((kind ?? 0) & 0xf6) !== 0xf0) return undefined;
	const rate = sampleRates[((rates ?? 0) >> 2) & 15];
	const length = (((three ?? 0) & 3) << 11) | ((four ?? 0) << 3) | ((five ?? 0) >> 5);
	if (rate === undefined || length < headBytes) return undefined;
	return { bytes: length, seconds: (((six & 3) + 1) * blockSamples) / rate };
};

export const isAdts = (bytes: Uint8Array): boolean => frameAt(bytes, 0) !== undefined;

/** Seconds; undefined where no frames follow each other. */
export const adtsSeconds = (bytes: Uint8Array): number | undefined => runSeconds(bytes, 0, frameAt);
