/** What unpacks a body as it is read: no more of it than somebody reads on. */
import { Duplex } from "node:stream";
import * as zlib from "node:zlib";

export type Unpacking = TransformStream<Uint8Array, Uint8Array>;

/** The longest part of a body that zstd may look back on: 8 MiB, which it takes for each body, however short. */
const zstdWindow = 23;

/** Undefined for what this runtime cannot unpack: not all of them know zstd. */
export const unpackingOf = (encoding: string): Unpacking | undefined => {
	if (encoding === "gzip" || encoding === "deflate") return new DecompressionStream(encoding) as unknown as Unpacking;
	if (encoding !== "zstd" || !("createZstdDecompress" in zlib)) return undefined;
	const params = { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindow };
	return Duplex.toWeb(zlib.createZstdDecompress({ params })) as unknown as Unpacking;
};
