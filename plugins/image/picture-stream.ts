/** The answer to a client that asked for a stream: pictures on their way as they come, then each picture, or why there is none. */
import { asList, asRecord, isFault, renderOwnDenial, type WireRecord } from "#core";

const eventText = (type: string, event: WireRecord): string =>
	`event: ${type}\ndata: ${JSON.stringify({ ...event, type })}\n\n`;

/** Every event has these fields. What neither the client asked for nor the upstream told is left to whoever made the picture. */
const untold = { size: "auto", quality: "auto", background: "auto" } as const;

/** What a picture used whose upstream counts no tokens. */
const noTokens = {
	input_tokens: 0,
	output_tokens: 0,
	total_tokens: 0,
	input_tokens_details: { image_tokens: 0, text_tokens: 0 },
} as const;

/** One event for each picture of a whole answer. */
const lastEvents = (type: string, { data, created, ...rest }: WireRecord): string =>
	asList(data)
		.map((image) => eventText(type, { ...untold, usage: noTokens, ...asRecord(image), created_at: created, ...rest }))
		.join("");

const failureText = (error: unknown): string => {
	if (!isFault(error)) throw error;
	return eventText("error", asRecord(renderOwnDenial(error.denial).body));
};

interface PictureStream {
	/** What the last event of each picture is called. */
	readonly event: string;
	/** Tells of pictures on their way until the function that it gives is called. */
	watch(told: (preview: WireRecord) => void): () => void;
	/** The whole answer. Rejects with the `Fault` that a client without a stream would get. */
	readonly whole: Promise<WireRecord>;
	/** Told when the end of the stream is about to be sent. */
	readonly answered: (() => void) | undefined;
}

/** A task that ends before any preview came is answered, or fails, as one without a stream. */
export const pictureStream = async ({ event, watch, whole, answered }: PictureStream): Promise<Response> => {
	const bytes = new TextEncoder();
	const early: string[] = [];
	const begun = Promise.withResolvers<void>();
	let send = (text: string): void => {
		early.push(text);
		begun.resolve();
	};
	const partial = event.replace(/completed$/, "partial_image");
	const leave = watch((preview) => send(eventText(partial, { ...untold, ...preview })));
	const ending = whole.finally(leave);
	await Promise.race([begun.promise, ending]);
	const body = new ReadableStream<Uint8Array>({
		async start(controller) {
			send = (text) => controller.enqueue(bytes.encode(text));
			for (const text of early) send(text);
			const last = await ending.then((answer) => lastEvents(event, answer), failureText);
			answered?.();
			send(last);
			controller.close();
		},
		cancel() {
			send = () => undefined;
			leave();
		},
	});
	return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } });
};
