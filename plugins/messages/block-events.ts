/** Events of a stream's blocks, which get indices contiguous from 0. */
import { asRecord, parseJson, type WireRecord } from "#core";

/** The text of one event. */
export const frame = (name: string, data: WireRecord): string =>
	`event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;

/** Blocks of a stream as far as clients may leave them out: thoughts whole, calls by their ids, and where texts stand. */
export class ToldBlocks {
	readonly content: Record<string, unknown>[] = [];

	start({ type, id, data }: WireRecord): void {
		this.content.push({ type, id, data });
	}

	/** `member` is JSON text: `"thinking":"…"`. */
	grow(member: string): void {
		const block = this.content.at(-1);
		for (const [name, value] of Object.entries(asRecord(parseJson(`{${member}}`))))
			if (block) block[name] = `${block[name] ?? ""}${value}`;
	}
}

const ofThoughts: ReadonlySet<string> = new Set(["thinking_delta", "signature_delta"]);

/** Gives blocks their indices, contiguous from 0. */
export class Indices {
	/** Absent where nobody asks what was told. */
	private readonly told: ToldBlocks | undefined;
	private next = 0;
	private last: unknown;
	private waiting: readonly WireRecord[] = [];

	constructor(told?: ToldBlocks) {
		this.told = told;
	}

	/** The start of the next block, behind what waited for one. */
	start(block: WireRecord): string {
		const { waiting } = this;
		this.waiting = [];
		const before = waiting.map((each) => wholeBlock(each, this)).join("");
		this.last = block["type"];
		this.told?.start(block);
		return before + frame("content_block_start", { index: this.next, content_block: block });
	}

	/** A block that never stands behind a text at the end: clients of streams take the last block for the answer. */
	unlessLast(block: WireRecord): string {
		if (this.last !== "text") return wholeBlock(block, this);
		this.waiting = [...this.waiting, block];
		return "";
	}

	/** Growth of the open block. `member` is JSON text: `"text":"…"`. */
	delta(type: string, member: string): string {
		if (this.told && ofThoughts.has(type)) this.told.grow(member);
		return `${this.beforeDelta(type)}${member}}}\n\n`;
	}

	/** All of such an event up to the member that grows. */
	beforeDelta(type: string): string {
		return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.next},"delta":{"type":"${type}",`;
	}

	stop(): string {
		return `event: content_block_stop\ndata: {"type":"content_block_stop","index":${this.next++}}\n\n`;
	}
}

/** A block that is known whole, from start to stop. */
export const wholeBlock = (block: WireRecord, indices: Indices): string => {
	const { text, thinking, signature, input, citations, ...rest } = block;
	const member = (name: string, value: unknown): string => `"${name}":${JSON.stringify(value)}`;
	switch (block["type"]) {
		case "text": {
			const cited = Array.isArray(citations) ? citations : [];
			return (
				indices.start({ ...rest, text: "" }) +
				indices.delta("text_delta", member("text", text)) +
				cited.map((citation) => indices.delta("citations_delta", member("citation", citation))).join("") +
				indices.stop()
			);
		}
		case "thinking":
			return (
				indices.start({ ...rest, thinking: "", signature: "" }) +
				(thinking === "" ? "" : indices.delta("thinking_delta", member("thinking", thinking))) +
				(signature === "" ? "" : indices.delta("signature_delta", member("signature", signature))) +
				indices.stop()
			);
		case "tool_use":
		case "server_tool_use":
			return (
				indices.start({ ...rest, input: {} }) +
				indices.delta("input_json_delta", member("partial_json", JSON.stringify(input))) +
				indices.stop()
			);
		default:
			return indices.start(block) + indices.stop();
	}
};
