/** A response, as the client gives it, in comparable words. */
import { asCount, asList, asRecord, asText, isRecord } from "#core";
import { argumentsOf, distinct, type Ended, type Told, type ToldCandidate } from "./told.ts";

type Item = Readonly<Record<string, unknown>>;

export const toldOfResponse = (response: unknown): Told => {
	const body = asRecord(response);
	const items = asList(body["output"]).map(asRecord);
	const content = items
		.filter(({ type }) => type === "message")
		.flatMap((item) => asList(item["content"]).map(asRecord));
	const candidate: ToldCandidate = {
		text: content.map((part) => asText(part["text"]) ?? asText(part["refusal"]) ?? "").join(""),
		thinking: items
			.filter(({ type }) => type === "reasoning")
			.map(thinkingOf)
			.join(""),
		cited: distinct(content.flatMap((part) => asList(part["annotations"]).map((note) => asRecord(note)["url"]))),
		tools: items.filter(isCall).map((item) => ({
			name: String(item["name"]),
			arguments: argumentsOf(String(item["arguments"] ?? item["input"] ?? "")),
		})),
		ended: endOf(
			body,
			items,
			content.some(({ type }) => type === "refusal"),
		),
		media: items.filter(({ type }) => type === "image_generation_call").length,
	};
	const { usage } = body;
	return { candidates: [candidate], usage: isRecord(usage) ? usageOf(usage) : undefined };
};

const isCall = ({ type }: Item): boolean => type === "function_call" || type === "custom_tool_call";

const thinkingOf = (item: Item): string =>
	[...asList(item["summary"]), ...asList(item["content"])].map((part) => asText(asRecord(part)["text"]) ?? "").join("");

const endOf = (body: Item, items: readonly Item[], refused: boolean): Ended => {
	if (body["status"] === "incomplete")
		return asRecord(body["incomplete_details"])["reason"] === "content_filter" ? "filter" : "length";
	if (body["status"] === "failed" || body["status"] === "cancelled") return "failed";
	if (refused) return "filter";
	return items.some(isCall) ? "tool_calls" : "stop";
};

const usageOf = (usage: Item) => ({
	input: asCount(usage["input_tokens"]) ?? 0,
	output: asCount(usage["output_tokens"]) ?? 0,
	cacheRead: asCount(asRecord(usage["input_tokens_details"])["cached_tokens"]) ?? 0,
});
