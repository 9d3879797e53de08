/** One candidate of an answer, chunk by chunk, as neutral events. */
import {
	asRecord,
	asText,
	calledTool,
	type DecodeContext,
	definedOnly,
	type Finish,
	isRecord,
	type NeutralEvent,
	type Opaque,
	type ToolCallBlock,
	type WireRecord,
} from "#core";
import { argumentsOf } from "./call-arguments.ts";
import { callId } from "./call-ids.ts";
import { decodePart, isPlain, isText, signatureOf } from "./decode-part.ts";
import { field, listField } from "./fields.ts";
import { decodeFinish } from "./finish.ts";
import { GroundingGatherer, type TextRun } from "./grounding.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { protocolName } from "./name.ts";
import { PartialArguments } from "./partial-arguments.ts";
import { bagOf, unsignedMark } from "./signatures.ts";

/** Numbers blocks over all candidates of an answer, and names the answer in the ids that are made. */
export interface AnswerState {
	nextBlock: number;
	seed: string;
}

/** Fields of a candidate with no neutral place, kept for clients of the same protocol. */
const kept = "safetyRatings avgLogprobs tokenCount urlContextMetadata citationMetadata continuationToken".split(" ");

interface Open {
	readonly block: number;
	readonly type: "text" | "thinking";
	/** The visible text, for marks on it. */
	readonly run: TextRun | undefined;
	/** It has the one signature that a block may have. */
	signed: boolean;
	/** Signs it at its end. */
	readonly mark: Opaque | undefined;
}

export class CandidateDecoder {
	private readonly index: number;
	private readonly context: DecodeContext;
	/** The client speaks another protocol, which has no place for what stands beside a text. */
	private readonly isForeign: boolean;
	private readonly state: AnswerState;
	private readonly grounding = new GroundingGatherer();
	private readonly runs: TextRun[] = [];
	private events: NeutralEvent[] = [];
	private blocks = 0;
	private calls = 0;
	private open: Open | undefined;
	/** Blocks whose end is told only after the chunk, because more about their text came with it. */
	private late: Open[] | undefined;
	private partial:
		| { readonly call: WireRecord; readonly part: WireRecord; readonly gathered: PartialArguments }
		| undefined;
	private serverCallId = "";
	private readonly extras: Record<string, unknown> = {};
	private finish: Finish | undefined;
	constructor(index: number, context: DecodeContext, state: AnswerState) {
		this.index = index;
		this.context = context;
		this.isForeign = context.request.protocol !== protocolName;
		this.state = state;
	}

	/** True when a finish reason was told. */
	get finished(): boolean {
		return this.finish !== undefined;
	}

	/** Takes one chunk's candidate. */
	push(candidate: WireRecord): readonly NeutralEvent[] {
		this.events = [];
		const metadata = field(candidate, "groundingMetadata");
		const cited = field(candidate, "citationMetadata");
		if (isRecord(metadata)) this.grounding.add(metadata);
		if (isRecord(cited)) this.grounding.addCited(cited);
		if (isRecord(metadata) || isRecord(cited) || field(candidate, "logprobsResult") !== undefined) this.late = [];
		for (const part of listField(asRecord(candidate["content"]), "parts")) this.part(asRecord(part));
		this.addLogprobs(candidate);
		const finish = decodeFinish(candidate, this.calls > 0);
		if (this.late) this.placeMarks(finish !== undefined);
		for (const name of kept) if (candidate[name] !== undefined) this.extras[name] = candidate[name];
		this.finish = finish ?? this.finish;
		return this.events;
	}

	/** More of the text that is open. */
	more = (text: string): readonly NeutralEvent[] => (this.open ? [this.grown(this.open, text)] : []);

	/** The answer is over. `fallback` stands for a finish that was not told. */
	end(fallback: Finish | undefined): readonly NeutralEvent[] {
		this.events = [];
		this.endPartial();
		this.late = [];
		this.close();
		this.placeMarks(true);
		const { index } = this;
		const grounding = this.grounding.result();
		if (grounding) this.events.push({ type: "grounding", candidate: index, grounding });
		const finish = this.finish ?? fallback;
		if (finish) this.events.push({ type: "finish", candidate: index, finish, ...bagOf(this.extras) });
		return this.events;
	}

	private placeMarks(all: boolean): void {
		for (const { block, citation } of this.grounding.place(this.runs, all))
			this.events.push({ type: "delta", block, delta: { type: "citation", citation } });
		for (const open of this.late ?? []) this.closed(open);
		this.late = undefined;
	}

	private closed({ block, run, mark }: Open): void {
		if (run) run.open = false;
		if (mark) this.events.push({ type: "delta", block, delta: { type: "signature", value: mark } });
		this.events.push({ type: "close", block });
	}

	private close(): void {
		if (!this.open) return;
		if (this.late) this.late.push(this.open);
		else this.closed(this.open);
		this.open = undefined;
	}

