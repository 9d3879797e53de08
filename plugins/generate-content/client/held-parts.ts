/** What is held back of one candidate's stream, so that the chunk that ends it has something to say. */
import { gapBetween, type Opaque, type TextBlock, type TokenLogprob, type ToolCallBlock, type WireRecord } from "#core";
import { markedPart, writeSignature } from "../signatures.ts";
import { bearsMark, textPart } from "./answer-part.ts";
import type { CitedText } from "./encode-grounding.ts";
import { ShownThought } from "./shown-thought.ts";

export class HeldParts {
	/** The end of a growing text. */
	private text = "";
	private thought = false;
	/** Of reasoning that shows nothing, for the part that follows. */
	private mark: string | undefined;
	/** A whole part that waits for what follows, or calls side by side, as JSON. */
	private part = "";
	private holdsCalls = false;
	private lastText: TextBlock | undefined;
	/** Bytes of visible text in blocks that are complete. */
	bytes = 0;
	readonly texts: CitedText[] = [];
	readonly queries: string[] = [];
	readonly logprobs: TokenLogprob[] = [];
	readonly shown = new ShownThought();
	/** The last call whose arguments were no JSON. */
	brokenCall: ToolCallBlock | undefined;

	/** What stands before the text, which goes on from others of the answer. */
	gapBefore(text: TextBlock): string {
		const gap = gapBetween(this.lastText, text);
		this.lastText = text;
		this.bytes += gap.length;
		return gap;
	}

	/** What waits, as parts; nothing waits any more. */
	flush(): string {
		return joined(this.release(), this.leaveMark());
	}

	/** What waits but the mark, which is for what follows. */
	private release(): string {
		const parts = this.text === "" ? this.part : this.written(this.text, this.thought);
		this.text = "";
		this.part = "";
		this.holdsCalls = false;
		return parts;
	}

	private leaveMark(): string {
		const { mark } = this;
		this.mark = undefined;
		return mark === undefined ? "" : JSON.stringify(markedPart(mark));
	}

	private written(text: string, thought: boolean): string {
		const mark = thought ? undefined : this.mark;
		if (mark !== undefined) {
			this.mark = undefined;
			this.shown.goOn();
		}
		return textPart(text, thought, mark);
	}

	/** Takes the mark of reasoning that shows nothing; gives what waited before it. */
	hold(mark: string): string {
		const before = this.flush();
		this.mark = mark;
		return before;
	}

	/** What waits and does not go on in a text of this sort: Google tells thoughts and words in chunks of their own. */
	beforeText(thought: boolean): string {
		if (this.text !== "" && this.thought === thought) return "";
		return thought ? this.flush() : this.release();
	}

	/** Takes more text, after what waited before it; gives the parts that may go out. */
	addText(text: string, thought: boolean): string {
		const all = this.text + text;
		const last = startOfLast(all);
		this.text = all.slice(last);
		this.thought = thought;
		return last > 0 ? this.written(all.slice(0, last), thought) : "";
	}

	/**
	 * Takes a whole part; gives what waited before it. Calls side by side stay together, as Gemini tells them: Haystack counts
	 * them anew in each chunk, and makes one of two.
	 */
	addPart(part: WireRecord): string {
		const bears = bearsMark(part);
		const isCall = part["functionCall"] !== undefined;
		const goesOn = isCall && this.holdsCalls && (bears || this.mark === undefined);
		const calls = goesOn ? this.part : "";
		const before = goesOn ? "" : bears ? this.release() : this.flush();
		const shown = this.shown.markFor(part);
		const mark = this.mark ?? shown;
		if (this.mark !== undefined) this.shown.goOn();
		this.mark = undefined;
		this.part = joined(calls, JSON.stringify(mark === undefined ? part : { ...part, thoughtSignature: mark }));
		this.holdsCalls = isCall;
		return before;
	}

	/** Takes the signature of the text just given. Gives what waited before. */
	sign(signature: Opaque, thought: boolean): string {
		const signed = this.thought === thought ? this.text : "";
		if (signed !== "") this.text = "";
		return this.addSigned(textPart(signed, thought, writeSignature(signature)));
	}

	/** Takes a signature that has no text, which stands on an empty one. Gives what waited before. */
	signEmpty(signature: Opaque, thought: boolean): string {
		return this.addSigned(textPart("", thought, writeSignature(signature)));
	}

	private addSigned(part: string): string {
		const before = this.flush();
		this.part = part;
		return before;
	}
}

const joined = (before: string, after: string): string =>
	before !== "" && after !== "" ? `${before},${after}` : before + after;

/** Where the last letter begins; both halves of a pair are one. */
const startOfLast = (text: string): number => {
	const at = text.length - 1;
	const unit = text.charCodeAt(at);
	return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
};
