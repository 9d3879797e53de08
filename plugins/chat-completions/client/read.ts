/**
 * What routing and quota need of a request, and the refusals that cost nothing: what no upstream could accept is
 * refused here, before a reservation is made or a byte is sent.
 */
import { asText, fieldReaders, isRecord, type ModelCall, type ModelRequest, refuseField, type WireRecord } from "#core";

type Changeable<T> = { -readonly [K in keyof T]: T[K] };

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
	if (body["logprobs"] !== undefined) flag(body["logprobs"], "logprobs");
	if (body["top_logprobs"] !== undefined) whole(body["top_logprobs"], "top_logprobs", 0, 20);
};

/** The larger of the two limits when both are given: what is held back must never be too little. */
const limitOf = (current: unknown, older: unknown): number | undefined => {
	const limit = whole(current, "max_completion_tokens", 1);
	const other = whole(older, "max_tokens", 1);
	return limit === undefined || other === undefined ? (limit ?? other) : Math.max(limit, other);
};

/** Finds model, stream, limits and cache key. Throws `Fault` (`invalid_request` with `parameter`) as said above. */
export const readCall = ({ body }: ModelRequest): ModelCall => {
	const { value } = body;
	const { model, messages, stream, n, max_completion_tokens: current, max_tokens: older } = value;
	const name = modelOf(model);
	checkMessages(messages);
	const streams = stream !== undefined && flag(stream, "stream");
	checkRanges(value);
	const limit = current === undefined && older === undefined ? undefined : limitOf(current, older);
	const affinity = asText(value["prompt_cache_key"]);
	const candidates = n === undefined ? 1 : (whole(n, "n", 1, 128) ?? 1);
	const call: Changeable<ModelCall> = { operation: "generate", name, stream: streams, candidates };
	if (limit !== undefined) call.maxOutputTokens = limit;
	if (affinity !== undefined) call.affinity = affinity;
	return call;
};
