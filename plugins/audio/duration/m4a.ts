/** How long an MP4 or M4A lasts: the largest of the lengths that its tables tell, and no less than its frames. */
import { longestSample } from "./fragments.ts";

/** Boxes that hold the ones that are read. */
const holders = new Set(["moov", "trak", "mdia", "minf", "stbl", "mvex", "moof", "traf"]);
/** More boxes than hours of sound have that are written a second at a time, as Safari does. */
const mostBoxes = 100_000;
/** Samples of one frame of AAC. */
const frameSamples = 1024;
/** The rates of AAC, by the index that its configuration names (ISO/IEC 14496-3, 1.6.3.4). */
const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
/** No sound has more units in a second: what says so makes itself shorter than it is. */
const mostUnits = 192_000;

/** Bytes of a frame of AAC in stereo at most; a sample that is longer holds several. */
const longestFrame = 1_536;
/** Kinds of AAC whose frames are of so many samples, by their number (ISO/IEC 14496-3, 1.5.1.1). */
const plainKinds = new Set([1, 2, 3, 4, 5, 29]);

interface Frame {
	readonly seconds: number;
	readonly bytes: number;
}

interface Found {
	/** Units in a second, of the film and of the track that is read. */
	scale: number;
	seconds: number;
	/** Of the track that is read: what it says it is. */
	handlers: readonly string[];
	/** Seconds of one frame, as its decoder is told them, and bytes of one at most. */
	frame: Frame | undefined;
	frames: number;
	/** Bytes of the longest of them. */
	longest: number;
	/** There is sound whose frames are not known. */
	isOther: boolean;
	/** Of each track of sound that has been read. */
	readonly sounds: (Frame | undefined)[];
	/** Frames in fragments, of whatever track; bytes of the longest of them, and of one whose length is not told. */
	readonly fragments: { frames: number; longest: number; usual: number };
}

const newTrack = { handlers: [], frame: undefined, frames: 0, longest: 0 } as const;

/** `mvhd` and `mdhd`: units in a second, and how many there are. */
const readHeader = (box: Buffer, found: Found): void => {
	const long = box.readUInt8(0) === 1;
	if (box.length < (long ? 32 : 20)) return;
	found.scale = box.readUInt32BE(long ? 20 : 12);
	const length = long ? Number(box.readBigUInt64BE(24)) : box.readUInt32BE(16);
	tell(found, length === 0xffffffff ? 0 : length);
};

const tell = (found: Found, units: number): void => {
	const { scale } = found;
	if (scale > 0 && scale <= mostUnits) found.seconds = Math.max(found.seconds, units / scale);
};

/** A track that has been read. */
const endTrack = (found: Found): void => {
	const { handlers, frame, frames, longest } = found;
	const isSound = handlers.length === 0 || handlers.includes("soun");
	if (isSound && (handlers.length > 0 || frame)) found.sounds.push(frame);
	if (isSound && frames > 0) {
		found.isOther ||= frame === undefined || longest > frame.bytes;
		found.seconds = Math.max(found.seconds, frames * (frame?.seconds ?? 0));
	}
	Object.assign(found, newTrack);
};

/** `hdlr`: what the track is. */
const readHandler = (box: Buffer, found: Found): void => {
	found.handlers = [...found.handlers, box.toString("latin1", 8, 12)];
};

/** What stands after the head of a descriptor, whose length is written in up to four bytes; -1 where it is another one. */
const afterHead = (box: Buffer, at: number, tag: number): number => {
	if (at < 0 || box[at] !== tag) return -1;
	let end = at + 1;
	while (((box[end] ?? 0) & 0x80) !== 0 && end < at + 4) end++;
	return end + 1;
};

/** The index behind which the rate itself is written. */
const spelled = 15;

/** A rate of 24 bits that begins with the second bit of a byte; undefined for none. */
const spelledRate = (box: Buffer, at: number): number | undefined =>
	at + 4 <= box.length ? (box.readUInt32BE(at) >>> 7) & 0xffffff || undefined : undefined;

/** The rate in the configuration that a decoder of AAC goes by, `at` being where its descriptors begin. */
const configuredRate = (box: Buffer, at: number): number | undefined => {
	const stream = afterHead(box, at, 3);
	const decoder = stream === -1 ? -1 : afterHead(box, stream + 3, 4);
	const configuration = decoder === -1 ? -1 : afterHead(box, decoder + 13, 5);
	if (configuration === -1 || configuration + 2 > box.length || box[decoder] !== 0x40) return undefined;
	const told = box.readUInt16BE(configuration);
	if (!plainKinds.has(told >> 11)) return undefined;
	const index = (told >> 7) & 0xf;
	return index === spelled ? spelledRate(box, configuration + 1) : aacRates[index];
};

/** Apple's sound without loss: its samples in a frame, and in a second, stand within a box of the same name. */
const alacFrame = (box: Buffer): Found["frame"] => {
	const at = box.indexOf("alac", 20);
	if (at === -1 || at + 32 > box.length) return undefined;
	const [samples, rate] = [box.readUInt32BE(at + 8), box.readUInt32BE(at + 28)];
	return rate >= 1 && rate <= mostUnits ? { seconds: samples / rate, bytes: Number.POSITIVE_INFINITY } : undefined;
};

