/**
 * What routing and quota need of a request, and the refusals that cost nothing: what no upstream could accept is
 * refused here, before a reservation is made or a byte is sent.
 */
import {
	asText,
	definedOnly,
	fieldReaders,
	isRecord,
	type ModelCall,
	type ModelRequest,
	refuseField,
	type WireRecord,
} from "#core";

const mostMessages = 20_000;
const roles = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

const { flag, whole, checkNumber, model: modelOf } = fieldReaders(refuseField);

/** Roles whose messages may come without content. */
const silentRoles = new Set(["assistant", "tool", "function"]);

const checkMessage = (message: unknown, index: number): void => {
	if (!isRecord(message)) throw refuseField(`messages[${index}]`, message, "it must be an object with a role.");
	const { role, content } = message;
	if (typeof role !== "string" || !roles.has(role))
		throw refuseField(`messages[${index}].role`, role, `it must be one of ${[...roles].join(", ")}.`);
	if (typeof content === "string" || Array.isArray(content)) return;
	if ((content !== undefined && content !== null) || !silentRoles.has(role))
		throw refuseField(`messages[${index}].content`, content, "it must be a string or a list of parts.");
};

const checkMessages = (messages: unknown): void => {
	if (!Array.isArray(messages) || messages.length === 0)
		throw refuseField("messages", messages, "send the conversation as a list of at least one message.");
	if (messages.length > mostMessages)
		throw refuseField("messages", messages, `it may have ${mostMessages} entries and has ${messages.length}.`);
	for (let index = 0; index < messages.length; index++) checkMessage(messages[index], index);
};

const ranges = [
	["temperature", 0, 2],
	["top_p", 0, 1],
	["presence_penalty", -2, 2],
	["frequency_penalty", -2, 2],
] as const;

const checkRanges = (body: WireRecord): void => {
	for (const [name, least, most] of ranges) if (body[name] !== undefined) checkNumber(body[name], name, least, most);
	flag(body["logprobs"], "logprobs");
	whole(body["top_logprobs"], "top_logprobs", 0, 20);
};

/** The larger of the two limits when both are given: what is held back must never be too little. */
const limitOf = (body: WireRecord): number | undefined => {
	const current = whole(body["max_completion_tokens"], "max_completion_tokens", 1);
	const older = whole(body["max_tokens"], "max_tokens", 1);
	if (current === undefined || older === undefined) return current ?? older;
	return Math.max(current, older);
};

/** Finds model, stream, limits and cache key. Throws `Fault` (`invalid_request` with `parameter`) as said above. */
export const readCall = ({ headers, body }: ModelRequest): ModelCall => {
	const value = body.value;
	const name = modelOf(value["model"]);
	checkMessages(value["messages"]);
	const stream = flag(value["stream"], "stream");
	checkRanges(value);
	const maxOutputTokens = limitOf(value);
	const affinity = asText(value["prompt_cache_key"]) ?? headers.get("x-session-affinity") ?? undefined;
	const candidates = whole(value["n"], "n", 1, 128) ?? 1;
	return definedOnly({ operation: "generate", name, stream, candidates, maxOutputTokens, affinity });
};
