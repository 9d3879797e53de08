/** The demo's files, read back by what is known of their formats rather than by what wrote them. */
import { describe, expect, test } from "bun:test";
import { inflateSync } from "node:zlib";
import { encodeClip } from "./clip.ts";
import { wrap } from "./letters.ts";
import { drawPicture, pngOf } from "./picture.ts";
import { encodeTune } from "./tune.ts";

describe("a picture", () => {
	const bytes = Buffer.from(pngOf(drawPicture("DEMO", "a cat \u{1f408}", 320, 192)));

	test("is a PNG of its size whose chunks have the right checksums", () => {
		expect([...bytes.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
		const chunks = new Map<string, Buffer>();
		for (let at = 8; at < bytes.length; ) {
			const length = bytes.readUInt32BE(at);
			const type = bytes.toString("latin1", at + 4, at + 8);
			expect(bytes.readUInt32BE(at + 8 + length)).toBe(Bun.hash.crc32(bytes.subarray(at + 4, at + 8 + length)));
			chunks.set(type, bytes.subarray(at + 8, at + 8 + length));
			at += 12 + length;
		}
		expect([...chunks.keys()]).toEqual(["IHDR", "PLTE", "IDAT", "IEND"]);
		expect([chunks.get("IHDR")?.readUInt32BE(0), chunks.get("IHDR")?.readUInt32BE(4)]).toEqual([320, 192]);
		expect(inflateSync(chunks.get("IDAT") ?? "")).toHaveLength(321 * 192);
	});

	test("shows what was asked for: other words are another picture", () => {
		const other = pngOf(drawPicture("DEMO", "a dog", 320, 192));
		expect(Buffer.compare(bytes, Buffer.from(other))).not.toBe(0);
	});

	test("cuts long text to the room there is", () => {
		const lines = wrap("word ".repeat(500), 20, 5);
		expect(lines).toHaveLength(5);
		expect(lines.every((line) => line.length <= 20)).toBe(true);
		expect(wrap("x".repeat(50), 20, 5).map((line) => line.length)).toEqual([20, 20, 10]);
	});
});

describe("a tune", () => {
	test("is a WAV of the length asked for", () => {
		const bytes = Buffer.from(encodeTune("rain", 3));
		expect([bytes.toString("latin1", 0, 4), bytes.toString("latin1", 8, 16)]).toEqual(["RIFF", "WAVEfmt "]);
		expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
		expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
		const rate = bytes.readUInt32LE(24);
		expect(bytes.readUInt32LE(40) / (rate * 2)).toBe(3);
		expect(bytes.subarray(44).some((byte) => byte !== 0)).toBe(true);
	});
});

describe("a clip", () => {
	const bytes = Buffer.from(encodeClip("DEMO", "a fox", 5, 320, 192));
	const boxes = (from: number, to: number): Map<string, [number, number]> => {
		const found = new Map<string, [number, number]>();
		for (let at = from; at < to; at += bytes.readUInt32BE(at))
			found.set(bytes.toString("latin1", at + 4, at + 8), [at + 8, at + bytes.readUInt32BE(at)]);
		return found;
	};
	const inside = (path: string): [number, number] =>
		path
			.split("/")
			.reduce<[number, number]>(([from, to], type) => boxes(from, to).get(type) ?? [to, to], [0, bytes.length]);

	test("is an MP4 whose index comes first and points at every frame", () => {
		expect([...boxes(0, bytes.length).keys()]).toEqual(["ftyp", "moov", "mdat"]);
		const [sizes] = inside("moov/trak/mdia/minf/stbl/stsz");
		const count = bytes.readUInt32BE(sizes + 8);
		expect(count).toBe(40);
		const [offsets] = inside("moov/trak/mdia/minf/stbl/stco");
		let at = bytes.readUInt32BE(offsets + 8);
		expect(at).toBe(inside("mdat")[0]);
		for (let frame = 0; frame < count; frame++) {
			const size = bytes.readUInt32BE(sizes + 12 + frame * 4);
			expect(bytes.readUInt32BE(at)).toBe(size - 4);
			expect((bytes[at + 4] ?? 0) & 31).toBe(frame === 0 ? 5 : 1);
			at += size;
		}
		expect(at).toBe(bytes.length);
	});

	test("says how long it is", () => {
		const [header] = inside("moov/mvhd");
		expect(bytes.readUInt32BE(header + 16) / bytes.readUInt32BE(header + 12)).toBe(5);
	});
});
