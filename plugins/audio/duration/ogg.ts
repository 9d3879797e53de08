/** How long an Ogg lasts: its packets, counted; what its pages say of the time is believed only where that is more. */
import { flacFrameSeconds } from "./flac.ts";
import { opusSeconds } from "./opus.ts";

const capture = Buffer.from("OggS");
const captured = capture.readUInt32BE(0);
/** More than an hour has where each packet has a page of its own. */
const mostPages = 200_000;
const opusHead = Buffer.from("OpusHead");
const flacHead = Buffer.from("\x7fFLAC", "latin1");
const vorbisHead = Buffer.from("\x01vorbis", "latin1");

/** One stream of sound within the file. */
interface Stream {
	/** Seconds of the packet that begins here; undefined until its first packet says what it is. */
	readonly packetSeconds: (bytes: Buffer, at: number) => number;
	readonly rate: number;
	seconds: number;
	granule: number;
	/** Packets still to come that are no sound. */
	heads: number;
	/** The last packet goes on in the next page. */
	open: boolean;
}

/** Its first packet is a head of its own before FLAC's; the packets of tags behind it are no frames. */
const flacStreamOf = (bytes: Buffer, at: number): Stream | undefined => {
	const rate = at + 31 <= bytes.length ? bytes.readUInt32BE(at + 27) >>> 12 : 0;
	if (rate < 1) return undefined;
	const packetSeconds: Stream["packetSeconds"] = (within, from) => flacFrameSeconds(within, from, rate);
	return { seconds: 0, granule: 0, open: false, heads: 1, rate, packetSeconds };
};

const streamOf = (bytes: Buffer, at: number): Stream | undefined => {
	const common = { seconds: 0, granule: 0, open: false, heads: 2 };
	const head = bytes.subarray(at, at + 30);
	if (head.subarray(0, 8).equals(opusHead)) return { ...common, rate: 48_000, packetSeconds: opusSeconds };
	if (head.subarray(0, 5).equals(flacHead)) return flacStreamOf(bytes, at);
	if (head.length < 29 || !head.subarray(0, 7).equals(vorbisHead)) return undefined;
	const rate = head.readUInt32LE(12);
	if (rate < 1) return undefined;
	// A packet gives at most half its own window and half the one before.
	const longest = 2 ** (head.readUInt8(28) >> 4) / 2 / rate;
	return { ...common, heads: 3, rate, packetSeconds: () => longest };
};

export const isOgg = (bytes: Uint8Array): boolean => capture.equals(bytes.subarray(0, 4));

/** Counts the packets of a page; gives where it ends. */
const readPackets = (stream: Stream, bytes: Buffer, lacing: Buffer, body: number): number => {
	const { packetSeconds } = stream;
	let at = body;
	let begins = !stream.open;
	let seconds = 0;
	for (let segment = 0; segment < lacing.length; segment++) {
		const size = lacing[segment] ?? 0;
		if (begins && stream.heads > 0) stream.heads--;
		else if (begins && size > 0) seconds += packetSeconds(bytes, at);
		at += size;
		begins = size < 255;
	}
	stream.seconds += seconds;
	stream.open = !begins;
	return at;
};

/** Seconds; undefined where there is a stream that is neither Opus, Vorbis nor FLAC. */
export const oggSeconds = (given: Uint8Array): number | undefined => {
	const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
	const streams = new Map<number, Stream>();
	const all = new Set<Stream>();
	let pages = 0;
	for (let at = 0; at + 27 <= bytes.length; ) {
		if (++pages > mostPages) return undefined;
		if (bytes.readUInt32BE(at) !== captured) {
			at = bytes.indexOf(capture, at + 1);
			if (at === -1) break;
			continue;
		}
		const segments = bytes.readUInt8(at + 26);
		const lacing = bytes.subarray(at + 27, at + 27 + segments);
		const body = at + 27 + segments;
		const serial = bytes.readUInt32LE(at + 14);
		// A page that begins a stream may have the number of one before it.
		const begins = (bytes.readUInt8(at + 5) & 2) !== 0;
		const stream = (begins ? undefined : streams.get(serial)) ?? streamOf(bytes, body);
		if (!stream) return undefined;
		streams.set(serial, stream);
		all.add(stream);
		const granule = bytes.readInt32LE(at + 10) * 2 ** 32 + bytes.readUInt32LE(at + 6);
		stream.granule = Math.max(stream.granule, granule / stream.rate);
		at = readPackets(stream, bytes, lacing, body);
	}
	let seconds = 0;
	// One after the other is the longest they can be.
	for (const stream of all) seconds += Math.max(stream.seconds, stream.granule);
	return seconds > 0 ? seconds : undefined;
};
