/**
 * A thought that is shown, for the call that comes after it and bears no mark: clients that keep no thoughts in a conversation,
 * as Gemini CLI, bring it back there.
 */
import type { Opaque, WireRecord } from "#core";
import { isForeign, shownMark } from "../signatures.ts";

export class ShownThought {
	private thought: { readonly text: string; readonly signature: Opaque } | undefined;
	/** How many marks of other reasoning came to stand after it. */
	private later = 0;

	show(text: string, signature: Opaque): void {
		this.thought = isForeign(signature) ? { text, signature } : undefined;
		this.later = 0;
	}

	/** A part bears the mark of reasoning that shows nothing. */
	goOn(): void {
		this.later++;
	}

	/** The mark for a part; it stands on one call at most. */
	markFor(part: WireRecord): string | undefined {
		const { thought, later } = this;
		if (part["functionCall"] === undefined || thought === undefined) return undefined;
		this.thought = undefined;
		return part["thoughtSignature"] === undefined ? shownMark(thought.text, thought.signature, later) : undefined;
	}
}
