/** The demo's clips: its picture with a bar that moves along as time passes. */
import { changedFrame, type Frame, keyFrame, pictureSet, sequenceSet } from "./h264.ts";
import { encodeMp4 } from "./mp4.ts";
import { drawPicture, type Picture } from "./picture.ts";
import type { Colour } from "./png.ts";

const framesPerSecond = 8;
const barHeight = 16;

/** Colours as brightness and two differences (ITU-R BT.601, studio range). */
const planesOf = ([red, green, blue]: Colour): readonly [number, number, number] => [
	Math.round(16 + 0.257 * red + 0.504 * green + 0.098 * blue),
	Math.round(128 - 0.148 * red - 0.291 * green + 0.439 * blue),
	Math.round(128 + 0.439 * red - 0.368 * green - 0.071 * blue),
];

const frameOf = ({ width, height, dots, palette }: Picture): Frame => {
	const colours = palette.map(planesOf);
	const luma = new Uint8Array(width * height);
	const blue = new Uint8Array((width * height) / 4);
	const red = new Uint8Array((width * height) / 4);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) {
			const [light = 16, blueness = 128, redness = 128] = colours[dots[y * width + x] ?? 0] ?? [];
			luma[y * width + x] = light;
			if (x % 2 || y % 2) continue;
			const half = (y / 2) * (width / 2) + x / 2;
			blue[half] = blueness;
			red[half] = redness;
		}
	return { luma, blue, red };
};

/** Lengthens the bar, which fills the lowest row of macroblocks, from one place to another. */
const paintBar = ({ luma, blue, red }: Frame, width: number, height: number, from: number, to: number): void => {
	for (let y = height - barHeight; y < height; y++) luma.fill(235, y * width + from, y * width + to);
	for (let y = (height - barHeight) / 2; y < height / 2; y++) {
		const row = (y * width) / 2;
		blue.fill(128, row + from / 2, row + to / 2);
		red.fill(128, row + from / 2, row + to / 2);
	}
};

/** An MP4 of so many seconds. Both sides are multiples of 16. */
export const encodeClip = (
	caption: string,
	text: string,
	seconds: number,
	width: number,
	height: number,
): Uint8Array => {
	const [columns, rows] = [width / 16, height / 16];
	const frame = frameOf(drawPicture(caption, text, width, height));
	const count = Math.max(1, Math.round(seconds * framesPerSecond));
	const frames = [keyFrame(frame, columns, rows)];
	let bar = 0;
	for (let number = 1; number < count; number++) {
		const end = 2 * Math.floor(((number + 1) * width) / count / 2);
		paintBar(frame, width, height, bar, end);
		const first = Math.floor(bar / 16);
		const changed = Array.from({ length: Math.ceil(end / 16) - first }, (_, at) => (rows - 1) * columns + first + at);
		frames.push(changedFrame(frame, changed, columns, rows, number));
		bar = end;
	}
	return encodeMp4({
		width,
		height,
		framesPerSecond,
		frames,
		sequenceSet: sequenceSet(columns, rows),
		pictureSet: pictureSet(),
	});
};
