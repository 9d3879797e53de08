/** Tools and the choice among them, for an upstream. */
import {
	asText,
	definedOnly,
	type FunctionTool,
	type HostedTool,
	isRecord,
	type ModelCapabilities,
	type NeutralRequest,
	objectSchema,
	type Tool,
	type ToolChoice,
	unforced,
	type WireRecord,
} from "#core";
import { definitionOf } from "../client-tools.ts";
import { cacheMember, type Encoding } from "../encode-content.ts";
import { protocolName } from "../name.ts";
import { webSearchConfig } from "../server-tools.ts";
import { withFittingNames } from "./member-names.ts";
import { closedSchema } from "./schema.ts";
import type { StrictRoom } from "./strict-limits.ts";

/** The version of web search that every model which has one understands. */
const plainWebSearch = "web_search_20250305";

/** Whether the model is held to the schema of a tool of another protocol's; what it is not held to is told. */
const isEnforced = (
	tool: FunctionTool,
	schema: unknown,
	room: StrictRoom | undefined,
	{ losses }: Encoding,
): boolean => {
	if (tool.strict !== true) return false;
	const reason = room === undefined ? "it does not enforce the schemas of tools" : room.take(schema, true);
	if (reason !== undefined)
		losses.node(tool, `the model is not held to the schema of "${tool.name}": ${reason}`, "strict");
	return reason === undefined;
};

const fittedSchema = (schema: WireRecord, enforced: boolean): unknown => {
	const named = withFittingNames(schema);
	return enforced ? closedSchema(named) : named;
};

const encodeFunction = (
	tool: FunctionTool,
	own: boolean,
	room: StrictRoom | undefined,
	encoding: Encoding,
): WireRecord => {
	const definition = definitionOf(tool);
	if (definition !== undefined) return { ...definition, ...cacheMember(tool, encoding) };
	const told = tool.schema;
	const { schema, widened } = own && isRecord(told) ? { schema: told, widened: false } : objectSchema(told);
	if (widened) encoding.losses.node(tool, `the schema of "${tool.name}" had to be widened to an object`);
	const enforced = own ? tool.strict === true : isEnforced(tool, schema, room, encoding);
	return {
		name: encoding.names.upstream(tool.name, tool.namespace),
		...definedOnly({ description: tool.description || undefined }),
		input_schema: own ? schema : fittedSchema(schema, enforced),
		...((enforced || (own && tool.strict !== undefined)) && { strict: tool.strict }),
		...tool.extras?.[protocolName],
		...cacheMember(tool, encoding),
	};
};

const encodeHosted = (tool: HostedTool, encoding: Encoding): WireRecord | undefined => {
	const { losses } = encoding;
	if (tool.origin.protocol === protocolName) {
		return {
			type: tool.vendorType,
			name: tool.name,
			...webSearchConfig(tool.config),
			...tool.extras?.[protocolName],
			...cacheMember(tool, encoding),
		};
	}
	if (tool.tool !== "web_search") {
		losses.node(tool, `the upstream has nothing like "${tool.vendorType}"`);
		return undefined;
	}
	if (tool.config["contextSize"] !== undefined) losses.node(tool, "the upstream has no such setting", "contextSize");
	return { type: plainWebSearch, name: "web_search", ...webSearchConfig(tool.config) };
};

const encodeTool = (
	tool: Tool,
	request: NeutralRequest,
	room: StrictRoom | undefined,
	encoding: Encoding,
): WireRecord | undefined => {
	switch (tool.type) {
		case "function":
			return encodeFunction(tool, request.protocol === protocolName, room, encoding);
		case "custom":
			if (isRecord(tool.format) && tool.format["type"] === "grammar")
				encoding.losses.node(tool, "the upstream is told the grammar, but does not hold the model to it", "grammar");
			return {
				name: encoding.names.upstream(tool.name),
				...definedOnly({ description: tool.description || undefined }),
				input_schema: {
					type: "object",
					properties: { input: { type: "string", description: formatOf(tool.format) } },
					required: ["input"],
				},
			};
		case "server":
			return encodeHosted(tool, encoding);
		case "unknown":
			if (tool.origin.protocol === protocolName && isRecord(tool.raw)) return tool.raw;
			encoding.losses.node(tool, "a tool that only its own provider knows was left out");
			return undefined;
	}
};

