/** How long an MP4 or M4A lasts: the largest of the lengths that its tables tell. */

/** Boxes that hold the ones that are read. */
const holders = new Set(["moov", "trak", "mdia", "minf", "stbl"]);
/** More boxes than any file has that is one piece. */
const mostBoxes = 10_000;
/** Samples of one frame of AAC. */
const frameSamples = 1024;
/** The rates of AAC, by the index that its configuration names (ISO/IEC 14496-3, 1.6.3.4). */
const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
/** No sound has more units in a second: what says so makes itself shorter than it is. */
const mostUnits = 192_000;

interface Found {
	/** Units in a second, of the film and of the track that is read. */
	scale: number;
	/** Of the track that is read: samples in a second as its decoder is told them, and how many frames there are. */
	rate: number | undefined;
	frames: number | undefined;
	seconds: number;
}

/** `mvhd` and `mdhd`: units in a second, and how many there are. */
const readHeader = (box: Buffer, found: Found): void => {
	const long = box.readUInt8(0) === 1;
	if (box.length < (long ? 32 : 20)) return;
	found.scale = box.readUInt32BE(long ? 20 : 12);
	const length = long ? Number(box.readBigUInt64BE(24)) : box.readUInt32BE(16);
	tell(found, length === 0xffffffff ? 0 : length);
};

const tell = (found: Found, units: number, scale = found.scale): void => {
	if (scale > 0 && scale <= mostUnits) found.seconds = Math.max(found.seconds, units / scale);
};

/** What only both together tell, whichever comes first. */
const tellFrames = (found: Found): void => {
	const { frames, scale, rate = scale >= 8_000 ? scale : 0 } = found;
	if (frames !== undefined) tell(found, frames * frameSamples, rate);
};

/** What stands after the head of a descriptor, whose length is written in up to four bytes; -1 where it is another one. */
const afterHead = (box: Buffer, at: number, tag: number): number => {
	if (at < 0 || box[at] !== tag) return -1;
	let end = at + 1;
	while (((box[end] ?? 0) & 0x80) !== 0 && end < at + 4) end++;
	return end + 1;
};

/** The rate in the configuration that a decoder of AAC goes by, `at` being where its descriptors begin. */
const configuredRate = (box: Buffer, at: number): number | undefined => {
	const stream = afterHead(box, at, 3);
	const decoder = stream === -1 ? -1 : afterHead(box, stream + 3, 4);
	const configuration = decoder === -1 ? -1 : afterHead(box, decoder + 13, 5);
	if (configuration === -1 || configuration + 2 > box.length) return undefined;
	return aacRates[(box.readUInt16BE(configuration) >> 7) & 0xf];
};

/** `stsd`: the rate of AAC, the lowest where several are told; the heads before it may say anything. */
const readKind = (box: Buffer, found: Found): void => {
	for (let at = box.indexOf("esds"); at !== -1; at = box.indexOf("esds", at + 4)) {
		const rate = configuredRate(box, at + 8);
		if (rate !== undefined) found.rate = Math.min(rate, found.rate ?? rate);
	}
	tellFrames(found);
};

/** `stts`: how many frames last how long. */
const readTimes = (box: Buffer, found: Found): void => {
	const entries = Math.min(box.readUInt32BE(4), Math.floor((box.length - 8) / 8));
	let units = 0;
	for (let entry = 0; entry < entries; entry++)
		units += box.readUInt32BE(8 + entry * 8) * box.readUInt32BE(12 + entry * 8);
	tell(found, units);
};

/** `stsz` and `stz2`: how many frames there are. */
const readSizes = (box: Buffer, found: Found): void => {
	found.frames = box.readUInt32BE(8);
	tellFrames(found);
};

const readers: Readonly<Record<string, (box: Buffer, found: Found) => void>> = {
	mvhd: readHeader,
	mdhd: readHeader,
	stsd: readKind,
	stts: readTimes,
	stsz: readSizes,
	stz2: readSizes,
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

/** Seconds; undefined for a file in fragments, or whose tables are not in it. */
export const m4aSeconds = (given: Uint8Array): number | undefined => {
	const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
	const found: Found = { scale: 0, rate: undefined, frames: undefined, seconds: 0 };
	let at = 0;
	for (let count = 0; at + 8 <= bytes.length; count++) {
		const box = boxAt(bytes, at);
		if (!box || box.type === "moof" || count > mostBoxes) return undefined;
		if (box.type === "trak") [found.rate, found.frames] = [undefined, undefined];
		const content = bytes.subarray(at + box.head, at + box.size);
		if (content.length >= 12) readers[box.type]?.(content, found);
		at += holders.has(box.type) ? box.head : box.size;
	}
	return found.seconds > 0 ? found.seconds : undefined;
};
