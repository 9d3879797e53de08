/** Neutral tools and tool choice as Gemini's `tools` and `toolConfig`. */
import {
	asRecord,
	asText,
	type CustomTool,
	definedOnly,
	type EncodeContext,
	type FunctionTool,
	flatName,
	type HostedTool,
	type Losses,
	type NeutralRequest,
	type SearchSetting,
	type ServerTool,
	type Tool,
	type ToolNames,
	type WireRecord,
} from "#core";
import { recordField } from "../fields.ts";
import { protocolName } from "../name.ts";
import { ownExtras } from "../signatures.ts";
import { fittedParameters, unsaid } from "./json-schema.ts";

const declare = (tool: FunctionTool, names: ToolNames, losses: Losses): WireRecord => {
	const { schema, lost } = fittedParameters(tool.schema);
	if (lost.length > 0) losses.node(tool, unsaid(lost), "schema");
	return {
		...ownExtras(tool.extras),
		name: names.upstream(tool.name, tool.namespace),
		...definedOnly({ description: tool.description }),
		parametersJsonSchema: schema,
	};
};

/** A tool that takes free text, as a function with one text. A grammar cannot be enforced: the model is told it. */
const customParameters = (tool: CustomTool, losses: Losses): WireRecord => {
	const { type, definition } = asRecord(tool.format);
	let description = "The input of the tool, as plain text.";
	if (type === "grammar") {
		losses.node(tool, "Gemini is told the grammar, but does not hold the model to it", "grammar");
		description += ` It must conform to this grammar:\n${asText(definition)}`;
	}
	return { type: "object", properties: { input: { type: "string", description } }, required: ["input"] };
};

/** The tool of Google's that does what another's does. */
const counterparts: Partial<Record<ServerTool, string>> = {
	web_search: "googleSearch",
	web_fetch: "urlContext",
	code_execution: "codeExecution",
	maps: "googleMaps",
};

const reasonOf = (tool: HostedTool): string => `Gemini has no counterpart of "${tool.vendorType}"`;

const encodeHosted = (tool: HostedTool, losses: Losses): WireRecord | undefined => {
	if (tool.origin.protocol === protocolName) return ownExtras(tool.extras);
	const name = counterparts[tool.tool];
	if (name === undefined) {
		losses.node(tool, reasonOf(tool));
		return undefined;
	}
	for (const setting of Object.keys(tool.config) as SearchSetting[])
		losses.node(tool, "Gemini's tool has no such setting", setting);
	return { [name]: {} };
};

interface Sorted {
	readonly declarations: WireRecord[];
	readonly hosted: WireRecord[];
}

const sort = (tools: readonly Tool[], names: ToolNames, losses: Losses): Sorted => {
	const sorted: Sorted = { declarations: [], hosted: [] };
	for (const tool of tools) {
		if (tool.type === "function") sorted.declarations.push(declare(tool, names, losses));
		else if (tool.type === "custom") {
			const { description } = tool;
			const name = names.upstream(tool.name);
			sorted.declarations.push({
				name,
				...definedOnly({ description }),
				parametersJsonSchema: customParameters(tool, losses),
			});
		} else if (tool.type === "server") {
			const hosted = encodeHosted(tool, losses);
			if (hosted) sorted.hosted.push(hosted);
		} else if (tool.origin.protocol === protocolName) sorted.hosted.push(tool.raw as WireRecord);
		else losses.node(tool, "this tool is unknown");
	}
	return sorted;
};

/** One entry for each of Google's tools: naming one twice is refused. */
const distinct = (hosted: readonly WireRecord[]): readonly WireRecord[] => {
	const seen = new Set<string>();
	return hosted.filter((entry) => {
		const name = Object.keys(entry).join();
		return !seen.has(name) && seen.add(name);
	});
};

/** Whether it is a tool of the upstream's own of such a name. */
const isNamed = (tool: Tool, names: ReadonlySet<string>): boolean =>
	tool.type === "server" && (names.has(tool.name) || names.has(tool.vendorType));

