/** Bytes of an event stream as events. Written for streams whose chunks fall anywhere, down to one byte. */
import { createParser, type EventSourceParser } from "eventsource-parser";
import { Fault } from "../contract/fault.ts";
import type { StreamEvent } from "../contract/protocol.ts";
import { isTorn } from "./torn-event.ts";

export interface Frames {
	/** Events that this chunk completed, in order. The list is reused by the next call. */
	feed(chunk: Uint8Array): readonly StreamEvent[];
	/** Events that an end of stream without its last blank line had left open; not one that it tore. */
	end(): readonly StreamEvent[];
}

/**
 * Takes what nearly all of a stream is: whole events of one line of data, with a name or without. Gives how far it came;
 * what is left is anything else there may be in such a stream. There is no carriage return in `text`.
 */
const takePlain = (text: string, events: StreamEvent[]): number => {
	let at = 0;
	for (;;) {
		let from = at;
		let name = "";
		if (text.startsWith("event: ", at)) {
			const end = text.indexOf("\n", at);
			if (end === -1) return at;
			name = text.slice(at + 7, end);
			from = end + 1;
		}
		if (!text.startsWith("data: ", from)) return at;
		const end = text.indexOf("\n", from);
		if (end === -1 || text.charCodeAt(end + 1) !== 10) return at;
		const data = text.slice(from + 6, end);
		events.push(name === "" ? { data } : { name, data });
		at = end + 2;
	}
};

/** `longestEvent`: how much of an event is held in memory, in characters; beyond it `feed` throws `Fault`. */
export const createFrames = (longestEvent = 64 * 1024 * 1024): Frames => {
	const decoder = new TextDecoder();
	let events: StreamEvent[] = [];
	const makeParser = () =>
		createParser({
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
	let parser: EventSourceParser | undefined;
	/** The parser holds nothing of an event that has begun. */
	let between = true;
	const feed = (text: string): readonly StreamEvent[] => {
		events = [];
		const at = between && !text.includes("\r") ? takePlain(text, events) : 0;
		if (at === text.length) return events;
		parser ??= makeParser();
		parser.feed(at === 0 ? text : text.slice(at));
		between = text.endsWith("\n\n");
		return events;
	};
	return {
		feed: (chunk) => feed(decoder.decode(chunk, { stream: true })),
		end: () => feed(`${decoder.decode()}\n\n`).filter(({ data }) => !isTorn(data)),
	};
};
