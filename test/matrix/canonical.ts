/** Requests and answers in one spelling, so that two translations that mean the same are written the same. */
import { asList, asRecord, asText, isRecord, parseJson, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";

/** A request body without what a translation is free to choose: its spelling, defaults written out, the model's name. */
export const canonicalRequest = (protocol: ProtocolName, body: unknown): WireRecord => {
	const told = asRecord(bare(body));
	const { model: _, stream: __, stream_options: ___, ...request } = told;
	const made = requests[protocol](request);
	const marks = countOf(told, "cache_control") + countOf(told, "prompt_cache_breakpoint");
	return asRecord(bare({ ...made, "cache marks": marks || undefined }));
};

/** An answer without its ids and times. */
export const canonicalAnswer = (protocol: ProtocolName, body: unknown): WireRecord =>
	asRecord(bare(answers[protocol](asRecord(bare(body)))));

/** Nothing is said by null, an empty text, an empty list or an empty object; what says nothing goes. */
const bare = (value: unknown): unknown => {
	if (Array.isArray(value)) return value.map(bare).filter((item) => item !== undefined);
	if (!isRecord(value)) return value === null ? undefined : value;
	return Object.fromEntries(
		Object.entries(value).flatMap(([key, item]) => {
			const kept = key === "cache_control" && item === null ? undefined : bare(item);
			const empty = Array.isArray(kept) && kept.length === 0;
			return kept === undefined || empty ? [] : [[key, kept]];
		}),
	);
};

const countOf = (value: unknown, key: string): number => {
	if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countOf(item, key), 0);
	if (!isRecord(value)) return 0;
	return Object.entries(value).reduce((sum, [name, item]) => sum + (name === key ? 1 : countOf(item, key)), 0);
};

const without = (record: WireRecord, ...keys: readonly string[]): WireRecord =>
	Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

/** Text as one part where it was several; the white space between them is the joiner's. */
const joined = (parts: readonly WireRecord[]): readonly WireRecord[] => {
	const made: WireRecord[] = [];
	for (const part of parts) {
		const before = made.at(-1);
		const text = asText(part["text"]);
		const plain = text !== undefined && Object.keys(part).every((key) => key === "type" || key === "text");
		if (!plain) made.push(part);
		else if (text.trim() === "") continue;
		else if (before && before["type"] === "text" && asText(before["text"]) !== undefined)
			made[made.length - 1] = { type: "text", text: asText(before["text"]) + text.replaceAll(/\s/g, "") };
		else made.push({ type: "text", text: text.replaceAll(/\s/g, "") });
	}
	return made;
};

/** What a part carries beside what it says: marks, citations, and what only its maker can read. */
const unsaid = [
	"cache_control",
	"prompt_cache_breakpoint",
	"annotations",
	"logprobs",
	"citations",
	"signature",
	"thoughtSignature",
	"extra_content",
	"encrypted_content",
];

/** Thinking that shows nothing is there for its signature. */
const isShown = (part: WireRecord): boolean =>
	part["type"] !== "redacted_thinking" &&
	part["thinking"] !== "" &&
	!(part["thought"] === true && part["text"] === "") &&
	!(part["type"] === "reasoning" && asList(part["summary"]).length + asList(part["content"]).length === 0);

const partsOf = (content: unknown): readonly WireRecord[] =>
	joined(
		(typeof content === "string" ? [{ type: "text", text: content }] : asList(content).map(asRecord))
			.map((part) => {
				const rest = without(part, ...unsaid);
				const type = asText(rest["type"]);
				return type === "input_text" || type === "output_text" ? { ...rest, type: "text" } : rest;
			})
			.filter(isShown),
	);

/** Turns of one role that follow each other are one turn. */
const merged = (turns: readonly WireRecord[], field: string): readonly WireRecord[] => {
	const made: WireRecord[] = [];
	for (const turn of turns) {
		const before = made.at(-1);
		const same = before && Object.keys(turn).length === 2 && before["role"] === turn["role"];
		if (same && Object.keys(before).length === 2)
			made[made.length - 1] = {
				...turn,
				[field]: joined([...asList(before[field]), ...asList(turn[field])].map(asRecord)),
			};
		else made.push(turn);
	}
	return made;
};

