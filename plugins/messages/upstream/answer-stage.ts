/**
 * Where the answer is the input of a tool, what the model says around that call is no part of it: a client that asked for
 * JSON reads all text as JSON. Texts wait until it is known whether the call comes; one before another call is told.
 */
import type { NeutralEvent } from "#core";
import type { OutputStream } from "./output-stream.ts";

const none: readonly NeutralEvent[] = [];

interface Held {
	readonly stream: OutputStream;
	readonly events: readonly NeutralEvent[];
}

export class AnswerStage {
	private held: Held[] = [];
	private answer: OutputStream | undefined;

	/** What may be told now that the block has told `events`. */
	take(stream: OutputStream, events: readonly NeutralEvent[]): readonly NeutralEvent[] {
		switch (stream.sort) {
			case "answer":
				// A second answer would make the text no JSON.
				this.answer ??= stream;
				return stream === this.answer ? [...this.release(false), ...events] : none;
			case "call":
				return [...this.release(true), ...events];
			default:
				return this.hold(stream, events);
		}
	}

	/** All that still waits, when nothing can follow. */
	rest(): readonly NeutralEvent[] {
		return this.release(true);
	}

	private hold(stream: OutputStream, events: readonly NeutralEvent[]): readonly NeutralEvent[] {
		const isText = stream.sort === "text";
		if (this.answer !== undefined) return isText ? none : events;
		// What stands behind a text that waits must not go before it.
		if (!isText && this.held.length === 0) return events;
		this.held.push({ stream, events });
		return none;
	}

	private release(texts: boolean): readonly NeutralEvent[] {
		const { held } = this;
		if (held.length === 0) return none;
		this.held = [];
		return held.flatMap(({ stream, events }) => (texts || stream.sort !== "text" ? events : none));
	}
}
