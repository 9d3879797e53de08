/** Content blocks of a client's conversation, from the wire. Lenient: what is not known is kept for its own upstream. */
import {
	asBoolean,
	asList,
	asRecord,
	asText,
	type Block,
	type CacheMark,
	type DocumentBlock,
	definedOnly,
	type Extras,
	inPlaceOf,
	isRecord,
	type Opaque,
	placed,
	type SearchResultBlock,
	type TextBlock,
	type ThinkingBlock,
	type ToolCallBlock,
	type ToolResultBlock,
	type WireRecord,
} from "#core";
import { nativeFamily, originOf, readCarried } from "../carried.ts";
import { decodeCitation } from "../citations.ts";
import { decodeSource } from "../media.ts";
import { changeInWords } from "../mid-conversation.ts";
import { protocolName } from "../name.ts";
import { refuse } from "../refuse.ts";
import { decodeServerCall, decodeServerResult, isServerCall, isServerResult } from "../server-tools.ts";

const origin = originOf(nativeFamily);

/** The mark that the prompt up to here is to be cached. */
export const cacheOf = (told: WireRecord): CacheMark | undefined => {
	const mark = told["cache_control"];
	if (!isRecord(mark)) return undefined;
	const lifetime = mark["ttl"];
	return lifetime === "5m" || lifetime === "1h" ? { lifetime } : {};
};

/** What is left of `told` besides the known members, as this protocol's own bag. */
export const bagOf = (told: WireRecord, known: ReadonlySet<string>): Extras | undefined => {
	const bag: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(told)) if (!known.has(name) && value !== null) bag[name] = value;
	return Object.keys(bag).length === 0 ? undefined : { [protocolName]: bag };
};

const decodeText = (told: WireRecord, at: string): TextBlock => {
	const { text } = told;
	if (typeof text !== "string") throw refuse(`${at}.text`, text, "it must be a string.");
	const citations = asList(told["citations"]).flatMap((value) => {
		const citation = decodeCitation(value, nativeFamily);
		return citation ? [{ ...citation, target: { start: 0, end: text.length } }] : [];
	});
	return { type: "text", text, ...definedOnly({ cache: cacheOf(told) }), ...(citations.length > 0 && { citations }) };
};

const imageFields = new Set(["type", "source", "cache_control"]);

const citationsEnabled = (told: WireRecord): boolean | undefined => asBoolean(asRecord(told["citations"])["enabled"]);

const decodeDocument = (told: WireRecord, at: string): DocumentBlock => {
	const isList = asRecord(told["source"])["type"] === "content";
	return {
		type: "document",
		media: decodeSource(told["source"], at, "application/pdf"),
		...definedOnly({
			title: asText(told["title"]),
			context: asText(told["context"]),
			citationsEnabled: citationsEnabled(told),
			cache: cacheOf(told),
			// A list of blocks is more than its text: its own protocol gets it back as it was.
			extras: isList ? { [protocolName]: { source: told["source"] } } : undefined,
		}),
	};
};

/** Pictures of a document that is a list of blocks, which stand behind it; its own protocol gets them within it. */
const picturesIn = ({ source }: WireRecord, at: string): readonly Block[] => {
	const told = asRecord(source);
	if (told["type"] !== "content") return [];
	return asList(told["content"]).flatMap((value, index) => {
		const part = asRecord(value);
		if (part["type"] !== "image") return [];
		const place = `${at}.source.content[${index}]`;
		const media = decodeSource(part["source"], place, "image/png");
		const extras = { [protocolName]: { ...bagOf(part, imageFields)?.[protocolName], in_document: true } };
		return placed<Block>({ type: "image", media, extras }, place);
	});
};

const decodeSearchResult = (told: WireRecord, at: string): SearchResultBlock => ({
	type: "search_result",
	source: asText(told["source"]) ?? "",
	title: asText(told["title"]) ?? "",
	content: asList(told["content"]).map((part, index) => decodeText(asRecord(part), `${at}.content[${index}]`)),
	...definedOnly({ citationsEnabled: citationsEnabled(told), cache: cacheOf(told) }),
});

const callFields = new Set(["type", "id", "name", "input", "cache_control"]);

const decodeToolUse = (told: WireRecord, at: string): ToolCallBlock => {
	const { id, name } = told;
	if (typeof id !== "string") throw refuse(`${at}.id`, id, "it must be a string.");
	if (typeof name !== "string") throw refuse(`${at}.name`, name, "it must be a string.");
	const value = told["input"] === undefined || told["input"] === "" ? {} : told["input"];
	return {
		type: "tool_call",
		id,
		name,
		kind: "function",
		arguments: { form: "json", value, text: JSON.stringify(value) },
		...definedOnly({ cache: cacheOf(told), extras: bagOf(told, callFields) }),
	};
};

const resultFields = new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]);

const decodeToolResult = (told: WireRecord, at: string): ToolResultBlock => {
	const callId = told["tool_use_id"];
	if (typeof callId !== "string") throw refuse(`${at}.tool_use_id`, callId, "it must be a string.");
	const content = told["content"] ?? [];
	return {
		type: "tool_result",
		callId,
		content: decodeBlocks(content, `${at}.content`),
		...definedOnly({
			isError: asBoolean(told["is_error"]),
			cache: cacheOf(told),
			extras: bagOf(told, resultFields),
		}),
	};
};

