/** The reasoning of one choice of a stream, in whichever dialect it comes, marked so that it can be given back. */
import { asList, asText, isRecord, partSeparator, type ThinkingBlock, type WireRecord } from "#core";
import { detailOpaque, placeMark, plainReasoning, type ReasoningPlace, sealOf } from "../reasoning.ts";
import type { BlockRun } from "./block-run.ts";

export class ThoughtDecoder {
	private readonly run: BlockRun;
	private readonly family: string;
	/** Of the reasoning that grows: its text, where it stands, its entry in `reasoning_details` but for the text. */
	private text = "";
	private place: ReasoningPlace | undefined;
	private detail: Record<string, unknown> | undefined;
	private any = false;
	/** What sealed entries are known by that were told: some upstreams repeat all of them at the end. */
	private readonly told = new Set<string>();

	/** `family`: the models that the reasoning is bound to. */
	constructor(run: BlockRun, family: string) {
		this.run = run;
		this.family = family;
	}

	/** What one delta tells of reasoning. A plain field and `reasoning_details` tell the same twice. */
	push(delta: WireRecord): void {
		const plain = plainReasoning(delta);
		const details = asList(delta["reasoning_details"]).filter(isRecord);
		const form = details[0]?.["type"] === "reasoning.summary" ? "summary" : "full";
		if (plain !== undefined) this.think(plain.text, plain.field, form);
		for (const detail of details) this.entry(detail, plain !== undefined, form);
	}

	/** More of the visible reasoning. */
	think(text: string, place: ReasoningPlace | undefined, form: ThinkingBlock["form"] = "full"): void {
		this.run.grow({ type: "thinking", text: "", form }, { type: "thinking", text });
		this.text += text;
		this.place ??= place;
		this.any = true;
	}

	/** The reasoning is about to end: tells where it must go back to. */
	seal(): void {
		if (this.detail !== undefined) {
			this.run.tell({ type: "signature", value: detailOpaque(this.detail, this.family) });
			this.remember(this.detail);
		} else if (this.place !== undefined)
			this.run.tell({ type: "signature", value: placeMark(this.place, this.family) });
		this.forget();
	}

	private entry(detail: WireRecord, toldPlainly: boolean, form: ThinkingBlock["form"]): void {
		if (this.told.has(sealOf(detail) ?? "")) return;
		if (typeof detail["data"] === "string") {
			this.remember(detail);
			this.run.whole({ type: "opaque_thinking", data: detailOpaque(detail, this.family) });
			return;
		}
		const { text, summary, ...entry } = detail;
		const said = asText(text) ?? asText(summary) ?? "";
		const signed = typeof detail["signature"] === "string";
		if (signed && !toldPlainly && this.isWhole(said)) {
			this.run.closeAs({ type: "thinking", text: said, form, signature: detailOpaque(detail, this.family) });
			this.remember(detail);
			this.forget();
			return;
		}
		if (!toldPlainly && said !== "") this.think(said, undefined, form);
		// Reasoning that is hidden altogether is a signature without text.
		if (signed && this.run.type !== "thinking" && !this.any) this.run.open({ type: "thinking", text: "", form });
		if (this.run.type === "thinking") this.detail = { ...this.detail, ...entry };
	}

	/** True for all of the reasoning that was told in pieces; what stands between two reasonings may be before it. */
	private isWhole(text: string): boolean {
		return text !== "" && (this.text === text || this.text === partSeparator + text);
	}

	private remember(detail: WireRecord): void {
		const seal = sealOf(detail);
		if (seal !== undefined) this.told.add(seal);
	}

	private forget(): void {
		this.text = "";
		this.place = undefined;
		this.detail = undefined;
	}
}
