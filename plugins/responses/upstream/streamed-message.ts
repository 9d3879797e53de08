/** A message of a stream: each of its parts is a block. */
import { asCount, asList, asRecord, asText, isRecord, type NeutralEvent, type WireRecord } from "#core";
import { ContentLength } from "../../chat-completions/service.ts";
import { decodeAnnotation, decodeLogprobs } from "../annotations.ts";
import { decodeRefusalPart, decodeTextPart } from "../decode-item.ts";
import type { BlockNumbers, StreamedItem } from "./block-numbers.ts";

const none: readonly NeutralEvent[] = [];

/** A part of a message: the block it became, and its text so far (citations count in it). */
interface Part {
	readonly block: number;
	readonly refusal: boolean;
	text: string;
	readonly content: ContentLength;
	open: boolean;
}

/** Parts that were never announced are opened by their first delta, or by their end. */
export class StreamedMessage implements StreamedItem {
	readonly type = "message";
	private readonly item: WireRecord;
	private readonly numbers: BlockNumbers;
	private readonly parts = new Map<number, Part>();

	constructor(item: WireRecord, numbers: BlockNumbers) {
		this.item = item;
		this.numbers = numbers;
	}

	begin(): readonly NeutralEvent[] {
		return none;
	}

	event(type: string, event: WireRecord): readonly NeutralEvent[] | undefined {
		const index = asCount(event["content_index"]) ?? 0;
		switch (type) {
			case "response.content_part.added":
				return this.open(index, asRecord(event["part"])["type"] === "refusal").events;
			case "response.output_text.delta":
				return this.grow(index, event);
			case "response.output_text.done":
				return this.growToEnd(index, event);
			case "response.output_text.annotation.added":
				return this.cite(index, event["annotation"]);
			case "response.refusal.delta":
				return this.refuse(index, asText(event["delta"]) ?? "");
			case "response.refusal.done": {
				const text = this.untold(index, event["refusal"]);
				return text === "" ? none : this.refuse(index, text);
			}
			case "response.content_part.done":
				return this.close(index, asRecord(event["part"]));
			default:
				return undefined;
		}
	}

	private open(index: number, refusal: boolean): { readonly part: Part; readonly events: readonly NeutralEvent[] } {
		const known = this.parts.get(index);
		if (known) return { part: known, events: none };
		const shell = refusal ? decodeRefusalPart({}) : decodeTextPart({}, this.item);
		const { block, event } = this.numbers.open(shell);
		const part: Part = { block, refusal, text: "", content: new ContentLength(), open: true };
		this.parts.set(index, part);
		return { part, events: [event] };
	}

	/** What the end of a part tells beyond its deltas: all of it where a vendor sends none. */
	private untold(index: number, whole: unknown): string {
		const before = this.parts.get(index)?.text ?? "";
		const text = asText(whole) ?? "";
		return text.startsWith(before) ? text.slice(before.length) : "";
	}

	private refuse(index: number, text: string): readonly NeutralEvent[] {
		const { part, events } = this.open(index, true);
		part.text += text;
		return [...events, { type: "delta", block: part.block, delta: { type: "refusal", text } }];
	}

	private grow(index: number, event: WireRecord): readonly NeutralEvent[] {
		const { part, events } = this.open(index, false);
		const text = asText(event["delta"]) ?? "";
		part.text += text;
		const delta: NeutralEvent = { type: "delta", block: part.block, delta: { type: "text", text } };
		const logprobs = event["logprobs"];
		const items = Array.isArray(logprobs) && logprobs.length > 0 ? decodeLogprobs(logprobs) : [];
		if (items.length === 0) return events.length === 0 ? [delta] : [...events, delta];
		return [...events, delta, { type: "delta", block: part.block, delta: { type: "logprobs", items } }];
	}

	/** Probabilities stand with the text they are of: those of deltas have been told. */
	private growToEnd(index: number, { text, logprobs }: WireRecord): readonly NeutralEvent[] {
		const delta = this.untold(index, text);
		if (delta === "") return none;
		return this.grow(index, delta === text ? { delta, logprobs } : { delta });
	}

	private cite(index: number, annotation: unknown): readonly NeutralEvent[] {
		const { part, events } = this.open(index, false);
		const citation = decodeAnnotation(annotation, part.content.growTo(part.text));
		if (citation === undefined) return events;
		return [...events, { type: "delta", block: part.block, delta: { type: "citation", citation } }];
	}

	private close(index: number, part: WireRecord): readonly NeutralEvent[] {
		const { part: known, events } = this.open(index, part["type"] === "refusal");
		if (!known.open) return none;
		known.open = false;
		const final = known.refusal ? decodeRefusalPart(part) : decodeTextPart(part, this.item);
		// Some vendors leave the text out of the part's end; then what was told stands.
		const told = final.text !== "" || known.text === "";
		return [...events, { type: "close", block: known.block, ...(told && { final }) }];
	}

	end(item?: WireRecord): readonly NeutralEvent[] {
		const events: NeutralEvent[] = [];
		// By their order, for some vendors count the parts of a stream from 1.
		const told = [...this.parts.keys()];
		for (const [place, part] of asList(item?.["content"]).entries())
			if (isRecord(part)) events.push(...this.close(told[place] ?? place, part));
		for (const part of this.parts.values())
			if (part.open) {
				part.open = false;
				events.push({ type: "close", block: part.block });
			}
		return events;
	}
}
