/** The demo's songs: a short tune whose notes come from the prompt, as a WAV file of 16-bit samples. */
import { createHash } from "node:crypto";

/** Samples of 16 bits in a second: those of OpenAI's speech. */
const tuneRate = 24_000;
const noteSeconds = 0.25;
/** Steps of a pentatonic scale: whatever the order, it sounds like a tune. */
const steps = [0, 2, 4, 7, 9, 12, 14, 16];

const header = (samples: number): Uint8Array => {
	const bytes = new Uint8Array(44);
	const view = new DataView(bytes.buffer);
	const text = (at: number, word: string): void => bytes.set(new TextEncoder().encode(word), at);
	const size = samples * 2;
	text(0, "RIFF");
	view.setUint32(4, 36 + size, true);
	text(8, "WAVEfmt ");
	view.setUint32(16, 16, true);
	view.setUint16(20, 1, true);
	view.setUint16(22, 1, true);
	view.setUint32(24, tuneRate, true);
	view.setUint32(28, tuneRate * 2, true);
	view.setUint16(32, 2, true);
	view.setUint16(34, 16, true);
	text(36, "data");
	view.setUint32(40, size, true);
	return bytes;
};

/** A tune of so many seconds. `variant` moves it to another key. */
export const encodeTune = (text: string, seconds: number, variant = 0): Uint8Array<ArrayBuffer> => {
	const seed = createHash("sha256").update(text).digest();
	const samples = Math.round(seconds * tuneRate);
	const whole = new Uint8Array(44 + samples * 2);
	whole.set(header(samples));
	const view = new DataView(whole.buffer);
	for (let sample = 0; sample < samples; sample++) {
		const time = sample / tuneRate;
		const note = Math.floor(time / noteSeconds);
		const step = steps[(seed[note % seed.length] ?? 0) % steps.length] ?? 0;
		const pitch = 220 * 2 ** ((step + variant * 5) / 12);
		const fade = Math.exp(-4 * (time - note * noteSeconds)) * Math.min(1, (time - note * noteSeconds) * 200);
		const tone = Math.sin(2 * Math.PI * pitch * time) + 0.3 * Math.sin(4 * Math.PI * pitch * time);
		view.setInt16(44 + sample * 2, Math.round(9000 * fade * tone), true);
	}
	return whole;
};
