/** The cheapest way into a response's body that the runtime has. */
import {
	type OpenStreamBody,
	openStandardStreamBody,
	type StreamBody,
	type StreamBodyEvents,
} from "../wire/stream-body.ts";

/** The constructor as Bun has it; the types of the standard do not know direct streams. */
const DirectStream = ReadableStream as unknown as new (
	source: Bun.DirectUnderlyingSource<Uint8Array>,
) => ReadableStream<Uint8Array>;

/**
 * Bun's direct streams write into the socket without a queue between: no promise for each piece, and text is encoded on
 * its way. A piece that the socket has no room for gives a promise that resolves when there is room again.
 */
class DirectStreamBody implements StreamBody {
	readonly body: ReadableStream<Uint8Array>;
	private readonly events: StreamBodyEvents;
	private controller: ReadableStreamDirectController | undefined;
	/** The body ends with this promise. */
	private readonly over = Promise.withResolvers<void>();

	constructor(events: StreamBodyEvents) {
		this.events = events;
		this.body = new DirectStream({
			type: "direct",
			pull: (given) => {
				this.controller = given;
				this.events.begin();
				return this.over.promise;
			},
			cancel: () => this.events.left(),
		});
	}

	write(bytes: string | Uint8Array): Promise<unknown> | undefined {
		const written = this.controller?.write(bytes);
		return typeof written === "object" ? written : undefined;
	}

	close(): void {
		this.controller?.close();
		this.over.resolve();
	}

	breakOff(reason: Error): void {
		this.controller?.close(reason);
		this.over.resolve();
	}
}

const openDirectStreamBody: OpenStreamBody = (events) => new DirectStreamBody(events);

export const openStreamBody: OpenStreamBody = "Deno" in globalThis ? openStandardStreamBody : openDirectStreamBody;
