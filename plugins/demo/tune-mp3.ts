/** The demo's tune as an MP3: frames of one that was encoded once, as many as it takes to last as long as was asked. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Each of 576 samples at 24 kHz and 32 kbit/s. None needs another, so they may follow each other in any order. */
const frameBytes = 96;
const frameSeconds = 576 / 24_000;

let read: Buffer | undefined;

/** The text says where in the tune it begins. */
export const tuneMp3 = (text: string, seconds: number): Uint8Array<ArrayBuffer> => {
	read ??= readFileSync(new URL("./tune.mp3", import.meta.url));
	const frames = read.length / frameBytes;
	const first = createHash("sha256").update(text).digest().readUInt32LE() % frames;
	const bytes = new Uint8Array(Math.ceil(seconds / frameSeconds) * frameBytes);
	for (let at = 0; at < bytes.length; at += frameBytes) {
		const from = ((first + at / frameBytes) % frames) * frameBytes;
		bytes.set(read.subarray(from, from + frameBytes), at);
	}
	return bytes;
};
