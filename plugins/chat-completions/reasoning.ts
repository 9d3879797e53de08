/**
 * Reasoning in the dialects of Chat Completions: `reasoning_content`, `reasoning`, `reasoning_details[]`, parts of type
 * `thinking`, and Gemini's `extra_content.google.thought_signature`. OpenAI itself shows none; whoever does uses one of these.
 */
import {
	asList,
	asRecord,
	asText,
	type Block,
	carry,
	definedOnly,
	isRecord,
	type Opaque,
	parseJson,
	partSeparator,
	type ThinkingBlock,
	uncarry,
	type WireRecord,
} from "#core";
import { protocolName } from "./name.ts";

const reasoningFields = ["reasoning_content", "reasoning"] as const;
/** The plain fields that hold reasoning as text. */
export type ReasoningField = (typeof reasoningFields)[number];
/** Where unsigned reasoning stood: a plain field, or parts of the content. */
export type ReasoningPlace = ReasoningField | "thinking";

/** More bytes than any model thinks before a call: no more is kept for clients that drop it. */
export const longestReasoning = 1024 * 1024;

/** The plain reasoning text of a message or delta, which some give within an object, and the field it stood in. */
export const plainReasoning = (message: WireRecord): { field: ReasoningField; text: string } | undefined => {
	for (const field of reasoningFields) {
		const said = message[field];
		const text = typeof said === "string" ? said : asText(asRecord(said)["text"]);
		if (text !== undefined && text !== "") return { field, text };
	}
	return undefined;
};

/** The field that a message has its reasoning in. */
export const reasoningField = (message: WireRecord): string =>
	asList(message["reasoning_details"]).length > 0
		? "reasoning_details"
		: (plainReasoning(message)?.field ?? "reasoning");

const own = (family: string) => ({ protocol: protocolName, family });

/** Names the place in which an upstream of this protocol gave unsigned reasoning, so that it can be given back there. */
export const placeMark = (place: ReasoningPlace, family: string): Opaque => ({ value: place, origin: own(family) });

const textOf = (detail: WireRecord): string => asText(detail["text"]) ?? asText(detail["summary"]) ?? "";

/** An entry of `reasoning_details` as the opaque value it holds: what we carried through, or the entry itself. */
export const detailOpaque = (detail: WireRecord, family: string): Opaque => {
	const sealed = asText(detail["signature"]) ?? asText(detail["data"]);
	const carried = sealed === undefined ? undefined : uncarry(sealed);
	if (carried !== undefined) return carried;
	const { text: _text, summary: _summary, ...rest } = detail;
	return { value: JSON.stringify(rest), origin: own(family) };
};

/** True for an entry that must go back as it came. */
const isSealed = (detail: WireRecord): boolean =>
	typeof detail["signature"] === "string" || typeof detail["data"] === "string";

/** What a sealed entry is known by when it comes again; undefined for any other. */
export const sealOf = (detail: WireRecord): string | undefined => {
	const { type, signature, data } = detail;
	return signature || data ? JSON.stringify([type, signature, data]) : undefined;
};

/** Takes each sealed entry once: what was read from a stream may hold an entry twice. */
const withoutRepeats = (details: readonly WireRecord[]): readonly WireRecord[] => {
	const seen = new Set<string>();
	return details.filter((detail) => {
		const seal = sealOf(detail);
		if (seal === undefined) return true;
		const isFirst = !seen.has(seal);
		seen.add(seal);
		return isFirst;
	});
};

const detailBlock = (detail: WireRecord, family: string): Block[] => {
	const text = textOf(detail);
	if (asText(detail["data"]) !== undefined) return [{ type: "opaque_thinking", data: detailOpaque(detail, family) }];
	if (text === "" && !isSealed(detail)) return [];
	const form = detail["type"] === "reasoning.summary" ? "summary" : "full";
	return [{ type: "thinking", text, form, signature: detailOpaque(detail, family) }];
};

/** Reasoning of a whole message, before anything else it says. `family`: the models its opaque values are bound to. */
export const decodeReasoning = (message: WireRecord, family: string, fromUpstream: boolean): Block[] => {
	const told = asList(message["reasoning_details"]).filter(isRecord);
	const details = told.length > 1 ? withoutRepeats(told) : told;
	const blocks = details.flatMap((detail) => detailBlock(detail, family));
	const plain = plainReasoning(message);
	if (plain === undefined || blocks.some((block) => block.type === "thinking")) return blocks;
	const mark = fromUpstream ? { signature: placeMark(plain.field, family) } : {};
	return [{ type: "thinking", text: plain.text, form: "full", ...mark }, ...blocks];
};

