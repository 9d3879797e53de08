/**
 * Hands on the bytes of an event stream event by event: a part of an event waits for the rest. If the stream breaks off,
 * the client gets the error as an event of its own. Written behind half an event it would be a part of that one, and
 * clients fail on half a JSON before they see the error.
 */
import { join } from "./body.ts";
import { isTorn } from "./torn-event.ts";

const lineFeed = 10;
const carriageReturn = 13;

export class WholeEvents {
	private held: Uint8Array[] = [];
	/** The last two bytes that went through, for a blank line that lies across two chunks. */
	private before = 0;
	private last = 0;

	/** The bytes up to the end of the last whole event; undefined when none has ended. */
	take(chunk: Uint8Array): Uint8Array | undefined {
		const end = this.endOfLast(chunk);
		this.before = chunk.length > 1 ? (chunk.at(-2) ?? 0) : this.last;
		this.last = chunk.at(-1) ?? this.last;
		if (end === 0) {
			if (chunk.length > 0) this.held.push(chunk);
			return undefined;
		}
		// Most chunks are whole events, and go on as they are.
		if (end === chunk.length && this.held.length === 0) return chunk;
		this.held.push(end === chunk.length ? chunk : chunk.subarray(0, end));
		const whole = join(this.held);
		this.held = end === chunk.length ? [] : [chunk.subarray(end)];
		return whole;
	}

	/** What is left when the stream has ended well without its last blank line: nothing of an event that its end tore. */
	rest(): string {
		if (this.held.length === 0) return "";
		const text = new TextDecoder().decode(join(this.held));
		const torn = /(?:^|[\r\n])data:([^\r\n]*)$/.exec(text)?.[1];
		return torn !== undefined && isTorn(torn) ? "" : text;
	}

	/** Where in the chunk the last blank line ends; 0 when it holds none. */
	private endOfLast(chunk: Uint8Array): number {
		const byteAt = (at: number): number | undefined => chunk[at] ?? (at === -1 ? this.last : this.before);
		for (let at = chunk.length - 1; at >= 0; at--) {
			const byte = chunk[at];
			if (byte !== lineFeed && byte !== carriageReturn) continue;
			const previous = byteAt(at - 1);
			const afterReturn = byte === lineFeed && previous === carriageReturn && byteAt(at - 2) === lineFeed;
			if (previous === byte || afterReturn) return at + 1;
		}
		return 0;
	}
}
