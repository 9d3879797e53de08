/** The bodies of upstreams' answers, read whole or event by event. */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { isRecord, parseJson, type WireRecord } from "#core";

const largestFile = 512 * 1024 * 1024;

/** The whole body. Throws `TypeError` when it is larger than any result, whatever it says of itself or packs into little. */
export const bodyBytes = async (response: Response): Promise<Uint8Array> => {
	const tooLarge = (): TypeError => new TypeError("an upstream's answer is too large");
	if (Number(response.headers.get("content-length") ?? 0) > largestFile) throw tooLarge();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of response.body ?? []) {
		size += chunk.length;
		if (size > largestFile) throw tooLarge();
		chunks.push(chunk);
	}
	return Buffer.concat(chunks, size);
};

/** The events of a stream, told one by one, and the last of them. Throws when one is larger than any result. */
export const lastEvent = async (response: Response, told: (event: WireRecord) => void): Promise<unknown> => {
	const events = response.body
		?.pipeThrough(new TextDecoderStream())
		.pipeThrough(new EventSourceParserStream({ maxBufferSize: largestFile, onError: "terminate" }));
	let last: unknown;
	for await (const { data } of events ?? []) {
		const event = parseJson(data);
		if (!isRecord(event)) continue;
		last = event;
		told(event);
	}
	return last;
};
