/** The demo's pictures: the prompt in letters on stripes whose colours come from the prompt. */
import { createHash } from "node:crypto";
import { encode } from "fast-png";
import { drawText, letterHeight, letterWidth, wrap } from "./letters.ts";

type Colour = readonly [red: number, green: number, blue: number];

const shades = 24;
const ink = shades;
const paper = shades + 1;

/** A picture before it is encoded: palette indexes, row by row. */
interface Picture {
	readonly width: number;
	readonly height: number;
	readonly dots: Uint8Array;
	readonly palette: readonly Colour[];
}

const paletteOf = (seed: Uint8Array): readonly Colour[] => {
	const [red = 0, green = 0, blue = 0] = seed;
	const stripes = Array.from({ length: shades }, (_, shade): Colour => {
		const light = 60 + (shade * 120) / shades;
		const mix = (channel: number): number =>
			Math.min(255, Math.round(light * 0.6 + (channel * (shade + 8)) / (shades + 16)));
		return [mix(red), mix(green), mix(blue)];
	});
	return [...stripes, [24, 24, 28], [250, 250, 245]];
};

/** Draws `text` under the line that says what this is. `turn` moves the stripes. */
export const drawPicture = (caption: string, text: string, width: number, height: number, turn = 0): Picture => {
	const seed = createHash("sha256").update(text).digest();
	const dots = new Uint8Array(width * height);
	const slant = 1 + ((seed[3] ?? 0) % 3);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++)
			dots[y * width + x] = Math.floor(((x + y * slant) / (width + height * slant)) * shades + turn) % shades;

	const scale = Math.max(1, Math.floor(width / ((letterWidth + 1) * 24)));
	const columns = Math.max(4, Math.floor(width / ((letterWidth + 1) * scale)) - 4);
	const room = Math.max(1, Math.floor(height / ((letterHeight + 2) * scale)) - 6);
	const lines = [caption, "", ...wrap(text, columns, room)];
	const line = (letterHeight + 2) * scale;
	const left = 2 * (letterWidth + 1) * scale;
	const top = Math.max(0, Math.floor((height - lines.length * line) / 2));
	const set = (x: number, y: number, colour: number): void => {
		if (x >= 0 && x < width && y >= 0 && y < height) dots[y * width + x] = colour;
	};
	for (let y = top - line / 2; y < top + lines.length * line; y++)
		for (let x = left - letterWidth * scale; x < width - left + letterWidth * scale; x++) set(x, Math.floor(y), paper);
	drawText(lines, left, top, scale, (x, y, size) => {
		for (let down = 0; down < size; down++)
			for (let across = 0; across < size; across++) set(x + across, y + down, ink);
	});
	return { width, height, dots, palette: paletteOf(seed) };
};

/** The same picture with so much of it drawn, from its top; the rest is still paper. */
export const drawnSoFar = (picture: Picture, share: number): Picture => {
	const { width, height, dots } = picture;
	return { ...picture, dots: dots.slice().fill(paper, width * Math.round(height * share)) };
};

export const pngOf = ({ width, height, dots, palette }: Picture): Uint8Array =>
	encode({ width, height, data: dots, channels: 1, palette: palette.map((colour) => [...colour]) });
