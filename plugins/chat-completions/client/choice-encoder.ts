/** One choice of a stream: blocks as the deltas of its message. */
import {
	type AudioBlock,
	type Block,
	type Delta,
	type Finish,
	type Grounding,
	gapBetween,
	inOnePiece,
	partSeparator,
	type TextBlock,
	type WireRecord,
} from "#core";
import { Annotations } from "../annotations.ts";
import { ContentLength } from "../content-length.ts";
import { encodeFinish, untoldRefusal } from "../finish.ts";
import { encodeLogprobs } from "../logprobs.ts";
import { longestReasoning, signatureMember, writeOpaque, writeThinking } from "../reasoning.ts";
import { CallEncoder } from "./call-encoder.ts";
import type { ChunkFrame } from "./chunk-frame.ts";
import { encodeAudio, encodeImage } from "./encode-response.ts";
import type { Growing } from "./growing.ts";
import { encodeLegacyFinish } from "./legacy.ts";

export class ChoiceEncoder {
	private readonly head: string;
	/** What stands before and after a piece of text. */
	private readonly beforeText: string;
	private readonly afterText: string;
	private readonly frame: ChunkFrame;
	private readonly calls: CallEncoder;
	private readonly growing = new Map<number, Growing>();
	private begun = false;
	private finished = false;
	private refused = false;
	/** Length of the content so far. */
	private readonly length = new ContentLength();
	private lastText: TextBlock | undefined;
	private thoughts = 0;
	/** All reasoning so far, and no more than may be kept of it. */
	private words = "";
	/** What stands in `reasoning_details` so far. */
	private readonly details: WireRecord[] = [];
	/** They go out together before the end: SDKs cannot join lists without an index, they raise or keep the last alone. */
	private readonly annotations = new Annotations(this.length);
	private readonly images: WireRecord[] = [];

	constructor(index: number, frame: ChunkFrame) {
		this.head = `${frame.head}{"index":${index},"delta":`;
		this.beforeText = inOnePiece(`${this.head}{"content":`);
		this.afterText = inOnePiece(`},"logprobs":null,"finish_reason":null}${frame.tail}`);
		this.frame = frame;
		this.calls = new CallEncoder((delta) => this.chunk(JSON.stringify(delta)), frame.legacy);
	}

	open(block: number, shell: Block): string {
		const gap = shell.type === "text" && this.length.units > 0 ? gapBetween(this.lastText, shell) : "";
		const nothing = { text: "", part: 0, grown: false, citations: [], signature: undefined };
		this.growing.set(block, { shell, start: this.length.units, gap, ...nothing });
		switch (shell.type) {
			case "text":
				return this.begin('""');
			case "tool_call":
				return this.begin("null") + this.calls.begin(block, shell);
			case "thinking":
				return this.begin("null") + (this.thoughts++ > 0 ? this.reasoning(partSeparator) : "");
			case "opaque_thinking":
				return this.begin("null") + this.detail(writeOpaque(shell.data, this.details.length));
			case "refusal":
			case "image":
			case "audio":
				return this.begin("null");
			default:
				// What the upstream's own tools did has no place in this protocol.
				return "";
		}
	}

	delta(block: number, delta: Delta): string {
		const growing = this.growing.get(block);
		if (growing === undefined) return "";
		switch (delta.type) {
			case "text":
				return this.say(growing, delta.text);
			case "arguments":
				return this.calls.grow(block, delta.text);
			case "thinking":
				return this.think(growing, delta.text, delta.part ?? 0);
			case "refusal":
				this.refused = true;
				return this.chunk(`{"refusal":${JSON.stringify(delta.text)}}`);
			case "logprobs":
				return this.chunk("{}", `{"content":${JSON.stringify(encodeLogprobs(delta.items))},"refusal":null}`);
			default:
				return this.gather(growing, delta);
		}
	}

	close(block: number, final: Block | undefined): string {
		const growing = this.growing.get(block);
		if (growing === undefined) return "";
		this.growing.delete(block);
		switch (growing.shell.type) {
			case "text":
				return this.closeText(growing);
			case "tool_call":
				return this.calls.close(block, growing.signature);
			case "thinking":
				return this.closeThought(growing, growing.shell);
			case "image":
				this.gatherImage(final?.type === "image" ? final : growing.shell, growing.text);
				return "";
			case "audio":
				return this.closeAudio(growing, growing.shell);
			default:
				return "";
		}
	}

	ground(grounding: Grounding): void {
		this.annotations.ground(grounding);
	}

	finish(finish: Finish): string {
		if (this.finished) return "";
		this.finished = true;
		const reason = (this.frame.legacy ? encodeLegacyFinish : encodeFinish)(finish, this.refused);
		const gathered =
			this.list("annotations", this.annotations.told) +
			this.list("images", this.images) +
			this.list("reasoning_details", this.repeatedDetails());
		const why = untoldRefusal(finish, this.refused);
		const refusal = why === undefined ? "" : this.begin("null") + this.chunk(`{"refusal":${JSON.stringify(why)}}`);
		return refusal + this.begin('""') + gathered + this.chunk("{}", "null", JSON.stringify(reason));
	}

