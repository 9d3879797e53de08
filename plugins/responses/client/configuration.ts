/** Items that change settings in the middle of a conversation. For the answer that is asked for, the last word counts. */
import { asList, asRecord, isRecord, type WireRecord } from "#core";

const isUpdate = (item: unknown): item is WireRecord => isRecord(item) && item["type"] === "configuration_update";

const known = new Set(["type", "id", "reasoning", "text"]);

/** True for an update that says nothing but what is read here. */
export const isUnderstood = (item: WireRecord): boolean => {
	const { effort: _effort, ...reasoning } = asRecord(item["reasoning"]);
	const { format: _format, ...text } = asRecord(item["text"]);
	return (
		[...Object.keys(item).filter((name) => !known.has(name)), ...Object.keys({ ...reasoning, ...text })].length === 0
	);
};

/** The body with the settings that hold at the end of its conversation. */
export const configured = (body: WireRecord): WireRecord => {
	const updates = asList(body["input"]).filter(isUpdate);
	if (updates.length === 0) return body;
	let [reasoning, text] = [asRecord(body["reasoning"]), asRecord(body["text"])];
	for (const update of updates) {
		const { effort } = asRecord(update["reasoning"]);
		const { format } = asRecord(update["text"]);
		if (effort !== undefined) reasoning = { ...reasoning, effort };
		if (format !== undefined) text = { ...text, format };
	}
	return { ...body, reasoning, text };
};
