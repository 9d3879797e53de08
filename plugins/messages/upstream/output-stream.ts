/** One block of an upstream's stream, from its start to its stop, as neutral events. */
import {
	asRecord,
	asText,
	type Block,
	type Citation,
	calledTool,
	type DecodeContext,
	type Delta,
	type NeutralEvent,
	parseExactly,
	parseJson,
	type WireRecord,
} from "#core";
import { originOf } from "../carried.ts";
import { decodeCitation } from "../citations.ts";
import { isServerCall } from "../server-tools.ts";
import { ownNames } from "./member-names.ts";
import { answerText, decodeCall, decodeOutputBlock } from "./output-blocks.ts";
import { answerNames, isAnswer } from "./structured.ts";

/**
 * What becomes of a block. `held`: a call whose arguments have other names here; `answer`: a call whose input is the
 * answer's text, `held answer`: with other names here; `whole`: told when all of it is there.
 */
type Manner = "text" | "thinking" | "call" | "held" | "custom" | "answer" | "held answer" | "server" | "whole";

const mannerOf = (start: WireRecord, context: DecodeContext): Manner => {
	const type = asText(start["type"]) ?? "";
	if (type === "text" || type === "thinking") return type;
	if (isServerCall(type)) return "server";
	if (type !== "tool_use") return "whole";
	if (isAnswer(start, context)) return answerNames(context) ? "held answer" : "answer";
	const called = calledTool(asText(start["name"]) ?? "", context);
	if (called.kind === "custom") return "custom";
	return ownNames(called, context.request) ? "held" : "call";
};

const hasMembers = (value: unknown): boolean => Object.keys(asRecord(value)).length > 0;

export class OutputStream {
	private readonly block: number;
	private readonly start: WireRecord;
	private readonly context: DecodeContext;
	private readonly manner: Manner;
	private readonly citations: Citation[] = [];
	/** JSON of the input, as far as it came. */
	private input = "";
	/** Letters of text, as far as they came. */
	private length = 0;
	/** What later events added to a block that is told whole. */
	private more: WireRecord = {};

	constructor(block: number, start: WireRecord, context: DecodeContext) {
		this.block = block;
		this.start = start;
		this.context = context;
		this.manner = mannerOf(start, context);
	}

	/** What the block is beside an answer that is a call. */
	get sort(): "text" | "answer" | "call" | "other" {
		const { manner } = this;
		if (manner === "text") return manner;
		if (manner === "answer" || manner === "held answer") return "answer";
		return manner === "call" || manner === "held" || manner === "custom" ? "call" : "other";
	}

	/** What the start says, the beginning of the text included. */
	open(): readonly NeutralEvent[] {
		if (this.manner === "whole") return [];
		const { start, block } = this;
		const events: NeutralEvent[] = [{ type: "open", block, candidate: 0, shell: this.shell() }];
		for (const member of ["text", "thinking", "signature"] as const)
			if (asText(start[member])) events.push(...this.grow({ [member]: start[member] }));
		if (Array.isArray(start["citations"])) for (const citation of start["citations"]) this.cite(citation);
		return events;
	}

	private shell(): Block {
		const { start, context } = this;
		switch (this.manner) {
			case "thinking":
				return { type: "thinking", text: "", form: "full" };
			case "call":
			case "held":
				return { ...decodeCall(start, undefined, context), arguments: { form: "invalid", text: "" } };
			case "custom":
				return { ...decodeCall(start, undefined, context), arguments: { form: "text", text: "" } };
			case "server":
				return decodeOutputBlock(start, context);
			default:
				return { type: "text", text: "" };
		}
	}

	grow(delta: WireRecord): readonly NeutralEvent[] {
		if (this.manner === "whole") {
			const { type: _type, ...more } = delta;
			this.more = { ...this.more, ...more };
			return [];
		}
		const told = this.read(delta);
		return told ? [this.told(told)] : [];
	}

	private told(delta: Delta): NeutralEvent {
		return { type: "delta", block: this.block, delta };
	}

	private read({ text, partial_json, thinking, signature, citation }: WireRecord): Delta | undefined {
		if (typeof text === "string") {
			this.length += text.length;
			return { type: "text", text };
		}
		if (typeof partial_json === "string") return this.readInput(partial_json);
		if (typeof thinking === "string") return { type: "thinking", text: thinking };
		if (typeof signature === "string" && signature !== "")
			return { type: "signature", value: { value: signature, origin: originOf(this.context.family) } };
		if (citation !== undefined) this.cite(citation);
		return undefined;
	}

	private readInput(text: string): Delta | undefined {
		this.input += text;
		if (this.manner === "answer") return { type: "text", text };
		return this.manner === "call" ? { type: "arguments", text } : undefined;
	}

	private cite(value: unknown): void {
		const citation = decodeCitation(value, this.context.family);
		if (citation) this.citations.push(citation);
	}

	/** What is left to tell. Citations wait until here, because they support all of a text whose length is known only now. */
	close(): readonly NeutralEvent[] {
		const { block, manner, context } = this;
		if (manner === "whole") {
			const shell = decodeOutputBlock({ ...this.start, ...this.more }, context);
			return [
				{ type: "open", block, candidate: 0, shell },
				{ type: "close", block },
			];
		}
		if (manner === "server")
			return [{ type: "close", block, final: decodeOutputBlock({ ...this.start, input: this.wholeInput() }, context) }];
		const target = { start: 0, end: this.length };
		const left: Delta[] = this.citations.map((citation) => ({ type: "citation", citation: { ...citation, target } }));
		const input = this.untoldInput();
		if (input !== undefined) left.push(input);
		return [...left.map((delta) => this.told(delta)), { type: "close", block }];
	}

	/** The input that came with the start counts when no piece of it followed. */
	private wholeInput(parse: (text: string) => unknown = parseJson): unknown {
		const { input: given = {} } = this.start;
		return this.input.trim() === "" ? given : (parse(this.input) ?? this.input);
	}

	private untoldInput(): Delta | undefined {
		if (this.manner === "custom" || this.manner === "held") {
			const call = decodeCall(this.start, this.wholeInput(parseExactly), this.context);
			return { type: "arguments", text: call.arguments.text };
		}
		if (this.manner === "held answer") {
			const input = this.wholeInput(parseExactly);
			return { type: "text", text: typeof input === "string" ? input : answerText(input, this.context) };
		}
		if (this.input.trim() !== "") return undefined;
		// A call without arguments is a call with no members: whatever reads it next wants JSON.
		const text = hasMembers(this.start["input"]) ? JSON.stringify(this.start["input"]) : "{}";
		if (this.manner === "call") return { type: "arguments", text };
		return this.manner === "answer" ? { type: "text", text } : undefined;
	}
}
