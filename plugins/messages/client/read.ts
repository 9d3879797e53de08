/**
 * What routing and quota need of a request, and the refusals that cost nothing: what no upstream could accept is
 * refused here, before a reservation is made or a byte is sent.
 */
import {
	asRecord,
	asText,
	definedOnly,
	fieldReaders,
	isRecord,
	type ModelCall,
	type ModelRequest,
	type Operation,
	type WireRecord,
} from "#core";
import { refuse } from "../refuse.ts";
import { continuesThread } from "./references.ts";

/** Anthropic's own. */
const mostMessages = 100_000;
const roles = new Set(["user", "assistant", "system"]);

const { flag, checkNumber, model: modelOf } = fieldReaders(refuse);

const limitOf = (body: WireRecord): number => {
	const limit = body["max_tokens"];
	if (typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 0) return limit;
	throw refuse("max_tokens", limit, "give the most tokens of the answer, a whole number.");
};

const checkMessage = (message: unknown, at: string): void => {
	if (!isRecord(message)) throw refuse(at, message, "it must be an object with role and content.");
	const { role, content, output_config } = message;
	if (typeof role !== "string" || !roles.has(role))
		throw refuse(`${at}.role`, role, `it must be one of ${[...roles].join(", ")}.`);
	// It may say nothing and change how much the model is to think.
	if (role === "system" && content === undefined && isRecord(output_config)) return;
	if (typeof content !== "string" && !Array.isArray(content))
		throw refuse(`${at}.content`, content, "it must be a string or a list of blocks.");
};

const checkMessages = (body: WireRecord): void => {
	const messages = body["messages"];
	if (!Array.isArray(messages) || (messages.length === 0 && !continuesThread(body)))
		throw refuse("messages", messages, "send the conversation as a list of at least one message.");
	if (messages.length > mostMessages)
		throw refuse("messages", messages, `it may have ${mostMessages} entries and has ${messages.length}.`);
	for (const [index, message] of messages.entries()) checkMessage(message, `messages[${index}]`);
};

/** What the address is for. */
export const operationAt = (path: string): Operation => (path.endsWith("/count_tokens") ? "count_tokens" : "generate");

/** Finds model, stream, limit and cache key. Throws `Fault` (`invalid_request` with `parameter`) as said above. */
export const readCall = ({ url, body }: ModelRequest): ModelCall => {
	const { value } = body;
	const operation = operationAt(url.pathname);
	const name = modelOf(value["model"]);
	checkMessages(value);
	// The conversation's own name, by which its calls may be kept at one provider's cache.
	const affinity = asText(asRecord(value["metadata"])["user_id"]);
	if (operation === "count_tokens")
		return { operation, name, stream: false, candidates: 1, ...definedOnly({ affinity }) };
	const maxOutputTokens = limitOf(value);
	const stream = flag(value["stream"], "stream");
	checkNumber(value["temperature"], "temperature", 0, 2);
	checkNumber(value["top_p"], "top_p", 0, 1);
	return { operation, name, stream, maxOutputTokens, candidates: 1, ...definedOnly({ affinity }) };
};
