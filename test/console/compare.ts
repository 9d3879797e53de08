/**
 * Pictures of pages, kept small and compared with a tolerance: each is made four times smaller, so that a letter drawn a
 * little otherwise is the same, and an axis that nobody sees is not.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DecodedPng, decode, encode } from "fast-png";

const folder = join(import.meta.dir, "pictures");
const times = 4;
/** Of 255, how far one of the three colours of a point may be off. */
const tolerated = 24;
/** What part of the points may be off by more. */
const toleratedPart = 0.004;

interface Picture {
	readonly width: number;
	readonly height: number;
	/** Red, green, blue. */
	readonly data: Uint8Array;
}

/** The mean of a square of points, in one colour. */
const mean = ({ width, data, channels }: DecodedPng, x: number, y: number, colour: number): number => {
	let sum = 0;
	for (let point = 0; point < times ** 2; point++) {
		const [dx, dy] = [point % times, Math.floor(point / times)];
		sum += data[((y * times + dy) * width + x * times + dx) * channels + colour] ?? 0;
	}
	return Math.round(sum / times ** 2);
};

const shrunk = (png: Uint8Array): Picture => {
	const large = decode(png);
	const [width, height] = [Math.floor(large.width / times), Math.floor(large.height / times)];
	const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => {
		const point = Math.floor(at / 3);
		return mean(large, point % width, Math.floor(point / width), at % 3);
	});
	return { width, height, data };
};

const differing = (a: Picture, b: Picture): number => {
	if (a.width !== b.width || a.height !== b.height) return 1;
	let points = 0;
	for (let at = 0; at < a.data.length; at += 3)
		if ([0, 1, 2].some((colour) => Math.abs((a.data[at + colour] ?? 0) - (b.data[at + colour] ?? 0)) > tolerated))
			points++;
	return points / (a.width * a.height);
};

/** What is wrong with a picture beside the one that is kept under this name; undefined when nothing is. */
export const complaintAbout = (name: string, png: Uint8Array, keep: boolean): string | undefined => {
	const file = join(folder, `${name}.png`);
	const picture = shrunk(png);
	if (keep) {
		mkdirSync(folder, { recursive: true });
		writeFileSync(file, encode({ ...picture, channels: 3, depth: 8 }, { zlib: { level: 9 } }));
		return undefined;
	}
	if (!existsSync(file)) return `there is no picture ${file}; look at the page, then make one with npm run pictures`;
	const { width, height, data } = decode(readFileSync(file));
	const part = differing(picture, { width, height, data: new Uint8Array(data) });
	if (part <= toleratedPart) return undefined;
	return `${(100 * part).toFixed(1)} % of the points are others than in ${file}; look at the page, and if it is meant so: npm run pictures`;
};
