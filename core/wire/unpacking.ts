/** What unpacks a body as it is read: no more of it than somebody reads on. */
import { Duplex } from "node:stream";
import * as zlib from "node:zlib";

export type Unpacking = TransformStream<Uint8Array, Uint8Array>;

/** The longest part of a body that zstd may look back on: 8 MiB, which it takes for each body, however short. */
const zstdWindow = 23;

/** What unpacks to more than this may be no more than so many times what came: text packs less, and 2 KB could be a body of 60 MB. */
const freelyUnpacked = 1024 * 1024;
const mostTimes = 100;

/** A packed body as it is unpacked, and whether so many bytes are too much for what of it has come. */
export interface Unpacked {
	readonly stream: ReadableStream<Uint8Array>;
	isTooDense(bytes: number): boolean;
}

export const unpackedBody = (body: ReadableStream<Uint8Array>, unpacking: Unpacking): Unpacked => {
	let came = 0;
	const counted = new TransformStream<Uint8Array, Uint8Array>({
		transform(chunk, controller) {
			came += chunk.length;
			controller.enqueue(chunk);
		},
	});
	return {
		stream: body.pipeThrough(counted).pipeThrough(unpacking),
		isTooDense: (bytes) => bytes > freelyUnpacked && bytes > came * mostTimes,
	};
};

/** Undefined for what this runtime cannot unpack: not all of them know zstd. */
export const unpackingOf = (encoding: string): Unpacking | undefined => {
	if (encoding === "gzip" || encoding === "deflate") return new DecompressionStream(encoding) as unknown as Unpacking;
	if (encoding !== "zstd" || !("createZstdDecompress" in zlib)) return undefined;
	const params = { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindow };
	return Duplex.toWeb(zlib.createZstdDecompress({ params })) as unknown as Unpacking;
};
