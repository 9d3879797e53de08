/** The conversation, for an upstream. */
import {
	type AudioBlock,
	type Block,
	definedOnly,
	gapBetween,
	instructs,
	type Message,
	runAsText,
	type ServerCallBlock,
	type ServerResultBlock,
	type TextBlock,
	type ToolCallBlock,
	type ToolNames,
	type ToolResultBlock,
	type WireRecord,
	wrapInput,
} from "#core";
import { protocolName } from "../name.ts";
import { markedPlace, nativeDetail, nativeOpaque, replayed } from "../reasoning.ts";
import { callIdFor } from "../tool-call-ids.ts";
import { contentOf, encodePart, isPlainText, marks } from "./encode-content.ts";
import { takesCustomTools } from "./encode-tools.ts";
import { ownExtras, type Writing } from "./target.ts";

const partsOf = (message: Message, writing: Writing): WireRecord[] =>
	message.blocks.flatMap((block) => {
		const part = block.type === "tool_result" ? undefined : encodePart(block, writing);
		return part === undefined ? [] : [part];
	});

const nameOf = (message: Message) => definedOnly({ name: message.name });

const foreignReasoning = "reasoning of another model is not shown to this one";

const isImageOrFile = (block: Block): boolean => block.type !== "text" && block.type !== "search_result";

/** What Claude and Gemini take within results, they take so in the protocols of their makers alone. */
const showsInResults = ({ context: { capabilities, family } }: Writing): boolean =>
	capabilities.imagesInToolResults === true && family !== "claude" && family !== "gemini";

/** A result as text, and what of it only a user may show. */
const encodeResult = (block: ToolResultBlock, writing: Writing): { text: string; media: WireRecord[] } => {
	if (block.isError === true) writing.losses.node(block, "the upstream is not told that a tool failed", "isError");
	const native = showsInResults(writing);
	const texts: string[] = [];
	const media: WireRecord[] = [];
	for (const part of block.content) {
		const made = encodePart(part, writing);
		if (made === undefined) continue;
		if (isImageOrFile(part) && made["type"] !== "text") media.push(made);
		else texts.push(String(made["text"]));
	}
	if (texts.length === 0 && block.structured !== undefined) texts.push(JSON.stringify(block.structured));
	if (texts.length === 0 && media.length > 0 && !native) texts.push("The result is shown in the next message.");
	return { text: texts.join("\n"), media };
};

/** Tool results stand directly behind the calls; what they show and what the user adds comes after all of them. */
const encodeUser = (message: Message, writing: Writing): WireRecord[] => {
	const made: WireRecord[] = [];
	const shown: WireRecord[] = [];
	for (const block of message.blocks) {
		if (block.type !== "tool_result") continue;
		const { text, media } = encodeResult(block, writing);
		const native = showsInResults(writing) && media.length > 0;
		const content = native ? [...(text === "" ? [] : [{ type: "text", text }]), ...media] : text;
		made.push({ role: "tool", tool_call_id: callId(block.callId, writing), content });
		if (!native) shown.push(...media);
	}
	const parts = [...shown, ...partsOf(message, writing)];
	if (parts.length > 0)
		made.push({ role: "user", content: contentOf(parts, writing), ...nameOf(message), ...ownExtras(message) });
	return made;
};

const systemRole = (message: Message, { context, openai }: Writing): string => {
	if (message.role !== "developer") return message.role;
	return (context.capabilities.developerRole ?? openai) ? "developer" : "system";
};

const encodeSystem = (message: Message, writing: Writing): WireRecord[] => {
	const parts = partsOf(message, writing);
	if (parts.length === 0) return [];
	const content = contentOf(parts, writing);
	return [{ role: systemRole(message, writing), content, ...nameOf(message), ...ownExtras(message) }];
};

/** Gemini's own signature goes back to it; what stands in for one that is missing, the history puts there. */
const geminiSignature = (block: ToolCallBlock, { context }: Writing): WireRecord => {
	if (context.family !== "gemini") return {};
	const value = block.signature?.origin.family === "gemini" ? block.signature.value : undefined;
	return value === undefined ? {} : { extra_content: { google: { thought_signature: value } } };
};

const callId = (id: string, { sameProtocol, context }: Writing): string =>
	sameProtocol ? id : callIdFor(id, context.capabilities);

const encodeCall = (block: ToolCallBlock, names: ToolNames, writing: Writing): WireRecord => {
	const name = names.upstream(block.name, block.namespace);
	const id = callId(block.id, writing);
	const given = block.arguments;
	if (block.kind === "custom" && takesCustomTools(writing))
		return { id, type: "custom", custom: { name, input: given.text } };
	const text = block.kind === "custom" ? wrapInput(given.text) : given.text;
	const made = { id, type: "function", function: { name, arguments: text === "" ? "{}" : text } };
	return { ...made, ...geminiSignature(block, writing) };
};

