/** PNG files (ISO/IEC 15948) of a palette: one byte a dot, deflated. */
import { deflateSync } from "node:zlib";

export type Colour = readonly [red: number, green: number, blue: number];

const crcTable = new Uint32Array(256).map((_, index) => {
	let value = index;
	for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
	return value;
});

const crc = (bytes: Uint8Array): number => {
	let value = 0xffffffff;
	for (const byte of bytes) value = (crcTable[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
	return (value ^ 0xffffffff) >>> 0;
};

const chunk = (type: string, data: Uint8Array): Uint8Array => {
	const body = new Uint8Array(4 + data.length);
	body.set(new TextEncoder().encode(type));
	body.set(data, 4);
	const whole = new Uint8Array(body.length + 8);
	const view = new DataView(whole.buffer);
	view.setUint32(0, data.length);
	whole.set(body, 4);
	view.setUint32(4 + body.length, crc(body));
	return whole;
};

/** A picture as a PNG file. `dots` holds one palette index for each dot, row by row. */
export const encodePng = (width: number, height: number, dots: Uint8Array, palette: readonly Colour[]): Uint8Array => {
	const header = new Uint8Array(13);
	const view = new DataView(header.buffer);
	view.setUint32(0, width);
	view.setUint32(4, height);
	header.set([8, 3, 0, 0, 0], 8);
	const rows = new Uint8Array((width + 1) * height);
	for (let row = 0; row < height; row++) rows.set(dots.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
	const parts = [
		new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		chunk("IHDR", header),
		chunk("PLTE", new Uint8Array(palette.flat())),
		chunk("IDAT", new Uint8Array(deflateSync(rows))),
		chunk("IEND", new Uint8Array(0)),
	];
	return new Uint8Array(Buffer.concat(parts));
};
