/** A Gemini client's `contents` and `systemInstruction` as messages. */
import {
	asRecord,
	asText,
	type Block,
	Fault,
	isRecord,
	lookup,
	type Message,
	type Opaque,
	placed,
	placeOf,
	type ToolCallBlock,
	type ToolResultBlock,
	WaitingCalls,
	type WireRecord,
} from "#core";
import { callId } from "../call-ids.ts";
import { decodePart, signatureOf } from "../decode-part.ts";
import { field, listField, otherFields, recordField } from "../fields.ts";
import { bagOf, geminiOrigin, isForeign, type ReadSignature, readSignature } from "../signatures.ts";
import { inSteps, joined, type OnCalls } from "./join-contents.ts";
import { readResult } from "./read-result.ts";

const refusal = (parameter: string, message: string): Fault =>
	new Fault({ kind: "invalid_request", parameter, message, code: "invalid_value" });

const roles = lookup<Message["role"]>({
	user: "user",
	model: "assistant",
	assistant: "assistant",
	system: "system",
	function: "user",
	tool: "user",
});

/** A content in any of the forms clients send: a string, a part, a content. */
interface Content {
	readonly role: string | undefined;
	readonly parts: readonly unknown[];
}

const isContent = (value: WireRecord): boolean => "parts" in value || "role" in value;

const contentOf = (value: unknown, at: string): Content => {
	if (typeof value === "string") return { role: undefined, parts: [{ text: value }] };
	if (!isRecord(value)) throw refusal(at, `The field \`${at}\` must be a content: an object with a role and parts.`);
	if (!isContent(value)) return { role: undefined, parts: [value] };
	const parts = field(value, "parts");
	return { role: asText(value["role"]), parts: typeof parts === "string" ? [parts] : listField(value, "parts") };
};

/** Strings and parts that stand side by side without a content around them are one content of the user's. */
const contentsOf = (value: unknown): readonly Content[] => {
	if (!Array.isArray(value)) return [contentOf(value, "contents")];
	const contents: Content[] = [];
	let loose: unknown[] | undefined;
	for (const [index, entry] of value.entries()) {
		if (isRecord(entry) && isContent(entry)) {
			loose = undefined;
			contents.push(contentOf(entry, `contents[${index}]`));
			continue;
		}
		const content = contentOf(entry, `contents[${index}]`);
		if (loose) loose.push(...content.parts);
		else {
			loose = [...content.parts];
			contents.push({ role: undefined, parts: loose });
		}
	}
	return contents;
};

/** Reads the parts of one conversation; what it remembers is which calls still wait for their results. */
class ContentsDecoder {
	private readonly calls = new WaitingCalls();
	readonly onCalls: OnCalls = new Map();

	message({ role, parts }: Content, index: number): Message {
		const known = role === undefined ? "user" : roles[role.toLowerCase()];
		if (known === undefined) {
			const at = `contents[${index}].role`;
			throw refusal(at, `The field \`${at}\` is ${JSON.stringify(role?.slice(0, 64))}; it must be "user" or "model".`);
		}
		const blocks: Block[] = [];
		for (const [at, part] of parts.entries()) {
			this.part(blocks, part, `${index}.${at}`);
			for (let last = blocks.length - 1; last >= 0; last--) {
				const block = blocks[last];
				if (!block || placeOf(block) !== undefined) break;
				placed(block, `contents[${index}].parts[${at}]`);
			}
		}
		return placed({ role: known, blocks }, `contents[${index}]`);
	}

	private part(blocks: Block[], value: unknown, place: string): void {
		if (typeof value === "string") {
			blocks.push({ type: "text", text: value });
			return;
		}
		const part = asRecord(value);
		const call = field(part, "functionCall");
		const answer = field(part, "functionResponse");
		if (isRecord(call)) blocks.push(...this.reasoningOn(blocks, part), this.call(call, part, place));
		else if (isRecord(answer)) blocks.push(this.result(answer, place));
		else addPart(blocks, part, place);
	}

	private reasoningOn(blocks: Block[], call: WireRecord): readonly Block[] {
		const read = readSignature(signatureOf(call) ?? "");
		const reasoning = unseenReasoning(blocks, read);
		if (read?.shown) for (const block of reasoning) this.onCalls.set(block, read.shown.later);
		return reasoning;
	}

