/** Streams of lines, each a JSON of its own (NDJSON), as events: what Ollama and Cohere write in place of server-sent ones. */
import { Fault } from "../contract/fault.ts";
import type { StreamEvent } from "../contract/upstream-side.ts";
import { join } from "./body.ts";
import type { Frames } from "./frames.ts";
import { isTorn } from "./torn-event.ts";

/** Whether a media type is of such a stream. */
export const isJsonLines = (type: string): boolean => /\b(?:ndjson|jsonl|jsonlines|json-lines)\b/.test(type);

const lineFeed = 10;

const eventsOf = (lines: readonly string[]): readonly StreamEvent[] =>
	lines.flatMap((line) => (line.trim() === "" ? [] : [{ data: line.trim() }]));

export class JsonLineFrames implements Frames {
	private readonly longestLine: number;
	private readonly decoder = new TextDecoder();
	/** What has begun of a line. */
	private begun = "";

	constructor(longestLine: number) {
		this.longestLine = longestLine;
	}

	feed(chunk: Uint8Array): readonly StreamEvent[] {
		const lines = this.decoder.decode(chunk, { stream: true }).split("\n");
		// A long line that comes in many chunks is not looked through again with each.
		lines[0] = this.begun + (lines[0] ?? "");
		this.begun = lines.pop() ?? "";
		if (this.begun.length > this.longestLine)
			throw new Fault({ kind: "upstream", message: "The upstream sent a line that is too large to be held." });
		return eventsOf(lines);
	}

	end(): readonly StreamEvent[] {
		const rest = this.begun + this.decoder.decode();
		this.begun = "";
		return isTorn(rest) ? [] : eventsOf([rest]);
	}
}

/** Hands on the bytes of such a stream line by line, as `WholeEvents` does those of events. */
export class WholeLines {
	private held: Uint8Array[] = [];

	take(chunk: Uint8Array): Uint8Array | undefined {
		const end = chunk.lastIndexOf(lineFeed) + 1;
		if (end === chunk.length && this.held.length === 0) return end === 0 ? undefined : chunk;
		const left = chunk.subarray(end);
		if (end === 0) {
			this.held.push(left);
			return undefined;
		}
		const whole = join([...this.held, chunk.subarray(0, end)]);
		this.held = left.length > 0 ? [left] : [];
		return whole;
	}

	rest(): string {
		const text = new TextDecoder().decode(join(this.held));
		return isTorn(text) ? "" : text;
	}
}
