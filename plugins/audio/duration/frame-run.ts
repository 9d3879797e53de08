/**
 * How long frames last that follow each other, found one by one; what is no frame lasts as long as its bytes can: it may be
 * sound of another kind.
 */
import { slowestBytesPerSecond } from "./slowest.ts";

export interface Frame {
	readonly bytes: number;
	readonly seconds: number;
}

/** Frames, and places that look like one and are none, of a whole file: hours of sound have fewer. */
const mostSteps = 400_000;

/** From `start`, by what tells the frame that begins at a place; undefined where no frames follow each other. A frame counts when another, or the end, follows it. */
export const runSeconds = (
	bytes: Uint8Array,
	start: number,
	frameAt: (bytes: Uint8Array, at: number) => Frame | undefined,
): number | undefined => {
	let seconds = 0;
	let at = start;
	let other = bytes.length - at;
	for (let steps = 0; at !== -1 && at < bytes.length; steps++) {
		if (steps > mostSteps) return undefined;
		const frame = frameAt(bytes, at);
		const next = frame ? at + frame.bytes : 0;
		if (frame && (next >= bytes.length || frameAt(bytes, next))) {
			seconds += frame.seconds;
			other -= frame.bytes;
			at = next;
		} else at = bytes.indexOf(0xff, at + 1);
	}
	return seconds > 0 ? seconds + Math.max(0, other) / slowestBytesPerSecond : undefined;
};
