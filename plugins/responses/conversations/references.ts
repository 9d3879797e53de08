/** What a request names instead of sending it: items of kept answers, and what only an upstream's account holds. */
import {
	asList,
	asRecord,
	asText,
	type Denial,
	deny,
	findReference,
	isRecord,
	leadsInside,
	leadsToOwnServer,
	type ReferenceFields,
	referenceDenial,
	type WireRecord,
} from "#core";
import { isForeignRun, ownReasoningMark } from "../origin.ts";

const fields: ReferenceFields = {
	// A tunnel leads to servers of tools in the network of whoever holds the account.
	ids: new Set(["file_id", "file_ids", "container", "container_id", "vector_store_ids", "skill_id", "tunnel_id"]),
	addresses: new Set(["image_url", "file_url", "url", "server_url"]),
	leads: (address, field) => (field === "server_url" ? leadsToOwnServer(address) : leadsInside(address)),
	// What the model said, and where it found it: told again, these name nothing that is to be read.
	opaque: new Set(["arguments", "annotations", "results", "outputs", "action", "parameters", "schema", "logprobs"]),
};

/** The id of reasoning that holds neither it nor its encrypted form: it stands for what was kept. */
const unsealedReasoning = (item: unknown): string | undefined => {
	const { type, id, content, encrypted_content: encrypted } = asRecord(item);
	if (type !== "reasoning" || (asText(encrypted) ?? "") !== "" || asList(content).length > 0) return undefined;
	return asText(id) || undefined;
};

/** The id of such reasoning that was kept here, if anywhere: LangChain's standard content leaves out what seals it. */
export const ownReasoning = (item: unknown): string | undefined => {
	const id = unsealedReasoning(item);
	return id?.startsWith(ownReasoningMark) ? id : undefined;
};

/** The id an item refers to; undefined for an item that stands for itself. */
export const referenceOf = (item: unknown): string | undefined => {
	if (!isRecord(item)) return undefined;
	const { type, id, role, result, container_id: container } = item;
	const bare = type === "item_reference" || (type === undefined && role === undefined);
	const picture = type === "image_generation_call" && typeof result !== "string";
	const code = type === "code_interpreter_call" && typeof container === "string" && !isForeignRun(item);
	return bare || picture || code ? asText(id) : ownReasoning(item);
};

/** True for code that a container of the provider's ran and that is told whole: only that provider has to look it up. */
export const isToldRun = (item: unknown): item is WireRecord =>
	isRecord(item) && item["type"] === "code_interpreter_call" && typeof item["code"] === "string";

/** The id of reasoning that an upstream has to look up. Portico's own is no upstream's. */
export const bareReasoning = (item: unknown): string | undefined => {
	const id = unsealedReasoning(item);
	return id?.startsWith(ownReasoningMark) ? undefined : id;
};

/** Why a request that only fills the cache of an upstream of this protocol goes to no other, which would answer it. */
export const noAnswer = deny(
	"unsupported",
	"prompt_cache_options.prewarm: this model cannot be asked to read a prompt without answering it; leave `prewarm` out.",
	{ parameter: "prompt_cache_options.prewarm" },
);

const whole = (name: string, message: string): Denial => deny("unsupported", message, { parameter: name });

const given = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Why a request goes to no upstream whose account serves others too; undefined when it names nothing of an account. */
export const foreignReference = (body: WireRecord): Denial | undefined => {
	if (body["background"] === true)
		return whole(
			"background",
			"Background responses are not supported for this model and token; leave `background` out and stream the answer instead.",
		);
	if (given(body["conversation"]))
		return whole(
			"conversation",
			"Conversation objects are not supported for this model and token; go on from an answer with `previous_response_id`, or send the whole conversation as `input`.",
		);
	if (given(body["prompt"]))
		return whole(
			"prompt",
			"Kept prompts are not supported for this model and token; send their text as `instructions` and `input`.",
		);
	const input = body["input"];
	const items =
		Array.isArray(input) &&
		input.map((item) => (referenceOf(item) === undefined && !isForeignRun(item) ? item : undefined));
	const found = findReference(items, fields, "input") ?? findReference(body["tools"], fields, "tools");
	return found && referenceDenial(found);
};
