/** How long a WebM lasts, as browsers record it: the packets of Opus in its blocks, counted. */
import { opusSeconds } from "./opus.ts";

/** Elements that hold others: those are read, all else is passed over. */
const holders = new Set([0x18538067, 0x1654ae6b, 0xae, 0x1f43b675, 0xa0]); // Segment, Tracks, TrackEntry, Cluster, BlockGroup
const trackEntry = 0xae;
const trackNumber = 0xd7;
const codecId = 0x86;
/** What is packed once more does not begin as its codec's packets do. */
const contentEncodings = 0x6d80;
/** More than hours of sound have. */
const mostElements = 500_000;
const simpleBlock = 0xa3;
const block = 0xa1;

export const isWebm = (bytes: Uint8Array): boolean =>
	bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3;

/** Bytes of the number that begins here; its first byte tells. More than 8 where none does. */
const lengthAt = (bytes: Uint8Array, at: number): number => Math.clz32(bytes[at] ?? 0) - 23;

/** A number without the mark of its length. Infinite where all its bits are ones: it was not known when it was written. */
const numberAt = (bytes: Uint8Array, at: number, length: number): number => {
	const mask = 0xff >> length;
	let value = (bytes[at] ?? 0) & mask;
	let ones = value === mask;
	for (let next = at + 1; next < at + length; next++) {
		const byte = bytes[next] ?? 0;
		value = value * 256 + byte;
		ones &&= byte === 0xff;
	}
	return ones ? Number.POSITIVE_INFINITY : value;
};

/** An id keeps the mark of its length. */
const idAt = (bytes: Uint8Array, at: number, length: number): number => {
	let value = 0;
	for (let next = at; next < at + length; next++) value = value * 256 + (bytes[next] ?? 0);
	return value;
};

/** Seconds of a block; not a number for one with several packets laced together. */
const packetSeconds = (bytes: Uint8Array, at: number): number =>
	((bytes[at + 2] ?? 0) & 0x06) === 0 ? opusSeconds(bytes, at + 3) : Number.NaN;

/** What the elements of a file tell, one after the other. */
class Tracks {
	/** Sound of another codec than Opus, or something packed. */
	isOther = false;
	private readonly opus = new Set<number>();
	/** Of each track, whatever it is: it may be told only behind them. */
	private readonly lasts = new Map<number, number>();
	private number: number | undefined;
	private codec: string | undefined;

	element(id: number, bytes: Buffer, start: number, size: number): void {
		if (id === simpleBlock || id === block) {
			const length = lengthAt(bytes, start);
			const track = idAt(bytes, start, length) % 2 ** (7 * length);
			this.lasts.set(track, (this.lasts.get(track) ?? 0) + packetSeconds(bytes, start + length));
		} else if (id === trackEntry) [this.number, this.codec] = [undefined, undefined];
		else if (id === contentEncodings) this.isOther = true;
		else if (id === trackNumber) this.number = idAt(bytes, start, Math.min(size, 8));
		else if (id === codecId)
			this.codec = bytes.toString("latin1", start, start + Math.min(size, 64)).replace(/\0+$/, "");
		if (this.codec === undefined || this.number === undefined) return;
		if (this.codec === "A_OPUS") this.opus.add(this.number);
		else if (this.codec.startsWith("A_")) this.isOther = true;
	}

	get seconds(): number {
		let sum = 0;
		for (const track of this.opus) sum += this.lasts.get(track) ?? 0;
		return sum;
	}
}

/** Seconds; undefined for other codecs than Opus, and for what cannot be followed to its end. */
export const webmSeconds = (given: Uint8Array): number | undefined => {
	const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
	const tracks = new Tracks();
	let count = 0;
	for (let at = 0; at < bytes.length; ) {
		const idLength = lengthAt(bytes, at);
		const sizeLength = lengthAt(bytes, at + idLength);
		const start = at + idLength + sizeLength;
		if (idLength > 8 || sizeLength > 8 || start > bytes.length || ++count > mostElements) return undefined;
		const id = idAt(bytes, at, idLength);
		const size = numberAt(bytes, at + idLength, sizeLength);
		tracks.element(id, bytes, start, size);
		at = holders.has(id) ? start : start + size;
		if (at === Number.POSITIVE_INFINITY || tracks.isOther) return undefined;
	}
	return tracks.seconds > 0 ? tracks.seconds : undefined;
};