	private call(call: WireRecord, part: WireRecord, place: string): ToolCallBlock {
		const name = asText(call["name"]) ?? "";
		const id = asText(call["id"]) || callId(place, name);
		this.calls.add(id, name);
		const value = recordField(call, "args");
		const signature = ownSignature(part);
		return {
			type: "tool_call",
			id,
			name,
			kind: "function",
			arguments: { form: "json", value, text: JSON.stringify(value) },
			...(signature && { signature }),
		};
	}

	private result(answer: WireRecord, place: string): ToolResultBlock {
		const name = asText(answer["name"]);
		const id = asText(answer["id"]) || undefined;
		const response = field(answer, "response");
		const content: Block[] = [];
		const { text, isError } = readResult(response, name);
		if (text !== "") content.push({ type: "text", text });
		for (const part of listField(answer, "parts")) {
			addPart(content, asRecord(part), place);
			const last = content.at(-1);
			if (last) placed(last, `contents[${place.replace(".", "].parts[")}].functionResponse`);
		}
		return {
			type: "tool_result",
			callId: this.calls.take(id, name) ?? id ?? callId(place, name ?? ""),
			kind: "function",
			content,
			...(name !== undefined && { name }),
			...(isError && { isError }),
			...(isRecord(response) && { structured: response }),
			...bagOf(otherFields(answer, resultFields)),
		};
	}
}

const resultFields = new Set(["id", "name", "response", "parts"]);

/** The signature that Gemini put on a call or text. */
const ownSignature = (part: WireRecord): Opaque | undefined => {
	const opaque = readSignature(signatureOf(part) ?? "")?.opaque;
	return opaque && !isForeign(opaque) ? opaque : undefined;
};

/**
 * Reasoning of another maker that shows nothing, or may be shown no more: its mark stands on what came after it. So does that
 * of a thought whose client moved it there, as LiteLLM does; the thought stands before it then.
 */
const unseenReasoning = (blocks: Block[], read: ReadSignature | undefined): readonly Block[] => {
	if (!read || !isForeign(read.opaque)) return [];
	if (read.whole) return [{ type: "opaque_thinking", data: read.opaque }];
	const text = read.shown?.text ?? unsignedText(blocks);
	return [{ type: "thinking", text, form: "summary", signature: read.opaque }];
};

/** Adds what a part is. Reasoning of another maker finds its text in the thought parts just before its signature. */
const addPart = (blocks: Block[], part: WireRecord, place: string): void => {
	const read = readSignature(signatureOf(part) ?? "");
	const thought = part["thought"] === true;
	if (!thought || read?.whole) blocks.push(...unseenReasoning(blocks, read));
	if (thought && read?.whole) return;
	const signature = thought ? read?.opaque : ownSignature(part);
	const block = decodePart(part, { origin: geminiOrigin, signature, fallbackId: () => callId(place) });
	if (block.type === "text" && block.text === "" && !block.signature) return;
	const foreign = read !== undefined && isForeign(read.opaque);
	blocks.push(
		thought && foreign && block.type === "thinking" ? { ...block, text: unsignedText(blocks) + block.text } : block,
	);
};

/** Takes the thoughts off the end that nobody signed, and gives their text. */
const unsignedText = (blocks: Block[]): string => {
	let text = "";
	for (let last = blocks.at(-1); last?.type === "thinking" && !last.signature; last = blocks.at(-1)) {
		text = last.text + text;
		blocks.pop();
	}
	return text;
};

/** The conversation. Throws `Fault` (`invalid_request`) for contents that are none. */
export const decodeContents = (value: unknown): readonly Message[] => {
	const decoder = new ContentsDecoder();
	const messages = contentsOf(value).map((content, index) => decoder.message(content, index));
	return inSteps(joined(messages), decoder.onCalls);
};

/** The system instruction as one message, a block for each part; undefined when it says nothing. */
export const decodeSystem = (value: unknown): Message | undefined => {
	if (value === undefined) return undefined;
	const parts = Array.isArray(value) ? value : contentOf(value, "systemInstruction").parts;
	const blocks: Block[] = [];
	for (const [index, part] of parts.entries()) {
		if (typeof part === "string") blocks.push({ type: "text", text: part });
		else addPart(blocks, asRecord(part), "system");
		const last = blocks.at(-1);
		if (last && placeOf(last) === undefined) placed(last, `systemInstruction.parts[${index}]`);
	}
	return blocks.length === 0 ? undefined : placed<Message>({ role: "system", blocks }, "systemInstruction");
};
