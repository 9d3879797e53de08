/** The fold of a stream: neutral events, one at a time, into the response they tell. The reverse is `explode`. */

import type { Block, Extras, Media, Opaque, ThinkingBlock, ToolArguments } from "./content.ts";
import { definedOnly, parseShallow } from "./json.ts";
import type { Candidate, Delta, NeutralEvent, NeutralResponse } from "./response.ts";

/** What stands between the summary parts of a thinking block in its `text`. */
export const partSeparator = "\n\n";

/** The response that `events` tell. A stream that broke off gives what had come; its open candidates end with `error`. */
export const fold = (events: Iterable<NeutralEvent>): NeutralResponse => {
	const folder = new Folder();
	for (const event of events) folder.push(event);
	return folder.response();
};

/** Arguments gathered as text, read by what they turned out to be. No text at all is a call without arguments. */
export const readArguments = (text: string, kind: "function" | "custom"): ToolArguments => {
	if (kind === "custom") return { form: "text", text };
	if (text.trim() === "") return { form: "json", value: {}, text: "{}" };
	const value = parseShallow(text);
	return value === undefined ? { form: "invalid", text } : { form: "json", value, text };
};

/** Takes one event at a time; `response` may be asked at any moment. Expects the order written at `NeutralEvent`. */
export class Folder {
	private head: Omit<NeutralResponse, "candidates"> = { id: "", model: "", createdAt: 0 };
	private readonly blocks: { readonly candidate: number; block: Block }[] = [];
	/** Where each open block stands in `blocks`. */
	private readonly open = new Map<number, { block: Block }>();
	private readonly candidates = new Map<number, Candidate>();

	push(event: NeutralEvent): void {
		switch (event.type) {
			case "start": {
				const { type: _, ...head } = event;
				this.head = { ...this.head, ...head };
				return;
			}
			case "open": {
				const growing = { candidate: event.candidate, block: event.shell };
				this.blocks.push(growing);
				this.open.set(event.block, growing);
				this.add(event.candidate, {});
				return;
			}
			case "delta": {
				const growing = this.open.get(event.block);
				if (growing) growing.block = grow(growing.block, event.delta);
				return;
			}
			case "close": {
				const growing = this.open.get(event.block);
				if (growing && event.final) growing.block = event.final;
				return;
			}
			case "grounding":
				this.add(event.candidate, { grounding: event.grounding });
				return;
			case "finish":
				this.add(event.candidate, definedOnly({ finish: event.finish, extras: event.extras }));
				return;
			case "usage":
				this.head = { ...this.head, ...definedOnly({ usage: event.usage, tier: event.tier }) };
				return;
			case "blocked": {
				const { type: _, ...promptBlocked } = event;
				this.head = { ...this.head, promptBlocked };
				return;
			}
			case "error":
				this.head = { ...this.head, error: event.error };
		}
	}

	private add(index: number, more: Partial<Candidate>): void {
		const before = this.candidates.get(index) ?? { index, blocks: [], finish: { reason: "error" } };
		this.candidates.set(index, { ...before, ...more });
	}

	response(): NeutralResponse {
		const candidates = [...this.candidates.values()].sort((a, b) => a.index - b.index);
		const blocksOf = (index: number): readonly Block[] =>
			this.blocks.filter(({ candidate }) => candidate === index).map(({ block }) => settled(block));
		return { ...this.head, candidates: candidates.map((made) => ({ ...made, blocks: blocksOf(made.index) })) };
	}
}

/** The block one delta later; a delta that its type cannot take changes nothing. */
const grow = (block: Block, delta: Delta): Block => {
	switch (delta.type) {
		case "text":
		case "refusal":
			return block.type === delta.type ? { ...block, text: block.text + delta.text } : block;
		case "thinking":
			return block.type === "thinking" ? think(block, delta.text, delta.part) : block;
		case "arguments":
			return gather(block, delta.text);
		case "signature":
			return sign(block, delta.value);
		case "extras":
			return { ...block, extras: mergeExtras(block.extras, delta.extras) };
		default:
			return growRarely(block, delta);
	}
};

const sign = (block: Block, signature: Opaque): Block => {
	switch (block.type) {
		case "text":
		case "thinking":
		case "tool_call":
		case "image":
		case "server_call":
			return { ...block, signature };
		default:
			return block;
	}
};

const growRarely = (
	block: Block,
	delta: Extract<Delta, { type: "citation" | "logprobs" | "media" | "transcript" }>,
): Block => {
	if (block.type === "text" && delta.type === "citation")
		return { ...block, citations: [...(block.citations ?? []), delta.citation] };
	if (block.type === "text" && delta.type === "logprobs")
		return { ...block, logprobs: [...(block.logprobs ?? []), ...delta.items] };
	if (block.type === "audio" && delta.type === "transcript")
		return { ...block, transcript: (block.transcript ?? "") + delta.text };
	if ((block.type === "audio" || block.type === "image") && delta.type === "media")
		return { ...block, media: longer(block.media, delta.base64) };
	return block;
};

const think = (block: ThinkingBlock, text: string, part: number | undefined): ThinkingBlock => {
	if (part === undefined) return { ...block, text: block.text + text };
	const parts = [...(block.parts ?? [])];
	while (parts.length <= part) parts.push("");
	parts[part] += text;
	return { ...block, parts };
};

/** Arguments as the text they are until the block is whole. */
const gather = (block: Block, text: string): Block => {
	if (block.type === "server_call")
		return { ...block, arguments: (typeof block.arguments === "string" ? block.arguments : "") + text };
	if (block.type !== "tool_call") return block;
	const before = block.arguments.text === "{}" ? "" : block.arguments.text;
	return { ...block, arguments: { form: "invalid", text: before + text } };
};

/** A block that grew, read for what its pieces came to. */
const settled = (block: Block): Block => {
	if (block.type === "thinking" && block.parts && block.text === "")
		return { ...block, text: block.parts.join(partSeparator) };
	if (block.type === "tool_call" && block.arguments.form !== "json")
		return { ...block, arguments: readArguments(block.arguments.text, block.kind) };
	if (block.type === "server_call" && typeof block.arguments === "string")
		return { ...block, arguments: parseShallow(block.arguments) ?? block.arguments };
	return block;
};

/** Base64 of the bytes of both; pieces are padded where each was encoded by itself. */
const longer = (media: Media, base64: string): Media => {
	if (media.by !== "bytes") return media;
	if (!media.base64.endsWith("=")) return { ...media, base64: media.base64 + base64 };
	const bytes = Buffer.concat([Buffer.from(media.base64, "base64"), Buffer.from(base64, "base64")]);
	return { ...media, base64: bytes.toString("base64") };
};

/** Both bags; within one protocol the later field wins. */
const mergeExtras = (before: Extras = {}, later: Extras): Extras => {
	const merged: Record<string, Readonly<Record<string, unknown>>> = { ...before };
	for (const [protocol, bag] of Object.entries(later)) merged[protocol] = { ...merged[protocol], ...bag };
	return merged;
};
