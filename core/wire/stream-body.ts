/** Where an open stream's bytes go: the body of a response, and the one hand that writes into it. */

export interface StreamBody {
	readonly body: ReadableStream<Uint8Array>;
	/** A promise when the client takes no more for now: it resolves when the client does. The bytes are taken either way. */
	write(bytes: string | Uint8Array): Promise<unknown> | undefined;
	/** The end, after everything that was written. */
	close(): void;
	/** Breaks the connection off, so that nobody can take the end for a good one. */
	breakOff(reason: Error): void;
}

/** What the body tells of its client. */
export interface StreamBodyEvents {
	/** The client takes the first bytes. */
	begin(): void;
	/** The client has gone, or wants no more. */
	left(): void;
}

export type OpenStreamBody = (events: StreamBodyEvents) => StreamBody;

const encoder = new TextEncoder();

/** A stream body of nothing but what every runtime has. Each write waits until the client has asked for the next. */
export const openStandardStreamBody: OpenStreamBody = (events) => {
	let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	let begun = false;
	let wanted = false;
	let resume: (() => void) | undefined;
	const body = new ReadableStream<Uint8Array>(
		{
			start: (given) => {
				controller = given;
			},
			pull() {
				wanted = true;
				resume?.();
				resume = undefined;
				if (begun) return;
				begun = true;
				events.begin();
			},
			cancel: () => events.left(),
		},
		{ highWaterMark: 0 },
	);
	return {
		body,
		write(bytes) {
			wanted = false;
			controller?.enqueue(typeof bytes === "string" ? encoder.encode(bytes) : bytes);
			if (wanted) return undefined;
			return new Promise<void>((resolve) => {
				resume = resolve;
			});
		},
		close: () => controller?.close(),
		breakOff: (reason) => controller?.error(reason),
	};
};
