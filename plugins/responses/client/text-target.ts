/** Where the text of one block goes. */
import type { Delta, Opaque, TextBlock } from "#core";
import type { Bearer } from "../carrier.ts";
import type { Target } from "./block-target.ts";
import type { TextPartWriter } from "./message-writer.ts";

/** What a text asks of the answer it belongs to. */
interface TextPlace {
	/** Opens a part in the message that is open, or in a new one. */
	open(): TextPartWriter;
	/** Puts a carried signature behind the text. */
	seal(value: Opaque, bearer: Bearer): void;
}

/**
 * Opens its part when there is something to say, so that an empty text leaves no trace; and once more when something
 * else was told in the middle of it. The part's end is left to the message: sources may still come.
 */
export class TextTarget {
	private readonly place: TextPlace;
	private part: TextPartWriter | undefined;
	private signature: Opaque | undefined;

	constructor(shell: TextBlock, place: TextPlace) {
		this.place = place;
		this.signature = shell.signature;
		if (shell.text !== "") this.written().grow(shell.text);
	}

	/** Whether anything was told. */
	get spoke(): boolean {
		return this.part !== undefined;
	}

	private written(): TextPartWriter {
		if (this.part === undefined || this.part.ended) this.part = this.place.open();
		return this.part;
	}

	grow(delta: Delta): void {
		switch (delta.type) {
			case "text":
				this.written().grow(delta.text);
				return;
			case "citation":
				this.written().cite(delta.citation);
				return;
			case "logprobs":
				this.written().probabilities(delta.items);
				return;
			case "signature":
				this.signature = delta.value;
		}
	}

	close(): void {
		if (this.signature !== undefined) this.place.seal(this.signature, this.part === undefined ? "empty" : "previous");
	}
}

/** Sound has no item: what is spoken is told as a text. `silent` is called where no words came with it. */
export const spokenTarget = (text: TextTarget, silent: () => void): Target => ({
	grow: (delta) => {
		if (delta.type === "transcript") text.grow({ type: "text", text: delta.text });
	},
	close: () => {
		text.close();
		if (!text.spoke) silent();
	},
});
