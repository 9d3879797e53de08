/** Bytes of an event stream as events. Written for streams whose chunks fall anywhere, down to one byte. */
import { createParser } from "eventsource-parser";
import { Fault } from "../foundation/fault.ts";
import type { StreamEvent } from "./protocol.ts";

export interface Frames {
	/** Events that this chunk completed, in order. The list is reused by the next call. */
	feed(chunk: Uint8Array): readonly StreamEvent[];
	/** Events that an end of stream without its last blank line had left open. */
	end(): readonly StreamEvent[];
}

/** `longestEvent`: how much of an event is held in memory, in characters; beyond it `feed` throws `Fault`. */
export const createFrames = (longestEvent = 64 * 1024 * 1024): Frames => {
	const decoder = new TextDecoder();
	let events: StreamEvent[] = [];
	const parser = createParser({
		maxBufferSize: longestEvent,
		onEvent: ({ event, data }) => events.push(event === undefined ? { data } : { name: event, data }),
		onError: (error) => {
			if (error.type === "max-buffer-size-exceeded")
				throw new Fault(
					{ kind: "upstream", message: "The upstream sent an event that is too large to be held." },
					error,
				);
		},
	});
	const feed = (text: string): readonly StreamEvent[] => {
		events = [];
		parser.feed(text);
		return events;
	};
	return {
		feed: (chunk) => feed(decoder.decode(chunk, { stream: true })),
		end: () => feed(`${decoder.decode()}\n\n`),
	};
};
