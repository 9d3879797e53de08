/**
 * A JSON body that is held once. While it is read it is there as bytes, as a text and as values; once it has been sent, all
 * that stays is what was sent, out of which the others are made again should somebody ask. What was sent goes on with
 * the runtime, which takes no copy of a text in ASCII.
 */
import type { JsonBody, Member } from "../contract/json-body.ts";
import { inOnePiece } from "../neutral/json.ts";

/** One change of a text. */
export interface Edit {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/** Shorter bodies, and shorter members of a body, are not worth the trouble. Bytes and characters. */
const worthIt = 16 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The body as it is held; one that was put together elsewhere is from here on held likewise. */
export const heldBody = (body: JsonBody): HeldBody =>
	body instanceof HeldBody ? body : new HeldBody(body.bytes, body.text, body.value, body.members);

export class HeldBody implements JsonBody {
	readonly value: JsonBody["value"];
	readonly members: JsonBody["members"];
	private readonly length: number;
	private heldBytes: Uint8Array | undefined;
	private heldText: string | undefined;
	/** The text as it was made for an upstream last, and what was changed for it. */
	private made: { readonly text: string; readonly edits: readonly Edit[] } | undefined;

	constructor(bytes: Uint8Array, text: string, value: JsonBody["value"], members: JsonBody["members"]) {
		this.value = value;
		this.members = members;
		this.length = bytes.length;
		this.heldBytes = bytes;
		this.heldText = text;
	}

	get bytes(): Uint8Array {
		return this.heldBytes ?? encoder.encode(this.heldText);
	}

	get text(): string {
		return this.heldText ?? decoder.decode(this.heldBytes);
	}

	/** The text with these changes, which stand in their order and do not overlap. */
	edited(edits: readonly Edit[]): string {
		const { text: before } = this;
		const pieces: string[] = [];
		let at = 0;
		for (const { start, end, text } of edits) {
			pieces.push(before.slice(at, start), text);
			at = end;
		}
		pieces.push(before.slice(at));
		const text = pieces.join("");
		if (this.length >= worthIt) this.made = { text, edits };
		return text;
	}

	/** What is sent of it when nothing is changed. */
	unedited(): string | Uint8Array {
		const isAscii = this.heldText?.length === this.length;
		return isAscii && this.length >= worthIt ? this.text : this.bytes;
	}

	/** From now on nothing is held but what was sent. */
	letGo(sent: unknown): void {
		if (this.length < worthIt) return;
		const { made, heldBytes } = this;
		this.made = undefined;
		if (sent === heldBytes) this.heldText = undefined;
		else {
			if (made && made.text === sent) this.heldText = this.withoutEdits(made.text, made.edits);
			this.heldText ??= decoder.decode(heldBytes);
			this.heldBytes = undefined;
		}
		for (const [name, member] of this.members) this.letMemberGo(name, member);
	}

	/** The text before these changes, as parts of the one after them: those take no memory of their own. */
	private withoutEdits(after: string, edits: readonly Edit[]): string {
		const { text: before } = this;
		let text = "";
		let [at, atAfter] = [0, 0];
		for (const { start, end, text: added } of edits) {
			text += after.slice(atAfter, atAfter + start - at) + (end > start ? inOnePiece(before.slice(start, end)) : "");
			atAfter += start - at + added.length;
			at = end;
		}
		return text + after.slice(atAfter);
	}

	private letMemberGo(name: string, { valueStart, valueEnd }: Member): void {
		if (valueEnd - valueStart < worthIt) return;
		Object.defineProperty(this.value, name, {
			configurable: true,
			enumerable: true,
			get: (): unknown => JSON.parse(this.text.slice(valueStart, valueEnd)),
		});
	}
}
