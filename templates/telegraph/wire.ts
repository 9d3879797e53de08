/** The wire form of telegraph, in both directions: lines that were said, errands to run, words counted. */
import {
	asCount,
	asList,
	asRecord,
	asText,
	type Block,
	type Finish,
	type Message,
	readArguments,
	type Tool,
	type ToolCallBlock,
	textBytes,
	type Usage,
	type WireRecord,
} from "#core";

export const protocolName = "telegraph";

/** Who a line is from, on the wire and in the neutral form. */
const speakers: Readonly<Record<string, Message["role"]>> = { rules: "system", caller: "user", station: "assistant" };

/** How an answer ended. */
const stops: Readonly<Record<string, Finish["reason"]>> = {
	end: "stop",
	most: "length",
	errand: "tool_calls",
	refused: "refusal",
};

export const finishOf = (stop: unknown): Finish => ({
	reason: stops[asText(stop) ?? ""] ?? "other",
	...(typeof stop === "string" && { raw: stop }),
});

export const stopOf = ({ reason }: Finish): string =>
	Object.keys(stops).find((stop) => stops[stop] === reason) ?? (reason === "safety" ? "refused" : "end");

export const usageOf = (words: unknown): Usage | undefined => {
	const { in: input, out: output } = asRecord(words);
	const [total, written] = [asCount(input), asCount(output)];
	return total === undefined || written === undefined ? undefined : { input: { total }, output: { total: written } };
};

export const wordsOf = ({ input, output }: Usage): WireRecord => ({ in: input.total, out: output.total });

export const errandOf = ({ id, name, arguments: given }: ToolCallBlock): WireRecord => ({
	ticket: id,
	errand: name,
	note: given.text,
});

export const callOf = (errand: unknown): ToolCallBlock => {
	const { ticket, errand: name, note } = asRecord(errand);
	return {
		type: "tool_call",
		id: asText(ticket) ?? "",
		name: asText(name) ?? "",
		kind: "function",
		arguments: readArguments(asText(note) ?? "{}", "function"),
	};
};

/** What an answer is made of: its text, then its errands. */
export const blocksOf = ({ text, errands }: WireRecord): readonly Block[] => [
	...(asText(text) ? [{ type: "text" as const, text: asText(text) ?? "" }] : []),
	...asList(errands).map(callOf),
];

/** A line as a message; undefined for one from nobody that is known. */
export const messageOf = (line: unknown): Message | undefined => {
	const { from, text, ticket, ...rest } = asRecord(line);
	const said = { type: "text" as const, text: asText(text) ?? "" };
	if (from === "errand")
		return { role: "tool", blocks: [{ type: "tool_result", callId: asText(ticket) ?? "", content: [said] }] };
	const role = speakers[asText(from) ?? ""];
	return role && { role, blocks: blocksOf({ ...rest, text }) };
};

export const toolOf = (errand: unknown): Tool => {
	const { errand: name, about, form } = asRecord(errand);
	return {
		type: "function",
		name: asText(name) ?? "",
		...(typeof about === "string" && { description: about }),
		schema: form ?? { type: "object", properties: {} },
	};
};

/** Who says a message of this role on the wire. */
export const speakerOf = (role: Message["role"]): string =>
	Object.keys(speakers).find((speaker) => speakers[speaker] === role) ?? (role === "developer" ? "rules" : "caller");

/** What was written of an answer, in bytes: its text, and what its errands are told. */
export const writtenBytes = ({ text, errands, errand }: WireRecord): number => {
	const notes = [errand, ...asList(errands)].map((one) => asRecord(one)["note"]);
	return [text, ...notes].reduce<number>((bytes, words) => bytes + textBytes(asText(words) ?? ""), 0);
};

export const event = (value: WireRecord): string => `data: ${JSON.stringify(value)}\n\n`;