	private part(part: WireRecord): void {
		const text = part["text"];
		const call = field(part, "functionCall");
		if (isRecord(call)) this.call(call, part);
		else if (typeof text === "string" && (isPlain(part) || (this.isForeign && isText(part)))) this.text(text, part);
		else this.whole(part);
	}

	/**
	 * A stream signs whichever chunk of a text it likes, often the first: the text goes on around it, as it does in a whole
	 * answer. Clients take a new block for a new paragraph, and read an object only from one. A second signature begins a
	 * block, as does one of a thought or of no text, which stand alone.
	 */
	private text(text: string, part: WireRecord): void {
		const type = part["thought"] === true ? "thinking" : "text";
		const signature = this.signature(part);
		if (text === "" && !signature) return;
		const alone = signature !== undefined && (type === "thinking" || text === "");
		if (alone || this.open?.type !== type || (signature && this.open.signed)) {
			this.close();
			this.openText(type, text, signature);
			if (alone) this.close();
			return;
		}
		this.events.push(this.grown(this.open, text));
		if (signature) this.sign(this.open, signature);
	}

	private sign(open: Open, value: Opaque): void {
		open.signed = true;
		this.events.push({ type: "delta", block: open.block, delta: { type: "signature", value } });
	}

	private grown({ block, type, run }: Open, text: string): NeutralEvent {
		if (run) run.text += text;
		return { type: "delta", block, delta: { type, text } };
	}

	private openText(type: Open["type"], text: string, signature: Opaque | undefined): void {
		const block = this.nextBlock();
		const run = type === "text" ? { block, ordinal: this.blocks - 1, text, open: true } : undefined;
		if (run) this.runs.push(run);
		const mark = type === "thinking" && !signature ? unsignedMark(this.context.family) : undefined;
		this.open = { block, type, run, mark, signed: signature !== undefined };
		const signed = definedOnly({ signature });
		const shell = type === "text" ? { type, text, ...signed } : { type, text, form: "summary" as const, ...signed };
		this.events.push({ type: "open", block, candidate: this.index, shell });
	}

	private nextBlock(): number {
		this.blocks++;
		return this.state.nextBlock++;
	}

	private signature(part: WireRecord): Opaque | undefined {
		const value = signatureOf(part);
		return value ? { value, origin: { protocol: protocolName, family: this.context.family } } : undefined;
	}

	/** A call comes whole, or by name first and then in pieces until one that does not go on. */
	private call(call: WireRecord, part: WireRecord): void {
		const goesOn = field(call, "willContinue") === true;
		const pieces = field(call, "partialArgs");
		const name = asText(call["name"]) ?? "";
		const again = pieces !== undefined && name === this.partial?.call["name"];
		if (name !== "" && !again) {
			this.endPartial();
			this.partial = { call, part, gathered: new PartialArguments(asRecord(call["args"])) };
		}
		this.partial?.gathered.add(pieces);
		if (!goesOn) this.endPartial();
	}

	private endPartial(): void {
		const { partial } = this;
		this.partial = undefined;
		if (partial) this.wholeCall(partial.call, partial.part, partial.gathered.value);
	}

	private wholeCall(call: WireRecord, part: WireRecord, args: WireRecord): void {
		this.close();
		const block = this.nextBlock();
		const upstreamName = asText(call["name"]) ?? "";
		const restored = calledTool(upstreamName, this.context);
		const shell: ToolCallBlock = {
			type: "tool_call",
			id: asText(call["id"]) || callId(this.state.seed, this.index, this.calls, upstreamName),
			...restored,
			arguments: argumentsOf(args, restored.kind),
			...definedOnly({ signature: this.signature(part) }),
		};
		this.calls++;
		this.events.push({ type: "open", block, candidate: this.index, shell }, { type: "close", block });
	}

	/** Anything that comes in one piece. */
	private whole(part: WireRecord): void {
		if (Object.keys(part).length === 0) return;
		this.close();
		const block = this.nextBlock();
		const made = (): string => callId(this.state.seed, this.index, this.blocks, "server");
		const isResult = field(part, "codeExecutionResult") ?? field(part, "toolResponse");
		const shell = decodePart(part, {
			origin: { protocol: protocolName, family: this.context.family },
			signature: this.signature(part),
			fallbackId: () => (isResult === undefined ? made() : this.serverCallId || made()),
		});
		if (shell.type === "server_call") this.serverCallId = shell.id;
		this.events.push({ type: "open", block, candidate: this.index, shell }, { type: "close", block });
	}

	private addLogprobs(candidate: WireRecord): void {
		const items = decodeLogprobs(field(candidate, "logprobsResult"));
		if (items.length === 0) return;
		const run = this.runs.findLast(({ open }) => open);
		if (run) this.events.push({ type: "delta", block: run.block, delta: { type: "logprobs", items } });
	}
}
