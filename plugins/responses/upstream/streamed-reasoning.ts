/** A reasoning item of a stream: one block, whatever the number of its summaries. */
import { asCount, asText, type Delta, definedOnly, type NeutralEvent, partSeparator, type WireRecord } from "#core";
import { decodeReasoning, type ItemContext } from "../decode-item.ts";
import type { BlockNumbers, StreamedItem } from "./block-numbers.ts";

const none: readonly NeutralEvent[] = [];

/** Its encrypted content is known only at its end. */
export class StreamedReasoning implements StreamedItem {
	readonly type = "reasoning";
	private readonly item: WireRecord;
	private readonly numbers: BlockNumbers;
	private readonly context: ItemContext;
	private block: number | undefined;
	private form: "full" | "summary" | undefined;
	/** What was told, by part. */
	private readonly texts = new Map<number, string>();
	private over = false;

	constructor(item: WireRecord, numbers: BlockNumbers, context: ItemContext) {
		this.item = item;
		this.numbers = numbers;
		this.context = context;
	}

	/** Nothing is opened before there is something to say: most items hold only what is encrypted, told at the end. */
	begin(): readonly NeutralEvent[] {
		return none;
	}

	event(type: string, event: WireRecord): readonly NeutralEvent[] | undefined {
		const text = asText(event["delta"]) ?? "";
		switch (type) {
			case "response.reasoning_summary_text.delta":
				return this.grow("summary", text, asCount(event["summary_index"]) ?? 0);
			case "response.reasoning_text.delta":
			case "response.reasoning.delta":
				return this.grow("full", text, asCount(event["content_index"]) ?? 0);
			case "response.reasoning_summary_text.done":
				return this.growTo("summary", event["text"], asCount(event["summary_index"]) ?? 0);
			case "response.reasoning_text.done":
				return this.growTo("full", event["text"], asCount(event["content_index"]) ?? 0);
			default:
				return undefined;
		}
	}

	/** The end of a part tells all of it: some vendors send no deltas. */
	private growTo(form: "full" | "summary", whole: unknown, part: number): readonly NeutralEvent[] {
		const before = this.texts.get(part) ?? "";
		const text = asText(whole) ?? "";
		const isLonger = text.length > before.length && text.startsWith(before);
		return isLonger ? this.grow(form, text.slice(before.length), part) : none;
	}

	private grow(form: "full" | "summary", told: string, part: number): readonly NeutralEvent[] {
		this.form ??= form;
		// Where both are told, one is enough: the block is the one that came first.
		if (this.form !== form || this.over) return none;
		// Only summaries are parts: the pieces of a reasoning that is told itself are one text.
		const begins = form === "full" && this.texts.size > 0 && !this.texts.has(part);
		const text = begins ? partSeparator + told : told;
		this.texts.set(part, (this.texts.get(part) ?? "") + told);
		const delta: Delta = form === "full" ? { type: "thinking", text } : { type: "thinking", text, part };
		if (this.block !== undefined) return [{ type: "delta", block: this.block, delta }];
		const { block, event: opened } = this.numbers.open({
			type: "thinking",
			text: "",
			form,
			...definedOnly({ itemId: asText(this.item["id"]) }),
		});
		this.block = block;
		return [opened, { type: "delta", block, delta }];
	}

	end(item?: WireRecord): readonly NeutralEvent[] {
		if (this.over) return none;
		this.over = true;
		const final = item && decodeReasoning(item, this.context, this.form);
		if (this.block === undefined) return final ? this.numbers.whole(final) : none;
		if (final?.type !== "opaque_thinking") return [{ type: "close", block: this.block, ...(final && { final }) }];
		// The end tells no summaries, though they were streamed: only what is encrypted is news.
		return [
			{ type: "delta", block: this.block, delta: { type: "signature", value: final.data } },
			{ type: "close", block: this.block },
		];
	}
}
