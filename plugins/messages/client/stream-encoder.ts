/** Neutral events as this protocol's stream: blocks strictly one after another, one `message_delta`, one end. */
import {
	type Block,
	type Delta,
	estimateTokens,
	failureOf,
	type Grounding,
	type NeutralEvent,
	type NeutralRequest,
	parseJson,
	type StreamEncoder,
	type Usage,
	type WireRecord,
} from "#core";
import { frame, Indices, ToldBlocks, wholeBlock } from "../block-events.ts";
import { type BlockWriter, writerOf } from "../block-writer.ts";
import { encodeOutputBlock, ServerPairs } from "../encode-output.ts";
import { encodeFinish } from "../finish.ts";
import { protocolName } from "../name.ts";
import { encodeUsage, encodeWholeUsage } from "../usage.ts";
import { blockedFinish, messageId } from "./encode-response.ts";
import { renderStreamDenial } from "./errors.ts";

type Of<T extends NeutralEvent["type"]> = Extract<NeutralEvent, { type: T }>;

/** A block that was opened. Until the one before it is finished, what it says waits. */
interface Part {
	readonly shell: Block;
	writer: BlockWriter | undefined;
	begun: boolean;
	readonly waiting: Delta[];
	/** Input of a server tool's call, which is told whole. */
	input: string;
	closed: boolean;
	final: Block | undefined;
}

class Encoder implements StreamEncoder {
	private readonly request: NeutralRequest;
	/** What may come back without its thoughts; absent where no tool may be called. */
	private readonly told: ToldBlocks | undefined;
	private readonly indices: Indices;
	private readonly pairs = new ServerPairs();
	private readonly parts = new Map<number, Part>();
	/** Blocks in the order they opened; the first is the one being written. */
	private readonly order: Part[] = [];
	private usage: Usage | undefined;
	private finish: Of<"finish"> | undefined;
	private blocked: Of<"blocked"> | undefined;
	private found: Grounding | undefined;
	private readonly said = new Set<Block["type"]>();

	constructor(request: NeutralRequest) {
		this.request = request;
		this.told = request.tools && new ToldBlocks();
		this.indices = new Indices(this.told);
	}

	answer(): WireRecord | undefined {
		return this.told && { content: this.told.content };
	}

	push(event: NeutralEvent): string {
		switch (event.type) {
			case "delta":
				return this.grow(event);
			case "open":
				return event.candidate === 0 ? this.open(event) : "";
			case "close":
				return this.close(event);
			case "start":
				return this.start(event);
			case "error":
				return renderStreamDenial(event.error);
			case "end":
				return event.clean ? this.end() : "";
			default:
				this.note(event);
				return "";
		}
	}

	private note(event: Of<"usage" | "finish" | "blocked" | "grounding" | "tick">): void {
		switch (event.type) {
			case "usage":
				this.usage = event.usage;
				return;
			case "blocked":
				this.blocked = event;
				return;
			case "finish":
				if (event.candidate === 0) this.finish = event;
				return;
			case "grounding":
				if (event.candidate === 0) this.found = event.grounding;
		}
	}

	private start(event: Of<"start">): string {
		this.usage = event.usage;
		const message = {
			id: messageId(event.id),
			type: "message",
			role: "assistant",
			model: this.request.model,
			content: [],
			stop_reason: null,
			stop_sequence: null,
			usage: encodeWholeUsage(beginning(event.usage, this.request), event.tier),
			...event.extras?.[protocolName],
		};
		return frame("message_start", { message });
	}

	private open({ block, shell }: Of<"open">): string {
		this.said.add(shell.type);
		const writer = writerOf(shell, this.indices, this.request);
		const part: Part = { shell, writer, begun: false, waiting: [], input: "", closed: false, final: undefined };
		this.parts.set(block, part);
		this.order.push(part);
		return this.order[0] === part ? this.write() : "";
	}

	private grow({ block, delta }: Of<"delta">): string {
		const part = this.parts.get(block);
		if (part === undefined) return "";
		if (part.begun && part.writer) return part.writer.grow(delta);
		if (part.writer) part.waiting.push(delta);
		else if (delta.type === "arguments") part.input += delta.text;
		return "";
	}

	private close({ block, final }: Of<"close">): string {
		const part = this.parts.get(block);
		if (part === undefined) return "";
		this.parts.delete(block);
		part.closed = true;
		part.final = final;
		return this.order[0] === part ? this.write() : "";
	}

	/** Writes as far as the order allows: the first block, and those behind it that are already finished. */
	private write(): string {
		let text = "";
		for (let part = this.order[0]; part; part = this.order[0]) {
			text += part.writer ? this.grown(part, part.writer) : "";
			if (!part.closed) return text;
			this.order.shift();
			text += part.writer ? part.writer.finish(part.final) : this.whole(encodeOutputBlock(finalOf(part), this.request));
		}
		return text;
	}

	private grown(part: Part, writer: BlockWriter): string {
		if (part.begun) return "";
		part.begun = true;
		let text = this.whole(this.pairs.before(undefined)) + writer.begin();
		for (const delta of part.waiting) text += writer.grow(delta);
		return text;
	}

	private whole(blocks: readonly WireRecord[]): string {
		let text = "";
		for (const block of blocks) {
			for (const before of this.pairs.before(block)) text += wholeBlock(before, this.indices);
			text += wholeBlock(block, this.indices);
		}
		return text;
	}

	private end(): string {
		const { finish: last, blocked } = this;
		const finish = last?.finish ?? (blocked ? blockedFinish(blocked.message) : { reason: "stop" });
		const rest =
			this.whole(this.pairs.before(undefined)) + this.whole(this.found ? this.pairs.grounding(this.found) : []);
		const failure = failureOf(finish);
		if (failure) return rest + renderStreamDenial(failure);
		const { context_management, ...extras } = last?.extras?.[protocolName] ?? {};
		const delta = { ...encodeFinish(finish, this.said), ...extras };
		const managed = context_management === undefined ? {} : { context_management };
		return `${rest}${frame("message_delta", { delta, usage: encodeUsage(this.usage), ...managed })}event: message_stop\ndata: {"type":"message_stop"}\n\n`;
	}
}

/** The block as it is at its close. */
const finalOf = ({ final, shell, input }: Part): Block => {
	if (final) return final;
	if (shell.type !== "server_call" || input === "") return shell;
	return { ...shell, arguments: parseJson(input) ?? input };
};

/**
 * Some clients read the input here alone, and most upstreams count it at the end: until then it is Portico's estimate.
 * Others add what the end tells of the output to what stands here, and none of it was written yet.
 */
const beginning = (usage: Usage | undefined, request: NeutralRequest): Usage => ({
	...usage,
	input: usage !== undefined && usage.input.total > 0 ? usage.input : { total: estimateTokens(request) },
	output: { total: 0 },
});

/** Writes one stream. */
export const streamEncoder = (request: NeutralRequest): StreamEncoder => new Encoder(request);