/** The reasoning of a content part of type `thinking`: a text, or a list of text parts. */
export const thinkingPartText = (part: WireRecord): string => {
	const thinking = part["thinking"];
	if (typeof thinking === "string") return thinking;
	return asList(thinking)
		.map((piece) => asText(asRecord(piece)["text"]) ?? "")
		.join("");
};

/** The reasoning of a content part of type `reasoning`: Databricks gives it so, as summaries. */
export const reasoningPartText = (part: WireRecord): string =>
	asText(part["text"]) ??
	asList(part["summary"])
		.map((piece) => asText(asRecord(piece)["text"]) ?? "")
		.join(partSeparator);

const google = { protocol: "generate-content", family: "gemini" };

/** Gemini's signature on a message, tool call or image. */
export const googleSignature = (holder: WireRecord): Opaque | undefined => {
	const text = asText(asRecord(asRecord(holder["extra_content"])["google"])["thought_signature"]);
	if (text === undefined || text === "") return undefined;
	return uncarry(text) ?? { value: text, origin: google };
};

/** The member that carries a signature on a tool call or image to a client: Gemini's as they are, others carried. */
export const signatureMember = (signature: Opaque | undefined): { extra_content?: unknown } => {
	if (signature === undefined) return {};
	const { protocol, family } = signature.origin;
	const native = protocol === google.protocol && family === google.family;
	return { extra_content: { google: { thought_signature: native ? signature.value : carry(signature) } } };
};

/** How a thinking block is written: in a plain field, as an entry of `reasoning_details`, or both. */
interface WrittenReasoning {
	readonly field: ReasoningField;
	readonly detail?: WireRecord;
}

const ownEntry = (opaque: Opaque): WireRecord | undefined => {
	const entry = parseJson(opaque.value);
	return isRecord(entry) ? entry : undefined;
};

const isPlace = (value: string): value is ReasoningPlace =>
	value === "reasoning_content" || value === "reasoning" || value === "thinking";

/** The place that a block of this protocol's own stood in; undefined when it was an entry of `reasoning_details`. */
export const markedPlace = (signature: Opaque | undefined): ReasoningPlace | undefined =>
	signature?.origin.protocol === protocolName && isPlace(signature.value) ? signature.value : undefined;

/** A thinking block as an entry of `reasoning_details` with its own entry's members; undefined when it was none. */
export const nativeDetail = (block: ThinkingBlock): WireRecord | undefined => {
	if (block.signature?.origin.protocol !== protocolName) return undefined;
	const entry = ownEntry(block.signature);
	if (entry === undefined) return undefined;
	return { ...entry, [entry["type"] === "reasoning.summary" ? "summary" : "text"]: block.text };
};

/** A thinking block for a client: the text in a plain field, and what must come back in `reasoning_details`. */
export const writeThinking = (block: ThinkingBlock, index: number): WrittenReasoning => {
	const place = markedPlace(block.signature);
	if (place !== undefined) return { field: place === "thinking" ? "reasoning_content" : place };
	const { signature, text } = block;
	if (signature === undefined) return { field: "reasoning_content" };
	const native = nativeDetail(block);
	if (native !== undefined) return { field: "reasoning", detail: native };
	const detail = { type: "reasoning.text", text, signature: carry(signature), format: "unknown", index };
	return { field: "reasoning_content", detail };
};

/** Opaque thinking for a client. */
export const writeOpaque = (data: Opaque, index: number): WireRecord => {
	const entry = data.origin.protocol === protocolName ? ownEntry(data) : undefined;
	return entry ?? { type: "reasoning.encrypted", data: carry(data), format: "unknown", index };
};

/** What goes back to the upstream of this family for a block that it, or one like it, once made. */
export const replayed = (opaque: Opaque | undefined, family: string): Opaque | undefined =>
	opaque?.origin.protocol === protocolName && opaque.origin.family === family ? opaque : undefined;

/** Opaque thinking for the upstream that made it. */
export const nativeOpaque = (data: Opaque): WireRecord => definedOnly(ownEntry(data) ?? {});
