/** What was told of an answer that stops in the middle, read from the raw events of its unfinished items. */
import { asCount, asRecord, asText, isRecord, parseJson, type WireRecord } from "#core";

/** An item that was announced but not ended. */
interface PartialItem {
	readonly index: number;
	readonly item: Record<string, unknown>;
}

type Fields = Record<string, unknown>;

/** Adds to a text of the entry at this place of a list. */
const growEntry = (item: Fields, list: string, index: number, made: WireRecord, name: string, text: string): void => {
	const entries: unknown[] = Array.isArray(item[list]) ? item[list] : [];
	const known = isRecord(entries[index]) ? entries[index] : made;
	entries[index] = { ...known, [name]: (asText(known[name]) ?? "") + text };
	item[list] = entries;
};

const emptyText = { type: "output_text", text: "", annotations: [], logprobs: [] };

/** Takes one event into the item it belongs to. */
const apply = (item: Fields, event: WireRecord): void => {
	const text = asText(event["delta"]) ?? "";
	const content = asCount(event["content_index"]) ?? 0;
	switch (event["type"]) {
		case "response.content_part.added":
			growEntry(item, "content", content, asRecord(event["part"]), "type", "");
			return;
		case "response.output_text.delta":
			growEntry(item, "content", content, emptyText, "text", text);
			return;
		case "response.refusal.delta":
			growEntry(item, "content", content, { type: "refusal" }, "refusal", text);
			return;
		case "response.reasoning_text.delta":
			growEntry(item, "content", content, { type: "reasoning_text" }, "text", text);
			return;
		case "response.reasoning_summary_text.delta":
			growEntry(item, "summary", asCount(event["summary_index"]) ?? 0, { type: "summary_text" }, "text", text);
			return;
		case "response.function_call_arguments.delta":
			item["arguments"] = (asText(item["arguments"]) ?? "") + text;
			return;
		case "response.custom_tool_call_input.delta":
			item["input"] = (asText(item["input"]) ?? "") + text;
	}
};

/** The items that are not done, as far as they were told. `events`: data of the events since all items were done. */
export const partialItems = (events: readonly string[]): readonly PartialItem[] => {
	const open = new Map<number, Fields>();
	for (const data of events) {
		const event = asRecord(parseJson(data));
		const index = asCount(event["output_index"]) ?? 0;
		if (event["type"] === "response.output_item.added") open.set(index, { ...asRecord(event["item"]) });
		else if (event["type"] === "response.output_item.done") open.delete(index);
		else {
			const item = open.get(index);
			if (item) apply(item, event);
		}
	}
	return [...open].map(([index, item]) => ({
		index,
		item: "status" in item ? { ...item, status: "incomplete" } : item,
	}));
};
