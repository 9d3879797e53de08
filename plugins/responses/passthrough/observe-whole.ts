/** Reads whole answers that pass through as bytes, for accounting and for keeping. */
import {
	asList,
	asRecord,
	asText,
	definedOnly,
	isRecord,
	type Observation,
	openAiFailureWithin,
	type Progress,
	type WireRecord,
} from "#core";
import { decodeUsage } from "../usage.ts";

/** The reason why it ended, where that is not the answer's own end. */
export const stopOf = (response: WireRecord): string | undefined =>
	response["status"] === "incomplete"
		? (asText(asRecord(response["incomplete_details"])["reason"]) ?? "incomplete")
		: undefined;

const textBytes = (value: unknown): number => (typeof value === "string" ? Buffer.byteLength(value) : 0);

const itemBytes = (item: WireRecord): number => {
	let bytes = textBytes(item["arguments"]) + textBytes(item["input"]);
	if (item["type"] === "compaction") bytes += textBytes(item["encrypted_content"]);
	for (const part of [...asList(item["content"]), ...asList(item["summary"])].map(asRecord))
		bytes += textBytes(part["text"]) + textBytes(part["refusal"]);
	return bytes;
};

/** What the items of an output hold. */
export const tally = (output: unknown): Omit<Progress, "finished"> => {
	const sizes = asList(output).map((item) => itemBytes(asRecord(item)));
	return {
		pieces: sizes.filter((size) => size > 0).length,
		contentBytes: sizes.reduce((sum, size) => sum + size, 0),
	};
};

/** What a whole answer says; a count of tokens says nothing. */
export const observe = (body: unknown, keeps: boolean): Observation => {
	const root = asRecord(body);
	const failed = root["status"] === "failed" || isRecord(root["error"]) || typeof root["error"] === "string";
	const usage = decodeUsage(root["usage"], root["output"], root["tool_usage"]);
	return {
		...tally(root["output"]),
		finished: !failed && (Array.isArray(root["output"]) || root["input_tokens"] !== undefined),
		...(usage !== undefined && { usage, ...(failed && { usageIsTotal: true }) }),
		...(failed && { error: openAiFailureWithin(root) }),
		...definedOnly({ stopped: stopOf(root), tier: asText(root["service_tier"]) }),
		...(keeps && !failed && root["object"] === "response" && { answer: root }),
	};
};