/** The functions that a choice names: Gemini is told of no other tools by name. Undefined when it names none. */
const chosenFunctions = ({ toolChoice: choice, tools = [] }: NeutralRequest): readonly string[] | undefined => {
	if (choice?.mode !== "named" || choice.kind === "server") return undefined;
	const hosted = new Set(tools.flatMap((tool) => (tool.type === "server" ? [tool.name, tool.vendorType] : [])));
	const chosen = choice.names.filter((name) => !hosted.has(name));
	return chosen.length > 0 ? chosen : undefined;
};

/** The tools of Google's that a choice leaves. In Gemini's own form it says nothing of them. */
const chosenHosted = ({ protocol, toolChoice: choice, tools = [] }: NeutralRequest): readonly Tool[] => {
	if (protocol === protocolName || choice?.mode !== "named" || choice.force) return tools;
	const names = new Set(choice.names);
	return tools.filter((tool) => tool.type !== "server" || isNamed(tool, names));
};

const modeOf = (
	{ toolChoice: choice, tools = [] }: NeutralRequest,
	chosen: readonly string[] | undefined,
): "AUTO" | "ANY" | "NONE" | "VALIDATED" => {
	if (choice?.mode === "none") return "NONE";
	if (choice?.mode === "required") return "ANY";
	if (choice?.mode === "named" && chosen) return choice.force ? "ANY" : "VALIDATED";
	return tools.some((tool) => tool.type === "function" && tool.strict === true) ? "VALIDATED" : "AUTO";
};

/** The names to send for those of functions: the first of a name is meant, whatever its namespace. */
const sentNames = (chosen: readonly string[], tools: readonly Tool[], names: ToolNames): readonly string[] => {
	const flat = new Map<string, string>();
	for (const tool of tools)
		if (tool.type === "function" && !flat.has(tool.name)) flat.set(tool.name, flatName(tool.name, tool.namespace));
	return chosen.map((wanted) => names.upstream(flat.get(wanted) ?? wanted));
};

const namesHosted = (given: readonly string[], tools: readonly Tool[]): boolean => {
	const names = new Set(given);
	return tools.some((tool) => isNamed(tool, names));
};

/** True for a choice that forces a tool of Google's, alone or among functions. */
const forcesHosted = ({ toolChoice: choice, tools = [] }: NeutralRequest): boolean =>
	choice?.mode === "named" && (choice.kind === "server" || (choice.force && namesHosted(choice.names, tools)));

const callingConfig = (request: NeutralRequest, names: ToolNames): WireRecord | undefined => {
	const chosen = chosenFunctions(request);
	const mode = modeOf(request, chosen);
	if (mode === "AUTO" && request.toolChoice === undefined) return undefined;
	return { mode, ...definedOnly({ allowedFunctionNames: chosen && sentNames(chosen, request.tools ?? [], names) }) };
};

const loseHosted = ({ tools = [] }: NeutralRequest, losses: Losses): void => {
	for (const tool of tools)
		if (tool.type === "server") losses.node(tool, "the model takes no tools of Google's beside functions");
};

/** `tools` and `toolConfig`; absent without tools. */
export const encodeTools = (
	request: NeutralRequest,
	context: EncodeContext,
	names: ToolNames,
	losses: Losses,
): { readonly tools?: readonly WireRecord[]; readonly toolConfig?: WireRecord } => {
	const { declarations, hosted: all } = sort(chosenHosted(request), names, losses);
	const mixed = request.protocol !== protocolName && declarations.length > 0 && all.length > 0;
	const mayMix = context.capabilities.mixServerAndFunctionTools === true;
	if (mixed && !mayMix) loseHosted(request, losses);
	const hosted = mixed && !mayMix ? [] : distinct(all);
	if (forcesHosted(request)) losses.setting("toolChoice", "Gemini can only be made to call functions");
	const tools = [...hosted, ...(declarations.length > 0 ? [{ functionDeclarations: declarations }] : [])];
	if (tools.length === 0) return {};
	const own = recordField(ownExtras(request.extras), "toolConfig");
	const toolConfig = {
		...own,
		...(mixed && mayMix && { includeServerSideToolInvocations: true }),
		...definedOnly({
			functionCallingConfig: declarations.length > 0 ? callingConfig(request, names) : undefined,
		}),
	};
	return { tools, ...(Object.keys(toolConfig).length > 0 && { toolConfig }) };
};
