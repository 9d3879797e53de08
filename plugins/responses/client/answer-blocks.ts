/** Which item each block of an answer belongs to: neighbouring texts share a message, everything else is its own item. */
import {
	type Block,
	type Delta,
	type Grounding,
	type ImageBlock,
	isRecord,
	type NeutralRequest,
	type Opaque,
	type ServerCallBlock,
	type ServerResultBlock,
	type TextBlock,
	type ThinkingBlock,
	type ToolCallBlock,
	unshown,
	type WireRecord,
} from "#core";
import type { Bearer } from "../carrier.ts";
import { protocolName } from "../name.ts";
import { ownFields } from "../origin.ts";
import { callTarget, hostedTarget, imageTarget, refusalTarget, type Target, thinkingTarget } from "./block-target.ts";
import { callWriterOf } from "./call-writer.ts";
import { CodeWriter, isRun } from "./code-writer.ts";
import { ImageWriter, RawWriter, SearchWriter } from "./hosted-writers.ts";
import type { ItemWriter, Output } from "./item-writers.ts";
import { MessageWriter, type TextPartWriter } from "./message-writer.ts";
import { ReasoningWriter } from "./reasoning-writer.ts";
import { spokenTarget, TextTarget } from "./text-target.ts";

export class AnswerBlocks {
	private readonly output: Output;
	private readonly callWriter: ReturnType<typeof callWriterOf>;
	private readonly tellSources: boolean;
	private readonly targets = new Map<number, Target>();
	/** The message that is open, by candidate: two answers told side by side are two messages. */
	private readonly messages = new Map<number, MessageWriter>();
	private candidate = 0;
	/** The call of an upstream's own tool that waits for its result. */
	private hosted: SearchWriter | CodeWriter | undefined;
	/** The call that closed last: whether it was cut off is known only by what follows it. */
	private closedCall: ItemWriter | undefined;
	private lastText: TextPartWriter | undefined;
	/** Whether a text has told its sources itself. */
	private cited = false;
	/** Whether the model refused in its own words. */
	refused = false;

	constructor(output: Output, request: NeutralRequest) {
		this.output = output;
		this.callWriter = callWriterOf(request);
		this.tellSources = request.state?.include?.includes("web_search_call.action.sources") === true;
	}

	open(block: number, candidate: number, shell: Block): void {
		this.candidate = candidate;
		if (shell.type !== "server_result") this.endHosted();
		const target = this.targetFor(shell);
		if (target !== undefined) this.targets.set(block, target);
	}

	delta(block: number, delta: Delta): void {
		if (delta.type === "citation") this.cited = true;
		this.targets.get(block)?.grow(delta);
	}

	close(block: number, final: Block | undefined): void {
		this.targets.get(block)?.close(final);
		this.targets.delete(block);
	}

	private targetFor(shell: Block): Target | undefined {
		switch (shell.type) {
			case "text":
				return this.textTarget(shell, this.candidate);
			case "refusal":
				return this.refusal(shell.text);
			case "thinking":
				return this.thinking(shell);
			case "opaque_thinking":
				this.carry(shell.data, "redacted", shell.itemId);
				return undefined;
			case "tool_call":
				return this.call(shell);
			case "image":
				return this.image(shell);
			case "audio":
				return spokenTarget(this.textTarget({ type: "text", text: shell.transcript ?? "" }, this.candidate), () =>
					this.note("sound"),
				);
			case "server_call":
				return this.serverCall(shell);
			default:
				this.whole(shell);
				return undefined;
		}
	}

	/** A text may open its part late, when another candidate has spoken meanwhile. */
	private textTarget(shell: TextBlock, candidate: number): TextTarget {
		return new TextTarget(shell, {
			open: () => {
				this.candidate = candidate;
				return this.text(shell.itemId, ownFields(shell)["phase"]);
			},
			seal: (value, bearer) => this.carry(value, bearer),
		});
	}

	/** Told as a thought, so that the text of the answer stays what the model said. */
	private note(what: string): void {
		this.thinking({ type: "thinking", form: "summary", text: unshown(what) }).close(undefined);
	}

	/** Puts an item into the output; what was open of a message or call ends before it. */
	private item<W extends ItemWriter>(make: () => W): W {
		this.endMessage();
		this.endCall();
		return this.output.add(make());
	}

	private text(origin: string | undefined, phase: unknown): TextPartWriter {
		this.lastText = this.messageFor(origin, phase).text();
		return this.lastText;
	}

