/** One choice of a stream: blocks as the deltas of its message. */
import { type Block, type Citation, type Delta, type Finish, partSeparator, type ToolCallBlock } from "#core";
import { encodeAnnotation } from "./annotations.ts";
import { encodeAudio, encodeImage } from "./encode-response.ts";
import { encodeFinish } from "./finish.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { signatureMember, writeOpaque, writeThinking } from "./reasoning.ts";

/** A block that has been opened and not yet closed. */
interface Growing {
	readonly shell: Block;
	/** Where a text begins in the whole content; the place of a call among the calls. */
	readonly start: number;
	/** What came of a thought, a custom tool's input, sound or an image: it is wanted whole at the close. */
	text: string;
	part: number;
	grown: boolean;
	readonly citations: Citation[];
	signature: Extract<Delta, { type: "signature" }>["value"] | undefined;
}

export class ChoiceEncoder {
	private readonly head: string;
	private readonly tail: string;
	private readonly createdAt: number;
	private readonly growing = new Map<number, Growing>();
	private begun = false;
	private finished = false;
	private length = 0;
	private calls = 0;
	private details = 0;
	private images = 0;
	private thoughts = 0;

	constructor(index: number, head: string, tail: string, createdAt: number) {
		this.head = `${head}{"index":${index},"delta":`;
		this.tail = tail;
		this.createdAt = createdAt;
	}

	open(block: number, shell: Block): string {
		const growing: Growing = {
			shell,
			start: shell.type === "tool_call" ? this.calls : this.length,
			text: "",
			part: 0,
			grown: false,
			citations: [],
			signature: undefined,
		};
		this.growing.set(block, growing);
		switch (shell.type) {
			case "text":
				return this.begin('""');
			case "tool_call":
				return this.begin("null") + this.openCall(shell);
			case "thinking":
				return this.begin("null") + (this.thoughts++ > 0 ? this.reasoning(partSeparator) : "");
			case "opaque_thinking":
				return this.begin("null") + this.detail(writeOpaque(shell.data, this.details++));
			default:
				return this.begin("null");
		}
	}

	delta(block: number, delta: Delta): string {
		const growing = this.growing.get(block);
		if (growing === undefined) return "";
		switch (delta.type) {
			case "text":
				this.length += delta.text.length;
				return this.chunk(`{"content":${JSON.stringify(delta.text)}}`);
			case "arguments":
				return this.grow(growing, delta.text);
			case "thinking":
				return this.think(growing, delta.text, delta.part ?? 0);
			case "refusal":
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
				return this.closeCall(growing, growing.shell);
			case "thinking":
				return this.closeThought(growing, growing.shell);
			case "image":
				return this.image(final?.type === "image" ? final : growing.shell, growing.text);
			case "audio":
				return this.closeAudio(growing, growing.shell);
			default:
				return "";
		}
	}

	finish(finish: Finish): string {
		if (this.finished) return "";
		this.finished = true;
		return this.begin('""') + this.chunk("{}", "null", JSON.stringify(encodeFinish(finish)));
	}

	/** The prompt was blocked: there is nothing but the reason. */
	block(message: string | undefined): string {
		const refusal = message === undefined ? "" : this.chunk(`{"refusal":${JSON.stringify(message)}}`);
		return this.begin("null") + refusal + this.finish({ reason: "safety" });
	}

	private chunk(delta: string, logprobs = "null", finish = "null"): string {
		return `${this.head}${delta},"logprobs":${logprobs},"finish_reason":${finish}}${this.tail}`;
	}

	/** The first chunk names the role; SDKs want it once for every choice. */
	private begin(content: string): string {
		if (this.begun) return "";
		this.begun = true;
		return this.chunk(`{"role":"assistant","content":${content},"refusal":null}`);
	}

	private call(place: number, members: string): string {
		return this.chunk(`{"tool_calls":[{"index":${place},${members}}]}`);
	}

