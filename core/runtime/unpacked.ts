/**
 * Answers that a server packed, whatever it was asked. Bun's `fetch` unpacks all that has come in one go, on the one thread that carries
 * every connection: 758 bytes can be a gigabyte, for which all other upstreams are kept waiting. So it is told to leave that
 * (`decompress: false`), and what is packed is unpacked here, as it is read. Deno's unpacks as it is read by itself.
 */
import { Duplex } from "node:stream";
import { createBrotliDecompress } from "node:zlib";
import { type Unpacking, unpackingOf } from "../wire/unpacking.ts";

/** What says that it is packed and ends without a byte is not broken off: there is nothing in it. */
const unpackedBody = (body: ReadableStream<Uint8Array>, unpacking: Unpacking): ReadableStream<Uint8Array> => {
	let [came, isEmpty] = [false, false];
	const noted = new TransformStream<Uint8Array, Uint8Array>({
		transform(chunk, controller) {
			came = true;
			controller.enqueue(chunk);
		},
		flush() {
			isEmpty = !came;
		},
	});
	const reader = body.pipeThrough(noted).pipeThrough(unpacking).getReader();
	return new ReadableStream({
		async pull(controller) {
			try {
				const { done, value } = await reader.read();
				if (done) controller.close();
				else controller.enqueue(value);
			} catch (error) {
				if (!isEmpty) throw error;
				controller.close();
			}
		},
		cancel: (reason) => reader.cancel(reason),
	});
};

/** An answer that says how it is packed, by `content-encoding`: as it was before. One packed in a way that is not known stays as it is. */
export const unpacked = (response: Response): Response => {
	const encoding = response.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
	if (response.body === null || "Deno" in globalThis) return response;
	const unpacking =
		encoding === "br" ? (Duplex.toWeb(createBrotliDecompress()) as unknown as Unpacking) : unpackingOf(encoding);
	if (!unpacking) return response;
	const { status, statusText, headers: packed } = response;
	const headers = new Headers(packed);
	for (const name of ["content-encoding", "content-length"]) headers.delete(name);
	return new Response(unpackedBody(response.body, unpacking), { status, statusText, headers });
};