	/** The prompt was blocked: there is nothing but the reason. */
	block(message: string | undefined): string {
		return this.begin("null") + this.finish({ reason: "safety", ...(message !== undefined && { message }) });
	}

	/** The message with nothing but its calls and what a client may not give back of it. */
	get beside(): WireRecord {
		const { calls, words, details } = this;
		return { message: { tool_calls: calls.told, reasoning_content: words, reasoning_details: details } };
	}

	private chunk(delta: string, logprobs = "null", finish = "null"): string {
		return `${this.head}${delta},"logprobs":${logprobs},"finish_reason":${finish}}${this.frame.tail}`;
	}

	/** The first chunk names the role; SDKs want it once for every choice. */
	private begin(content: string): string {
		if (this.begun) return "";
		this.begun = true;
		return this.chunk(`{"role":"assistant","content":${content},"refusal":null}`);
	}

	private say(growing: Growing, text: string): string {
		const { gap, shell } = growing;
		if (shell.type === "text") this.lastText = shell;
		if (gap !== "") growing.start += gap.length;
		growing.gap = "";
		this.annotations.begin(growing.start);
		this.length.add(gap + text);
		return this.beforeText + JSON.stringify(gap + text) + this.afterText;
	}

	private think(growing: Growing, text: string, part: number): string {
		const separator = part > growing.part && growing.grown ? partSeparator : "";
		growing.part = part;
		growing.grown = true;
		growing.text += separator + text;
		return this.reasoning(separator + text);
	}

	private reasoning(text: string): string {
		if (this.words.length <= longestReasoning) this.words += text;
		return this.chunk(`{"reasoning_content":${JSON.stringify(text)}}`);
	}

	private closeThought({ text, signature }: Growing, shell: Extract<Block, { type: "thinking" }>): string {
		if (signature === undefined) return "";
		const { detail } = writeThinking({ ...shell, text, signature }, this.details.length);
		return detail === undefined ? "" : this.detail(detail);
	}

	/** Told at once: some clients show thoughts by it, and only before the text. */
	private detail(detail: WireRecord): string {
		this.details.push(detail);
		return this.list("reasoning_details", [detail]);
	}

	/** Several details once more, numbered anew for who joins by number: OpenAI's SDK for Node keeps the last list alone. */
	private repeatedDetails(): readonly WireRecord[] {
		const { length } = this.details;
		return length < 2 ? [] : this.details.map((detail, at) => ({ ...detail, index: length + at }));
	}

	private list(member: string, items: readonly unknown[]): string {
		return items.length === 0 ? "" : this.chunk(`{"${member}":${JSON.stringify(items)}}`);
	}

	/** What is kept until the close; sound goes out as it comes. */
	private gather(growing: Growing, delta: Delta): string {
		switch (delta.type) {
			case "citation":
				growing.citations.push(delta.citation);
				return "";
			case "signature":
				growing.signature = delta.value;
				return "";
			case "media":
				if (growing.shell.type === "audio") return this.sound(growing, growing.shell, "data", delta.base64);
				growing.text += delta.base64;
				return "";
			case "transcript":
				return growing.shell.type === "audio" ? this.sound(growing, growing.shell, "transcript", delta.text) : "";
			default:
				return "";
		}
	}

	private closeText({ citations, start, signature }: Growing): string {
		this.annotations.cite(citations, start, this.length.units - start);
		return signature === undefined ? "" : this.chunk(JSON.stringify(signatureMember(signature)));
	}

	private gatherImage(block: Extract<Block, { type: "image" }>, grown: string): void {
		const { media } = block;
		const whole =
			media.by === "bytes" && media.base64 === "" ? { ...block, media: { ...media, base64: grown } } : block;
		const image = encodeImage(whole, this.images.length);
		if (image !== undefined) this.images.push(image);
	}

	private sound(growing: Growing, shell: AudioBlock, member: "data" | "transcript", text: string): string {
		growing.grown = true;
		const { id } = encodeAudio(shell, this.frame.createdAt);
		return this.chunk(`{"audio":{"id":${JSON.stringify(id)},"${member}":${JSON.stringify(text)}}}`);
	}

	private closeAudio({ grown }: Growing, shell: AudioBlock): string {
		const { id, data, transcript, expires_at } = encodeAudio(shell, this.frame.createdAt);
		const whole = grown ? "" : this.chunk(`{"audio":${JSON.stringify({ id, data, transcript })}}`);
		// With its id: OpenAI's SDK for Java takes an end without one for the end of the choice, and throws at the finish.
		return whole + this.chunk(`{"audio":{"id":${JSON.stringify(id)},"expires_at":${expires_at}}}`);
	}
}
