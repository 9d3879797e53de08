/** One choice of a stream: its deltas as blocks that open, grow and close. */
import {
	asList,
	asRecord,
	asText,
	type Block,
	type Delta,
	isRecord,
	type NeutralEvent,
	partSeparator,
	type WireRecord,
} from "#core";
import { decodeAnnotations, within } from "./annotations.ts";
import { CallDecoder } from "./call-decoder.ts";
import { decodeContent } from "./decode-content.ts";
import { audioFormatOf, trusting } from "./decode-response.ts";
import { decodeFinish } from "./finish.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { audioMime } from "./media.ts";
import {
	detailOpaque,
	googleSignature,
	placeMark,
	plainReasoning,
	type ReasoningPlace,
	thinkingPartText,
} from "./reasoning.ts";
import type { StreamScope } from "./stream-scope.ts";

/** The block that grows at the moment. */
interface Run {
	readonly type: Block["type"];
	readonly block: number;
}

export class ChoiceDecoder {
	private readonly candidate: number;
	private readonly scope: StreamScope;
	private readonly calls: CallDecoder;
	private run: Run | undefined;
	/** Length of the whole content, and where in it the growing text began. */
	private length = 0;
	private textStart = 0;
	/** Of the growing reasoning: its text, where it stood, or its entry in `reasoning_details` but for the text. */
	private thinking = "";
	private place: ReasoningPlace | undefined;
	private detail: Record<string, unknown> | undefined;
	private thought = false;
	private reason: string | undefined;
	private matched: string | undefined;
	private out: NeutralEvent[] = [];

	constructor(candidate: number, scope: StreamScope) {
		this.candidate = candidate;
		this.scope = scope;
		this.calls = new CallDecoder(candidate, scope, (event) => this.out.push(event));
	}

	/** True when the upstream has said how this choice ended. */
	get isFinished(): boolean {
		return this.reason !== undefined;
	}

	/** What one chunk says of this choice. */
	push(choice: WireRecord): readonly NeutralEvent[] {
		this.out = [];
		const delta = choice["delta"];
		if (isRecord(delta)) this.delta(delta, choice);
		const reason = asText(choice["finish_reason"]);
		if (reason !== undefined && reason !== "") this.reason = reason;
		this.matched = asText(choice["stop_reason"]) ?? this.matched;
		return this.out;
	}

	/** Closes what is open and tells the finish. */
	end(): readonly NeutralEvent[] {
		this.out = [];
		this.closeRun();
		this.calls.closeAll();
		const finish = decodeFinish(this.reason, this.calls.told > 0, this.matched);
		this.out.push({ type: "finish", candidate: this.candidate, finish });
		return this.out;
	}

	private delta(delta: WireRecord, choice: WireRecord): void {
		this.reasoning(delta);
		this.content(delta["content"]);
		if (choice["logprobs"]) this.logprobs(choice["logprobs"]);
		const refusal = asText(delta["refusal"]);
		if (refusal) this.grow({ type: "refusal", text: "" }, { type: "refusal", text: refusal });
		if (delta["annotations"]) this.annotations(delta["annotations"]);
		if (isRecord(delta["audio"])) this.audio(delta["audio"]);
		if (delta["images"]) this.whole(delta["images"]);
		if (delta["tool_calls"] || delta["function_call"]) this.closeRun();
		for (const call of asList(delta["tool_calls"])) this.calls.push(asRecord(call));
		if (isRecord(delta["function_call"])) this.calls.pushLegacy(delta["function_call"]);
		this.signature(delta);
	}

	private reasoning(delta: WireRecord): void {
		const plain = plainReasoning(delta);
		if (plain !== undefined) this.think(plain.text, plain.field);
		for (const detail of asList(delta["reasoning_details"]).filter(isRecord))
			this.reasoningDetail(detail, plain !== undefined);
	}

	private reasoningDetail(detail: WireRecord, toldPlainly: boolean): void {
		if (typeof detail["data"] === "string") {
			this.closeRun();
			const data = detailOpaque(detail, this.scope.context.family);
			this.open({ type: "opaque_thinking", data });
			this.closeRun();
			return;
		}
		const { text, summary, ...entry } = detail;
		const said = asText(text) ?? asText(summary) ?? "";
		const signed = typeof detail["signature"] === "string";
		if (signed && !toldPlainly && this.isWhole(said)) {
			this.sealWhole(said, detail);
			return;
		}
		if (!toldPlainly && said !== "") this.think(said, undefined);
		// Reasoning that is hidden altogether is a signature without text.
		if (signed && this.run?.type !== "thinking" && !this.thought)
			this.open({ type: "thinking", text: "", form: "full" });
		if (this.run?.type === "thinking") this.detail = { ...this.detail, ...entry };
	}

