/**
 * The messages of a request as the target takes them, whoever answered the turns before: a client of this protocol sends
 * back what other models said, and what Portico put there to carry it.
 */
import {
	asList,
	asRecord,
	asText,
	familyOf,
	isRecord,
	type ModelCapabilities,
	noReasoning,
	uncarry,
	type WireRecord,
} from "#core";
import { skipSentinel } from "../generate-content/service.ts";
import { fieldsLost, strictMessage } from "./strict-fields.ts";
import { callIdAs } from "./tool-call-ids.ts";

/** What is known of the target. */
export interface HistoryTarget {
	/** The family opaque values are bound to. */
	readonly family: string;
	readonly capabilities: ModelCapabilities;
	/** The request switches thinking off. */
	readonly thinksNot: boolean;
	/** Told of each field of a message that the target does not get. */
	lost?(at: number, field: string): void;
}

/** Said by the model where a user may not speak directly behind the results of tools. */
const seen: WireRecord = { role: "assistant", content: "I have the results." };

/** Fields of a message that OpenAI's own models refuse: other vendors put reasoning there, and SDKs what they parsed. */
const foreignFields = ["reasoning_content", "reasoning", "reasoning_details", "thinking", "extra_content", "parsed"];

const isCarried = (value: unknown): boolean => uncarry(asText(value) ?? "") !== undefined;

const without = (record: WireRecord, names: readonly string[]): WireRecord =>
	names.some((name) => record[name] !== undefined)
		? Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
		: record;

/** Reasoning details without those by which Portico carries another protocol's values. */
const ownDetails = (message: WireRecord): WireRecord => {
	const details = message["reasoning_details"];
	if (!Array.isArray(details)) return message;
	const own = details.filter((detail) => {
		const { signature, data } = asRecord(detail);
		return !isCarried(signature) && !isCarried(data);
	});
	if (own.length === details.length) return message;
	return own.length === 0 ? without(message, ["reasoning_details"]) : { ...message, reasoning_details: own };
};

const signatureIn = (holder: WireRecord): unknown =>
	asRecord(asRecord(holder["extra_content"])["google"])["thought_signature"];

/** A signature goes back to Gemini alone, and only its own. */
const ownSignature = (holder: WireRecord, gemini: boolean): WireRecord => {
	const signature = signatureIn(holder);
	return signature === undefined || (gemini && !isCarried(signature)) ? holder : without(holder, ["extra_content"]);
};

const signed = (call: WireRecord): WireRecord =>
	signatureIn(call) === undefined ? { ...call, extra_content: { google: { thought_signature: skipSentinel } } } : call;

const withoutParsed = (call: WireRecord): WireRecord => {
	const made = call["function"];
	if (!isRecord(made) || !("parsed_arguments" in made)) return call;
	return { ...call, function: without(made, ["parsed_arguments"]) };
};

const callsFor = (calls: readonly unknown[], { family, capabilities }: HistoryTarget): readonly WireRecord[] =>
	calls.map((value, at) => {
		const call = withoutParsed(ownSignature(asRecord(value), family === "gemini"));
		const id = asText(call["id"]);
		const named =
			id === undefined || callIdAs(id, capabilities) === id ? call : { ...call, id: callIdAs(id, capabilities) };
		return at === 0 && capabilities.signedCalls === true && family === "gemini" ? signed(named) : named;
	});

const assistantFor = (message: WireRecord, target: HistoryTarget): WireRecord => {
	const { capabilities, family, thinksNot } = target;
	let made = ownSignature(ownDetails(message), family === "gemini");
	if (capabilities.vendor === "openai") made = without(made, foreignFields);
	const calls = asList(made["tool_calls"]);
	if (calls.length === 0) return made;
	made = { ...made, tool_calls: callsFor(calls, target) };
	const told = (asText(made["reasoning_content"]) ?? "").trim() !== "";
	if (capabilities.reasoningWithCalls !== true || thinksNot || told) return made;
	return { ...made, reasoning_content: asText(made["reasoning"]) || noReasoning };
};

const messageFor = (message: WireRecord, target: HistoryTarget): WireRecord => {
	const { capabilities } = target;
	const strict = (made: WireRecord): WireRecord => (capabilities.strictFields === true ? strictMessage(made) : made);
	if (message["role"] === "assistant") return strict(assistantFor(message, target));
	if (message["role"] === "developer" && capabilities.developerRole === false)
		return strict({ ...message, role: "system" });
	const answered = asText(message["tool_call_id"]);
	const id = answered && callIdAs(answered, capabilities);
	return strict(id === answered ? message : { ...message, tool_call_id: id });
};

const reasoningFields = ["reasoning_content", "reasoning", "reasoning_details", "thinking"];

/** Marks that change nothing the model is told: for a cache, of a citation, of what an SDK or Portico added. */
const unheard = new Set(["cache_control", "annotations", "extra_content", "parsed", "prompt_cache_breakpoint"]);

/** Reasoning that stands in several fields is lost only with the last of them. */
const lostOf = (before: WireRecord, after: WireRecord): readonly string[] => {
	const lost = fieldsLost(before, after).filter((field) => !unheard.has(field));
	const thoughts = lost.filter((field) => reasoningFields.includes(field));
	const rest = lost.filter((field) => !reasoningFields.includes(field));
	return reasoningFields.some((field) => after[field] !== undefined) ? rest : [...thoughts.slice(0, 1), ...rest];
};

/** Mistral refuses a beginning of its own answer that is not called one. */
const begun = (message: WireRecord): WireRecord =>
	message["role"] === "assistant" && asList(message["tool_calls"]).length === 0
		? { ...message, prefix: true }
		: message;

/** All messages as the target takes them. */
export const historyFor = (messages: readonly unknown[], target: HistoryTarget): readonly unknown[] =>
	messages.flatMap((value, at) => {
		if (!isRecord(value)) return [value];
		const made = messageFor(value, target);
		const isMistralsLast = target.capabilities.vendor === "mistral" && at === messages.length - 1;
		const message = isMistralsLast ? begun(made) : made;
		if (target.lost && message !== value) for (const field of lostOf(value, message)) target.lost(at, field);
		const afterResults = asRecord(messages[at - 1])["role"] === "tool" && message["role"] === "user";
		return target.capabilities.answerAfterResults === true && afterResults ? [seen, message] : [message];
	});

/** True when a request's history may hold what the target does not take: a cheap look before anything is walked. */
export const mayNeedChange = (text: string, model: string, known: ModelCapabilities, thinksNot: boolean): boolean =>
	known.strictFields === true ||
	known.answerAfterResults === true ||
	(known.developerRole === false && text.includes('"developer"')) ||
	text.includes("portico.") ||
	(text.includes('"extra_content"') && familyOf(model) !== "gemini") ||
	(known.vendor === "openai" &&
		/"(?:reasoning|reasoning_content|reasoning_details|parsed|parsed_arguments)"/.test(text)) ||
	((known.signedCalls === true || (known.reasoningWithCalls === true && !thinksNot)) && text.includes('"tool_calls"'));

/** Whether a request switches thinking off, in the words of any vendor. */
export const thinksNot = (body: WireRecord): boolean =>
	asRecord(body["thinking"])["type"] === "disabled" ||
	body["reasoning_effort"] === "none" ||
	body["enable_thinking"] === false;
