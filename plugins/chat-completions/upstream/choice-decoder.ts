/** One choice of a stream: its deltas as blocks that open, grow and close. */
import {
	asList,
	asRecord,
	asText,
	definedOnly,
	type Grounding,
	isRecord,
	type NeutralEvent,
	type WireRecord,
} from "#core";
import { decodeAnnotations, inUnits, type PlacedCitation, within } from "../annotations.ts";
import { ContentLength } from "../content-length.ts";
import { decodeContent } from "../decode-content.ts";
import { decodeFinish } from "../finish.ts";
import { decodeLogprobs } from "../logprobs.ts";
import { audioMime } from "../media.ts";
import { googleSignature, reasoningPartText, thinkingPartText } from "../reasoning.ts";
import type { StreamScope } from "../stream-scope.ts";
import { BlockRun } from "./block-run.ts";
import { CallDecoder } from "./call-decoder.ts";
import { audioFormatOf, trusting } from "./decode-response.ts";
import { ThoughtDecoder } from "./thought-decoder.ts";

export class ChoiceDecoder {
	private readonly candidate: number;
	private readonly scope: StreamScope;
	private readonly run: BlockRun;
	private readonly thoughts: ThoughtDecoder;
	private readonly calls: CallDecoder;
	/** Length of the whole content, and where in it the growing text began. */
	private readonly length = new ContentLength();
	private textStart = 0;
	/** Citations that came before the text they are of, as search results do in some dialects. */
	private readonly early: PlacedCitation[] = [];
	private spoke = false;
	private reason: string | undefined;
	private matched: string | undefined;
	private out: NeutralEvent[] = [];

	constructor(candidate: number, scope: StreamScope) {
		this.candidate = candidate;
		this.scope = scope;
		const emit = (event: NeutralEvent): void => {
			this.out.push(event);
		};
		this.calls = new CallDecoder(candidate, scope, emit);
		this.run = new BlockRun(candidate, scope, {
			emit,
			opening: () => this.calls.closeComplete(),
			closing: (type) => {
				if (type === "thinking") this.thoughts.seal();
			},
		});
		this.thoughts = new ThoughtDecoder(this.run, scope.context.family);
	}

	/** True when the upstream has said how this choice ended. */
	get isFinished(): boolean {
		return this.reason !== undefined;
	}

	/** What one chunk says of this choice. */
	push(choice: WireRecord): readonly NeutralEvent[] {
		this.out = [];
		const { delta, message, finish_reason: ending } = choice;
		const reason = asText(ending);
		if (isRecord(delta)) this.delta(delta, choice);
		// A vendor that cannot stream says all in one chunk; one that tells all once more has said it in pieces before.
		else if (isRecord(message) && reason && !this.spoke) this.delta(message, choice);
		if (reason !== undefined && reason !== "") this.reason = reason;
		this.matched = asText(choice["stop_reason"]) ?? this.matched;
		return this.out;
	}

	/** What a chunk says that differs from the one before in its text only. */
	more(text: string): readonly NeutralEvent[] {
		this.out = [];
		this.text(text);
		return this.out;
	}

	/** Closes what is open and tells the finish. */
	end(): readonly NeutralEvent[] {
		this.out = [];
		this.run.close();
		this.calls.closeAll();
		if (this.early.length > 0)
			this.out.push({ type: "grounding", candidate: this.candidate, grounding: this.uncited() });
		const finish = decodeFinish(this.reason, this.calls.told > 0, this.matched);
		this.out.push({ type: "finish", candidate: this.candidate, finish });
		return this.out;
	}

	/** Citations that no text followed: it was over when they came. */
	private uncited(): Grounding {
		const sources = this.early.map(({ citation: { url, title } }) => definedOnly({ url, title: title ?? undefined }));
		return { queries: [], sources };
	}

	private delta(delta: WireRecord, choice: WireRecord): void {
		this.spoke = true;
		this.thoughts.push(delta);
		this.content(delta["content"]);
		if (choice["logprobs"]) this.logprobs(choice["logprobs"]);
		const refusal = asText(delta["refusal"]);
		if (refusal) this.run.grow({ type: "refusal", text: "" }, { type: "refusal", text: refusal });
		if (delta["annotations"]) this.annotations(delta["annotations"]);
		if (isRecord(delta["audio"])) this.audio(delta["audio"]);
		if (delta["images"]) this.images(delta["images"]);
		// Some vendors write an empty list beside every piece of text.
		const calls = asList(delta["tool_calls"]);
		if (calls.length > 0 || isRecord(delta["function_call"])) this.run.close();
		for (const call of calls) this.calls.push(asRecord(call));
		if (isRecord(delta["function_call"])) this.calls.pushLegacy(delta["function_call"]);
		this.signature(delta);
	}

	private content(content: unknown): void {
		if (typeof content === "string") this.text(content);
		for (const part of asList(content).map(asRecord)) {
			if (part["type"] === "thinking") this.thoughts.think(thinkingPartText(part), "thinking");
			else if (part["type"] === "reasoning") this.thoughts.think(reasoningPartText(part), undefined, "summary");
			else if (part["type"] === "image_url") this.images([part]);
			else this.text(asText(part["text"]) ?? "");
		}
	}

	private text(text: string): void {
		if (text === "") return;
		if (this.run.type !== "text") this.textStart = this.length.units;
		this.length.add(text);
		this.run.grow({ type: "text", text: "" }, { type: "text", text });
		if (this.early.length > 0) for (const placed of this.early.splice(0)) this.cite(placed);
	}

	private logprobs(value: unknown): void {
		const items = decodeLogprobs(value);
		if (items.length > 0 && this.run.type === "text") this.run.tell({ type: "logprobs", items });
	}

	private annotations(value: unknown): void {
		const placed = decodeAnnotations(value);
		if (this.run.type === "text") for (const one of placed) this.cite(one);
		else this.early.push(...placed);
	}

	private cite(placed: PlacedCitation): void {
		this.run.tell({ type: "citation", citation: within(inUnits(placed, this.length), this.textStart) });
	}

	private audio(audio: WireRecord): void {
		const id = asText(audio["id"]);
		const mime = audioMime(audioFormatOf(this.scope.context).audioFormat ?? "wav");
		const media = { by: "bytes", base64: "", mime } as const;
		if (this.run.type !== "audio") this.run.open({ type: "audio", media, ...(id === undefined ? {} : { id }) });
		const base64 = asText(audio["data"]);
		if (base64) this.run.tell({ type: "media", base64 });
		const transcript = asText(audio["transcript"]);
		if (transcript) this.run.tell({ type: "transcript", text: transcript });
	}

	private images(parts: unknown): void {
		const place = { at: "choices[].delta.images", family: this.scope.context.family };
		for (const block of trusting(() => decodeContent(parts, place))) this.run.whole(block);
	}

	/** A signature on the message is its first call's, or the text's. */
	private signature(delta: WireRecord): void {
		const value = googleSignature(delta);
		if (value === undefined || this.calls.sign(value)) return;
		if (this.run.type !== "text") this.run.open({ type: "text", text: "" });
		this.run.tell({ type: "signature", value });
	}
}
