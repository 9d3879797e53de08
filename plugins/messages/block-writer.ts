/** Writes one block of a stream: its start, its growth and its stop. Only one block of a message is ever open. */
import {
	type Block,
	type Delta,
	inOnePiece,
	type NeutralRequest,
	type Opaque,
	partSeparator,
	readArguments,
	type WireRecord,
} from "#core";
import { type Indices, wholeBlock } from "./block-events.ts";
import { inputOf } from "./call-input.ts";
import { nothingEncrypted, writeCarried } from "./carried.ts";
import { encodeCitation } from "./citations.ts";
import { carrier, encodeOutputBlock, mediaNote } from "./encode-output.ts";

/** `begin` comes first, `finish` last; each gives the text to send, which may be nothing yet. */
export interface BlockWriter {
	begin(): string;
	grow(delta: Delta): string;
	finish(final: Block | undefined): string;
}

/** A text starts with its first letter: one that never comes leaves no block behind. */
class TextWriter implements BlockWriter {
	private readonly indices: Indices;
	private started = false;
	private before = "";
	private signature: Opaque | undefined;

	constructor(signature: Opaque | undefined, indices: Indices) {
		this.signature = signature;
		this.indices = indices;
	}

	begin(): string {
		return "";
	}

	grow(delta: Delta): string {
		switch (delta.type) {
			case "text":
			case "refusal":
				return this.text(delta.text);
			case "citation": {
				const citation = encodeCitation(delta.citation);
				if (!citation) return "";
				return this.begun() + this.indices.delta("citations_delta", `"citation":${JSON.stringify(citation)}`);
			}
			case "signature":
				this.signature = delta.value;
				return "";
			default:
				return "";
		}
	}

	/** A piece of text stands between the same words every time. */
	private text(text: string): string {
		const start = this.begun();
		if (this.before === "") this.before = inOnePiece(`${this.indices.beforeDelta("text_delta")}"text":`);
		return `${start}${this.before}${JSON.stringify(text)}}}\n\n`;
	}

	private begun(): string {
		if (this.started) return "";
		this.started = true;
		return this.indices.start({ type: "text", text: "" });
	}

	finish(): string {
		const stop = this.started ? this.indices.stop() : "";
		if (!this.signature) return stop;
		return stop + this.indices.unlessLast(carrier(this.signature, this.started ? "previous" : "empty"));
	}
}

class ThinkingWriter implements BlockWriter {
	private readonly indices: Indices;
	private part: number | undefined;
	private signature: Opaque | undefined;

	constructor(signature: Opaque | undefined, indices: Indices) {
		this.signature = signature;
		this.indices = indices;
	}

	begin(): string {
		return this.indices.start({ type: "thinking", thinking: "", signature: "" });
	}

	grow(delta: Delta): string {
		if (delta.type === "signature") this.signature = delta.value;
		if (delta.type !== "thinking") return "";
		const isNext = this.part !== undefined && delta.part !== undefined && delta.part > this.part;
		this.part = delta.part ?? this.part;
		const text = isNext ? partSeparator + delta.text : delta.text;
		return this.indices.delta("thinking_delta", `"thinking":${JSON.stringify(text)}`);
	}

	/** Clients keep the last signature they are told, so it is told once and whole. */
	finish(): string {
		const { signature, indices } = this;
		const member = `"signature":${JSON.stringify(signature ? writeCarried(signature) : nothingEncrypted)}`;
		return indices.delta("signature_delta", member) + indices.stop();
	}
}

/** A signature known at the start goes before the call, a late one behind it. */
class CallWriter implements BlockWriter {
	private readonly indices: Indices;
	private readonly shell: WireRecord;
	private readonly isCustom: boolean;
	/**
	 * What becomes a member of an object once it is whole: a custom tool's free text, and arguments that are no object,
	 * over which clients stumble.
	 */
	private wrapped: string | undefined;
	private begun = false;
	private readonly early: Opaque | undefined;
	private late: Opaque | undefined;

	constructor(block: Extract<Block, { type: "tool_call" }>, indices: Indices, request: NeutralRequest) {
		const { signature, ...bare } = block;
		this.early = signature;
		this.indices = indices;
		this.shell = { ...encodeOutputBlock(bare, request)[0], input: {} };
		this.isCustom = block.kind === "custom";
		if (this.isCustom) this.wrapped = "";
	}

	begin(): string {
		const before = this.early ? wholeBlock(carrier(this.early, "next"), this.indices) : "";
		return before + this.indices.start(this.shell);
	}

	grow(delta: Delta): string {
		if (delta.type === "signature") this.late = delta.value;
		if (delta.type !== "arguments" || delta.text === "") return "";
		if (this.wrapped !== undefined) this.wrapped += delta.text;
		else if (this.begun || this.begins(delta.text)) return this.input(delta.text);
		return "";
	}

	/** Whether an object begins with the text; of anything else nothing is told before its end. */
	private begins(text: string): boolean {
		const first = text.trimStart();
		this.begun = first.startsWith("{");
		if (first !== "" && !this.begun) this.wrapped = first;
		return this.begun;
	}

	private input(text: string): string {
		return this.indices.delta("input_json_delta", `"partial_json":${JSON.stringify(text)}`);
	}

	private whole(): string {
		const { wrapped, isCustom } = this;
		if (wrapped === undefined) return "";
		return this.input(JSON.stringify(isCustom ? { input: wrapped } : inputOf(readArguments(wrapped, "function"))));
	}

	finish(): string {
		const stop = this.whole() + this.indices.stop();
		return this.late ? stop + wholeBlock(carrier(this.late, "previous"), this.indices) : stop;
	}
}

/** Spoken words are shown as text. */
class SoundWriter implements BlockWriter {
	private readonly indices: Indices;
	private said: string;

	constructor(block: Extract<Block, { type: "audio" }>, indices: Indices) {
		this.indices = indices;
		this.said = block.transcript ?? "";
	}

	begin(): string {
		return "";
	}

	grow(delta: Delta): string {
		if (delta.type === "transcript") this.said += delta.text;
		return "";
	}

	finish(): string {
		return wholeBlock(this.said === "" ? mediaNote("sound") : { type: "text", text: this.said }, this.indices);
	}
}

/** The writer of a block that grows; undefined for one that is told whole. */
export const writerOf = (shell: Block, indices: Indices, request: NeutralRequest): BlockWriter | undefined => {
	switch (shell.type) {
		case "text":
			return new TextWriter(shell.signature, indices);
		case "refusal":
			return new TextWriter(undefined, indices);
		case "thinking":
			return new ThinkingWriter(shell.signature, indices);
		case "tool_call":
			return new CallWriter(shell, indices, request);
		case "audio":
			return new SoundWriter(shell, indices);
		default:
			return undefined;
	}
};
