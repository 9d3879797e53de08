/**
 * What routing and quota need of a request, and the refusals that cost nothing: what no upstream could accept is
 * refused here, before a reservation is made or a byte is sent.
 */
import {
	asText,
	fieldReaders,
	isRecord,
	type ModelCall,
	type ModelRequest,
	type Operation,
	refuseField,
	type WireRecord,
} from "#core";
import { summaryTokens } from "../summary-request.ts";

const mostItems = 20_000;
const roles = new Set(["system", "developer", "user", "assistant"]);

const { flag, whole, checkNumber, model: modelOf } = fieldReaders(refuseField);

const checkShape = (body: WireRecord, name: string, fits: (value: unknown) => boolean, what: string): void => {
	const value = body[name];
	if (value === undefined || value === null || fits(value)) return;
	throw refuseField(name, value, `it must be ${what}.`);
};

/** True for an item that is a message; only these have roles everybody knows. */
const isMessage = (item: WireRecord): boolean =>
	item["type"] === "message" || (item["type"] === undefined && item["role"] !== undefined);

const checkMessage = (item: WireRecord, at: string): void => {
	const { role, content } = item;
	if (typeof role !== "string" || !roles.has(role))
		throw refuseField(`${at}.role`, role, `it must be one of ${[...roles].join(", ")}.`);
	if (typeof content === "string" || Array.isArray(content)) return;
	throw refuseField(`${at}.content`, content, "it must be a string or a list of parts.");
};

const checkItem = (item: unknown, at: string): void => {
	if (!isRecord(item)) throw refuseField(at, item, "it must be an object.");
	if (isMessage(item)) checkMessage(item, at);
	else if (typeof item["type"] !== "string" && typeof item["id"] !== "string")
		throw refuseField(`${at}.type`, item["type"], "it must name a kind of item.");
};

const checkInput = (body: WireRecord): void => {
	const input = body["input"];
	if (input === undefined || input === null) {
		if (body["previous_response_id"] || body["prompt"] || body["conversation"]) return;
		throw refuseField("input", undefined, "send a text or a list of items.");
	}
	if (typeof input === "string") return;
	if (!Array.isArray(input)) throw refuseField("input", input, "it must be a string or a list of items.");
	if (input.length > mostItems)
		throw refuseField("input", input, `it may have ${mostItems} items and has ${input.length}.`);
	for (const [index, item] of input.entries()) checkItem(item, `input[${index}]`);
};

const checkManagement = (body: WireRecord): void => {
	const managed = body["context_management"];
	if (!Array.isArray(managed)) return;
	for (const [index, entry] of managed.entries()) {
		const at = `context_management[${index}]`;
		if (!isRecord(entry)) throw refuseField(at, entry, "it must be an object.");
		whole(entry["compact_threshold"], `${at}.compact_threshold`, 1);
	}
};

const checkFields = (body: WireRecord): void => {
	checkNumber(body["temperature"], "temperature", 0, 2);
	checkNumber(body["top_p"], "top_p", 0, 1);
	whole(body["top_logprobs"], "top_logprobs", 0, 20);
	whole(body["max_tool_calls"], "max_tool_calls", 0);
	for (const name of ["store", "parallel_tool_calls", "background"]) flag(body[name], name);
	checkShape(body, "tools", Array.isArray, "a list of tools");
	checkShape(body, "include", Array.isArray, "a list of names");
	checkShape(body, "context_management", Array.isArray, "a list of objects");
	checkManagement(body);
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

/** What the address is for. */
export const operationAt = (path: string): Operation => {
	if (path.endsWith("/input_tokens")) return "count_tokens";
	return path.endsWith("/compact") ? "compact" : "generate";
};

/** Finds model, stream, limit and cache key. Throws `Fault` (`invalid_request` with `parameter`). */
export const readCall = ({ url, body }: ModelRequest): ModelCall => {
	const { value } = body;
	const name = modelOf(value["model"]);
	const operation = operationAt(url.pathname);
	const counts = operation === "count_tokens";
	const compacts = operation === "compact";
	if (!counts || value["input"] !== undefined) checkInput(value);
	const stream = flag(value["stream"], "stream") && !counts && !compacts;
	checkFields(value);
	const limit = whole(value["max_output_tokens"], "max_output_tokens", 1);
	const maxOutputTokens = compacts ? Math.min(limit ?? summaryTokens, summaryTokens) : limit;
	const affinity = asText(value["prompt_cache_key"]);
	return {
		operation,
		name,
		stream,
		candidates: 1,
		...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
		...(affinity === undefined ? {} : { affinity }),
	};
};