/** What was said before, told in short: to any model but the one that wrote it, it is a text. */
const decodeCompaction = (told: WireRecord): TextBlock => ({
	type: "text",
	text: asText(told["content"]) ?? "",
	...definedOnly({ cache: cacheOf(told) }),
});

const decodeThinking = (told: WireRecord): ThinkingBlock => {
	const text = asText(told["thinking"]) ?? "";
	const value = asText(told["signature"]) ?? "";
	const opaque = readCarried(value)?.opaque ?? { value, origin };
	return { type: "thinking", text, form: "full", ...(opaque.value !== "" && { signature: opaque }) };
};

const decodeRedacted = (told: WireRecord): Block => {
	const value = asText(told["data"]) ?? "";
	return { type: "opaque_thinking", data: readCarried(value)?.opaque ?? { value, origin } };
};

const decodeOther = (told: WireRecord, type: string): Block => {
	const change = type === "tool_addition" || type === "tool_removal" ? changeInWords(told) : undefined;
	if (change !== undefined) return { type: "text", text: change };
	if (isServerCall(type)) return { ...decodeServerCall(told, origin), ...definedOnly({ cache: cacheOf(told) }) };
	if (isServerResult(type)) return { ...decodeServerResult(told, origin), ...definedOnly({ cache: cacheOf(told) }) };
	return { type: "unknown", origin, raw: told };
};

const decodeBlock = (told: WireRecord, at: string): Block => {
	const type = told["type"];
	switch (type) {
		case "text":
			return decodeText(told, at);
		case "image": {
			const media = decodeSource(told["source"], at, "image/png");
			return { type: "image", media, ...definedOnly({ cache: cacheOf(told), extras: bagOf(told, imageFields) }) };
		}
		case "document":
			return decodeDocument(told, at);
		case "search_result":
			return decodeSearchResult(told, at);
		case "thinking":
			return decodeThinking(told);
		case "redacted_thinking":
			return decodeRedacted(told);
		case "tool_use":
			return decodeToolUse(told, at);
		case "tool_result":
			return decodeToolResult(told, at);
		case "compaction":
			return decodeCompaction(told);
		case "tool_reference":
			// A tool that a search found: its own protocol gets it back as it was, to others it is said.
			return {
				type: "text",
				text: `Tool found: ${asText(told["tool_name"]) ?? ""}`,
				extras: { [protocolName]: { tool_reference: told } },
			};
		default:
			if (typeof type !== "string") throw refuse(`${at}.type`, type, "it must name a sort of block.");
			return decodeOther(told, type);
	}
};

const canBeSigned = (block: Block | undefined): block is Extract<Block, { type: "tool_call" | "text" | "image" }> =>
	block?.type === "tool_call" || block?.type === "text" || block?.type === "image";

const signed = (block: Block, signature: Opaque | undefined): Block =>
	signature !== undefined && canBeSigned(block) ? inPlaceOf({ ...block, signature }, block) : block;

/** Signatures whose blocks are still to come; clients like LiteLLM put all thinking of an answer first. */
interface Gathering {
	readonly blocks: Block[];
	readonly ofCalls: Opaque[];
	/** They stood behind their blocks before they were put first. */
	readonly moved: Opaque[];
}

const signatureFor = (block: Block, { ofCalls, moved }: Gathering): Opaque | undefined => {
	if (block.type === "tool_call" && ofCalls.length > 0) return ofCalls.shift();
	return canBeSigned(block) ? moved.shift() : undefined;
};

const take = (gathering: Gathering, told: unknown, at: string): void => {
	if (!isRecord(told)) throw refuse(at, told, "it must be an object with a type.");
	const { blocks, ofCalls, moved } = gathering;
	const carried = told["type"] === "thinking" ? readCarried(asText(told["signature"]) ?? "") : undefined;
	if (carried?.place === "next") {
		ofCalls.push(carried.opaque);
		return;
	}
	if (carried?.place === "previous") {
		const before = blocks.at(-1);
		if (canBeSigned(before)) blocks.splice(-1, 1, signed(before, carried.opaque));
		else moved.push(carried.opaque);
		return;
	}
	const block: Block =
		carried?.place === "empty" ? { type: "text", text: "", signature: carried.opaque } : decodeBlock(told, at);
	blocks.push(placed(signed(block, signatureFor(block, gathering)), at));
	if (block.type === "document") blocks.push(...picturesIn(told, at));
};

/**
 * A string or a list of blocks, whose first stands at `first`. Signatures that travelled in a block of their own return
 * to the block they belong to.
 */
export const decodeBlocks = (content: unknown, at: string, first = 0): readonly Block[] => {
	if (typeof content === "string") return content === "" ? [] : [placed({ type: "text", text: content }, at)];
	if (!Array.isArray(content)) throw refuse(at, content, "it must be a string or a list of blocks.");
	const gathering: Gathering = { blocks: [], ofCalls: [], moved: [] };
	for (const [index, told] of content.entries()) take(gathering, told, `${at}[${first + index}]`);
	return gathering.blocks;
};
