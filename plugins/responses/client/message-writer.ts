/** A message of the answer while it is written: texts and refusals are its parts. */
import type { Citation, TokenLogprob, WireRecord } from "#core";
import { ContentLength } from "../../chat-completions/service.ts";
import { encodeAnnotation, encodeLogprob } from "../annotations.ts";
import { announce, conclude, type ItemWriter, type Output } from "./item-writers.ts";
import { itemMembers, type Wire } from "./wire.ts";

/** A part of a message while it is written. */
interface PartWriter {
	/** True once its end was written. */
	readonly ended: boolean;
	end(): void;
	part(): WireRecord;
}

export class MessageWriter implements ItemWriter {
	private readonly wire: Wire;
	private readonly index: number;
	private readonly id: string;
	private readonly phase: unknown;
	private readonly parts: PartWriter[] = [];
	private status: "in_progress" | "completed" | "incomplete" = "in_progress";
	/** The id the message had upstream; texts of another message begin a new one. */
	readonly origin: string | undefined;

	constructor(output: Output, origin: string | undefined, phase: unknown) {
		const { index, id } = output.place("msg", origin);
		this.wire = output.wire;
		this.index = index;
		this.id = id;
		this.origin = origin;
		this.phase = phase;
		announce(this.wire, index, this.item());
	}

	get ended(): boolean {
		return this.status !== "in_progress";
	}

	/** Opens a text; what was open of the message ends. */
	text(): TextPartWriter {
		this.parts.at(-1)?.end();
		const part = new TextPartWriter(this.wire, this.members());
		this.parts.push(part);
		return part;
	}

	/** Opens a refusal; what was open of the message ends. */
	refusal(): RefusalPartWriter {
		this.parts.at(-1)?.end();
		const part = new RefusalPartWriter(this.wire, this.members());
		this.parts.push(part);
		return part;
	}

	private members(): string {
		return `${itemMembers(this.id, this.index)},"content_index":${this.parts.length}`;
	}

	end(cut: boolean): void {
		if (this.ended) return;
		for (const part of this.parts) part.end();
		this.status = cut ? "incomplete" : "completed";
		conclude(this.wire, this.index, this.item());
	}

	item(): WireRecord {
		const { id, status, phase } = this;
		const content = this.parts.map((part) => part.part());
		return { id, type: "message", status, role: "assistant", content, ...(phase !== undefined && { phase }) };
	}
}

const openPart = (wire: Wire, members: string, part: WireRecord): void => {
	if (wire.live) wire.emit("response.content_part.added", `${members},"part":${JSON.stringify(part)}`);
};

const closePart = (wire: Wire, members: string, part: WireRecord): void => {
	if (wire.live) wire.emit("response.content_part.done", `${members},"part":${JSON.stringify(part)}`);
};

export class TextPartWriter implements PartWriter {
	private readonly wire: Wire;
	private readonly members: string;
	private value = "";
	private readonly content = new ContentLength();
	private readonly annotations: WireRecord[] = [];
	/** Citations of the whole text: its length is known only at the end. */
	private readonly waiting: Citation[] = [];
	private readonly logprobs: WireRecord[] = [];
	ended = false;

	constructor(wire: Wire, members: string) {
		this.wire = wire;
		this.members = members;
		openPart(wire, members, this.part());
	}

	grow(text: string): void {
		this.value += text;
		if (this.wire.live)
			this.wire.emit("response.output_text.delta", `${this.members},"delta":${JSON.stringify(text)},"logprobs":[]`);
	}

	cite(citation: Citation): void {
		if (citation.target === undefined) this.waiting.push(citation);
		else this.annotate(citation);
	}

	private annotate(citation: Citation): void {
		const annotation = encodeAnnotation(citation, this.content.growTo(this.value));
		if (annotation === undefined) return;
		if (this.wire.live)
			this.wire.emit(
				"response.output_text.annotation.added",
				`${this.members},"annotation_index":${this.annotations.length},"annotation":${JSON.stringify(annotation)}`,
			);
		this.annotations.push(annotation);
	}

	probabilities(items: readonly TokenLogprob[]): void {
		const encoded = items.map(encodeLogprob);
		this.logprobs.push(...encoded);
		if (this.wire.live)
			this.wire.emit("response.output_text.delta", `${this.members},"delta":"","logprobs":${JSON.stringify(encoded)}`);
	}

	end(): void {
		if (this.ended) return;
		this.ended = true;
		for (const citation of this.waiting) this.annotate(citation);
		if (!this.wire.live) return;
		const text = JSON.stringify(this.value);
		this.wire.emit(
			"response.output_text.done",
			`${this.members},"text":${text},"logprobs":${JSON.stringify(this.logprobs)}`,
		);
		closePart(this.wire, this.members, this.part());
	}

	part(): WireRecord {
		const { value: text, annotations, logprobs } = this;
		return { type: "output_text", text, annotations: [...annotations], logprobs: [...logprobs] };
	}
}

class RefusalPartWriter implements PartWriter {
	private readonly wire: Wire;
	private readonly members: string;
	private value = "";
	ended = false;

	constructor(wire: Wire, members: string) {
		this.wire = wire;
		this.members = members;
		openPart(wire, members, this.part());
	}

	grow(text: string): void {
		this.value += text;
		if (this.wire.live) this.wire.emit("response.refusal.delta", `${this.members},"delta":${JSON.stringify(text)}`);
	}

	end(): void {
		if (this.ended) return;
		this.ended = true;
		if (this.wire.live)
			this.wire.emit("response.refusal.done", `${this.members},"refusal":${JSON.stringify(this.value)}`);
		closePart(this.wire, this.members, this.part());
	}

	part(): WireRecord {
		return { type: "refusal", refusal: this.value };
	}
}
