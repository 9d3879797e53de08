/** What every written output item has in common, and the list they make. */
import type { WireRecord } from "#core";
import { ownReasoningMark } from "../origin.ts";
import type { Wire } from "./wire.ts";

/** An output item while it is written. */
export interface ItemWriter {
	/** Writes the item's end. Does nothing the second time. `cut`: the answer stopped within it. */
	end(cut: boolean): void;
	/** The item as it stands, complete or not. */
	item(): WireRecord;
}

/** Prefixes by which clients tell the sorts of items apart. */
type IdPrefix = "msg" | "rs" | "fc" | "ctc" | "sh" | "lsh" | "apc" | "tsc" | "ws" | "ci" | "ig" | "item";

/** The output of one answer: gives out indices and ids, and keeps the items in order. */
export class Output {
	readonly wire: Wire;
	private readonly suffix: string;
	private readonly writers: ItemWriter[] = [];
	private readonly ids = new Set<string>();

	/** `suffix`: what makes this answer's ids differ from all others'. */
	constructor(wire: Wire, suffix: string) {
		this.wire = wire;
		this.suffix = suffix;
	}

	/** Takes a place for an item: its index, and the id it had or a new one. */
	place(prefix: IdPrefix, given?: string): { readonly index: number; readonly id: string } {
		const index = this.writers.length;
		const made = `${prefix === "rs" ? ownReasoningMark : `${prefix}_`}${this.suffix}${index.toString(16).padStart(4, "0")}`;
		const id = given !== undefined && given !== "" && !this.ids.has(given) ? given : made;
		this.ids.add(id);
		return { index, id };
	}

	/** Puts the item into its place; `place` must have been asked for it just before. */
	add<W extends ItemWriter>(writer: W): W {
		this.writers.push(writer);
		return writer;
	}

	/** Writes the end of every item that has none yet. */
	endAll(cut: boolean): void {
		const last = this.writers.length - 1;
		for (const [index, writer] of this.writers.entries()) writer.end(cut && index === last);
	}

	/** The items as they stand; what is not done when the answer is over is incomplete. */
	items(): readonly WireRecord[] {
		return this.writers.map((writer) => {
			const item = writer.item();
			return item["status"] === "in_progress" ? { ...item, status: "incomplete" } : item;
		});
	}
}

/** Writes the announcement of an item. */
export const announce = (wire: Wire, index: number, item: WireRecord): void => {
	if (wire.live) wire.emit("response.output_item.added", `"output_index":${index},"item":${JSON.stringify(item)}`);
};

/** Writes the end of an item. */
export const conclude = (wire: Wire, index: number, item: WireRecord): void => {
	if (wire.live) wire.emit("response.output_item.done", `"output_index":${index},"item":${JSON.stringify(item)}`);
};
