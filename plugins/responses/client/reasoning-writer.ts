/** A reasoning item of the answer while it is written. */
import type { Opaque, WireRecord } from "#core";
import { type Bearer, carryFor } from "../carrier.ts";
import { protocolName } from "../name.ts";
import { unpackReasoning } from "../reasoning-value.ts";
import { announce, conclude, type ItemWriter, type Output } from "./item-writers.ts";
import { itemMembers, type Wire } from "./wire.ts";

/** The `encrypted_content` for a value: this protocol's own as it was, any other carried. */
const encryptedOf = (value: Opaque, bearer: Bearer): string =>
	value.origin.protocol === protocolName ? unpackReasoning(value.value).encrypted : carryFor(bearer, value);

/** How a reasoning item is told: as summaries, which every client shows, or as the reasoning itself. */
type Form = "summary" | "content";

const words = {
	summary: { list: "summary", index: "summary_index", part: "summary_text", text: "response.reasoning_summary_text" },
	content: { list: "content", index: "content_index", part: "reasoning_text", text: "response.reasoning_text" },
} as const;

export class ReasoningWriter implements ItemWriter {
	private readonly wire: Wire;
	private readonly index: number;
	private readonly id: string;
	private readonly form: Form;
	private readonly members: string;
	private readonly parts: string[] = [];
	/** The number of the part that is open. */
	private part = -1;
	private upstreamPart: number | undefined;
	private encrypted: string | undefined;
	private status: "in_progress" | "completed" = "in_progress";

	constructor(output: Output, form: Form, origin: string | undefined) {
		const { index, id } = output.place("rs", origin);
		this.wire = output.wire;
		this.index = index;
		this.id = id;
		this.form = form;
		this.members = itemMembers(id, index);
		announce(this.wire, index, this.item());
	}

	/** More of the reasoning. `part` is the upstream's number of the summary. */
	grow(text: string, part: number | undefined): void {
		if (this.part === -1 || part !== this.upstreamPart) this.openPart(part);
		this.parts[this.part] += text;
		const { index, text: name } = words[this.form];
		if (this.wire.live)
			this.wire.emit(`${name}.delta`, `${this.members},"${index}":${this.part},"delta":${JSON.stringify(text)}`);
	}

	/** Keeps what is replayed unread. */
	seal(value: Opaque, bearer: Bearer): void {
		this.encrypted = encryptedOf(value, bearer);
	}

	private openPart(part: number | undefined): void {
		this.closePart();
		this.upstreamPart = part;
		this.part = this.parts.length;
		this.parts.push("");
		this.tell("added", "");
	}

	private closePart(): void {
		if (this.part === -1 || !this.wire.live) return;
		const text = this.parts[this.part] ?? "";
		const { index, text: name } = words[this.form];
		this.wire.emit(`${name}.done`, `${this.members},"${index}":${this.part},"text":${JSON.stringify(text)}`);
		this.tell("done", text);
	}

	private tell(what: "added" | "done", text: string): void {
		const { index, part } = words[this.form];
		const name = this.form === "summary" ? "response.reasoning_summary_part" : "response.content_part";
		if (this.wire.live)
			this.wire.emit(
				`${name}.${what}`,
				`${this.members},"${index}":${this.part},"part":{"type":"${part}","text":${JSON.stringify(text)}}`,
			);
	}

	end(): void {
		if (this.status === "completed") return;
		this.status = "completed";
		this.closePart();
		conclude(this.wire, this.index, this.item());
	}

	/** OpenAI leaves the status of reasoning out as a rule; xAI and DeepSeek tell it, and xAI's clients demand it. */
	item(): WireRecord {
		const { id, form, encrypted, status } = this;
		const { list, part } = words[form];
		const told = this.parts.map((text) => ({ type: part, text }));
		return {
			id,
			type: "reasoning",
			status,
			summary: [],
			[list]: told,
			...(encrypted !== undefined && { encrypted_content: encrypted }),
		};
	}
}
