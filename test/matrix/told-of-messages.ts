/** A message, as the client gives it, in comparable words. */
import { asCount, asList, asRecord, asText, isRecord } from "#core";
import { distinct, type Ended, type Told } from "./told.ts";

const ends: Readonly<Record<string, Ended>> = {
	max_tokens: "length",
	pause_turn: "length",
	model_context_window_exceeded: "length",
	tool_use: "tool_calls",
	refusal: "filter",
};

export const toldOfMessage = (message: unknown): Told => {
	const { content, stop_reason: reason, usage } = asRecord(message);
	const blocks = asList(content).map(asRecord);
	const textOf = (type: string, field: string) =>
		blocks
			.filter((block) => block["type"] === type)
			.map((block) => asText(block[field]) ?? "")
			.join("");
	return {
		candidates: [
			{
				text: textOf("text", "text"),
				thinking: textOf("thinking", "thinking"),
				cited: distinct(blocks.flatMap((block) => asList(block["citations"]).map((note) => asRecord(note)["url"]))),
				tools: blocks
					.filter(({ type }) => type === "tool_use")
					.map(({ name, input }) => ({ name: String(name), arguments: input })),
				ended: ends[String(reason)] ?? "stop",
				media: 0,
			},
		],
		usage: isRecord(usage) ? usageOf(usage) : undefined,
	};
};

const usageOf = (usage: Readonly<Record<string, unknown>>) => {
	const cacheRead = asCount(usage["cache_read_input_tokens"]) ?? 0;
	const written = asCount(usage["cache_creation_input_tokens"]) ?? 0;
	return {
		input: (asCount(usage["input_tokens"]) ?? 0) + cacheRead + written,
		output: asCount(usage["output_tokens"]) ?? 0,
		cacheRead,
	};
};