	private openCall({ id, name, kind, signature }: ToolCallBlock): string {
		const place = this.calls++;
		// A custom tool's input goes out whole at the close: older SDKs keep only the last piece of it.
		if (kind === "custom") return "";
		const signed = JSON.stringify(signatureMember(signature)).slice(1, -1);
		const made = `"id":${JSON.stringify(id)},"type":"function","function":{"name":${JSON.stringify(name)},"arguments":""}`;
		return this.call(place, signed === "" ? made : `${made},${signed}`);
	}

	private grow(growing: Growing, text: string): string {
		const { shell, start } = growing;
		if (shell.type !== "tool_call") return "";
		growing.grown = true;
		if (shell.kind === "function") return this.call(start, `"function":{"arguments":${JSON.stringify(text)}}`);
		growing.text += text;
		return "";
	}

	private closeCall({ start, text, grown, signature }: Growing, { id, name, kind }: ToolCallBlock): string {
		if (kind === "function") {
			const late = signature === undefined ? "" : JSON.stringify(signatureMember(signature)).slice(1, -1);
			// Empty arguments are not JSON, and would poison the next turn.
			const empty = grown ? "" : this.call(start, '"function":{"arguments":"{}"}');
			return late === "" ? empty : empty + this.call(start, late);
		}
		const custom = JSON.stringify({ name, input: text });
		return this.call(start, `"id":${JSON.stringify(id)},"type":"custom","custom":${custom}`);
	}

	private think(growing: Growing, text: string, part: number): string {
		const separator = part > growing.part && growing.grown ? partSeparator : "";
		growing.part = part;
		growing.grown = true;
		growing.text += separator + text;
		return this.reasoning(separator + text);
	}

	private reasoning(text: string): string {
		return this.chunk(`{"reasoning_content":${JSON.stringify(text)}}`);
	}

	private closeThought({ text, signature }: Growing, shell: Extract<Block, { type: "thinking" }>): string {
		if (signature === undefined) return "";
		const { detail } = writeThinking({ ...shell, text, signature }, this.details);
		if (detail === undefined) return "";
		this.details++;
		return this.detail(detail);
	}

	private detail(detail: unknown): string {
		return this.chunk(`{"reasoning_details":[${JSON.stringify(detail)}]}`);
	}

	/** What is kept until the close. */
	private gather(growing: Growing, delta: Delta): string {
		if (delta.type === "citation") growing.citations.push(delta.citation);
		if (delta.type === "signature") growing.signature = delta.value;
		if (delta.type === "media" && growing.shell.type === "image") growing.text += delta.base64;
		if (growing.shell.type !== "audio") return "";
		if (delta.type === "media") return this.sound(growing, "data", delta.base64);
		return delta.type === "transcript" ? this.sound(growing, "transcript", delta.text) : "";
	}

	private closeText({ citations, start, signature }: Growing): string {
		const made = citations.flatMap((citation) => encodeAnnotation(citation, start, this.length - start) ?? []);
		const cited = made.length === 0 ? "" : this.chunk(`{"annotations":${JSON.stringify(made)}}`);
		if (signature === undefined) return cited;
		return cited + this.chunk(JSON.stringify(signatureMember(signature)));
	}

	private image(block: Extract<Block, { type: "image" }>, grown: string): string {
		const { media } = block;
		const whole =
			media.by === "bytes" && media.base64 === "" ? { ...block, media: { ...media, base64: grown } } : block;
		const image = encodeImage(whole, this.images);
		if (image === undefined) return "";
		this.images++;
		return this.chunk(`{"images":[${JSON.stringify(image)}]}`);
	}

	private sound(growing: Growing, member: "data" | "transcript", text: string): string {
		if (growing.shell.type !== "audio") return "";
		const { id } = encodeAudio(growing.shell, this.createdAt);
		growing.grown = true;
		return this.chunk(`{"audio":{"id":${JSON.stringify(id)},"${member}":${JSON.stringify(text)}}}`);
	}

	private closeAudio(growing: Growing, shell: Extract<Block, { type: "audio" }>): string {
		const { id, data, transcript, expires_at } = encodeAudio(shell, this.createdAt);
		const whole = growing.grown ? "" : this.chunk(`{"audio":${JSON.stringify({ id, data, transcript })}}`);
		return whole + this.chunk(`{"audio":{"expires_at":${expires_at}}}`);
	}
}
