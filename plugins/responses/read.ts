/**
 * What routing and quota need of a request, and the refusals that cost nothing: what no upstream could accept is
 * refused here, before a reservation is made or a byte is sent.
 */
import { asText, Fault, isRecord, type ModelCall, type ModelRequest, type WireRecord } from "#core";

const mostItems = 20_000;
const roles = new Set(["system", "developer", "user", "assistant"]);

const refusal = (parameter: string, message: string, code = "invalid_value"): Fault =>
	new Fault({ kind: "invalid_request", parameter, message, code });

/** How a value is named in a message: enough to find it, never its contents. */
const named = (value: unknown): string => {
	if (value === null) return "null";
	if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
	if (typeof value === "number") return String(value);
	if (typeof value === "object") return "an object";
	return typeof value === "string" ? `the string ${JSON.stringify(value.slice(0, 64))}` : String(value);
};

const missing = (parameter: string, what: string): Fault =>
	refusal(parameter, `The field \`${parameter}\` is missing; ${what}.`, "missing_required_parameter");

const modelOf = (body: WireRecord): string => {
	const model = body["model"];
	if (model === undefined) throw missing("model", "name a model, as GET /v1/models lists them");
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

const checkShape = (body: WireRecord, name: string, fits: (value: unknown) => boolean, what: string): void => {
	const value = body[name];
	if (value === undefined || value === null || fits(value)) return;
	throw refusal(name, `The field \`${name}\` is ${named(value)}; it must be ${what}.`);
};

/** True for an item that is a message; only these have roles everybody knows. */
const isMessage = (item: WireRecord): boolean =>
	item["type"] === "message" || (item["type"] === undefined && item["role"] !== undefined);

const checkMessage = (item: WireRecord, at: string): void => {
	const { role, content } = item;
	if (typeof role !== "string" || !roles.has(role))
		throw refusal(
			`${at}.role`,
			`The field \`${at}.role\` is ${named(role)}; it must be one of ${[...roles].join(", ")}.`,
		);
	if (typeof content === "string" || Array.isArray(content)) return;
	throw refusal(
		`${at}.content`,
		`The field \`${at}.content\` is ${named(content)}; it must be a string or a list of parts.`,
	);
};

const checkItem = (item: unknown, at: string): void => {
	if (!isRecord(item)) throw refusal(at, `The field \`${at}\` is ${named(item)}; it must be an object.`);
	if (isMessage(item)) checkMessage(item, at);
	else if (typeof item["type"] !== "string" && typeof item["id"] !== "string")
		throw refusal(`${at}.type`, `The field \`${at}.type\` is ${named(item["type"])}; it must name a kind of item.`);
};

const checkInput = (body: WireRecord): void => {
	const input = body["input"];
	if (input === undefined || input === null) {
		if (body["previous_response_id"] || body["prompt"] || body["conversation"]) return;
		throw missing("input", "send a text or a list of items");
	}
	if (typeof input === "string") return;
	if (!Array.isArray(input))
		throw refusal("input", `The field \`input\` is ${named(input)}; it must be a string or a list of items.`);
	if (input.length > mostItems)
		throw refusal("input", `The field \`input\` has ${input.length} items; at most ${mostItems} are taken.`);
	for (const [index, item] of input.entries()) checkItem(item, `input[${index}]`);
};

const checkFields = (body: WireRecord): void => {
	checkNumber(body, "temperature", 0, 2);
	checkNumber(body, "top_p", 0, 1);
	whole(body, "top_logprobs", 0, 20);
	whole(body, "max_tool_calls", 0, Number.MAX_SAFE_INTEGER);
	flag(body, "store");
	flag(body, "parallel_tool_calls");
	flag(body, "background");
	checkShape(body, "tools", Array.isArray, "a list of tools");
	checkShape(body, "include", Array.isArray, "a list of names");
	checkShape(body, "text", isRecord, "an object");
	checkShape(body, "reasoning", isRecord, "an object");
	checkShape(body, "metadata", isRecord, "an object");
	checkShape(
		body,
		"previous_response_id",
		(value) => typeof value === "string" && value !== "",
		"the id of a response",
	);
	checkShape(body, "instructions", (value) => typeof value === "string" || Array.isArray(value), "a string");
};

/** True for the routes that only count. */
export const isCount = (url: URL): boolean => url.pathname.endsWith("/input_tokens");

/** Finds model, stream, limit and cache key. Throws `Fault` (`invalid_request` with `parameter`). */
export const readCall = ({ url, headers, body }: ModelRequest): ModelCall => {
	const { value } = body;
	const name = modelOf(value);
	const counts = isCount(url);
	if (!counts || value["input"] !== undefined) checkInput(value);
	const stream = flag(value, "stream") && !counts;
	checkFields(value);
	const maxOutputTokens = whole(value, "max_output_tokens", 1, Number.MAX_SAFE_INTEGER);
	const affinity = asText(value["prompt_cache_key"]) ?? headers.get("x-session-affinity") ?? undefined;
	return {
		operation: counts ? "count_tokens" : "generate",
		name,
		stream,
		candidates: 1,
		...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
		...(affinity === undefined ? {} : { affinity }),
	};
};
