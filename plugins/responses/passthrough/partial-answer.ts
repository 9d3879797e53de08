/** What was told of an answer that stops in the middle, read from the raw events of its unfinished items. */
import { asCount, asRecord, asText, isRecord, lookup, parseJson, type WireRecord } from "#core";

/** An item that was announced but not ended. */
interface PartialItem {
	readonly index: number;
	readonly item: Record<string, unknown>;
}

type Fields = Record<string, unknown>;

/** What an event adds a text to: a field of an entry of one of the item's lists, which begins so where nothing announced it. */
interface Growth {
	readonly list: "content" | "summary";
	readonly field: "text" | "refusal";
	readonly begins: WireRecord;
}

const growths = lookup<Growth>({
	"response.output_text.delta": {
		list: "content",
		field: "text",
		begins: { type: "output_text", text: "", annotations: [], logprobs: [] },
	},
	"response.refusal.delta": { list: "content", field: "refusal", begins: { type: "refusal" } },
	"response.reasoning_text.delta": { list: "content", field: "text", begins: { type: "reasoning_text" } },
	"response.reasoning_summary_text.delta": { list: "summary", field: "text", begins: { type: "summary_text" } },
});

const entriesOf = (item: Fields, list: string): unknown[] => {
	const known = item[list];
	const entries: unknown[] = Array.isArray(known) ? known : [];
	item[list] = entries;
	return entries;
};

const grow = (item: Fields, { list, field, begins }: Growth, event: WireRecord): void => {
	const entries = entriesOf(item, list);
	const index = asCount(event[`${list}_index`]) ?? 0;
	const known = isRecord(entries[index]) ? entries[index] : begins;
	entries[index] = { ...known, [field]: (asText(known[field]) ?? "") + (asText(event["delta"]) ?? "") };
};

const begin = (item: Fields, event: WireRecord): void => {
	const entries = entriesOf(item, "content");
	const index = asCount(event["content_index"]) ?? 0;
	if (!isRecord(entries[index])) entries[index] = asRecord(event["part"]);
};

const growField = (item: Fields, field: string, { delta }: WireRecord): void => {
	item[field] = (asText(item[field]) ?? "") + (asText(delta) ?? "");
};

/** Takes one event into the item it belongs to. */
const apply = (item: Fields, event: WireRecord): void => {
	const type = asText(event["type"]) ?? "";
	const growth = growths[type];
	if (growth) grow(item, growth, event);
	else if (type === "response.content_part.added") begin(item, event);
	else if (type === "response.function_call_arguments.delta") growField(item, "arguments", event);
	else if (type === "response.custom_tool_call_input.delta") growField(item, "input", event);
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