	/** True for all of the reasoning that was told in pieces; what stands between two reasonings may be before it. */
	private isWhole(text: string): boolean {
		return text !== "" && (this.thinking === text || this.thinking === partSeparator + text);
	}

	/** A signed entry that repeats what was told in pieces is that reasoning, whole. */
	private sealWhole(text: string, detail: WireRecord): void {
		if (this.run?.type !== "thinking") return;
		const signature = detailOpaque(detail, this.scope.context.family);
		const final: Block = { type: "thinking", text, form: "full", signature };
		this.out.push({ type: "close", block: this.run.block, final });
		this.forget();
	}

	private think(text: string, place: ReasoningPlace | undefined): void {
		this.grow({ type: "thinking", text: "", form: "full" }, { type: "thinking", text });
		this.thinking += text;
		this.place ??= place;
		this.thought = true;
	}

	private content(content: unknown): void {
		if (typeof content === "string") this.text(content);
		for (const part of asList(content).map(asRecord)) {
			if (part["type"] === "thinking") this.think(thinkingPartText(part), "thinking");
			else if (part["type"] === "image_url") this.whole([part]);
			else this.text(asText(part["text"]) ?? "");
		}
	}

	private text(text: string): void {
		if (text === "") return;
		if (this.run?.type !== "text") this.textStart = this.length;
		this.length += text.length;
		this.grow({ type: "text", text: "" }, { type: "text", text });
	}

	private logprobs(value: unknown): void {
		const items = decodeLogprobs(value);
		if (items.length > 0 && this.run?.type === "text") this.tell({ type: "logprobs", items });
	}

	private annotations(value: unknown): void {
		if (this.run?.type !== "text") return;
		for (const placed of decodeAnnotations(value))
			this.tell({ type: "citation", citation: within(placed, this.textStart) });
	}

	private audio(audio: WireRecord): void {
		const id = asText(audio["id"]);
		const mime = audioMime(audioFormatOf(this.scope.context).audioFormat ?? "wav");
		const media = { by: "bytes", base64: "", mime } as const;
		if (this.run?.type !== "audio") this.open({ type: "audio", media, ...(id === undefined ? {} : { id }) });
		const base64 = asText(audio["data"]);
		if (base64) this.tell({ type: "media", base64 });
		const transcript = asText(audio["transcript"]);
		if (transcript) this.tell({ type: "transcript", text: transcript });
	}

	/** Blocks that come whole: images. */
	private whole(parts: unknown): void {
		const { family } = this.scope.context;
		for (const block of trusting(() => decodeContent(parts, { at: "choices[].delta.images", family }))) {
			this.open(block);
			this.closeRun();
		}
	}

	/** A signature on the message is its first call's, or the text's. */
	private signature(delta: WireRecord): void {
		const value = googleSignature(delta);
		if (value === undefined || this.calls.sign(value)) return;
		if (this.run?.type !== "text") this.open({ type: "text", text: "" });
		this.tell({ type: "signature", value });
	}

	private grow(shell: Block, delta: Delta): void {
		if (this.run?.type !== shell.type) this.open(shell);
		this.tell(delta);
	}

	private open(shell: Block): void {
		this.closeRun();
		this.calls.closeComplete();
		const block = this.scope.nextBlock();
		this.run = { type: shell.type, block };
		this.out.push({ type: "open", block, candidate: this.candidate, shell });
	}

	private tell(delta: Delta): void {
		if (this.run !== undefined) this.out.push({ type: "delta", block: this.run.block, delta });
	}

	private closeRun(): void {
		if (this.run === undefined) return;
		if (this.run.type === "thinking") this.seal();
		this.out.push({ type: "close", block: this.run.block });
		this.forget();
	}

	private forget(): void {
		this.run = undefined;
		this.thinking = "";
		this.detail = undefined;
		this.place = undefined;
	}

	/** Marks reasoning so that it can be given back to this upstream. */
	private seal(): void {
		const { family } = this.scope.context;
		if (this.detail !== undefined) this.tell({ type: "signature", value: detailOpaque(this.detail, family) });
		else if (this.place !== undefined) this.tell({ type: "signature", value: placeMark(this.place, family) });
	}
}
