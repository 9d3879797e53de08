/**
 * A neutral stream as Gemini's. Official clients keep a chat's history only when every chunk of its stream has a part in
 * it, and some drop a chunk whose text is empty; so the chunk that ends the answer must have something to say. The last
 * letter of a growing text is held back for it, until more follows.
 */
import {
	type Block,
	type Citation,
	type Denial,
	Folder,
	type NeutralEvent,
	type NeutralRequest,
	type Opaque,
	partSeparator,
	type StreamEncoder,
	type TextBlock,
} from "#core";
import { type Framing, framingOfBody } from "../framing.ts";
import { isForeign, isUnsigned, unseenMark, writeSignature } from "../signatures.ts";
import { bytesBefore } from "../text-offsets.ts";
import { hidesThoughts, queriesOf, wholePart, wordsOf } from "./answer-part.ts";
import { answerEnd, candidateEnd } from "./encode-response.ts";
import { errorBody } from "./errors.ts";
import { HeldParts } from "./held-parts.ts";

type Of<T extends NeutralEvent["type"]> = Extract<NeutralEvent, { type: T }>;

/** A block whose text goes out as it grows. */
interface OpenText {
	readonly candidate: number;
	readonly thought: boolean;
	/** The block, where it is the answer's text. */
	readonly shell: TextBlock | undefined;
	text: string;
	/** The part of a thought's summary that grows. */
	part: number | undefined;
	readonly citations: Citation[];
}

/** A block that goes out whole, gathered until it is. */
interface OpenWhole {
	readonly candidate: number;
	readonly gathered: Folder;
}

/** What stands between a part of a summary and the one before it. */
const gapOfPart = (open: OpenText, part: number | undefined): string => {
	const isNext = open.part !== undefined && part !== undefined && part > open.part;
	open.part = part ?? open.part;
	return isNext ? partSeparator : "";
};

/** A signature of what was told, or of a thought of which nothing was. */
const signed = (held: HeldParts, { text, thought }: OpenText, signature: Opaque): string => {
	if (isUnsigned(signature)) return "";
	if (text !== "" && thought) held.shown.show(text, signature);
	if (text !== "") return held.sign(signature, thought);
	return thought && isForeign(signature) ? held.hold(writeSignature(signature)) : held.signEmpty(signature, thought);
};

class Encoder implements StreamEncoder {
	private readonly request: NeutralRequest;
	private readonly framing: Framing;
	private readonly hides: boolean;
	/** The fold of everything but blocks: what the last chunk tells. */
	private readonly rest = new Folder();
	private readonly candidates = new Map<number, HeldParts>();
	private readonly texts = new Map<number, OpenText>();
	private readonly wholes = new Map<number, OpenWhole>();
	/** What follows the candidates in every chunk. */
	private tail = "}";
	private over = false;

	constructor(request: NeutralRequest) {
		this.request = request;
		this.framing = framingOfBody(request.raw);
		this.hides = hidesThoughts(request);
	}

	push(event: NeutralEvent): string {
		if (this.over) return "";
		switch (event.type) {
			case "delta":
				return this.delta(event);
			case "open":
				this.begin(event);
				return "";
			case "close":
				return this.close(event);
			case "tick":
				return "";
			case "error":
				return this.fail(event.error);
			case "end":
				return this.end(event.clean);
			case "start": {
				const { model } = this.request;
				this.tail = `,"modelVersion":${JSON.stringify(model)},"responseId":${JSON.stringify(event.id)}}`;
			}
		}
		this.rest.push(event);
		return "";
	}

	private held(index: number): HeldParts {
		let held = this.candidates.get(index);
		if (!held) {
			held = new HeldParts();
			this.candidates.set(index, held);
		}
		return held;
	}

	/** A chunk with these parts; nothing when there are none. */
	private chunk(parts: string, index: number): string {
		if (parts === "") return "";
		return this.framing.element(
			`{"candidates":[{"content":{"parts":[${parts}],"role":"model"},"index":${index}}]${this.tail}`,
		);
	}

