/** The fold of a stream: neutral events, one at a time, into the response they tell. The reverse is `explode`. */

import type { Block, Citation, Extras, Media, Opaque, TokenLogprob, ToolArguments } from "./content.ts";
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

/** All of a response but its candidates, while it is put together. */
type Head = Changeable<Omit<NeutralResponse, "candidates">>;
type Changeable<T> = { -readonly [K in keyof T]: T[K] };

/** Takes one event at a time; `response` may be asked at any moment. Expects the order written at `NeutralEvent`. */
export class Folder {
	private readonly head: Head = { id: "", model: "", createdAt: 0 };
	private readonly blocks: GrowingBlock[] = [];
	/** Where each open block stands in `blocks`. */
	private readonly open = new Map<number, GrowingBlock>();
	private readonly candidates = new Map<number, Candidate>();

	push(event: NeutralEvent): void {
		switch (event.type) {
			case "start": {
				const { type: _, ...head } = event;
				Object.assign(this.head, head);
				return;
			}
			case "open": {
				const growing = new GrowingBlock(event.candidate, event.shell);
				this.blocks.push(growing);
				this.open.set(event.block, growing);
				this.add(event.candidate, {});
				return;
			}
			case "delta":
				this.open.get(event.block)?.grow(event.delta);
				return;
			case "close": {
				const growing = this.open.get(event.block);
				if (growing) growing.final = event.final;
				return;
			}
			case "grounding":
				this.add(event.candidate, { grounding: event.grounding });
				return;
			case "finish":
				this.add(event.candidate, definedOnly({ finish: event.finish, extras: event.extras }));
				return;
			case "usage":
				this.head.usage = event.usage;
				if (event.tier !== undefined) this.head.tier = event.tier;
				return;
			case "blocked": {
				const { type: _, ...promptBlocked } = event;
				this.head.promptBlocked = promptBlocked;
				return;
			}
			case "error":
				this.head.error = event.error;
		}
	}

	private add(index: number, more: Partial<Candidate>): void {
		const before = this.candidates.get(index) ?? { index, blocks: [], finish: { reason: "error" } };
		this.candidates.set(index, { ...before, ...more });
	}

	response(): NeutralResponse {
		const candidates = [...this.candidates.values()].sort((a, b) => a.index - b.index);
		const blocks = Map.groupBy(this.blocks, ({ candidate }) => candidate);
		const blocksOf = (index: number): readonly Block[] =>
			(blocks.get(index) ?? []).map((block) => settled(block.soFar()));
		return { ...this.head, candidates: candidates.map((made) => ({ ...made, blocks: blocksOf(made.index) })) };
	}
}

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

/** A block of which more comes. Lists grow beside it, in place: a copy for each piece would cost the square of their number. */
class GrowingBlock {
	readonly candidate: number;
	private block: Block;
	private citations: Citation[] | undefined;
	private logprobs: TokenLogprob[] | undefined;
	/** By their numbers, which may have gaps. */
	private parts: Map<number, string> | undefined;
	private media: string[] | undefined;
	/** All of it, where its end tells that. */
	final: Block | undefined;

	constructor(candidate: number, block: Block) {
		this.candidate = candidate;
		this.block = block;
	}

	/** A delta that its type cannot take changes nothing. */
	grow(delta: Delta): void {
		const { block } = this;
		switch (delta.type) {
			case "text":
			case "refusal":
				if (block.type === delta.type) this.block = { ...block, text: block.text + delta.text };
				return;
			case "thinking":
				if (block.type !== "thinking") return;
				if (delta.part === undefined) this.block = { ...block, text: block.text + delta.text };
				else this.think(delta.part, delta.text, block.parts);
				return;
			case "arguments":
				this.block = gather(block, delta.text);
				return;
			case "signature":
				this.block = sign(block, delta.value);
				return;
			case "extras":
				this.block = { ...block, extras: mergeExtras(block.extras, delta.extras) };
				return;
			default:
				this.growRarely(delta);
		}
	}

	private growRarely(delta: Extract<Delta, { type: "citation" | "logprobs" | "media" | "transcript" }>): void {
		const { block } = this;
		switch (delta.type) {
			case "media":
				this.lengthen(delta.base64);
				return;
			case "transcript":
				if (block.type === "audio") this.block = { ...block, transcript: (block.transcript ?? "") + delta.text };
				return;
			case "citation":
				if (block.type !== "text") return;
				this.citations ??= [...(block.citations ?? [])];
				this.citations.push(delta.citation);
				return;
			case "logprobs":
				if (block.type !== "text") return;
				this.logprobs ??= [...(block.logprobs ?? [])];
				for (const item of delta.items) this.logprobs.push(item);
		}
	}

	private lengthen(base64: string): void {
		const { block } = this;
		if ((block.type !== "audio" && block.type !== "image") || block.media.by !== "bytes") return;
		this.media ??= [block.media.base64];
		this.media.push(base64);
	}

	private think(part: number, text: string, before: readonly string[] = []): void {
		this.parts ??= new Map(before.entries());
		this.parts.set(part, (this.parts.get(part) ?? "") + text);
	}

	/** The block as far as it has come. */
	soFar(): Block {
		const { block, citations, logprobs, parts, media, final } = this;
		if (final) return final;
		if (block.type === "text" && (citations || logprobs))
			return {
				...block,
				...(citations && { citations: [...citations] }),
				...(logprobs && { logprobs: [...logprobs] }),
			};
		if (block.type === "thinking" && parts) {
			const inOrder = [...parts].sort(([one], [other]) => one - other);
			return { ...block, parts: inOrder.map(([, text]) => text) };
		}
		if ((block.type === "audio" || block.type === "image") && media)
			return { ...block, media: joined(block.media, media) };
		return block;
	}
}

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

/** Arguments as the text they are until the block is whole. */
const gather = (block: Block, text: string): Block => {
	if (block.type === "server_call")
		return { ...block, arguments: (typeof block.arguments === "string" ? block.arguments : "") + text };
	if (block.type !== "tool_call") return block;
	const before = block.arguments.text === "{}" ? "" : block.arguments.text;
	return { ...block, arguments: { form: "invalid", text: before + text } };
};

/** Base64 of all bytes; pieces are padded where each was encoded by itself. */
const joined = (media: Media, pieces: readonly string[]): Media => {
	if (media.by !== "bytes") return media;
	const encoded: string[][] = [[]];
	for (const piece of pieces) {
		encoded.at(-1)?.push(piece);
		if (piece.endsWith("=")) encoded.push([]);
	}
	const [only = "", ...more] = encoded.map((one) => one.join("")).filter((one) => one !== "");
	if (more.length === 0) return { ...media, base64: only };
	return {
		...media,
		base64: Buffer.concat([only, ...more].map((one) => Buffer.from(one, "base64"))).toString("base64"),
	};
};

/** Both bags; within one protocol the later field wins. */
const mergeExtras = (before: Extras = {}, later: Extras): Extras => {
	const merged: Record<string, Readonly<Record<string, unknown>>> = { ...before };
	for (const [protocol, bag] of Object.entries(later)) merged[protocol] = { ...merged[protocol], ...bag };
	return merged;
};
