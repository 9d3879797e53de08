/**
 * A thought that is shown, for the call that comes after it and bears no mark: clients that keep no thoughts in a conversation,
 * as Gemini CLI, bring it back there.
 */
import type { Opaque, WireRecord } from "#core";
import { isForeign, shownMark } from "../signatures.ts";

export class ShownThought {
	private thought: { readonly text: string; readonly signature: Opaque } | undefined;
	private isLast = true;

	show(text: string, signature: Opaque): void {
		this.thought = isForeign(signature) ? { text, signature } : undefined;
		this.isLast = true;
	}

	/** Reasoning that shows nothing came after it. */
	goOn(): void {
		this.isLast = false;
	}

	/** The mark for a part; it stands on one call at most. */
	markFor(part: WireRecord): string | undefined {
		const { thought, isLast } = this;
		if (part["functionCall"] === undefined || thought === undefined) return undefined;
		this.thought = undefined;
		return part["thoughtSignature"] === undefined ? shownMark(thought.text, thought.signature, isLast) : undefined;
	}
}
