/** A Messages request as a neutral one. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type Block,
	definedOnly,
	type Effort,
	type Extras,
	exactBody,
	isRecord,
	lookup,
	type Message,
	type ModelAsk,
	type NeutralRequest,
	type OutputFormat,
	placed,
	placeOf,
	type Reasoning,
	type WireRecord,
} from "#core";
import { changesAmid } from "../mid-conversation.ts";
import { protocolName } from "../name.ts";
import { refuse } from "../refuse.ts";
import { bagOf, cacheOf, decodeBlocks } from "./decode-content.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { sentPlaces } from "./kept-reasoning.ts";

/** The blocks from `first` on. System text may stand amid a user's; there it is a message between two halves. */
const splitAtSystem = (
	content: readonly unknown[],
	role: Message["role"],
	at: string,
	first: number,
): readonly Message[] => {
	const messages: Message[] = [];
	let from = first;
	const take = (to: number): void => {
		const blocks = decodeBlocks(content.slice(from, to), at, from);
		if (blocks.length > 0) messages.push({ role, blocks });
		from = to + 1;
	};
	for (const [index, block] of content.entries()) {
		if (index < first || !isRecord(block) || block["type"] !== "mid_conv_system") continue;
		take(index);
		messages.push({ role: "system", blocks: decodeBlocks(block["content"] ?? [], `${at}[${index}].content`) });
	}
	take(content.length);
	return messages;
};

/** `first` is the block that its words begin at. */
const decodeMessage = (message: WireRecord, at: string, first: number): readonly Message[] => {
	const { role, content = [] } = message;
	if (role !== "user" && role !== "assistant" && role !== "system")
		throw refuse(`${at}.role`, role, "it must be user, assistant or system.");
	if (Array.isArray(content)) return splitAtSystem(content, role, `${at}.content`, first);
	return [{ role, blocks: decodeBlocks(content, `${at}.content`) }];
};

const changing: ReadonlySet<unknown> = new Set(["tool_addition", "tool_removal", "mid_conv_system", "compaction"]);

/** Whether a message may change anything amid the conversation: a cheap look before all are gone through. */
const mayChange = ({ role, content }: WireRecord): boolean =>
	role === "system" || asList(content).some((block) => changing.has(asRecord(block)["type"]));

const decodeSystem = (system: unknown): readonly Message[] => {
	if (system === undefined || system === null) return [];
	const blocks: readonly Block[] = decodeBlocks(system, "system");
	return blocks.length === 0 ? [] : [{ role: "system", blocks }];
};

const efforts: ReadonlySet<string> = new Set(["low", "medium", "high", "xhigh", "max"]);
const isEffort = (word: unknown): word is Effort => typeof word === "string" && efforts.has(word);

const exposures = lookup<"none" | "summary">({ omitted: "none", summarized: "summary" });

/** Who asks for thinking wants to see it, unless `display` says otherwise; an effort alone asks for none to be shown. */
const decodeReasoning = (body: WireRecord, amid: unknown): Reasoning | undefined => {
	const thinking = asRecord(body["thinking"]);
	const word = amid ?? asRecord(body["output_config"])["effort"];
	const effort = isEffort(word) ? word : undefined;
	const expose = exposures[asText(thinking["display"]) ?? ""] ?? "full";
	switch (thinking["type"]) {
		case "disabled":
		// Where a model does not take this, Anthropic itself puts no thinking in its place.
		case "between_tools":
			return { mode: "off", ...definedOnly({ effort }) };
		case "enabled":
			return { mode: "on", expose, ...definedOnly({ effort, budget: asNumber(thinking["budget_tokens"]) }) };
		case "adaptive":
			return { mode: effort ? "on" : "auto", expose, ...definedOnly({ effort }) };
		default:
			return effort ? { mode: "on", effort, expose: "none" } : undefined;
	}
};

const decodeFormat = (body: WireRecord): OutputFormat | undefined => {
	const format = asRecord(asRecord(body["output_config"])["format"] ?? body["output_format"]);
	if (format["type"] !== "json_schema") return undefined;
	return { type: "schema", schema: format["schema"] ?? {}, strict: true };
};

const tiers = lookup<string>({ standard_only: "default" });

const tierOf = (body: WireRecord): string | undefined => {
	const tier = asText(body["service_tier"]);
	return tier === undefined ? undefined : (tiers[tier] ?? tier);
};

const stopOf = (body: WireRecord): readonly string[] | undefined => {
	const stop = body["stop_sequences"];
	const list = typeof stop === "string" ? [stop] : asList(stop).filter((text) => typeof text === "string");
	return list.length === 0 ? undefined : list;
};

const known = new Set(
	(
		"model messages max_tokens system tools tool_choice temperature top_p top_k stop_sequences stream thinking " +
		"output_config output_format service_tier metadata cache_control"
	).split(" "),
);

const without = (told: unknown, ...names: readonly string[]): WireRecord | undefined => {
	const rest = { ...asRecord(told) };
	for (const name of names) delete rest[name];
	return Object.keys(rest).length === 0 ? undefined : rest;
};

const carriedThinking: ReadonlySet<unknown> = new Set(["disabled", "enabled", "adaptive"]);

/** A way of thinking that other protocols have no word for. */
const ownThinking = ({ thinking }: WireRecord): WireRecord | undefined =>
	isRecord(thinking) && !carriedThinking.has(thinking["type"]) ? thinking : undefined;

const extrasOf = (body: WireRecord): Extras | undefined => {
	const bag = definedOnly({
		...bagOf(body, known)?.[protocolName],
		output_config: without(body["output_config"], "effort", "format"),
		metadata: without(body["metadata"], "user_id"),
		thinking: ownThinking(body),
	});
	return Object.keys(bag).length === 0 ? undefined : { [protocolName]: bag };
};

/** Throws `Fault` (`invalid_request`, with `parameter`) for what no upstream could accept. */
export const decodeRequest = ({ body, call, broughtBack }: ModelAsk): NeutralRequest => {
	const { value } = body;
	const exact = exactBody(body);
	const told = asList(exact["messages"]).map(asRecord);
	const amid = told.some(mayChange) ? changesAmid(exact["tools"], told) : undefined;
	const { message: begin, block: first } = amid?.summary ?? { message: 0, block: 0 };
	const turns = told.flatMap((message, index) =>
		index < begin || amid?.cleared.has(message)
			? []
			: decodeMessage(message, `messages[${index}]`, index === begin ? first : 0),
	);
	if (broughtBack) {
		const sentPlace = sentPlaces(broughtBack);
		for (const { blocks } of turns) for (const block of blocks) placed(block, sentPlace(placeOf(block) ?? ""));
	}
	const tools = decodeTools(exact["tools"], amid?.tools);
	const user = asText(asRecord(value["metadata"])["user_id"]);
	return {
		protocol: protocolName,
		model: call.name,
		stream: call.stream,
		messages: [...decodeSystem(value["system"]), ...turns],
		...(tools.length > 0 && { tools }),
		...decodeToolChoice(value["tool_choice"], tools),
		sampling: definedOnly({
			temperature: asNumber(value["temperature"]),
			topP: asNumber(value["top_p"]),
			topK: asNumber(value["top_k"]),
		}),
		...definedOnly({
			maxOutputTokens: call.maxOutputTokens,
			stop: stopOf(value),
			reasoning: decodeReasoning(value, amid?.effort),
			format: decodeFormat(exact),
			tier: tierOf(value),
			identity: user === undefined ? undefined : { user },
			cache: cacheOf(value),
			extras: extrasOf(value),
		}),
		raw: value,
	};
};
