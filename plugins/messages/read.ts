/**
 * What routing and quota need of a request, and the refusals that cost nothing: what no upstream could accept is
 * refused here, before a reservation is made or a byte is sent.
 */
import {
	asRecord,
	asText,
	definedOnly,
	Fault,
	isRecord,
	type ModelCall,
	type ModelRequest,
	type WireRecord,
} from "#core";
import { continuesThread } from "./threads.ts";

const mostMessages = 50_000;
const roles = new Set(["user", "assistant", "system"]);

/** A request that cannot be one. `message` says what was found and what was expected. */
export const refusal = (parameter: string, message: string): Fault =>
	new Fault({ kind: "invalid_request", parameter, message: `${parameter}: ${message}` });

/** How a value is named in a message: enough to find it, never its contents. */
export const named = (value: unknown): string => {
	if (value === undefined) return "missing";
	if (value === null) return "null";
	if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
	if (typeof value === "object") return "an object";
	return typeof value === "string" ? `the string ${JSON.stringify(value.slice(0, 64))}` : String(value);
};

const modelOf = (body: WireRecord): string => {
	const model = body["model"];
	if (typeof model === "string" && model !== "") return model;
	throw refusal("model", `is ${named(model)}; name a model, as GET /v1/models lists them.`);
};

const limitOf = (body: WireRecord): number => {
	const limit = body["max_tokens"];
	if (typeof limit === "number" && Number.isSafeInteger(limit) && limit > 0) return limit;
	throw refusal("max_tokens", `is ${named(limit)}; give the most tokens of the answer, a whole number from 1 on.`);
};

const streamOf = (body: WireRecord): boolean => {
	const stream = body["stream"];
	if (stream === undefined || stream === null) return false;
	if (typeof stream === "boolean") return stream;
	throw refusal("stream", `is ${named(stream)}; it must be true or false.`);
};

const checkRange = (body: WireRecord, name: string, most: number): void => {
	const value = body[name];
	if (value === undefined || value === null) return;
	if (typeof value === "number" && value >= 0 && value <= most) return;
	throw refusal(name, `is ${named(value)}; it must be a number from 0 to ${most}.`);
};

const checkMessage = (message: unknown, at: string): void => {
	if (!isRecord(message)) throw refusal(at, `is ${named(message)}; it must be an object with role and content.`);
	const { role, content } = message;
	if (typeof role !== "string" || !roles.has(role))
		throw refusal(`${at}.role`, `is ${named(role)}; it must be one of ${[...roles].join(", ")}.`);
	if (typeof content !== "string" && !Array.isArray(content))
		throw refusal(`${at}.content`, `is ${named(content)}; it must be a string or a list of blocks.`);
};

const checkMessages = (body: WireRecord): void => {
	const messages = body["messages"];
	if (!Array.isArray(messages) || (messages.length === 0 && !continuesThread(body)))
		throw refusal("messages", `is ${named(messages)}; send the conversation as a list of at least one message.`);
	if (messages.length > mostMessages)
		throw refusal("messages", `has ${messages.length} entries; at most ${mostMessages} are taken.`);
	for (const [index, message] of messages.entries()) checkMessage(message, `messages[${index}]`);
};

/** The conversation's own name, by which its calls may be kept at one provider's cache. */
const affinityOf = (body: WireRecord, headers: Headers): string | undefined =>
	asText(asRecord(body["metadata"])["user_id"]) ?? headers.get("x-session-affinity") ?? undefined;

/** Finds model, stream, limit and cache key. Throws `Fault` (`invalid_request` with `parameter`) as said above. */
export const readCall = ({ url, headers, body }: ModelRequest): ModelCall => {
	const { value } = body;
	const counting = url.pathname.endsWith("/count_tokens");
	const name = modelOf(value);
	checkMessages(value);
	const affinity = affinityOf(value, headers);
	if (counting) return { operation: "count_tokens", name, stream: false, candidates: 1, ...definedOnly({ affinity }) };
	const maxOutputTokens = limitOf(value);
	const stream = streamOf(value);
	checkRange(value, "temperature", 2);
	checkRange(value, "top_p", 1);
	return { operation: "generate", name, stream, maxOutputTokens, candidates: 1, ...definedOnly({ affinity }) };
};
