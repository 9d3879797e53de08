/**
 * Messages as Gemini's `contents`: roles user and model in turn, all results of a step in one content of their own that
 * follows the calls, and a first content of the user's. Signatures stay on the part they were made for.
 */
import {
	type Block,
	type EncodeContext,
	flatName,
	instructs,
	type Losses,
	type Message,
	type NeutralRequest,
	type Opaque,
	type ToolNames,
	type WireRecord,
} from "#core";
import { encodePart, encodeResult, type PartContext } from "../encode-part.ts";
import { protocolName } from "../name.ts";
import { isOwn, isUnsigned, skipSentinel } from "../signatures.ts";

interface Content {
	readonly role: "user" | "model";
	readonly parts: WireRecord[];
	/** Results of functions, which nothing else may join. */
	readonly results: boolean;
}

/** Signatures that came without their part, as foreign clients replay them, find it again: the next one that has none. */
class ModelParts {
	readonly parts: WireRecord[] = [];
	private pending: string | undefined;

	sign(opaque: Opaque): void {
		this.leaveAlone();
		this.pending = opaque.value;
	}

	add(part: WireRecord): void {
		const thought = part["thought"] === true;
		if (this.pending !== undefined && !thought && part["thoughtSignature"] === undefined) {
			this.parts.push({ ...part, thoughtSignature: this.pending });
			this.pending = undefined;
			return;
		}
		if (!thought) this.leaveAlone();
		this.parts.push(part);
	}

	/** A signature without a part goes back as it sometimes comes: on an empty text. */
	leaveAlone(): void {
		if (this.pending !== undefined) this.parts.push({ text: "", thoughtSignature: this.pending });
		this.pending = undefined;
	}
}

class ContentsEncoder {
	readonly contents: Content[] = [];
	readonly system: WireRecord[] = [];
	private readonly context: PartContext;
	private readonly callNames = new Map<string, string>();
	private begun = false;

	constructor(context: PartContext) {
		this.context = context;
	}

	message(message: Message): void {
		if (message.name !== undefined) this.context.losses.node(message, "Gemini has no names of speakers", "name");
		if (instructs(message)) {
			this.instruct(message);
			return;
		}
		this.begun = true;
		if (message.role === "assistant") this.add("model", this.modelParts(message.blocks));
		else this.userMessage(message.blocks);
	}

	/** Gemini knows a system only at the beginning; later words of it stay in their place, marked. */
	private instruct({ blocks }: Message): void {
		const parts = blocks.flatMap((block) => encodePart(block, this.context));
		if (!this.begun) {
			this.system.push(...parts);
			return;
		}
		this.add(
			"user",
			parts.map((part) =>
				typeof part["text"] === "string" ? { text: `<system-reminder>\n${part["text"]}\n</system-reminder>` } : part,
			),
		);
	}

	private userMessage(blocks: readonly Block[]): void {
		const results: WireRecord[] = [];
		const others: WireRecord[] = [];
		for (const block of blocks) {
			if (block.type !== "tool_result") {
				others.push(...encodePart(block, this.context));
				continue;
			}
			const { part, after } = encodeResult(block, this.callNames.get(block.callId), this.context);
			results.push(part);
			others.push(...after);
		}
		this.add("user", results, true);
		this.add("user", others);
	}

	private modelParts(blocks: readonly Block[]): readonly WireRecord[] {
		const made = new ModelParts();
		for (const block of blocks) {
			if (block.type === "tool_call") this.callNames.set(block.id, flatName(block.name, block.namespace));
			if (block.type === "thinking" || block.type === "opaque_thinking") this.reason(block, made);
			else for (const part of encodePart(block, this.context)) made.add(part);
		}
		made.leaveAlone();
		return made.parts;
	}

	/**
	 * Thoughts that a Gemini client sends back go on as they are. From other clients come only signatures, in whatever
	 * place they have for them. Another model's thoughts would confuse this one.
	 */
	private reason(block: Extract<Block, { type: "thinking" | "opaque_thinking" }>, made: ModelParts): void {
		const opaque = block.type === "thinking" ? block.signature : block.data;
		const own = opaque && isOwn(opaque, this.context.family) ? opaque : undefined;
		if (block.type === "thinking" && block.text !== "" && this.context.native && (own || !opaque))
			made.add({ text: block.text, thought: true, ...(own && !isUnsigned(own) && { thoughtSignature: own.value }) });
		else if (own) {
			if (!isUnsigned(own)) made.sign(own);
		} else this.context.losses.node(block, "it is another model's reasoning");
	}

	private add(role: Content["role"], parts: readonly WireRecord[], results = false): void {
		if (parts.length === 0) return;
		const last = this.contents.at(-1);
		if (last?.role === role && last.results === results) last.parts.push(...parts);
		else this.contents.push({ role, parts: [...parts], results });
	}
}

/** Gemini 3 refuses a step whose first call is unsigned; for calls of other models it takes a word in its place. */
const signed = (parts: readonly WireRecord[]): readonly WireRecord[] => {
	const first = parts.findIndex((part) => part["functionCall"] !== undefined);
	if (first === -1 || parts[first]?.["thoughtSignature"] !== undefined) return parts;
	return parts.map((part, at) => (at === first ? { ...part, thoughtSignature: skipSentinel } : part));
};

const hasCall = (content: Content): boolean => content.parts.some((part) => part["functionCall"] !== undefined);

/** The conversation begins with the user; it ends with the beginning of an answer only where the model goes on from one. */
const framed = (encoder: ContentsEncoder, context: EncodeContext, losses: Losses): readonly Content[] => {
	const { contents, system } = encoder;
	const last = contents.at(-1);
	if (contents.length > 1 && last?.role === "model" && !hasCall(last) && context.capabilities.prefill === false) {
		contents.pop();
		losses.setting("messages", "the model cannot go on from the beginning of an answer");
	}
	if (contents.length === 0 && system.length > 0)
		contents.push({ role: "user", parts: system.splice(0), results: false });
	if (contents[0]?.role !== "user") contents.unshift({ role: "user", parts: [{ text: "Continue." }], results: false });
	return contents;
};

/** `contents` and `systemInstruction`. */
export const encodeContents = (
	request: NeutralRequest,
	context: EncodeContext,
	names: ToolNames,
	losses: Losses,
): { readonly contents: readonly WireRecord[]; readonly system: readonly WireRecord[] } => {
	const encoder = new ContentsEncoder({
		family: context.family,
		names,
		losses,
		mediaInResults: context.capabilities.imagesInToolResults === true,
		native: request.protocol === protocolName,
	});
	for (const message of request.messages) encoder.message(message);
	const sign = context.capabilities.signedCalls === true;
	const contents = framed(encoder, context, losses).map(({ role, parts }) => ({
		role,
		parts: sign && role === "model" ? signed(parts) : parts,
	}));
	return { contents, system: encoder.system };
};