	/** What is held back stays so: whether anything of the block can be shown is not known yet. */
	private begin(event: Of<"open">): void {
		const { block, candidate, shell } = event;
		if (shell.type === "text" || shell.type === "thinking" || shell.type === "refusal")
			this.texts.set(block, {
				candidate,
				thought: shell.type === "thinking",
				shell: shell.type === "text" ? shell : undefined,
				text: "",
				part: undefined,
				citations: [],
			});
		else {
			const gathered = new Folder();
			gathered.push(event);
			this.wholes.set(block, { candidate, gathered });
		}
	}

	private delta(event: Of<"delta">): string {
		const open = this.texts.get(event.block);
		if (open) return this.grow(open, event.delta);
		this.wholes.get(event.block)?.gathered.push(event);
		return "";
	}

	private grow(open: OpenText, delta: Of<"delta">["delta"]): string {
		const { candidate } = open;
		const held = this.held(candidate);
		switch (delta.type) {
			case "text":
			case "refusal": {
				const gap = open.text === "" && open.shell ? held.gapBefore(open.shell) : "";
				open.text += delta.text;
				return this.say(gap + delta.text, false, candidate);
			}
			case "thinking":
				return this.hides ? "" : this.think(open, gapOfPart(open, delta.part) + delta.text);
			case "signature":
				return this.chunk(signed(held, open, delta.value), candidate);
			case "citation":
				open.citations.push(delta.citation);
				break;
			case "logprobs":
				held.logprobs.push(...delta.items);
		}
		return "";
	}

	private think(open: OpenText, text: string): string {
		open.text += text;
		return this.say(text, true, open.candidate);
	}

	/** More of a text. A chunk that held the end of a thought beside it would lose its words at Haystack's users. */
	private say(text: string, thought: boolean, candidate: number): string {
		const held = this.held(candidate);
		const before = this.chunk(held.beforeText(thought), candidate);
		return before + this.chunk(held.addText(text, thought), candidate);
	}

	private close({ block, final }: Of<"close">): string {
		const open = this.texts.get(block);
		if (open) this.closeText(open);
		const whole = this.wholes.get(block);
		this.texts.delete(block);
		this.wholes.delete(block);
		return whole ? this.closeWhole(final ?? whole.gathered.response().candidates[0]?.blocks[0], whole.candidate) : "";
	}

	private closeText({ candidate, thought, text, citations }: OpenText): void {
		if (thought) return;
		const held = this.held(candidate);
		if (citations.length > 0) held.texts.push({ text, citations, part: 0, offset: held.bytes });
		held.bytes += bytesBefore(text, text.length);
	}

	private closeWhole(block: Block | undefined, candidate: number): string {
		const mark = block && unseenMark(block, this.hides);
		const held = this.held(candidate);
		if (mark !== undefined) return this.chunk(held.hold(mark), candidate);
		const part = block && wholePart(block);
		if (block) held.queries.push(...queriesOf(block));
		if (!part && block?.type === "tool_call") held.brokenCall = block;
		const before = part ? this.chunk(held.addPart(part), candidate) : "";
		const words = block ? wordsOf(block) : "";
		if (words === "") return before;
		held.bytes += bytesBefore(words, words.length);
		return before + this.say(words, false, candidate);
	}

	private fail(error: Denial): string {
		const rest = this.flushAll();
		return rest + this.framing.failure(JSON.stringify(errorBody(error)));
	}

	private flushAll(): string {
		this.over = true;
		let text = "";
		for (const [index, held] of this.candidates) text += this.chunk(held.flush(), index);
		return text;
	}

	/** The chunk that tells how every candidate ended, with what was held back, and the usage. */
	private end(clean: boolean): string {
		if (!clean) return this.flushAll() + this.framing.end();
		this.over = true;
		const { candidates, ...head } = this.rest.response();
		const ended = candidates.map((candidate) => {
			const held = this.held(candidate.index);
			const parts = held.flush();
			const content = parts === "" ? `{"role":"model"}` : `{"parts":[${parts}],"role":"model"}`;
			return `{"content":${content},${JSON.stringify(candidateEnd(candidate, held)).slice(1)}`;
		});
		const lead = ended.length > 0 ? `"candidates":[${ended.join()}],` : "";
		const answer = JSON.stringify(answerEnd(head, this.request)).slice(1);
		return this.framing.element(`{${lead}${answer}`) + this.framing.end();
	}
}

/** Gemini's stream in the form that the request's address asked for. */
export const streamEncoder = (request: NeutralRequest): StreamEncoder => new Encoder(request);