const role = (given: unknown): unknown => (given === "developer" ? "system" : given);

const argumentsOf = (text: unknown): unknown => (typeof text === "string" ? (parseJson(text) ?? text) : text);

/** Dialects have several names for reasoning, and for its signature. */
const reasoningFields = ["reasoning", "reasoning_content", "reasoning_details", "reasoning_signature"];

const chatMessage = (message: WireRecord): WireRecord => {
	const calls = asList(message["tool_calls"]).map((call) => {
		const { function: named, ...rest } = asRecord(call);
		const kept = without(rest, ...unsaid);
		return isRecord(named) ? { ...kept, ...named, arguments: argumentsOf(named["arguments"]) } : kept;
	});
	const thinking = asText(message["reasoning_content"]) ?? asText(message["reasoning"]);
	const parts = partsOf(message["content"]);
	const rest = without(message, "content", "tool_calls", ...unsaid, ...reasoningFields);
	return {
		...rest,
		role: role(message["role"]),
		...(thinking && { thinking: thinking.replaceAll(/\s/g, "") }),
		...(parts.length > 0 && { content: parts }),
		...(calls.length > 0 && { tool_calls: calls }),
	};
};

/** A tool's schema in lower-case types, without what says nothing. */
const schemaOf = (schema: unknown): unknown => {
	if (Array.isArray(schema)) return schema.map(schemaOf);
	if (!isRecord(schema)) return schema;
	return Object.fromEntries(
		Object.entries(schema).map(([key, value]) => [
			key,
			key === "type" && typeof value === "string" ? value.toLowerCase() : schemaOf(value),
		]),
	);
};

const toolOf = (tool: WireRecord, schemaKey: string): WireRecord => {
	const { [schemaKey]: schema, strict, cache_control: _, ...rest } = tool;
	return { ...rest, ...(strict === true && { strict }), ...(isRecord(schema) && { schema: schemaOf(schema) }) };
};

const listOf = (value: unknown): readonly unknown[] => (typeof value === "string" ? [value] : asList(value));

const requests: Readonly<Record<ProtocolName, (request: WireRecord) => WireRecord>> = {
	"chat-completions": ({ messages, tools, stop, max_tokens, max_completion_tokens, ...rest }) => ({
		...withoutDefaults(rest),
		messages: merged(asList(messages).map(asRecord).map(chatMessage), "content"),
		tools: asList(tools)
			.map(asRecord)
			.map(({ function: named, ...tool }) => (isRecord(named) ? toolOf(named, "parameters") : tool)),
		stop: listOf(stop),
		max: max_completion_tokens ?? max_tokens,
	}),
	responses: ({ instructions, input, tools, text, ...rest }) => ({
		...without(withoutDefaults(rest), "store", "include"),
		input: merged(
			[
				...(instructions === undefined ? [] : [{ role: "system", content: instructions }]),
				...(typeof input === "string" ? [{ role: "user", content: input }] : asList(input).map(asRecord)),
			]
				.map(inputItem)
				.filter(isShown),
			"content",
		),
		tools: asList(tools)
			.map(asRecord)
			.map((tool) => toolOf(tool, "parameters")),
		text: isRecord(text) && asRecord(text["format"])["type"] === "text" ? without(text, "format") : text,
	}),
	messages: ({ system, messages, tools, tool_choice, ...rest }) => ({
		...without(rest, "cache_control"),
		system: partsOf(system),
		messages: merged(asList(messages).map(asRecord).map(messageTurn), "content"),
		tools: asList(tools)
			.map(asRecord)
			.map((tool) => toolOf(without(tool, ...(tool["type"] === "custom" ? ["type"] : [])), "input_schema")),
		tool_choice: asRecord(tool_choice)["type"] === "auto" ? without(asRecord(tool_choice), "type") : tool_choice,
	}),
	"generate-content": ({ contents, systemInstruction, tools, generationConfig, ...rest }) => ({
		...rest,
		systemInstruction: geminiParts(asRecord(systemInstruction)["parts"]),
		contents: merged(
			asList(contents)
				.map(asRecord)
				.map((content) => ({ role: content["role"] ?? "user", parts: geminiParts(content["parts"]) })),
			"parts",
		),
		functions: asList(tools)
			.flatMap((tool) => asList(asRecord(tool)["functionDeclarations"]))
			.map(asRecord)
			.map(({ parameters, parametersJsonSchema, ...tool }) =>
				toolOf({ ...tool, schema: parametersJsonSchema ?? parameters }, "schema"),
			),
		hosted: Object.fromEntries(
			asList(tools).flatMap((tool) => Object.entries(asRecord(tool)).filter(([key]) => key !== "functionDeclarations")),
		),
		generationConfig: geminiConfig(asRecord(generationConfig)),
	}),
};

