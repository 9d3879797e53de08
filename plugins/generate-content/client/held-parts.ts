/** What is held back of one candidate's stream, so that the chunk that ends it has something to say. */
import { gapBetween, type Opaque, type TextBlock, type TokenLogprob } from "#core";
import { writeSignature } from "../signatures.ts";
import { textPart } from "./answer-part.ts";
import type { CitedText } from "./encode-grounding.ts";

export class HeldParts {
	/** The end of a growing text. */
	private text = "";
	private thought = false;
	/** A whole part that waits for what follows, as JSON. */
	private part = "";
	private lastText: TextBlock | undefined;
	/** Bytes of visible text in blocks that are complete. */
	bytes = 0;
	readonly texts: CitedText[] = [];
	readonly queries: string[] = [];
	readonly logprobs: TokenLogprob[] = [];
	/** A call came whose arguments were no JSON. */
	brokenCall = false;

	/** What stands before the text, which goes on from others of the answer. */
	gapBefore(text: TextBlock): string {
		const gap = gapBetween(this.lastText, text);
		this.lastText = text;
		this.bytes += gap.length;
		return gap;
	}

	/** What waits, as parts; nothing waits any more. */
	flush(): string {
		const parts = this.text === "" ? this.part : textPart(this.text, this.thought);
		this.text = "";
		this.part = "";
		return parts;
	}

	/** Takes more text; gives the parts that may go out. */
	addText(text: string, thought: boolean): string {
		const goesOn = this.text !== "" && this.thought === thought;
		const before = goesOn ? "" : this.flush();
		const all = goesOn ? this.text + text : text;
		const last = startOfLast(all);
		this.text = all.slice(last);
		this.thought = thought;
		const now = last > 0 ? textPart(all.slice(0, last), thought) : "";
		return before !== "" && now !== "" ? `${before},${now}` : before + now;
	}

	/** Takes a whole part, as JSON; gives what waited before it. */
	addPart(part: string): string {
		const before = this.flush();
		this.part = part;
		return before;
	}

	/** Takes the signature of the text just given. Gives what waited before. */
	sign(signature: Opaque, thought: boolean): string {
		const signed = this.thought === thought ? this.text : "";
		if (signed !== "") this.text = "";
		return this.addPart(textPart(signed, thought, writeSignature(signature)));
	}

	/** Takes a signature that has no text, which stands on an empty one. Gives what waited before. */
	signEmpty(signature: Opaque, thought: boolean): string {
		return this.addPart(textPart("", thought, writeSignature(signature)));
	}
}

/** Where the last letter begins; both halves of a pair are one. */
const startOfLast = (text: string): number => {
	const at = text.length - 1;
	const unit = text.charCodeAt(at);
	return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
};
