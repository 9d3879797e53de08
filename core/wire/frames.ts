/** Bytes of an event stream as events. Written for streams whose chunks fall anywhere, down to one byte. */
import { createParser, type EventSourceParser } from "eventsource-parser";
import { Fault } from "../contract/fault.ts";
import type { StreamEvent } from "../contract/upstream-side.ts";
import { isTorn } from "./torn-event.ts";

export interface Frames {
	/** Events that this chunk completed, in order. */
	feed(chunk: Uint8Array): readonly StreamEvent[];
	/** Events that an end of stream without its last blank line had left open; not one that it tore. */
	end(): readonly StreamEvent[];
}

const none: readonly StreamEvent[] = [];

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

export class EventFrames implements Frames {
	private readonly longestEvent: number;
	private readonly decoder = new TextDecoder();
	private events: StreamEvent[] = [];
	/** For what is not plain; most streams need none. */
	private parser: EventSourceParser | undefined;
	/** The parser holds nothing of an event that has begun. */
	private between = true;

	/** `longestEvent`: how much of an event is held in memory, in characters; beyond it `feed` throws `Fault`. */
	constructor(longestEvent: number) {
		this.longestEvent = longestEvent;
	}

	feed(chunk: Uint8Array): readonly StreamEvent[] {
		return this.take(this.decoder.decode(chunk, { stream: true }));
	}

	end(): readonly StreamEvent[] {
		const rest = this.decoder.decode();
		if (rest === "" && this.between) return none;
		return this.take(`${rest}\n\n`).filter(({ data }) => !isTorn(data));
	}

	private take(text: string): readonly StreamEvent[] {
		this.events = [];
		const at = this.between && !text.includes("\r") ? takePlain(text, this.events) : 0;
		if (at === text.length) return this.events;
		this.parser ??= this.createParser();
		this.parser.feed(at === 0 ? text : text.slice(at));
		this.between = text.endsWith("\n\n");
		return this.events;
	}

	private createParser(): EventSourceParser {
		return createParser({
			maxBufferSize: this.longestEvent,
			onEvent: ({ event, data }) => this.events.push(event === undefined ? { data } : { name: event, data }),
			onError: (error) => {
				if (error.type === "max-buffer-size-exceeded")
					throw new Fault(
						{ kind: "upstream", message: "The upstream sent an event that is too large to be held." },
						error,
					);
			},
		});
	}
}
