/**
 * What routing and quota need of a request, and the refusals that cost nothing: what no upstream could accept is
 * refused here, before a reservation is made or a byte is sent.
 */
import { asText, Fault, isRecord, type ModelCall, type ModelRequest, type WireRecord } from "#core";

const mostMessages = 20_000;
const roles = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

const refusal = (parameter: string, message: string): Fault =>
	new Fault({ kind: "invalid_request", parameter, message, code: "invalid_value" });

/** How a value is named in a message: enough to find it, never its contents. */
const named = (value: unknown): string => {
	if (value === null) return "null";
	if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
	if (typeof value === "number") return String(value);
	if (typeof value === "object") return "an object";
	return typeof value === "string" ? `the string ${JSON.stringify(value.slice(0, 64))}` : String(value);
};

const modelOf = (body: WireRecord): string => {
	const model = body["model"];
	if (model === undefined)
		throw refusal("model", "The field `model` is missing; name a model, as GET /v1/models lists them.");
	if (typeof model !== "string" || model === "")
		throw refusal("model", `The field \`model\` is ${named(model)}; it must be the name of a model.`);
	return model;
};

const flag = (body: WireRecord, name: string): boolean => {
	const value = body[name];
	if (value === undefined || value === null) return false;
	if (typeof value === "boolean") return value;
	throw refusal(name, `The field \`${name}\` is ${named(value)}; it must be true or false.`);
};

const whole = (body: WireRecord, name: string, least: number, most: number): number | undefined => {
	const value = body[name];
	if (value === undefined || value === null) return undefined;
	if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return value;
	const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
	throw refusal(name, `The field \`${name}\` is ${named(value)}; it must be a whole number ${range}.`);
};

const checkNumber = (body: WireRecord, name: string, least: number, most: number): void => {
	const value = body[name];
	if (value === undefined || value === null) return;
	if (typeof value === "number" && value >= least && value <= most) return;
	throw refusal(name, `The field \`${name}\` is ${named(value)}; it must be a number from ${least} to ${most}.`);
};

const checkContent = (message: WireRecord, at: string): void => {
	const content = message["content"];
	if (typeof content === "string" || Array.isArray(content)) return;
	const role = message["role"];
	const mayLack = role === "assistant" || role === "tool" || role === "function";
	if (mayLack && (content === undefined || content === null)) return;
	throw refusal(
		`${at}.content`,
		`The field \`${at}.content\` is ${named(content)}; it must be a string or a list of parts.`,
	);
};

const checkMessage = (message: unknown, at: string): void => {
	if (!isRecord(message))
		throw refusal(at, `The field \`${at}\` is ${named(message)}; it must be an object with a role.`);
	const role = message["role"];
	if (typeof role !== "string" || !roles.has(role))
		throw refusal(
			`${at}.role`,
			`The field \`${at}.role\` is ${named(role)}; it must be one of ${[...roles].join(", ")}.`,
		);
	checkContent(message, at);
};

const checkMessages = (messages: unknown): void => {
	if (messages === undefined)
		throw refusal("messages", "The field `messages` is missing; send the conversation as a list.");
	if (!Array.isArray(messages) || messages.length === 0)
		throw refusal(
			"messages",
			`The field \`messages\` is ${named(messages)}; it must be a list with at least one message.`,
		);
	if (messages.length > mostMessages)
		throw refusal(
			"messages",
			`The field \`messages\` has ${messages.length} entries; at most ${mostMessages} are taken.`,
		);
	for (const [index, message] of messages.entries()) checkMessage(message, `messages[${index}]`);
};

const checkRanges = (body: WireRecord): void => {
	checkNumber(body, "temperature", 0, 2);
	checkNumber(body, "top_p", 0, 1);
	checkNumber(body, "presence_penalty", -2, 2);
	checkNumber(body, "frequency_penalty", -2, 2);
	flag(body, "logprobs");
	whole(body, "top_logprobs", 0, 20);
};

/** The larger of the two limits when both are given: what is held back must never be too little. */
const limitOf = (body: WireRecord): number | undefined => {
	const current = whole(body, "max_completion_tokens", 1, Number.MAX_SAFE_INTEGER);
	const older = whole(body, "max_tokens", 1, Number.MAX_SAFE_INTEGER);
	if (current === undefined || older === undefined) return current ?? older;
	return Math.max(current, older);
};

const readEmbedding = (body: WireRecord): ModelCall => {
	const input = body["input"];
	if (typeof input !== "string" && !Array.isArray(input))
		throw refusal(
			"input",
			`The field \`input\` is ${input === undefined ? "missing" : named(input)}; send a text or a list.`,
		);
	return { operation: "embed", name: modelOf(body), stream: false, candidates: 1 };
};

/** Finds model, stream, limits and cache key. Throws `Fault` (`invalid_request` with `parameter`) as said above. */
export const readCall = ({ url, headers, body }: ModelRequest): ModelCall => {
	const value = body.value;
	if (url.pathname.endsWith("/embeddings")) return readEmbedding(value);
	const name = modelOf(value);
	checkMessages(value["messages"]);
	const stream = flag(value, "stream");
	checkRanges(value);
	const maxOutputTokens = limitOf(value);
	const affinity = asText(value["prompt_cache_key"]) ?? headers.get("x-session-affinity") ?? undefined;
	return {
		operation: "generate",
		name,
		stream,
		candidates: whole(value, "n", 1, 128) ?? 1,
		...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
		...(affinity === undefined ? {} : { affinity }),
	};
};