/** A grammar cannot be enforced here, so the model is told it. */
const formatOf = (format: unknown): string => {
	const definition = isRecord(format) ? asText(format["definition"]) : undefined;
	return definition === undefined
		? "The tool's input."
		: `The tool's input. It must conform to this grammar:\n${definition}`;
};

/** The tools that may be called: all, or those that the choice names when it names several. */
const chosenTools = ({ tools = [], toolChoice }: NeutralRequest, { losses }: Encoding): readonly Tool[] => {
	if (toolChoice?.mode !== "named" || (toolChoice.names.length === 1 && toolChoice.force)) return tools;
	const names = new Set(toolChoice.names);
	return tools.filter((tool) => {
		if (tool.type === "unknown") return false;
		const isChosen = names.has(tool.name) || names.has(vendorWord(tool));
		// Whoever must call any tool here could call this one, and none of those that are named.
		if (!isChosen && tool.type === "server" && toolChoice.leavesHosted)
			losses.node(tool, "a model that is made to call one of several functions can use no other tool");
		return isChosen;
	});
};

const vendorWord = (tool: Exclude<Tool, { type: "unknown" }>): string =>
	tool.type === "server" ? tool.vendorType : tool.name;

/** The tools; `room`: what the model may be held to, undefined for one that is held to none. */
export const encodeTools = (
	request: NeutralRequest,
	room: StrictRoom | undefined,
	encoding: Encoding,
): readonly WireRecord[] => {
	const encoded: WireRecord[] = [];
	for (const tool of chosenTools(request, encoding)) {
		const written = encodeTool(tool, request, room, encoding);
		if (written) encoded.push(written);
	}
	return encoded;
};

const choiceOf = (choice: ToolChoice, { tools = [], protocol }: NeutralRequest, encoding: Encoding): WireRecord => {
	if (choice.mode !== "named") return { type: choice.mode === "required" ? "any" : choice.mode };
	const [name = "", ...others] = choice.names;
	if (!choice.force) return { type: "auto" };
	if (others.length > 0) return { type: "any" };
	const tool = tools.find((each) => each.type !== "unknown" && (each.name === name || vendorWord(each) === name));
	if (tool?.type === "server") {
		if (tool.origin.protocol === protocolName) return { type: "tool", name: tool.name };
		if (tool.tool === "web_search") return { type: "tool", name: tool.tool };
	}
	// A tool that only its own provider knows was left out, and has no name here.
	if (tool?.type === "server" || (tool === undefined && protocol !== protocolName)) {
		encoding.losses.setting("toolChoice", "the upstream has not the tool that it names");
		return { type: "auto" };
	}
	const namespace = tool?.type === "function" ? tool.namespace : undefined;
	return { type: "tool", name: encoding.names.upstream(name, namespace) };
};

/** Whether the model must call a tool: any, or a certain one. */
export const isForced = (choice: WireRecord | undefined): boolean =>
	choice?.["type"] === "any" || choice?.["type"] === "tool";

/** The choice; undefined when nothing needs to be said. `disable_parallel_tool_use` lives in it and calls for one. */
export const encodeToolChoice = (
	request: NeutralRequest,
	{ forcedCalls }: ModelCapabilities,
	encoding: Encoding,
): WireRecord | undefined => {
	const { toolChoice, parallelTools } = request;
	if (toolChoice === undefined && parallelTools !== false) return undefined;
	const wanted = choiceOf(toolChoice ?? { mode: "auto" }, request, encoding);
	const isRefused = forcedCalls === false && isForced(wanted);
	if (isRefused) encoding.losses.setting("toolChoice", unforced);
	const choice = isRefused ? { type: "auto" } : wanted;
	if (parallelTools !== false || choice["type"] === "none") return choice;
	return { ...choice, disable_parallel_tool_use: true };
};

/** Tools for calls in the history whose definitions are gone: upstreams refuse such calls when no tool is defined. */
export const toolsOfHistory = (
	turns: readonly { readonly content: readonly WireRecord[] }[],
): readonly WireRecord[] => {
	const names = new Set<string>();
	for (const { content } of turns)
		for (const block of content) if (block["type"] === "tool_use") names.add(asText(block["name"]) ?? "");
	return [...names].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
};
