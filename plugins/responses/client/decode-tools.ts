/** Tools and the choice among them. */
import {
	asBoolean,
	asList,
	asRecord,
	asText,
	type CustomTool,
	definedOnly,
	type FunctionTool,
	flatName,
	type HostedTool,
	isRecord,
	type Origin,
	placed,
	refuseField,
	type ServerTool,
	type Tool,
	type ToolChoice,
	type WireRecord,
} from "#core";
import { strictForm } from "../../chat-completions/service.ts";
import { clientTool } from "../client-tools.ts";
import { namespaceIn } from "../namespaces.ts";
import { ownBag } from "../origin.ts";

const nameOf = ({ name }: WireRecord, at: string): string => {
	if (typeof name === "string" && name !== "") return name;
	throw refuseField(`${at}.name`, name, "every tool needs a name.");
};

const functionOf = (tool: WireRecord, at: string, namespace: string | undefined): FunctionTool => {
	const schema = tool["parameters"] ?? { type: "object", properties: {} };
	const said = asBoolean(tool["strict"]);
	const strict = said === undefined ? strictForm(schema) : undefined;
	const { type: _type, name: _name, description, parameters: _schema, strict: _strict, ...rest } = tool;
	return {
		type: "function",
		name: flatName(nameOf(tool, at), namespace),
		schema: strict ?? schema,
		...definedOnly({ description: asText(description), strict: said ?? (strict === undefined ? undefined : true) }),
		...(Object.keys(rest).length > 0 && { extras: ownBag(rest) }),
	};
};

const hosted: readonly (readonly [RegExp, ServerTool])[] = [
	[/^web_search/, "web_search"],
	[/^file_search$/, "file_search"],
	[/^code_interpreter$/, "code_execution"],
	[/^image_generation$/, "image_generation"],
	[/^computer/, "computer"],
	[/^(?:local_)?shell$/, "shell"],
	[/^mcp$/, "mcp"],
	[/^tool_search$/, "tool_search"],
];

const listOf = (value: unknown): readonly unknown[] | undefined =>
	Array.isArray(value) && value.length > 0 ? value : undefined;

/** A web search's settings in neutral words. */
const searchConfig = (tool: WireRecord): WireRecord => {
	const filters = asRecord(tool["filters"]);
	return definedOnly({
		allowedDomains: listOf(filters["allowed_domains"]),
		blockedDomains: listOf(filters["blocked_domains"]),
		userLocation: isRecord(tool["user_location"]) ? tool["user_location"] : undefined,
		contextSize: asText(tool["search_context_size"]),
	});
};

const hostedOf = (tool: WireRecord, type: string, origin: Origin): HostedTool | undefined => {
	const sort = hosted.find(([pattern]) => pattern.test(type))?.[1];
	if (sort === undefined) return undefined;
	return {
		type: "server",
		tool: sort,
		vendorType: type,
		name: sort,
		config: sort === "web_search" ? searchConfig(tool) : {},
		origin,
		extras: ownBag(tool),
	};
};

const customOf = (tool: WireRecord, at: string, namespace: string | undefined): CustomTool => {
	const { type: _type, name: _name, description, format, ...rest } = tool;
	return {
		type: "custom",
		name: flatName(nameOf(tool, at), namespace),
		...definedOnly({ description: asText(description), format: format ?? undefined }),
		...(Object.keys(rest).length > 0 && { extras: ownBag(rest) }),
	};
};

const decodeTool = (tool: WireRecord, origin: Origin, at: string, namespace?: string): readonly Tool[] => {
	const type = asText(tool["type"]) ?? "";
	switch (type) {
		case "function":
			return [placed(functionOf(isRecord(tool["function"]) ? tool["function"] : tool, at, namespace), at)];
		case "custom":
			return [placed(customOf(tool, at, namespace), at)];
		case "namespace":
			return within(tool, origin, at);
		default:
			return [placed(clientTool(tool) ?? hostedOf(tool, type, origin) ?? { type: "unknown", origin, raw: tool }, at)];
	}
};

const within = (tool: WireRecord, origin: Origin, at: string): readonly Tool[] => {
	const name = namespaceIn(tool, at);
	return asList(tool["tools"]).flatMap((inner, index) =>
		isRecord(inner) ? decodeTool(inner, origin, `${at}.tools[${index}]`, name) : [],
	);
};

/** A tool that the conversation brought along, and where it stood there. */
export interface BroughtTool {
	readonly tool: unknown;
	readonly at: string;
}

/** The tools of a request, and those its conversation brought along where they are not among them already. */
export const decodeTools = (tools: unknown, brought: readonly BroughtTool[], origin: Origin): readonly Tool[] => {
	const decoded = asList(tools).flatMap((tool, index) =>
		isRecord(tool) ? decodeTool(tool, origin, `tools[${index}]`) : [],
	);
	if (brought.length === 0) return decoded;
	const known = new Set(decoded.flatMap((tool) => ("name" in tool ? tool.name : [])));
	const more = brought.flatMap(({ tool, at }) => (isRecord(tool) ? decodeTool(tool, origin, at) : []));
	return [...decoded, ...more.filter((tool) => !("name" in tool) || (!known.has(tool.name) && known.add(tool.name)))];
};

/** The name by which an entry of a choice names a tool. */
const chosenName = (entry: WireRecord): string | undefined => {
	const name = asText(entry["name"]) ?? asText(asRecord(entry["function"])["name"]);
	return name === undefined ? asText(entry["type"]) : flatName(name, asText(entry["namespace"]));
};

const kindOf = (type: unknown): "function" | "custom" | "server" => {
	if (type === "function" || type === "custom") return type;
	return type === "shell" || type === "local_shell" || type === "apply_patch" ? "function" : "server";
};

/** The choice among tools; undefined for none, or for one that is not understood. */
export const decodeToolChoice = (choice: unknown): ToolChoice | undefined => {
	if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
	if (!isRecord(choice)) return undefined;
	if (choice["type"] === "allowed_tools") {
		const allowed = asList(choice["tools"]).map(asRecord);
		const names = allowed.flatMap((entry) => chosenName(entry) ?? []);
		const kinds = new Set(allowed.map((entry) => kindOf(entry["type"])));
		const [kind] = kinds;
		return {
			mode: "named",
			names,
			force: choice["mode"] === "required",
			...(kinds.size === 1 && kind !== undefined && { kind }),
		};
	}
	const name = chosenName(choice);
	return name === undefined ? undefined : { mode: "named", names: [name], force: true, kind: kindOf(choice["type"]) };
};
