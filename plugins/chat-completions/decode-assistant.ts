/** What an assistant said, as blocks: the same message stands in a client's history and in an upstream's answer. */
import {
	asCount,
	asList,
	asRecord,
	asText,
	type Block,
	type Citation,
	definedOnly,
	inPlaceOf,
	isRecord,
	placed,
	readArguments,
	type ToolCallBlock,
	type WireRecord,
} from "#core";
import { decodeAnnotations, inUnits, within } from "./annotations.ts";
import { ContentLength } from "./content-length.ts";
import { decodeContent, type PartPlace } from "./decode-content.ts";
import { firstIndex } from "./first-index.ts";
import { audioMime } from "./media.ts";
import { protocolName } from "./name.ts";
import { decodeReasoning, googleSignature, placeMark, reasoningField } from "./reasoning.ts";

/** How an assistant's message is read. */
interface AssistantPlace extends PartPlace {
	/** True for an upstream's answer, whose reasoning is marked so that it can be given back. */
	readonly fromUpstream: boolean;
	/** The format of sound in an answer. */
	readonly audioFormat?: string;
	/** An id for a call in the old form, which has none. */
	callId?(name: string): string;
}

/** A call's arguments: some vendors give the object itself. */
export const argumentsText = (value: unknown): string => {
	if (typeof value === "string") return value;
	return value === undefined || value === null ? "" : JSON.stringify(value);
};

/** One entry of `tool_calls`; its id or name may still be empty in answers of careless vendors. */
const decodeToolCall = (value: unknown): ToolCallBlock | undefined => {
	const call = asRecord(value);
	const id = asText(call["id"]) ?? "";
	const signature = definedOnly({ signature: googleSignature(call) });
	const made = asRecord(call["function"]);
	const custom = asRecord(call["custom"]);
	const isCustom = call["type"] === "custom" || (!isRecord(call["function"]) && isRecord(call["custom"]));
	const name = asText((isCustom ? custom : made)["name"]) ?? "";
	if (name === "" && id === "") return undefined;
	if (isCustom) {
		const text = asText(custom["input"]) ?? "";
		return { type: "tool_call", id, name, kind: "custom", arguments: { form: "text", text }, ...signature };
	}
	const text = argumentsText(made["arguments"]);
	return { type: "tool_call", id, name, kind: "function", arguments: readArguments(text, "function"), ...signature };
};

const audioBlock = (value: unknown, place: AssistantPlace): Block[] => {
	if (!isRecord(value)) return [];
	const base64 = asText(value["data"]) ?? "";
	const id = asText(value["id"]);
	const transcript = asText(value["transcript"]);
	if (base64 === "" && id === undefined && transcript === undefined) return [];
	const mime = audioMime(place.audioFormat ?? "wav");
	const media =
		base64 === "" && id !== undefined
			? ({ by: "file", id, origin: { protocol: protocolName, family: place.family }, mime } as const)
			: ({ by: "bytes", base64, mime } as const);
	return [{ type: "audio", media, ...definedOnly({ id, transcript, expiresAt: asCount(value["expires_at"]) }) }];
};

const legacyCall = (value: unknown, place: AssistantPlace): Block[] => {
	const name = asText(asRecord(value)["name"]);
	if (name === undefined || name === "") return [];
	const text = argumentsText(asRecord(value)["arguments"]);
	const id = place.callId?.(name) ?? "";
	return [{ type: "tool_call", id, name, kind: "function", arguments: readArguments(text, "function") }];
};

/** Thinking within the content is marked with its place when an upstream gave it. */
const marked = (block: Block, place: AssistantPlace): Block =>
	block.type === "thinking" && block.form === "full" && place.fromUpstream
		? { ...block, signature: placeMark("thinking", place.family) }
		: block;

/** Citations go to the text their span begins in, or to the last text when it begins in none. */
const cited = (blocks: readonly Block[], annotations: unknown): Block[] => {
	const given = decodeAnnotations(annotations);
	if (given.length === 0) return [...blocks];
	const content = new ContentLength();
	const ends = blocks.map((block) => {
		if (block.type === "text") content.add(block.text);
		return content.units;
	});
	const lastText = blocks.findLastIndex((block) => block.type === "text");
	const citations = new Map<number, Citation[]>();
	for (const one of given) {
		const placed = inUnits(one, content);
		const index = Math.min(
			firstIndex(ends.length, (at) => (ends[at] ?? 0) > placed.start),
			lastText,
		);
		const here = citations.get(index) ?? [];
		here.push(within(placed, ends[index - 1] ?? 0));
		citations.set(index, here);
	}
	return blocks.map((block, index) => {
		const here = citations.get(index);
		return here && block.type === "text" ? inPlaceOf({ ...block, citations: here }, block) : block;
	});
};

/** A signature on the message is its first call's, or the last text's when it called nothing. */
const signed = (blocks: Block[], message: WireRecord): Block[] => {
	const signature = googleSignature(message);
	if (signature === undefined) return blocks;
	const call = blocks.findIndex((block) => block.type === "tool_call");
	const at = call === -1 ? blocks.findLastIndex((block) => block.type === "text") : call;
	const holder = blocks[at];
	if (holder?.type === "tool_call" && holder.signature === undefined)
		blocks[at] = inPlaceOf({ ...holder, signature }, holder);
	else if (holder?.type === "text") blocks[at] = inPlaceOf({ ...holder, signature }, holder);
	else if (holder === undefined) blocks.push({ type: "text", text: "", signature });
	return blocks;
};

/** All an assistant's message says, in the order in which models say it: reasoning, content, sound, images, calls. */
export const decodeAssistant = (message: WireRecord, place: AssistantPlace): Block[] => {
	const refusal = asText(message["refusal"]);
	const content = decodeContent(message["content"], { ...place, at: `${place.at}.content` });
	const images = asList(message["images"]).filter(isRecord);
	const blocks: Block[] = [
		...decodeReasoning(message, place.family, place.fromUpstream).map((block) =>
			placed(block, `${place.at}.${reasoningField(message)}`),
		),
		...cited(
			content.map((block) => marked(block, place)),
			message["annotations"],
		),
		...(refusal === undefined || refusal === "" ? [] : [{ type: "refusal", text: refusal } as const]),
		...audioBlock(message["audio"], place).map((block) => placed(block, `${place.at}.audio`)),
		...decodeContent(images, { ...place, at: `${place.at}.images` }),
		...asList(message["tool_calls"]).flatMap((call, index) => {
			const block = decodeToolCall(call);
			return block === undefined ? [] : [placed(block, `${place.at}.tool_calls[${index}]`)];
		}),
		...legacyCall(message["function_call"], place),
	];
	return signed(blocks, message);
};
