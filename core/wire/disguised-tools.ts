/** Tools that run at the upstream, though they are offered as functions: gateways before Gemini know them by a name or a field. */
import { asRecord, asText, type WireRecord } from "../neutral/json.ts";
import type { BoundReader } from "./request-bound.ts";

/** New API, and what was made of it, takes functions called so for Gemini's own tools, whichever protocol they came by. */
const functionNames: ReadonlySet<string> = new Set(["googleSearch", "codeExecution", "urlContext"]);

/** LiteLLM takes a tool with such a field for one of Gemini's, whatever else it says that it is. */
const geminiField = /search|maps|retriev|code_?execution|url_?context|computer_?use/i;
const usualFields: ReadonlySet<string> = new Set("type function name description parameters strict".split(" "));

const readKind = (reader: BoundReader, kind: string): void => {
	if (/search|maps/i.test(kind)) reader.hosted("webSearches");
	else reader.hosted(/retriev/i.test(kind) ? "fileSearches" : undefined);
};

/** Of a function that is called like one of those tools. */
export const readFunctionName = (reader: BoundReader, name: unknown): void => {
	if (functionNames.has(asText(name) ?? "")) readKind(reader, String(name));
};

/** Of a tool that says it is the client's own. */
export const readDisguised = (reader: BoundReader, tool: WireRecord): void => {
	readFunctionName(reader, tool["name"]);
	readFunctionName(reader, asRecord(tool["function"])["name"]);
	for (const field in tool) if (!usualFields.has(field) && geminiField.test(field)) readKind(reader, field);
};