	/** The message that is open, or a new one when the text comes from another message of the upstream. */
	private messageFor(origin: string | undefined, phase: unknown): MessageWriter {
		const message = this.messages.get(this.candidate);
		if (message && !message.ended && (origin === undefined || origin === message.origin)) return message;
		const opened = this.item(() => new MessageWriter(this.output, origin, phase));
		this.messages.set(this.candidate, opened);
		return opened;
	}

	private endMessage(): void {
		this.messages.get(this.candidate)?.end(false);
		this.messages.delete(this.candidate);
	}

	private endCall(): void {
		this.closedCall?.end(false);
		this.closedCall = undefined;
	}

	private endHosted(): void {
		this.hosted?.end();
		this.hosted = undefined;
	}

	private refusal(text: string): Target {
		this.refused = true;
		const part = this.messageFor(undefined, undefined).refusal();
		if (text !== "") part.grow(text);
		return refusalTarget(part);
	}

	/** Reasoning itself is told as such only where a Responses upstream did; every client shows summaries. */
	private thinking(shell: ThinkingBlock): Target {
		const form = shell.form === "full" && shell.itemId !== undefined ? "content" : "summary";
		const item = this.item(() => new ReasoningWriter(this.output, form, shell.itemId));
		if (shell.signature) item.seal(shell.signature, "thinking");
		if (shell.text !== "") item.grow(shell.text, undefined);
		return thinkingTarget(item);
	}

	/** A reasoning item that holds nothing but a value which the client replays unread. */
	private carry(value: Opaque, bearer: Bearer, origin?: string): void {
		const item = this.item(() => new ReasoningWriter(this.output, "summary", origin));
		item.seal(value, bearer);
		item.end();
	}

	/** A signature that is known first is carried before the call, one that comes on the way behind it. */
	private call(shell: ToolCallBlock): Target {
		if (shell.signature) this.carry(shell.signature, "next");
		const item = this.item(() => this.callWriter(this.output, shell));
		return callTarget(item, (signature) => {
			this.endCall();
			this.closedCall = item;
			if (signature !== undefined) this.carry(signature, "previous");
		});
	}

	private image(shell: ImageBlock): Target | undefined {
		if (shell.thought === true) return undefined;
		if (shell.media.by === "url") {
			this.text(undefined, undefined).grow(`![](${shell.media.url})`);
			return undefined;
		}
		if (shell.signature) this.carry(shell.signature, "next");
		const item = this.item(() => new ImageWriter(this.output, shell));
		return imageTarget(item);
	}

	private serverCall(shell: ServerCallBlock): Target | undefined {
		if (shell.raw?.origin.protocol === protocolName && isRecord(shell.raw.value)) {
			this.raw(shell.raw.value);
			return undefined;
		}
		// Other tools that an upstream ran have no item that clients of this protocol would know.
		const searches = shell.tool === "web_search" || shell.tool === "web_fetch";
		if (!searches && !isRun(shell)) return undefined;
		const item = this.item(() =>
			searches ? new SearchWriter(this.output, shell, this.tellSources) : new CodeWriter(this.output, shell),
		);
		this.hosted = item;
		return hostedTarget(item);
	}

	private raw(item: WireRecord): void {
		this.item(() => new RawWriter(this.output, item));
	}

	/** Blocks that come whole. */
	private whole(shell: Block): void {
		if (shell.type === "server_result") this.result(shell);
		else if (shell.type === "video" || shell.type === "document") this.note(`a ${shell.type}`);
		else if (shell.type === "unknown" && shell.origin.protocol === protocolName && isRecord(shell.raw)) {
			this.raw(shell.raw);
		}
	}

	private result(shell: ServerResultBlock): void {
		if (this.hosted === undefined || this.hosted.callId !== shell.callId) return;
		this.hosted.found(shell);
		this.endHosted();
	}

	/** Whether any text was told. */
	get spoke(): boolean {
		return this.lastText !== undefined;
	}

	/** Sources of a search that no citation has told stand at the last text, which is still open for them. */
	ground({ sources }: Grounding): void {
		const text = this.lastText;
		if (this.cited || text === undefined || text.ended) return;
		for (const { url, title } of sources)
			if (url !== undefined) text.cite({ kind: "url", url, ...(title !== undefined && { title }) });
	}

	/** The refusal that the upstream told only by how it ended. */
	refuse(message: string): void {
		this.refusal(message).close(undefined);
	}
}
