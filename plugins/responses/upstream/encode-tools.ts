/** Tools and the choice among them, for an upstream. */
import {
	asRecord,
	asText,
	definedOnly,
	type FunctionTool,
	type HostedTool,
	isRecord,
	type Tool,
	type ToolChoice,
	type WireRecord,
} from "#core";
import { functionSchema } from "../../chat-completions/service.ts";
import { definitionOf } from "../client-tools.ts";
import { protocolName } from "../name.ts";
import { ownFields } from "../origin.ts";
import { strictness } from "./encode-format.ts";
import type { Writing } from "./writing.ts";

/** A function's parameters: an object schema, with the members OpenAI demands of one. */
const parametersOf = (tool: FunctionTool): unknown => {
	const schema = tool.schema;
	if (!isRecord(schema)) return { type: "object", properties: {} };
	const object = schema["type"] === undefined ? { ...schema, type: "object" } : schema;
	return object["type"] === "object" && object["properties"] === undefined ? { ...object, properties: {} } : object;
};

/** `strict` is always said: here its absence means true, elsewhere false. */
const encodeFunction = (tool: FunctionTool, writing: Writing): WireRecord => {
	const definition = definitionOf(tool);
	if (definition !== undefined) return definition;
	const parameters = writing.sameProtocol ? parametersOf(tool) : functionSchema(tool, writing);
	const strict = strictness(tool.strict, parameters, writing, tool);
	return {
		type: "function",
		name: writing.names.upstream(tool.name, tool.namespace),
		...definedOnly({ description: tool.description }),
		parameters,
		strict: strict ?? false,
		...ownFields(tool),
	};
};

const locationOf = (location: unknown): WireRecord | undefined =>
	isRecord(location) ? { ...location, type: "approximate" } : undefined;

const contextSizes = new Set(["low", "medium", "high"]);

const encodeSearch = (tool: HostedTool, { losses }: Writing): WireRecord => {
	const { allowedDomains, blockedDomains, maxUses, userLocation, contextSize } = tool.config;
	if (blockedDomains !== undefined) losses.node(tool, "the upstream only allows domains", "blockedDomains");
	if (maxUses !== undefined) losses.node(tool, "the upstream has no such limit", "maxUses");
	return {
		type: "web_search",
		...definedOnly({
			filters: Array.isArray(allowedDomains) ? { allowed_domains: allowedDomains } : undefined,
			user_location: locationOf(userLocation),
			search_context_size: contextSizes.has(asText(contextSize) ?? "") ? contextSize : undefined,
		}),
	};
};

const encodeHosted = (tool: HostedTool, writing: Writing): readonly WireRecord[] => {
	if (tool.origin.protocol === protocolName) return [{ ...ownFields(tool), type: tool.vendorType }];
	if (tool.tool === "web_search") return [encodeSearch(tool, writing)];
	writing.losses.node(tool, "the upstream has no such tool");
	return [];
};

const encodeTool = (tool: Tool, writing: Writing): readonly WireRecord[] => {
	switch (tool.type) {
		case "function":
			return [encodeFunction(tool, writing)];
		case "custom":
			return [
				{
					type: "custom",
					name: writing.names.upstream(tool.name),
					...definedOnly({ description: tool.description, format: isRecord(tool.format) ? tool.format : undefined }),
					...ownFields(tool),
				},
			];
		case "server":
			return encodeHosted(tool, writing);
		default:
			if (tool.origin.protocol === protocolName) return [asRecord(tool.raw)];
			writing.losses.node(tool, "the upstream has no such tool");
			return [];
	}
};

/** The names of tools that are not told as functions, each with the first tool that has it. */
const othersByName = (tools: readonly Tool[]): ReadonlyMap<string, Tool> => {
	const found = new Map<string, Tool>();
	const add = (name: string, tool: Tool): void => {
		if (!found.has(name)) found.set(name, tool);
	};
	for (const tool of tools) {
		if (tool.type === "custom" || (tool.type === "function" && definitionOf(tool))) add(tool.name, tool);
		if (tool.type !== "server") continue;
		add(tool.name, tool);
		add(tool.vendorType, tool);
	}
	return found;
};

/** A tool as an entry of a list of allowed ones; `tool` is undefined for what is told as a function. */
const entryOf = (name: string, tool: Tool | undefined, { names }: Writing): WireRecord => {
	if (tool?.type === "function") return { type: name };
	if (tool?.type === "server") return { type: tool.origin.protocol === protocolName ? tool.vendorType : tool.tool };
	return { type: tool ? "custom" : "function", name: names.upstream(name) };
};

const keyOf = ({ type, name }: WireRecord): string => JSON.stringify([type, name]);

/** Those of the entries whose tools are sent; one without a name is any of its type. */
const amongSent = (entries: readonly WireRecord[], sent: readonly WireRecord[]): readonly WireRecord[] => {
	const types = new Set(sent.map(({ type }) => type));
	const keys = new Set(sent.map(keyOf));
	return entries.filter((entry) => (entry["name"] === undefined ? types.has(entry["type"]) : keys.has(keyOf(entry))));
};

const encodeChoice = (choice: ToolChoice, sent: readonly WireRecord[], writing: Writing): unknown => {
	if (choice.mode !== "named") return choice.mode;
	const others = othersByName(writing.request.tools ?? []);
	const named = choice.names.map((name) => entryOf(name, others.get(name), writing));
	const tools = writing.sameProtocol ? named : amongSent(named, sent);
	if (tools.length < named.length) writing.losses.setting("toolChoice", "the upstream has not the tool that it names");
	if (tools.length === 0) return "auto";
	const [only] = tools;
	// A single hosted tool has no form of its own that every version takes.
	if (tools.length === 1 && choice.force && only?.["name"] !== undefined) return only;
	return { type: "allowed_tools", mode: choice.force ? "required" : "auto", tools };
};

/** `tools`, `tool_choice` and what belongs to them. */
export const encodeTools = (writing: Writing): WireRecord => {
	const { tools = [], toolChoice, parallelTools, maxToolCalls } = writing.request;
	const encoded = tools.flatMap((tool) => encodeTool(tool, writing));
	if (encoded.length === 0) return {};
	return {
		tools: encoded,
		...definedOnly({
			tool_choice: toolChoice && encodeChoice(toolChoice, encoded, writing),
			parallel_tool_calls: parallelTools,
			max_tool_calls: maxToolCalls,
		}),
	};
};
