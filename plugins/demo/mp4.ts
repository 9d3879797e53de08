/** An MP4 file (ISO/IEC 14496-12) with one H.264 track, its index in front so that players can begin at once. */

export interface Track {
	readonly width: number;
	readonly height: number;
	readonly framesPerSecond: number;
	/** One access unit for each frame, without start codes; the first is the only key frame. */
	readonly frames: readonly Uint8Array[];
	readonly sequenceSet: Uint8Array;
	readonly pictureSet: Uint8Array;
}

const timescale = 1000;

const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

const numbers = (width: 1 | 2 | 4, ...values: readonly number[]): Uint8Array => {
	const bytes = Buffer.alloc(width * values.length);
	for (const [index, value] of values.entries()) bytes.writeUIntBE(value, index * width, width);
	return bytes;
};

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const box = (type: string, ...parts: readonly Uint8Array[]): Uint8Array => {
	const body = join(...parts);
	return join(numbers(4, body.length + 8), text(type), body);
};

/** A box with a version and flags. */
const full = (type: string, flags: number, ...parts: readonly Uint8Array[]): Uint8Array =>
	box(type, numbers(4, flags), ...parts);

const matrix = numbers(4, 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

const sampleEntry = ({ width, height, sequenceSet, pictureSet }: Track): Uint8Array => {
	const configuration = box(
		"avcC",
		numbers(1, 1, sequenceSet[1] ?? 66, sequenceSet[2] ?? 0, sequenceSet[3] ?? 11, 0xff, 0xe1),
		numbers(2, sequenceSet.length),
		sequenceSet,
		numbers(1, 1),
		numbers(2, pictureSet.length),
		pictureSet,
	);
	const fixed = [numbers(1, 0, 0, 0, 0, 0, 0), numbers(2, 1), new Uint8Array(16), numbers(2, width, height)];
	const resolution = [numbers(4, 0x480000, 0x480000, 0), numbers(2, 1), new Uint8Array(32), numbers(2, 24, 0xffff)];
	return box("avc1", ...fixed, ...resolution, configuration);
};

const sampleTable = (track: Track, sizes: readonly number[], offset: number): Uint8Array => {
	const count = sizes.length;
	const delta = Math.round(timescale / track.framesPerSecond);
	return box(
		"stbl",
		full("stsd", 0, numbers(4, 1), sampleEntry(track)),
		full("stts", 0, numbers(4, 1, count, delta)),
		full("stss", 0, numbers(4, 1, 1)),
		full("stsc", 0, numbers(4, 1, 1, count, 1)),
		full("stsz", 0, numbers(4, 0, count, ...sizes)),
		full("stco", 0, numbers(4, 1, offset)),
	);
};

const movie = (track: Track, sizes: readonly number[], offset: number): Uint8Array => {
	const duration = sizes.length * Math.round(timescale / track.framesPerSecond);
	const media = box(
		"minf",
		full("vmhd", 1, new Uint8Array(8)),
		box("dinf", full("dref", 0, numbers(4, 1), full("url ", 1))),
		sampleTable(track, sizes, offset),
	);
	const trak = box(
		"trak",
		full(
			"tkhd",
			3,
			numbers(4, 0, 0, 1, 0, duration, 0, 0),
			numbers(2, 0, 0, 0, 0),
			matrix,
			numbers(4, track.width << 16, track.height << 16),
		),
		box(
			"mdia",
			full("mdhd", 0, numbers(4, 0, 0, timescale, duration), numbers(2, 0x55c4, 0)),
			full("hdlr", 0, numbers(4, 0), text("vide"), new Uint8Array(12), text("Portico demo\0")),
			media,
		),
	);
	const header = full(
		"mvhd",
		0,
		numbers(4, 0, 0, timescale, duration, 0x10000),
		numbers(2, 0x100, 0),
		new Uint8Array(8),
		matrix,
		new Uint8Array(24),
		numbers(4, 2),
	);
	return box("moov", header, trak);
};

/** The whole file. */
export const encodeMp4 = (track: Track): Uint8Array => {
	const samples = track.frames.map((frame) => join(numbers(4, frame.length), frame));
	const sizes = samples.map(({ length }) => length);
	const start = box("ftyp", text("isom"), numbers(4, 0x200), text("isomavc1mp41"));
	// The index says where the samples are, and its own length does not depend on what it says.
	const offset = start.length + movie(track, sizes, 0).length + 8;
	return join(start, movie(track, sizes, offset), box("mdat", ...samples));
};
