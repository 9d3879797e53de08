/** Lengths of files: told by their frames, and never shorter for what a header claims. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { adts, element, flac, m4a, m4aInFragments, mp3, oggFlac, oggOpus, wav, webm } from "../fixtures/sounds.ts";
import { secondsOf } from "./seconds.ts";

describe("a file lasts as long as its frames", () => {
	test.each([
		["WAV", wav(60), 60],
		["WAV, stereo, 48 kHz, 24 bits", wav(2, { rate: 48_000, channels: 2, bits: 24 }), 2],
		["WAV, 8 kHz, 8 bits", wav(3, { rate: 8_000, bits: 8 }), 3],
		["MP3", mp3(100), (100 * 1152) / 44_100],
		["FLAC", flac(40), (40 * 4096) / 16_000],
		["Ogg with Opus", oggOpus(150), 3],
		["Ogg with FLAC", oggFlac(40), (40 * 4096) / 16_000],
		["AAC in ADTS", adts(100), (100 * 1024) / 44_100],
		["AAC in ADTS, of several blocks in a frame", adts(100, 3), (300 * 1024) / 44_100],
		["WebM with Opus", webm(250), 5],
		["M4A", m4a(500), 32],
		["M4A in fragments", m4aInFragments(50, 10, { sizes: 200 }), 32],
		["M4A in fragments of silence, whose frames are all of one length", m4aInFragments(50, 10, { usual: 6 }), 32],
	])("%s", (_name, bytes, seconds) => {
		expect(secondsOf(bytes)).toBeCloseTo(seconds, 6);
	});

	test("an MP3 with a tag before it, and with noise in the middle", () => {
		const tag = Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\x01\x00", "latin1"), Buffer.alloc(128, 0xff)]);
		expect(secondsOf(mp3(50, tag))).toBeCloseTo((50 * 1152) / 44_100, 6);
		const broken = Buffer.concat([mp3(10), Buffer.alloc(1000, 7), mp3(10)]);
		expect(secondsOf(broken)).toBeGreaterThan((18.9 * 1152) / 44_100);
	});
});

describe("a header that lies never makes it shorter", () => {
	test("WAV: of its length, of its rate", () => {
		expect(secondsOf(wav(60, { told: { data: 4 } }))).toBeGreaterThanOrEqual(60);
		expect(secondsOf(wav(60, { told: { data: 0xffffffff } }))).toBeCloseTo(60, 6);
		expect(secondsOf(wav(60, { told: { perSecond: 4_000_000_000 } }))).toBeGreaterThanOrEqual(60);
		const wild = wav(60);
		wild.writeUInt32LE(4_000_000_000, 24);
		wild.writeUInt32LE(4_000_000_000, 28);
		expect(secondsOf(wild)).toBeGreaterThanOrEqual(60);
		const packed = wav(60);
		packed.writeUInt16LE(0x11, 20);
		expect(secondsOf(packed)).toBe(packed.length / 1000);
	});

	test("FLAC, Ogg, M4A: of their length", () => {
		expect(secondsOf(flac(40, 16))).toBeCloseTo((40 * 4096) / 16_000, 6);
		expect(secondsOf(oggOpus(150, 1))).toBeCloseTo(3, 6);
		expect(secondsOf(oggFlac(40, 1))).toBeCloseTo((40 * 4096) / 16_000, 6);
		expect(secondsOf(m4a(500, { seconds: 0.5 }))).toBeCloseTo(32, 6);
	});

	test.each([48_000, 192_000, 4_000_000_000])("M4A: of its units in a second (%d)", (scale) => {
		expect(secondsOf(m4a(500, { scale }))).toBeCloseTo(32, 6);
	});

	test("M4A: where units are told that no sound has, and nothing else, it lasts as its bytes can", () => {
		const bytes = m4a(500, { scale: 4_000_000_000, bare: true });
		expect(secondsOf(bytes)).toBe(bytes.length / 1000);
	});

	test("of what is not known it lasts as its bytes can", () => {
		for (const bytes of [Buffer.alloc(5000), Buffer.from("RIFF....WAVE"), Buffer.from("OggS"), Buffer.alloc(0)])
			expect(secondsOf(bytes)).toBe(bytes.length / 1000);
		const aac = Buffer.concat([webm(0), Buffer.alloc(4000)]);
		expect(secondsOf(aac)).toBe(aac.length / 1000);
	});
});

describe("a rate that no sound has makes it longer, for decoders go by it", () => {
	const slow = wav(3600, { rate: 1, bits: 8 });
	const changed = (file: Buffer, change: (copy: Buffer) => unknown): Buffer => {
		const copy = Buffer.from(file);
		change(copy);
		return copy;
	};
	const packed = (file: Buffer): Buffer => changed(file, (copy) => copy.writeUInt16LE(0x11, 20));

	test.each([
		["WAV", slow],
		[
			"WAV, of numbers the other way round",
			changed(slow, (copy) => {
				copy.write("RIFX");
				for (const at of [16, 24, 28, 40]) copy.writeUInt32BE(copy.readUInt32LE(at), at);
				for (const at of [20, 22, 32, 34]) copy.writeUInt16BE(copy.readUInt16LE(at), at);
			}),
		],
		["WAV, compressed", packed(slow)],
		[
			"WAV, with another header behind",
			Buffer.concat([slow.subarray(0, 36), packed(wav(0)).subarray(12, 36), slow.subarray(36)]),
		],
		[
			"WAV, behind more chunks than any file has",
			Buffer.concat([slow.subarray(0, 12), Buffer.alloc(8 * 64), slow.subarray(12)]),
		],
		["FLAC", flac(40, 0, 45)],
		[
			"FLAC, behind what looks like frames",
			Buffer.concat([flac(0), Buffer.alloc(620_000, Buffer.from([0xff, 0xf8])), flac(40, 0, 45)]),
		],
		["M4A", m4a(500, { seconds: 0.5, rate: 140 })],
	])("%s", (_name, bytes) => {
		expect(secondsOf(bytes)).toBeGreaterThanOrEqual(3600);
	});

	test("Ogg with Vorbis", () => {
		const page = Buffer.alloc(58);
		page.write("OggS", 0);
		page.set([1, 30], 26);
		page.write("\x01vorbis", 28, "latin1");
		page.writeUInt32LE(1, 40);
		page.writeUInt8(0xb8, 56);
		const sound = Buffer.concat([page.subarray(0, 26), Buffer.from([10]), Buffer.alloc(10, 1), Buffer.alloc(10)]);
		expect(secondsOf(Buffer.concat([page, sound]))).toBe(8 * 1024);
	});

	test("a rate written in full, and a FLAC whose frames alone tell it, are as long as they are", () => {
		expect(secondsOf(m4a(500, { rate: 16_000 }))).toBeCloseTo(32, 6);
		expect(secondsOf(flac(40, 0, 0, true))).toBeCloseTo((40 * 4096) / 16_000, 6);
	});
});

describe("sound of one kind in a file of another is not taken for that", () => {
	const asBytes = (file: Buffer): number => file.length / 1000;

	test("WAV: of two headers the slower counts, and one that cannot be read is not passed over", () => {
		const file = wav(60, { rate: 8_000, bits: 8 });
		const [start, sound] = [file.subarray(0, 36), file.subarray(36)];
		const fast = wav(0, { rate: 192_000, channels: 8, bits: 32 }).subarray(12, 36);
		expect(secondsOf(Buffer.concat([start, fast, sound]))).toBeGreaterThanOrEqual(60);
		const packed = Buffer.from(start);
		packed.writeUInt16LE(0x11, 20);
		const odd = Buffer.concat([packed, fast, sound]);
		expect(secondsOf(odd)).toBe(asBytes(odd));
	});
	test("MP3: what is no frame lasts as its bytes can", () => {
		const tag = Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1");
		const file = Buffer.concat([tag, flac(40), Buffer.alloc(60_000, 7), mp3(1)]);
		expect(secondsOf(file)).toBeGreaterThanOrEqual(60);
		expect(secondsOf(Buffer.concat([tag, tag, mp3(100)]))).toBeCloseTo((100 * 1152) / 44_100, 6);
	});
	test("FLAC: a rate that its frames spell out goes before the header's", () => {
		expect(secondsOf(flac(40, 0, 655_350, true))).toBeCloseTo((40 * 4096) / 16_000, 6);
	});
	test("Ogg: a stream that begins is a new one, whatever its number", () => {
		const vorbis = Buffer.alloc(58);
		vorbis.write("OggS", 0);
		vorbis.writeUInt32LE(7, 14);
		vorbis.set([1, 30], 26);
		vorbis.write("\x01vorbis", 28, "latin1");
		vorbis.writeUInt32LE(4_000_000_000, 40);
		const opus = oggOpus(150);
		opus.writeUInt8(2, 5);
		expect(secondsOf(Buffer.concat([vorbis, opus]))).toBeCloseTo(3, 6);
	});
	test("M4A: frames of which nobody knows how long they last, or that hold several", () => {
		const files = [
			m4a(500, { seconds: 0.5, bare: true }),
			m4a(5, { seconds: 0.5, frameBytes: 60_000 }),
			m4aInFragments(5, 10, { sizes: 60_000 }),
			m4aInFragments(5, 10),
		];
		for (const file of files) expect(secondsOf(file)).toBe(asBytes(file));
	});
	test("WebM: another codec, whatever the file says besides, and packets that are packed once more", () => {
		const files = [
			Buffer.concat([webm(250, "A_PCM/INT/LIT"), element([0xec], Buffer.from("A_OPUS"))]),
			webm(250, "A_OPUS", element([0x86], Buffer.from("A_FLAC"))),
			webm(250, "A_OPUS", element([0x6d, 0x80], Buffer.alloc(4))),
		];
		for (const file of files) expect(secondsOf(file)).toBe(asBytes(file));
		expect(secondsOf(webm(250, "A_OPUS", element([0xd7], Buffer.from([1]))))).toBeCloseTo(5, 6);
	});
});

test("any bytes, and any file cut or changed anywhere, have a length that is a number", () => {
	const good = [wav(1), mp3(20), flac(10), oggOpus(60), webm(50), m4a(50), m4aInFragments(5, 4, { sizes: 9 })];
	fc.assert(
		fc.property(
			fc.constantFrom(...good),
			fc.nat(),
			fc.nat(),
			fc.integer({ min: 0, max: 255 }),
			(file, cut, at, byte) => {
				const bytes = Buffer.from(file.subarray(0, cut % (file.length + 1)));
				if (bytes.length > 0) bytes[at % bytes.length] = byte;
				const seconds = secondsOf(bytes);
				expect(Number.isFinite(seconds) && seconds >= 0).toBe(true);
			},
		),
		{ numRuns: 2000 },
	);
	fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void expect(secondsOf(bytes) >= 0).toBe(true)));
});

test("what has more pages, frames or blocks than hours of sound is not followed to its end", () => {
	const page = oggOpus(0).subarray(0, 28 + 19);
	const tiny = Buffer.alloc(24);
	tiny.set([0xff, 0xf3, 0x14, 0]);
	const empty = Buffer.from([0xec, 0x80]);
	const least = Buffer.from([0xff, 0xf1, 0x50, 0x80, 0, 0xff, 0xfc]);
	for (const [start, piece, count] of [
		[page, page, 250_000],
		[least, least, 450_000],
		[tiny, tiny, 450_000],
		[webm(1), empty, 550_000],
	] as const) {
		const file = Buffer.concat([start, Buffer.alloc(piece.length * count, piece)]);
		expect(secondsOf(file)).toBe(file.length / 1000);
	}
});