/** What one assistant message gathers. */
class AssistantMessage {
	private readonly texts: WireRecord[] = [];
	private readonly calls: WireRecord[] = [];
	private readonly details: WireRecord[] = [];
	private readonly thoughts: WireRecord[] = [];
	private readonly more: Record<string, unknown> = {};
	private lastText: TextBlock | undefined;
	private readonly names: ToolNames;
	private readonly writing: Writing;

	constructor(names: ToolNames, writing: Writing) {
		this.names = names;
		this.writing = writing;
	}

	add(block: Block): void {
		switch (block.type) {
			case "text":
				if (block.text !== "") this.said(block);
				return;
			case "refusal":
				if (this.writing.openai) this.more["refusal"] = block.text;
				else this.text(this.texts.length > 0 ? `\n\n${block.text}` : block.text);
				return;
			case "tool_call":
				this.calls.push(encodeCall(block, this.names, this.writing));
				return;
			case "thinking":
				this.think(block);
				return;
			case "opaque_thinking":
				if (replayed(block.data, this.writing.context.family)) this.details.push(nativeOpaque(block.data));
				else this.writing.losses.node(block, foreignReasoning);
				return;
			case "audio":
				this.sound(block);
				return;
			case "server_call":
			case "server_result":
				this.ran(block);
				return;
			default:
				this.writing.losses.node(
					block,
					`the upstream has no place for ${block.type.replaceAll("_", " ")} of the assistant`,
				);
		}
	}

	private said(block: TextBlock): void {
		const gap = gapBetween(this.lastText, block);
		this.lastText = block;
		this.text(gap + block.text, marks(block, this.writing));
	}

	/** Calls and results of tools that another upstream ran are told in words, where there are words for them. */
	private ran(block: ServerCallBlock | ServerResultBlock): void {
		const text = runAsText(block);
		if (text !== undefined) this.text(text);
		else this.writing.losses.node(block, "the upstream has no place for what another ran");
	}

	private text(text: string, more: WireRecord = {}): void {
		this.texts.push({ type: "text", text, ...more });
	}

	/** Only what this upstream, or one like it, once thought goes back; a stranger's thoughts would be taken for text. */
	private think(block: Extract<Block, { type: "thinking" }>): void {
		const signature = replayed(block.signature, this.writing.context.family);
		const place = markedPlace(signature);
		const unsigned = block.signature === undefined && this.writing.sameProtocol && !this.writing.openai;
		if (place === "thinking") {
			this.thoughts.push({ type: "thinking", thinking: [{ type: "text", text: block.text }] });
		} else if (place !== undefined || unsigned) {
			const field = place ?? "reasoning_content";
			this.more[field] = `${String(this.more[field] ?? "")}${block.text}`;
		} else {
			const detail = signature === undefined ? undefined : nativeDetail(block);
			if (detail !== undefined) this.details.push(detail);
			else if (block.text !== "") this.writing.losses.node(block, foreignReasoning);
		}
	}

	private sound(block: AudioBlock): void {
		const { media } = block;
		if (media.by === "file" && media.origin.protocol === protocolName) this.more["audio"] = { id: media.id };
		else if (block.transcript !== undefined) this.text(block.transcript);
		else this.writing.losses.node(block, "the upstream cannot be given what the assistant said as sound");
	}

	/** The message; none when nothing of it can be given. */
	written(message: Message): WireRecord[] {
		const more = {
			...this.more,
			...(this.details.length === 0 ? {} : { reasoning_details: this.details }),
			...(this.calls.length === 0 ? {} : { tool_calls: this.calls }),
		};
		if (this.texts.length + this.thoughts.length + Object.keys(more).length === 0) return [];
		return [{ role: "assistant", content: this.content(), ...more, ...nameOf(message), ...ownExtras(message) }];
	}

	/** A list only where a string cannot say it: thoughts within the content, marks on its texts. */
	private content(): unknown {
		if (this.thoughts.length > 0 || !this.texts.every(isPlainText)) return [...this.thoughts, ...this.texts];
		if (this.texts.length > 0) return this.texts.map(({ text }) => text).join("");
		return this.calls.length > 0 || "audio" in this.more || "refusal" in this.more ? null : "";
	}
}

const encodeAssistant = (message: Message, names: ToolNames, writing: Writing): WireRecord[] => {
	const made = new AssistantMessage(names, writing);
	for (const block of message.blocks) made.add(block);
	return made.written(message);
};

/** All messages in order; one of a user who said nothing where there is none, for this protocol demands one. */
export const encodeMessages = (names: ToolNames, writing: Writing): WireRecord[] => {
	const made = writing.request.messages.flatMap((message) => {
		if (message.role === "assistant") return encodeAssistant(message, names, writing);
		if (instructs(message)) return encodeSystem(message, writing);
		return encodeUser(message, writing);
	});
	return made.length > 0 ? made : [{ role: "user", content: "" }];
};
