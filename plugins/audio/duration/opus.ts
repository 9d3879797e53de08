/** How long one packet of Opus lasts: its first byte tells, and its second where it holds many frames (RFC 6716 §3.1). */

const milliseconds = [10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 10, 20];
const short = [2.5, 5, 10, 20];

/** By the first byte: the seconds of one frame, and of all of them where it tells how many there are. A file has millions of packets. */
const frameSeconds = Float64Array.from({ length: 256 }, (_, first) => {
	const config = first >> 3;
	return (config < 16 ? (milliseconds[config] ?? 0) : (short[config & 3] ?? 0)) / 1000;
});
const packetSeconds = frameSeconds.map((seconds, first) => ((first & 3) === 0 ? seconds : 2 * seconds));
const isCounted = 3;

export const opusSeconds = (bytes: Uint8Array, at: number): number => {
	const first = bytes[at] ?? 0;
	if ((first & 3) !== isCounted) return packetSeconds[first] ?? 0;
	return (frameSeconds[first] ?? 0) * ((bytes[at + 1] ?? 0) & 63);
};
