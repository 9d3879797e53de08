/**
 * Makes a client's history one that the model takes. What another protocol's model left there (its signatures and search
 * results travel through Messages clients unread) is taken out: an upstream of this protocol would refuse it.
 */
import {
	asList,
	asRecord,
	asText,
	definedOnly,
	encodedMark,
	exactBody,
	isRecord,
	type JsonBody,
	type Loss,
	type ModelAsk,
	runAsText,
	uncarryEncoded,
	type WireRecord,
} from "#core";
import { foreignMark, foreignServerId, nativeFamily, originOf } from "../carried.ts";
import { sentPlaces } from "../client/kept-reasoning.ts";
import { lastSummary, type Place } from "../mid-conversation.ts";
import { decodeServerCall, decodeServerResult, isServerCall, isServerResult } from "../server-tools.ts";
import { goOn } from "../upstream/encode-turns.ts";

const begins = (value: unknown, mark: string): boolean => asText(value)?.startsWith(mark) === true;

const isForeign = (block: WireRecord): boolean =>
	begins(block["signature"], foreignMark) ||
	uncarryEncoded(asText(block["signature"]) ?? "") !== undefined ||
	begins(block["data"], foreignMark) ||
	begins(block["id"], foreignServerId) ||
	begins(block["tool_use_id"], foreignServerId);

/** No signature at all, or the id of a message, with which DeepSeek signs. */
const noSignature = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/;

/** Thinking that Claude refuses: models that run on a server of one's own sign none. */
const isUnsigned = (block: unknown): boolean => {
	const { type, signature } = asRecord(block);
	return type === "thinking" && noSignature.test(asText(signature) ?? "");
};

const holdsUnsigned = ({ text, value }: JsonBody): boolean =>
	text.includes('"thinking"') &&
	asList(value["messages"]).some((message) => asList(asRecord(message)["content"]).some(isUnsigned));

/** Where the words begin that a model is shown which does not know Claude's summaries: at the last one. */
const beginning = (messages: readonly unknown[], isClaude: boolean): Place =>
	(isClaude ? undefined : lastSummary(messages)) ?? { message: 0, block: 0 };

/** Only Claude knows its own summaries for what they are. One that failed tells nothing. */
const asWords = (block: WireRecord): readonly WireRecord[] => {
	const { cache_control } = block;
	const text = asText(block["content"]) ?? "";
	return text === "" ? [] : [{ type: "text", text, ...definedOnly({ cache_control }) }];
};

const cleanBlock = (block: unknown): unknown => {
	if (!isRecord(block) || !Array.isArray(block["citations"])) return block;
	const own = block["citations"].filter((citation) => !begins(asRecord(citation)["encrypted_index"], foreignMark));
	if (own.length === block["citations"].length) return block;
	const { citations: _foreign, ...rest } = block;
	return own.length === 0 ? rest : { ...rest, citations: own };
};

/** Code that another provider's model ran, as the words that this one can be told; undefined for other blocks. */
const runWords = (block: WireRecord): WireRecord | undefined => {
	const type = asText(block["type"]) ?? "";
	const origin = originOf("");
	const run = isServerCall(type)
		? decodeServerCall(block, origin)
		: isServerResult(type)
			? decodeServerResult(block, origin)
			: undefined;
	const text = run && runAsText(run);
	return text === undefined ? undefined : { type: "text", text: text.trim() };
};

/** Takes foreign blocks out; `lost` is told of each. */
const cleanContent = (
	content: readonly unknown[],
	isClaude: boolean,
	lost: (at: number) => void,
): readonly unknown[] => {
	const kept = content.flatMap((block, at): readonly unknown[] => {
		if (!isClaude && asRecord(block)["type"] === "compaction") return asWords(asRecord(block));
		const refused = isForeign(asRecord(block)) || (isClaude && isUnsigned(block));
		if (!refused) return [cleanBlock(block)];
		const words = runWords(asRecord(block));
		if (words) return [words];
		lost(at);
		return [];
	});
	return kept.length === content.length && kept.every((block, at) => block === content[at]) ? content : kept;
};

const thinks = (block: unknown): boolean => /^(?:redacted_)?thinking$/.test(asText(asRecord(block)["type"]) ?? "");

/** Thinking with a budget is refused amid tool calls that began without thinking of the model's own. */
const mustStopThinking = (body: WireRecord, messages: readonly unknown[]): boolean => {
	if (asRecord(body["thinking"])["type"] !== "enabled") return false;
	const last = messages.findLast((message) => asRecord(message)["role"] === "assistant");
	const content = asList(asRecord(last)["content"]);
	return content.some((block) => asRecord(block)["type"] === "tool_use") && !thinks(content[0]);
};

type History = Pick<ModelAsk, "body" | "broughtBack">;

/** The messages without what is foreign in them; undefined when nothing is. */
const cleanMessages = (
	{ body, broughtBack }: History,
	family: string,
	losses: Loss[],
): readonly unknown[] | undefined => {
	const isClaude = family === nativeFamily;
	const holds = (word: string): boolean => body.text.includes(word);
	const isForeigners = holds(foreignMark) || holds(foreignServerId) || holds(`"${encodedMark}`);
	if (!isForeigners && !(isClaude ? holdsUnsigned(body) : holds('"compaction"'))) return undefined;
	const told = asList(exactBody(body)["messages"]);
	const begin = beginning(told, isClaude);
	const sentPlace = sentPlaces(broughtBack);
	let changed = false;
	const messages = told.slice(begin.message).flatMap((message, index) => {
		const content = asRecord(message)["content"];
		const first = index === 0 ? begin.block : 0;
		const lost = (at: number): void => {
			const path = sentPlace(`messages[${begin.message + index}].content[${first + at}]`);
			if (path !== "") losses.push({ path, reason: "it belongs to another provider's model" });
		};
		const shown = Array.isArray(content) && first > 0 ? content.slice(first) : content;
		const clean = Array.isArray(shown) ? cleanContent(shown, isClaude, lost) : content;
		if (clean === content) return [message];
		changed = true;
		return asList(clean).length > 0 ? [{ ...asRecord(message), content: clean }] : [];
	});
	if (begin.message > 0) return [goOn, ...messages];
	return changed ? messages : undefined;
};

/** The edits of the body's root for a model of the family, and what is lost with them; none for a history that is its own. */
export const historyEdits = (
	history: History,
	family: string,
): { readonly edits: WireRecord; readonly losses: readonly Loss[] } => {
	const losses: Loss[] = [];
	const { body } = history;
	const messages = cleanMessages(history, family, losses);
	const stops = mustStopThinking(body.value, messages ?? asList(body.value["messages"]));
	if (stops) losses.push({ path: "thinking", reason: "tool calls of another model that are under way hinder it" });
	return { edits: { ...(messages && { messages }), ...(stops && { thinking: undefined }) }, losses };
};
