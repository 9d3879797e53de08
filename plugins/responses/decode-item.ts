/** One item of an answer, or of a conversation sent back, as neutral blocks. */
import {
	asList,
	asRecord,
	asText,
	type Block,
	definedOnly,
	type ImageBlock,
	isRecord,
	type OpaqueThinkingBlock,
	type Origin,
	partSeparator,
	type RefusalBlock,
	readArguments,
	type TextBlock,
	type ThinkingBlock,
	type ToolCallBlock,
	type WireRecord,
} from "#core";
import { decodeAnnotations, decodeLogprobs } from "./annotations.ts";
import { decodeHostedItem } from "./hosted-item.ts";
import { originOf, ownBag } from "./origin.ts";
import { packReasoning } from "./reasoning-value.ts";

/** What decoding an item needs to know. */
export interface ItemContext {
	/** The family that opaque values are bound to. */
	readonly family: string;
	/** Names that were changed on the way out, to the client's own. */
	readonly toolNames?: ReadonlyMap<string, string>;
}

const itemIdOf = (item: WireRecord): { itemId?: string } => definedOnly({ itemId: asText(item["id"]) });

/** The block of an `output_text` part. */
export const decodeTextPart = (part: WireRecord, item: WireRecord): TextBlock => {
	const text = asText(part["text"]) ?? "";
	const citations = decodeAnnotations(part["annotations"], text);
	const logprobs = decodeLogprobs(part["logprobs"]);
	const phase = asText(item["phase"]);
	return {
		type: "text",
		text,
		...(citations.length > 0 && { citations }),
		...(logprobs.length > 0 && { logprobs }),
		...itemIdOf(item),
		...(phase !== undefined && { phase, extras: ownBag({ phase }) }),
	};
};

/** The block of a `refusal` part. */
export const decodeRefusalPart = (part: WireRecord): RefusalBlock => ({
	type: "refusal",
	text: asText(part["refusal"]) ?? asText(part["text"]) ?? "",
});

const decodePart = (part: WireRecord, item: WireRecord, origin: Origin): Block => {
	if (part["type"] === "refusal") return decodeRefusalPart(part);
	if (typeof part["text"] === "string") return decodeTextPart(part, item);
	return { type: "unknown", origin, raw: part };
};

/** The blocks of a message the model wrote; its content may be a bare string. */
const decodeMessage = (item: WireRecord, origin: Origin): readonly Block[] => {
	const content = item["content"];
	if (typeof content === "string") return [decodeTextPart({ text: content }, item)];
	return asList(content).flatMap((part) => (isRecord(part) ? [decodePart(part, item, origin)] : []));
};

const textsOf = (parts: unknown): readonly string[] =>
	asList(parts).flatMap((part) => asText(asRecord(part)["text"]) ?? []);

/**
 * The block of a reasoning item: its summaries, or the reasoning itself where an open model tells it. An item with
 * nothing but encrypted content is opaque; one with nothing at all is no block.
 */
export const decodeReasoning = (
	item: WireRecord,
	{ family }: ItemContext,
	prefer?: "full" | "summary",
): ThinkingBlock | OpaqueThinkingBlock | undefined => {
	const parts = textsOf(item["summary"]);
	const full = textsOf(item["content"]);
	const encrypted = asText(item["encrypted_content"]);
	const form = full.length > 0 && (prefer !== "summary" || parts.length === 0) ? "full" : "summary";
	const signature =
		encrypted === undefined || encrypted === ""
			? undefined
			: { value: packReasoning(encrypted, asText(item["id"]), parts), origin: originOf(family) };
	const text = form === "full" ? full.join(partSeparator) : parts.join(partSeparator);
	if (text === "") return signature && { type: "opaque_thinking", data: signature, ...itemIdOf(item) };
	return {
		type: "thinking",
		text,
		form,
		...(form === "summary" && { parts }),
		...(form === "full" && parts.length > 0 && { extras: ownBag({ summary: parts }) }),
		...definedOnly({ signature }),
		...itemIdOf(item),
	};
};

const nameOf = (item: WireRecord, names: ItemContext["toolNames"]): string => {
	const name = asText(item["name"]) ?? "";
	return names?.get(name) ?? name;
};

/** The block of a function call or custom tool call. */
export const decodeCall = (item: WireRecord, { toolNames }: ItemContext): ToolCallBlock => {
	const kind = item["type"] === "custom_tool_call" ? "custom" : "function";
	const given = kind === "custom" ? item["input"] : item["arguments"];
	const text = asText(given) ?? (given === undefined || given === null ? "" : JSON.stringify(given));
	const { caller, async: apart } = item;
	const bag = definedOnly({ caller: isRecord(caller) ? caller : undefined, async: apart === true || undefined });
	return {
		type: "tool_call",
		// Some vendors name the call by the item's id alone.
		id: asText(item["call_id"]) || asText(item["id"]) || "",
		name: nameOf(item, toolNames),
		kind,
		arguments: readArguments(text, kind),
		...definedOnly({ namespace: asText(item["namespace"]) }),
		...(Object.keys(bag).length > 0 && { extras: ownBag(bag) }),
		...itemIdOf(item),
	};
};

/** The picture of an image generation; undefined while there is none. */
const decodeImage = (item: WireRecord): ImageBlock | undefined => {
	const base64 = asText(item["result"]);
	if (base64 === undefined || base64 === "") return undefined;
	const { result: _bytes, ...told } = item;
	const mime = `image/${asText(item["output_format"]) ?? "png"}`;
	return { type: "image", media: { by: "bytes", base64, mime }, extras: ownBag({ item: told }) };
};

/** The blocks of an item; an item that is not understood is kept for this protocol alone. */
export const decodeItem = (item: WireRecord, context: ItemContext): readonly Block[] => {
	const origin = originOf(context.family);
	switch (item["type"]) {
		case "message":
		case undefined:
			return decodeMessage(item, origin);
		case "reasoning": {
			const block = decodeReasoning(item, context);
			return block === undefined ? [] : [block];
		}
		case "function_call":
		case "custom_tool_call":
			return [decodeCall(item, context)];
		case "image_generation_call": {
			const block = decodeImage(item);
			return [block ?? { type: "unknown", origin, raw: item }];
		}
		default:
			return decodeHostedItem(item, origin);
	}
};
