/** The cheapest way into a response's body that the runtime has. */
import { type OpenStreamBody, openStandardStreamBody } from "../wire/stream-body.ts";

/** The constructor as Bun has it; the types of the standard do not know direct streams. */
const DirectStream = ReadableStream as unknown as new (
	source: Bun.DirectUnderlyingSource<Uint8Array>,
) => ReadableStream<Uint8Array>;

/**
 * Bun's direct streams write into the socket without a queue between: no promise for each piece, and text is encoded on
 * its way. A piece that the socket has no room for gives a promise that resolves when there is room again.
 */
const openDirectStreamBody: OpenStreamBody = ({ begin, left }) => {
	let controller: ReadableStreamDirectController | undefined;
	// The body ends with this promise.
	const { promise: over, resolve } = Promise.withResolvers<void>();
	const body = new DirectStream({
		type: "direct",
		pull(given) {
			controller = given;
			begin();
			return over;
		},
		cancel: left,
	});
	return {
		body,
		write(bytes) {
			const written = controller?.write(bytes);
			return typeof written === "object" ? written : undefined;
		},
		close() {
			controller?.close();
			resolve();
		},
		breakOff(reason) {
			controller?.close(reason);
			resolve();
		},
	};
};

export const openStreamBody: OpenStreamBody = "Deno" in globalThis ? openStandardStreamBody : openDirectStreamBody;
