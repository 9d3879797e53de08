/** How long AAC in ADTS lasts (files that end in `.aac`): the sum of its frames. */
import { type Frame, runSeconds } from "./frame-run.ts";

const sampleRates = [
	96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const blockSamples = 1024;
const headBytes = 7;

/** The frame that begins here; undefined where none does. */
const frameAt = (bytes: Uint8Array, at: number): Frame | undefined => {
	// Read one by one: a view of them takes ten times as long, and a file may have very many.
	const byte = (offset: number): number => bytes[at + offset] ?? 0;
	if (byte(0) !== 0xff || at + headBytes > bytes.length || (byte(1) & 0xf6) !== 0xf0) return undefined;
	const rate = sampleRates[(byte(2) >> 2) & 15];
	const length = ((byte(3) & 3) << 11) | (byte(4) << 3) | (byte(5) >> 5);
	if (rate === undefined || length < headBytes) return undefined;
	return { bytes: length, seconds: (((byte(6) & 3) + 1) * blockSamples) / rate };
};

export const isAdts = (bytes: Uint8Array): boolean => frameAt(bytes, 0) !== undefined;

/** Seconds; undefined where no frames follow each other. */
export const adtsSeconds = (bytes: Uint8Array): number | undefined => runSeconds(bytes, 0, frameAt);