const withoutDefaults = ({ tool_choice, parallel_tool_calls, ...rest }: WireRecord): WireRecord => ({
	...rest,
	...(tool_choice !== "auto" && { tool_choice }),
	...(parallel_tool_calls !== true && { parallel_tool_calls }),
});

const inputItem = (item: WireRecord): WireRecord => {
	const rest = without(item, "id", "status", "content", "arguments", "output", ...unsaid);
	if (item["role"] !== undefined)
		return { ...without(rest, "type"), role: role(item["role"]), content: partsOf(item["content"]) };
	return {
		...rest,
		...("content" in item && { content: item["content"] }),
		...("arguments" in item && { arguments: argumentsOf(item["arguments"]) }),
		...("output" in item && { output: partsOf(item["output"]) }),
	};
};

const messageTurn = ({ role: who, content }: WireRecord): WireRecord => ({
	role: who,
	content: partsOf(content).map((block) =>
		block["type"] === "tool_result"
			? {
					...without(block, "is_error"),
					content: partsOf(block["content"]),
					...(block["is_error"] === true && { is_error: true }),
				}
			: without(block, "caller"),
	),
});

const geminiParts = (parts: unknown): readonly WireRecord[] =>
	joined(
		asList(parts)
			.map(asRecord)
			.filter(isShown)
			.map((part) => {
				const made = without(part, "functionCall", "functionResponse", ...unsaid);
				const call = part["functionCall"];
				const result = part["functionResponse"];
				return {
					...made,
					...(isRecord(call) && { functionCall: without(call, "id") }),
					...(isRecord(result) && { functionResponse: without(result, "id") }),
					...(typeof made["text"] === "string" && made["thought"] === undefined && { type: "text" }),
				};
			}),
	);

const geminiConfig = ({ responseSchema, responseJsonSchema, ...config }: WireRecord): WireRecord => ({
	...config,
	schema: schemaOf(responseJsonSchema ?? responseSchema),
});

const answers: Readonly<Record<ProtocolName, (answer: WireRecord) => WireRecord>> = {
	"chat-completions": ({ choices, usage }) => ({
		choices: asList(choices)
			.map(asRecord)
			.map(({ finish_reason, message }) => ({ finish_reason, message: chatMessage(asRecord(message)) })),
		usage: counts(usage),
	}),
	responses: ({ output, status, incomplete_details, usage }) => ({
		status,
		incomplete_details,
		output: asList(output).map(asRecord).map(inputItem).filter(isShown),
		usage: counts(usage),
	}),
	messages: ({ content, stop_reason, stop_sequence, usage }) => ({
		content: asList(messageTurn({ role: "", content })["content"]),
		stop_reason,
		stop_sequence,
		usage: counts(without(asRecord(usage), "service_tier", "inference_geo")),
	}),
	"generate-content": ({ candidates, usageMetadata }) => ({
		candidates: asList(candidates)
			.map(asRecord)
			.map(({ content, finishReason }) => ({ finishReason, parts: geminiParts(asRecord(content)["parts"]) })),
		usageMetadata: counts(usageMetadata),
	}),
};

/** Counts of nothing are not counts. */
const counts = (usage: unknown): WireRecord => {
	const kept: Record<string, unknown> = {};
	for (const [key, value] of Object.entries(asRecord(usage))) {
		const inner = isRecord(value) ? counts(value) : undefined;
		if (inner && Object.keys(inner).length > 0) kept[key] = inner;
		else if (typeof value === "number" && value > 0) kept[key] = value;
	}
	return kept;
};
