/** Messages as the items of an upstream's input. */
import {
	asRecord,
	asText,
	type Block,
	definedOnly,
	type ImageBlock,
	isRecord,
	type Message,
	runAsText,
	type ServerCallBlock,
	type ServerResultBlock,
	type TextBlock,
	type ToolCallBlock,
	type ToolResultBlock,
	type WireRecord,
} from "#core";
import { encodeAnnotations } from "../annotations.ts";
import { imagePart } from "../media.ts";
import { isOwn, ownFields } from "../origin.ts";
import { contentOf, outputOf, phaseOf } from "./encode-content.ts";
import { type Reasoned, reasoningItem, withoutLone } from "./reasoning-items.ts";
import { callIdOf, itemIdOf, type Writing } from "./writing.ts";

/** What is written, and the leading instructions that have a field of their own. */
interface EncodedInput {
	readonly instructions?: string;
	readonly items: readonly WireRecord[];
}

class InputEncoder {
	private readonly writing: Writing;
	private readonly items: WireRecord[] = [];
	private readonly reasoned = new Map<WireRecord, Reasoned>();

	constructor(writing: Writing) {
		this.writing = writing;
	}

	/** The items of all messages, in order. */
	encode(messages: readonly Message[]): readonly WireRecord[] {
		for (const message of messages) this.message(message);
		return this.reasoned.size === 0 ? this.items : withoutLone(this.items, this.reasoned, this.writing);
	}

	private message(message: Message): void {
		if (message.name !== undefined) this.writing.losses.node(message, "the upstream has no names of speakers", "name");
		if (message.role === "assistant") this.turn(message.blocks);
		else if (message.role === "tool") this.results(message.blocks);
		else this.said(message);
	}

	private said({ role, blocks }: Message): void {
		const results = blocks.filter((block) => block.type === "tool_result");
		if (results.length > 0) this.results(results);
		const rest = results.length > 0 ? blocks.filter((block) => block.type !== "tool_result") : blocks;
		const content = contentOf(rest, this.writing);
		if (content === undefined) return;
		const knows = this.writing.context.capabilities.developerRole !== false;
		this.items.push({ role: role === "developer" && !knows ? "system" : role, content });
	}

	private results(blocks: readonly Block[]): void {
		for (const block of blocks)
			if (block.type === "tool_result") this.result(block);
			else if (block.type === "unknown" && isOwn(block.origin, this.writing.context.family) && isRecord(block.raw))
				this.items.push(block.raw);
			else this.writing.losses.node(block, "the upstream does not know it");
	}

	private result(block: ToolResultBlock): void {
		const { item } = ownFields(block);
		if (isRecord(item)) {
			this.items.push(item);
			return;
		}
		if (block.isError === true)
			this.writing.losses.node(block, "the upstream has no mark for a failed tool", "isError");
		this.items.push({
			type: block.kind === "custom" ? "custom_tool_call_output" : "function_call_output",
			call_id: callIdOf(block.callId),
			output: outputOf(block, this.writing),
			...ownFields(block),
		});
	}

	/** What the model did: texts that follow each other are one message, everything else is an item. */
	private turn(blocks: readonly Block[]): void {
		let texts: TextBlock[] = [];
		const flush = (): void => {
			if (texts.length > 0) this.items.push(messageItem(texts));
			texts = [];
		};
		for (const block of blocks) {
			if (block.type === "refusal") texts.push({ type: "text", text: block.text });
			else if (block.type !== "text") {
				flush();
				this.done(block);
			} else if (block.text !== "") {
				if (texts[0] !== undefined && texts[0].itemId !== block.itemId) flush();
				texts.push(block);
			}
		}
		flush();
	}

