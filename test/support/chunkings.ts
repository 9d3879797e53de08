/** Ways in which a network may cut a stream. A reader must not care. */

interface Chunking {
	readonly name: string;
	cut(text: string): readonly Uint8Array[];
}

const encoder = new TextEncoder();

const pieces = (bytes: Uint8Array, size: () => number): readonly Uint8Array[] => {
	const cut: Uint8Array[] = [];
	for (let at = 0; at < bytes.length; ) {
		const next = Math.min(bytes.length, at + Math.max(1, size()));
		cut.push(bytes.subarray(at, next));
		at = next;
	}
	return cut;
};

/** The same numbers for the same seed (mulberry32). */
export const randomNumbers = (seed: number): (() => number) => {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
};

/** Whole, one chunk for each event, one byte at a time, at random, and once more at random with CRLF line ends. */
export const chunkings = (seed = 1): readonly Chunking[] => {
	const random = randomNumbers(seed);
	const anySize = () => Math.floor(random() * 40);
	return [
		{ name: "whole", cut: (text) => [encoder.encode(text)] },
		{
			name: "by event",
			cut: (text) => (text.match(/[\s\S]*?(?:\r?\n\r?\n|$)/g) ?? []).filter(Boolean).map((e) => encoder.encode(e)),
		},
		{ name: "by byte", cut: (text) => pieces(encoder.encode(text), () => 1) },
		{ name: "at random", cut: (text) => pieces(encoder.encode(text), anySize) },
		{ name: "at random with CRLF", cut: (text) => pieces(encoder.encode(text.replace(/\r?\n/g, "\r\n")), anySize) },
	];
};

/** The chunks as a body, each in a turn of its own. */
export const streamOf = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> => {
	let at = 0;
	return new ReadableStream<Uint8Array>({
		pull(controller) {
			const chunk = chunks[at++];
			if (chunk) controller.enqueue(chunk);
			else controller.close();
		},
	});
};
