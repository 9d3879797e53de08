/** A Gemini client's tools and tool config as neutral tools and choice. */
import {
	asList,
	asRecord,
	asText,
	definedOnly,
	type FunctionTool,
	type HostedTool,
	isRecord,
	lookup,
	placed,
	type ServerTool,
	type Tool,
	type ToolChoice,
	type WireRecord,
} from "#core";
import { modeWord } from "../enum-words.ts";
import { field, listField, otherFields, recordField } from "../fields.ts";
import { bagOf, geminiOrigin } from "../signatures.ts";
import { toJsonSchema } from "./openapi-schema.ts";

/** Tools that Google runs itself, by their field. */
const hosted = lookup<ServerTool>({
	googleSearch: "web_search",
	googleSearchRetrieval: "web_search",
	enterpriseWebSearch: "web_search",
	urlContext: "web_fetch",
	codeExecution: "code_execution",
	googleMaps: "maps",
	fileSearch: "file_search",
	computerUse: "computer",
	mcpServers: "mcp",
});

const declarationFields = new Set(["name", "description", "parameters", "parametersJsonSchema"]);

const decodeFunction = (declaration: WireRecord): FunctionTool => {
	const jsonSchema = field(declaration, "parametersJsonSchema");
	const parameters = field(declaration, "parameters");
	const schema = isRecord(jsonSchema) ? jsonSchema : toJsonSchema(parameters);
	return {
		type: "function",
		name: asText(declaration["name"]) ?? "",
		...definedOnly({ description: asText(declaration["description"]) }),
		schema: Object.keys(schema).length === 0 ? { type: "object", properties: {} } : schema,
		...bagOf(otherFields(declaration, declarationFields)),
	};
};

const decodeHosted = (vendorType: string, tool: ServerTool, config: unknown): HostedTool => {
	const excluded = asList(field(asRecord(config), "excludeDomains")).filter((domain) => typeof domain === "string");
	return {
		type: "server",
		tool,
		vendorType,
		name: tool,
		config: excluded.length > 0 ? { blockedDomains: excluded } : {},
		origin: geminiOrigin,
		...bagOf({ [vendorType]: config }),
	};
};

const decodeTool = (tool: WireRecord, at: string, strict: boolean): readonly Tool[] => {
	const tools: Tool[] = listField(tool, "functionDeclarations").map((entry, index) =>
		placed({ ...decodeFunction(asRecord(entry)), ...(strict && { strict }) }, `${at}.functionDeclarations[${index}]`),
	);
	const others = otherFields(tool, new Set(["functionDeclarations"])) ?? {};
	for (const [name, config] of Object.entries(others)) {
		const kind = hosted[name];
		const other: Tool = kind
			? decodeHosted(name, kind, config)
			: { type: "unknown", origin: geminiOrigin, raw: { [name]: config } };
		tools.push(placed(other, `${at}.${name}`));
	}
	return tools;
};

/** All tools of a request, each function by itself; undefined when there are none. `strict`: calls keep to their schemas. */
export const decodeTools = (body: WireRecord, strict: boolean): readonly Tool[] | undefined => {
	const tools = listField(body, "tools").flatMap((tool, index) =>
		isRecord(tool) ? decodeTool(tool, `tools[${index}]`, strict) : [],
	);
	return tools.length > 0 ? tools : undefined;
};

/** `validated`: calls keep to the schemas of their functions, as strict ones do elsewhere. */
interface ToolConfig {
	readonly toolChoice?: ToolChoice;
	readonly validated: boolean;
	/** What only Gemini understands. */
	readonly rest?: WireRecord;
}

export const decodeToolConfig = (body: WireRecord): ToolConfig => {
	const config = recordField(body, "toolConfig");
	const calling = recordField(config, "functionCallingConfig");
	const mode = modeWord(calling["mode"]);
	const names = asList(field(calling, "allowedFunctionNames")).filter((name) => typeof name === "string");
	return {
		validated: mode === "VALIDATED",
		...definedOnly({
			toolChoice: choiceOf(mode, names),
			rest: otherFields(config, new Set(["functionCallingConfig"])),
		}),
	};
};

/**
 * Names that the model may but need not call say nothing of Google's own tools, which it may use beside them. Elsewhere a
 * choice among some tools is one among all, so those tools are named too.
 */
export const withHosted = (
	choice: ToolChoice | undefined,
	tools: readonly Tool[] | undefined,
): ToolChoice | undefined => {
	if (choice?.mode !== "named") return choice;
	const beside = tools?.flatMap((tool) => (tool.type === "server" ? tool.vendorType : [])) ?? [];
	if (beside.length === 0) return choice;
	if (choice.force) return { ...choice, leavesHosted: true };
	return { mode: "named", names: [...choice.names, ...beside], force: false };
};

const choiceOf = (mode: string | undefined, names: readonly string[]): ToolChoice | undefined => {
	if (mode === "NONE") return { mode: "none" };
	const forced = mode === "ANY";
	if (names.length > 0) return { mode: "named", names, force: forced, kind: "function" };
	if (forced) return { mode: "required" };
	return mode === "AUTO" || mode === "VALIDATED" ? { mode: "auto" } : undefined;
};
