/** Tools and the choice among them, for an upstream. */
import {
	asRecord,
	asText,
	type CustomTool,
	definedOnly,
	type FunctionTool,
	flatName,
	type HostedTool,
	isRecord,
	type Tool,
	type ToolChoice,
	type ToolNames,
	type WireRecord,
} from "#core";
import { protocolName } from "../name.ts";
import { functionSchema } from "../openai.ts";
import { strictness } from "./encode-format.ts";
import { ownExtras, type Writing } from "./target.ts";

/** True when custom tools are sent as such; other upstreams get a function with one text argument. */
export const takesCustomTools = ({ sameProtocol, context }: Writing): boolean =>
	sameProtocol || context.capabilities.customTools === true;

const emptySchema = { type: "object", properties: {} };

const functionTool = (tool: FunctionTool, names: ToolNames, writing: Writing): WireRecord => {
	const schema = writing.sameProtocol ? tool.schema : functionSchema(tool, writing);
	const { strictTools } = writing.context.capabilities;
	const strict = strictTools === false ? undefined : strictness(tool.strict, schema, writing, tool);
	return {
		type: "function",
		function: definedOnly({
			name: names.upstream(tool.name, tool.namespace),
			description: tool.description,
			parameters: isRecord(schema) ? schema : emptySchema,
			strict,
		}),
		...ownExtras(tool),
	};
};

const grammarOf = (format: unknown): unknown => {
	const { type, syntax, definition } = asRecord(format);
	return type === "grammar" ? { type, grammar: { syntax, definition } } : format;
};

const described = (tool: CustomTool): string => {
	const { type, syntax, definition } = asRecord(tool.format);
	const grammar =
		type === "grammar" ? `The input must follow this ${asText(syntax)} grammar:\n${asText(definition)}` : "";
	return [tool.description ?? "", grammar].filter((text) => text !== "").join("\n\n");
};

const customTool = (tool: CustomTool, names: ToolNames, writing: Writing): WireRecord => {
	const name = names.upstream(tool.name);
	if (takesCustomTools(writing))
		return {
			type: "custom",
			custom: definedOnly({ name, description: tool.description, format: grammarOf(tool.format) }),
		};
	if (asRecord(tool.format)["type"] === "grammar")
		writing.losses.node(tool, "the upstream is told the grammar, but does not hold the model to it", "grammar");
	const input = { type: "string", description: "The whole input of the tool, as plain text." };
	const parameters = { type: "object", properties: { input }, required: ["input"], additionalProperties: false };
	return { type: "function", function: { name, description: described(tool), parameters } };
};

const encodeTool = (tool: Tool, names: ToolNames, writing: Writing): WireRecord[] => {
	switch (tool.type) {
		case "function":
			return [functionTool(tool, names, writing)];
		case "custom":
			return [customTool(tool, names, writing)];
		case "server":
			if (!isSearch(tool, writing)) writing.losses.node(tool, `the upstream has no built-in tool "${tool.vendorType}"`);
			return [];
		case "unknown":
			if (tool.origin.protocol === protocolName && isRecord(tool.raw)) return [tool.raw];
			writing.losses.node(tool, "the upstream does not know this kind of tool");
			return [];
	}
};

/** Search is an option of OpenAI's search models; others refuse it. */
const isSearch = (tool: HostedTool, { sameProtocol, context }: Writing): boolean =>
	tool.tool === "web_search" && (sameProtocol || Boolean(context.capabilities.searches));

const searchOptions = (writing: Writing): WireRecord => {
	const tool = writing.request.tools?.find((one) => one.type === "server" && isSearch(one, writing));
	if (tool?.type !== "server") return {};
	const { userLocation, contextSize } = tool.config;
	const given = asRecord(userLocation);
	const { city, country, region, timezone } = isRecord(given["approximate"]) ? given["approximate"] : given;
	const approximate = definedOnly({ city, country, region, timezone });
	const location = Object.keys(approximate).length === 0 ? undefined : { type: "approximate", approximate };
	return { web_search_options: definedOnly({ search_context_size: contextSize, user_location: location }) };
};

/** What the tools of a request are called: gathered once, for a choice may name as many as there are. */
class CalledTools {
	private readonly builtIn = new Set<string>();
	private readonly own = new Set<string>();
	private readonly custom = new Set<string>();
	private readonly names: ToolNames;

	constructor(names: ToolNames, writing: Writing) {
		this.names = names;
		for (const tool of writing.request.tools ?? []) {
			if (tool.type === "server") this.builtIn.add(tool.name).add(tool.vendorType);
			else if (tool.type !== "unknown") this.own.add(flat(tool));
			if (tool.type === "custom" && takesCustomTools(writing)) this.custom.add(tool.name);
		}
	}

	isBuiltIn(name: string): boolean {
		return this.builtIn.has(name) && !this.own.has(name);
	}

	entry(name: string): WireRecord {
		const sent = { name: this.names.upstream(name) };
		return this.custom.has(name) ? { type: "custom", custom: sent } : { type: "function", function: sent };
	}
}

const encodeChoice = (choice: ToolChoice, names: ToolNames, writing: Writing): unknown => {
	if (choice.mode !== "named") return choice.mode;
	if (choice.kind === "server") {
		writing.losses.setting("toolChoice", "the upstream cannot be made to use a built-in tool");
		return "auto";
	}
	const [only] = choice.names;
	const called = new CalledTools(names, writing);
	if (choice.force && choice.names.length === 1 && only !== undefined) return called.entry(only);
	const mode = choice.force ? "required" : "auto";
	if (!writing.openai && !writing.sameProtocol) return mode;
	// Built-in tools are not in the list that is sent, so they cannot be chosen from it.
	const callable = choice.names.filter((name) => !called.isBuiltIn(name));
	const tools = callable.map((name) => called.entry(name));
	return tools.length === 0 ? "none" : { type: "allowed_tools", allowed_tools: { mode, tools } };
};

/** Upstreams without `allowed_tools` are given the allowed tools only. */
const offered = ({ request, openai, sameProtocol }: Writing): readonly Tool[] => {
	const { tools = [], toolChoice } = request;
	if (openai || sameProtocol || toolChoice?.mode !== "named") return tools;
	// Nobody can be made to use a built-in tool here, so the others stay to be chosen from.
	if (toolChoice.kind === "server") return tools;
	const names = new Set(toolChoice.names);
	const allowed = tools.filter(
		(tool) => tool.type !== "unknown" && (names.has(tool.name) || tool.type === "server" || names.has(flat(tool))),
	);
	return allowed.length === 0 ? tools : allowed;
};

const flat = (tool: FunctionTool | CustomTool | HostedTool): string =>
	tool.type === "function" ? flatName(tool.name, tool.namespace) : tool.name;

/** `tools`, `tool_choice`, `parallel_tool_calls` and `web_search_options`: those of them that are to be sent. */
export const encodeTools = (names: ToolNames, writing: Writing): WireRecord => {
	const { toolChoice, parallelTools, maxToolCalls } = writing.request;
	if (maxToolCalls !== undefined)
		writing.losses.setting("maxToolCalls", "the upstream cannot limit the number of calls");
	const tools = offered(writing).flatMap((tool) => encodeTool(tool, names, writing));
	const search = searchOptions(writing);
	if (tools.length === 0) return search;
	return {
		tools,
		...search,
		...definedOnly({
			tool_choice: toolChoice === undefined ? undefined : encodeChoice(toolChoice, names, writing),
			parallel_tool_calls: parallelTools,
		}),
	};
};