	private done(block: Exclude<Block, TextBlock>): void {
		switch (block.type) {
			case "thinking":
			case "opaque_thinking":
				this.reasoning(block);
				return;
			case "tool_call":
				this.items.push(this.call(block));
				return;
			case "image":
				this.image(block);
				return;
			case "server_call":
				if (block.raw && isOwn(block.raw.origin, this.writing.context.family) && isRecord(block.raw.value))
					this.items.push(block.raw.value);
				else this.foreignRun(block);
				return;
			case "server_result":
				// An own result stands in the item of its call.
				if (block.raw === undefined || !isOwn(block.raw.origin, this.writing.context.family)) this.foreignRun(block);
				return;
			case "audio":
				if (block.transcript) this.items.push({ role: "assistant", content: block.transcript });
				else this.writing.losses.node(block, "the upstream takes no sound");
				return;
			case "unknown":
				if (isOwn(block.origin, this.writing.context.family) && isRecord(block.raw)) this.items.push(block.raw);
				else this.writing.losses.node(block, "the upstream does not know it");
				return;
			default:
				this.writing.losses.node(block, "the upstream does not take it from a model");
		}
	}

	/** What the upstream did not run is told in words, where there are words for it. */
	private foreignRun(block: ServerCallBlock | ServerResultBlock): void {
		const text = runAsText(block);
		if (text !== undefined) this.items.push({ role: "assistant", content: text.trim() });
		else this.writing.losses.node(block, "the upstream did not run this tool");
	}

	private reasoning(block: Reasoned): void {
		const item = reasoningItem(block, this.writing);
		if (item === undefined) return;
		this.items.push(item);
		this.reasoned.set(item, block);
	}

	private call(block: ToolCallBlock): WireRecord {
		const { item } = ownFields(block);
		if (isRecord(item)) return item;
		const custom = block.kind === "custom";
		const name = this.writing.names.upstream(block.name, block.namespace);
		const id = custom ? /^ctc_/ : /^fc_/;
		return {
			type: custom ? "custom_tool_call" : "function_call",
			...definedOnly({ id: id.test(block.itemId ?? "") ? block.itemId : undefined }),
			call_id: callIdOf(block.id),
			name,
			...(custom ? { input: block.arguments.text } : { arguments: block.arguments.text || "{}" }),
			...ownFields(block),
		};
	}

	/** A picture goes back as the item it was; one that another model made is shown as if the user had sent it. */
	private image(block: ImageBlock): void {
		if (block.thought === true) {
			this.writing.losses.node(block, "it is another model's reasoning");
			return;
		}
		const own = asRecord(ownFields(block)["item"]);
		const id = asText(own["id"]);
		if (id !== undefined && block.media.by === "bytes") {
			const status = asText(own["status"]) ?? "completed";
			this.items.push({ type: "image_generation_call", id, status, result: block.media.base64 });
			return;
		}
		const part = imagePart(block.media, block.detail, false);
		if (part !== undefined) this.items.push({ role: "user", content: [part] });
		this.writing.losses.node(
			block,
			part ? "a picture the model made is shown as the user's" : "the file is kept elsewhere",
		);
	}
}

/** A message of the model. One text is written as clients write it; several need the form that answers have. */
const messageItem = (texts: readonly TextBlock[]): WireRecord => {
	const [first] = texts;
	if (first === undefined) return {};
	const phase = phaseOf(first);
	if (texts.length === 1 && first.itemId === undefined) return { role: "assistant", content: first.text, ...phase };
	const whole = texts.map(({ text }) => text).join("\n");
	return {
		type: "message",
		id: first.itemId !== undefined && /^msg_/.test(first.itemId) ? first.itemId : itemIdOf("msg", whole),
		status: "completed",
		role: "assistant",
		content: texts.map(({ text, citations = [] }) => ({
			type: "output_text",
			text,
			annotations: encodeAnnotations(citations, text),
			logprobs: [],
		})),
		...phase,
	};
};

/** The one text of a leading system message; several, or anything but text, stay items and so keep their borders. */
const instructionsIn = ([first, second]: readonly Message[]): string | undefined => {
	if (first?.role !== "system" || first.blocks.length !== 1 || second === undefined) return undefined;
	if (second.role === "system" && ownFields(first)["instructions"] !== true) return undefined;
	const [block] = first.blocks;
	return block?.type === "text" && block.cache === undefined ? block.text : undefined;
};

/** The conversation as instructions and items. */
export const encodeInput = (writing: Writing): EncodedInput => {
	const { messages } = writing.request;
	const instructions = instructionsIn(messages);
	const items = new InputEncoder(writing).encode(instructions === undefined ? messages : messages.slice(1));
	return { items, ...definedOnly({ instructions }) };
};