/** `stsd`: what the track's frames are. Of several kinds nobody knows which has how many. */
const readKind = (box: Buffer, found: Found): void => {
	const kind = box.length >= 16 && box.readUInt32BE(4) === 1 ? box.toString("latin1", 12, 16) : "";
	const esds = box.indexOf("esds");
	if (kind === "alac") found.frame = alacFrame(box);
	if (kind !== "mp4a" || esds === -1 || box.includes("esds", esds + 4)) return;
	const rate = configuredRate(box, esds + 8);
	found.frame = rate === undefined ? undefined : { seconds: frameSamples / rate, bytes: longestFrame };
};

/** `stts`: how many frames last how long. */
const readTimes = (box: Buffer, found: Found): void => {
	const entries = Math.min(box.readUInt32BE(4), Math.floor((box.length - 8) / 8));
	let units = 0;
	for (let entry = 0; entry < entries; entry++)
		units += box.readUInt32BE(8 + entry * 8) * box.readUInt32BE(12 + entry * 8);
	tell(found, units);
};

/** `stsz`: how many frames there are, and how long each is. */
const readSizes = (box: Buffer, found: Found): void => {
	if (box.length < 12) return;
	const [size, frames] = [box.readUInt32BE(4), box.readUInt32BE(8)];
	found.frames = Math.max(found.frames, frames);
	found.longest = Math.max(found.longest, size);
	if (size > 0) return;
	if (12 + frames * 4 > box.length) found.longest = Number.POSITIVE_INFINITY;
	else for (let at = 12; at < 12 + frames * 4; at += 4) found.longest = Math.max(found.longest, box.readUInt32BE(at));
};

/** `trex` and `tfhd`: how long a frame in a fragment is that does not say so itself. */
const readUsual = (box: Buffer, at: number, { fragments }: Found): void => {
	if (at + 4 <= box.length) fragments.usual = Math.max(fragments.usual, box.readUInt32BE(at));
};

const readFragment = (box: Buffer, found: Found): void => {
	const flags = box.readUInt32BE(0);
	const before = (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0) + (flags & 8 ? 4 : 0);
	if (flags & 0x10) readUsual(box, 8 + before, found);
};

/** `trun`: how many frames there are in a fragment. */
const readRun = (box: Buffer, { fragments }: Found): void => {
	fragments.frames += box.readUInt32BE(4);
	fragments.longest = Math.max(fragments.longest, longestSample(box) ?? (fragments.usual || Number.POSITIVE_INFINITY));
};

const readers: Readonly<Record<string, (box: Buffer, found: Found) => void>> = {
	mvhd: readHeader,
	mdhd: readHeader,
	hdlr: readHandler,
	stsd: readKind,
	stts: readTimes,
	stsz: readSizes,
	trex: (box, found) => readUsual(box, 16, found),
	tfhd: readFragment,
	trun: readRun,
};

export const isM4a = (bytes: Uint8Array): boolean => String.fromCharCode(...bytes.subarray(4, 8)) === "ftyp";

interface Box {
	readonly type: string;
	readonly head: number;
	readonly size: number;
}

const boxAt = (bytes: Buffer, at: number): Box | undefined => {
	const type = bytes.toString("latin1", at + 4, at + 8);
	const told = bytes.readUInt32BE(at);
	const isLong = told === 1 && at + 16 <= bytes.length;
	const head = isLong ? 16 : 8;
	const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : told || bytes.length - at;
	return size < head ? undefined : { type, head, size };
};

/** What is in fragments: they are taken for those of the only track of sound. */
const endFragments = (found: Found): void => {
	const { sounds, fragments } = found;
	if (fragments.frames === 0) return;
	const [frame] = sounds;
	found.isOther ||= sounds.length !== 1 || frame === undefined || fragments.longest > frame.bytes;
	found.seconds = Math.max(found.seconds, fragments.frames * (frame?.seconds ?? 0));
};

/** Seconds; undefined where the tables are not in the file, or with sound that is neither AAC nor Apple's, or fragments that may be films. */
export const m4aSeconds = (given: Uint8Array): number | undefined => {
	const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
	const fragments = { frames: 0, longest: 0, usual: 0 };
	const found: Found = { scale: 0, seconds: 0, isOther: false, sounds: [], fragments, ...newTrack };
	let at = 0;
	for (let count = 0; at + 8 <= bytes.length; count++) {
		const box = boxAt(bytes, at);
		// `stz2`, the compact table of sizes, is not read: no usual encoder writes it.
		if (!box || box.type === "stz2" || count > mostBoxes) return undefined;
		if (box.type === "trak") endTrack(found);
		const content = bytes.subarray(at + box.head, at + box.size);
		if (content.length >= 8) readers[box.type]?.(content, found);
		at += holders.has(box.type) ? box.head : box.size;
	}
	endTrack(found);
	endFragments(found);
	return found.seconds > 0 && !found.isOther ? found.seconds : undefined;
};
