/**
 * Tools that OpenAI defines and the client runs: `shell`, `local_shell`, `apply_patch`, `tool_search`. Models elsewhere are given a
 * function of that name; its calls become the items that the client knows, and the client's items become calls again.
 */
import {
	asList,
	asRecord,
	asText,
	definedOnly,
	type FunctionTool,
	isRecord,
	type Tool,
	type ToolCallBlock,
	type ToolResultBlock,
	type WireRecord,
} from "#core";
import { ownBag, ownFields } from "./origin.ts";
import { isClientSearch, searchBlock, searchFunction, searchItem, toolSearch } from "./tool-search.ts";

interface ClientTool {
	readonly description: string;
	readonly properties: WireRecord;
	readonly required: readonly string[];
	/** The member of a call that holds what is asked. */
	readonly member: "action" | "operation";
	/** What stands in that member where the model said nothing. */
	readonly plain: WireRecord;
	readonly callPrefix: "sh" | "lsh" | "apc";
}

const text = { type: "string" };
const milliseconds = { type: "integer", description: "After so many milliseconds it is stopped." };

const clientTools: Readonly<Record<string, ClientTool>> = {
	shell: {
		description: "Runs commands in a shell and gives what they print.",
		properties: {
			commands: { type: "array", items: text },
			timeout_ms: milliseconds,
			max_output_length: { type: "integer" },
		},
		required: ["commands"],
		member: "action",
		plain: { commands: [] },
		callPrefix: "sh",
	},
	local_shell: {
		description: "Runs one command, given as its words, and gives what it prints.",
		properties: {
			command: { type: "array", items: text },
			working_directory: text,
			user: text,
			env: { type: "object", additionalProperties: text },
			timeout_ms: milliseconds,
		},
		required: ["command"],
		member: "action",
		plain: { type: "exec", command: [], env: {} },
		callPrefix: "lsh",
	},
	apply_patch: {
		description:
			"Creates, changes or deletes one file. `diff` is in the V4A format: lines that begin with a space, + or -.",
		properties: {
			type: { type: "string", enum: ["create_file", "update_file", "delete_file"] },
			path: text,
			diff: { type: "string", description: "For create_file and update_file." },
		},
		required: ["type", "path"],
		member: "operation",
		plain: { type: "update_file", path: "", diff: "" },
		callPrefix: "apc",
	},
};

const known = (name: string): ClientTool | undefined =>
	Object.hasOwn(clientTools, name) ? clientTools[name] : undefined;

/** A shell in a container of OpenAI's: the client has not run it. */
const isHosted = ({ environment }: WireRecord): boolean =>
	isRecord(environment) && environment["type"] !== undefined && environment["type"] !== "local";

/** The client's own machine and no more said of it: it is where the function is run. */
const isPlainlyLocal = ({ environment }: WireRecord): boolean =>
	isRecord(environment) && environment["type"] === "local" && Object.keys(environment).length === 1;

/** The tool as a function that leads back to its definition; undefined for one that the client does not run. */
export const clientTool = (told: WireRecord): FunctionTool | undefined => {
	const { type, environment, ...others } = told;
	const rest = isPlainlyLocal(told) ? others : { ...others, environment };
	const name = asText(type) ?? "";
	if (name === toolSearch && isClientSearch(told)) return searchFunction(told);
	const tool = known(name);
	if (tool === undefined || isHosted(told)) return undefined;
	const { description, properties, required } = tool;
	return {
		type: "function",
		name,
		description,
		schema: { type: "object", properties, required },
		extras: ownBag({ ...definedOnly(rest), definition: told }),
	};
};

/** The definition that the client gave; undefined for a function of its own. */
export const definitionOf = (tool: FunctionTool): WireRecord | undefined => {
	const { definition } = ownFields(tool);
	return isRecord(definition) ? definition : undefined;
};

/** Names of the tools of a request that the client runs in OpenAI's way. */
export const clientToolNames = (tools: readonly Tool[] = []): ReadonlySet<string> =>
	new Set(tools.flatMap((tool) => (tool.type === "function" && definitionOf(tool) ? [tool.name] : [])));

/** The tool whose call or output an item is; undefined for other items. */
const clientToolOf = (item: WireRecord): string | undefined => {
	const name = /^(\w+)_call(?:_output)?$/.exec(asText(item["type"]) ?? "")?.[1] ?? "";
	return known(name) ? name : undefined;
};

/** What a call asks, as the arguments of the function. */
const argumentsOf = (name: string, item: WireRecord): WireRecord => {
	const tool = known(name);
	const asked = asRecord(item[tool?.member ?? "action"]);
	return Object.fromEntries(
		Object.entries(asked).filter(
			([member, value]) => value !== null && tool !== undefined && member in tool.properties,
		),
	);
};

const shellText = (part: unknown): string => {
	const { stdout, stderr, outcome } = asRecord(part);
	const { type, exit_code: code } = asRecord(outcome);
	const end =
		type === "timeout" ? "[timed out]" : code === 0 || code === undefined ? "" : `[exit code ${String(code)}]`;
	return [asText(stdout) ?? "", asText(stderr) ?? "", end].filter((line) => line !== "").join("\n");
};

/** What an output item tells, as text. */
const outputTextOf = (item: WireRecord): string => {
	const { output, status } = item;
	if (Array.isArray(output)) return asList(output).map(shellText).join("\n");
	return asText(output) ?? asText(status) ?? "";
};

/** Fields of items that the call or result says itself. */
const said = new Set(["type", "id", "call_id", "status", "action", "operation", "output", "environment", "created_by"]);

/** The call or the result that an item of such a tool is; undefined for other items. */
export const clientToolBlock = (item: WireRecord): ToolCallBlock | ToolResultBlock | undefined => {
	const name = clientToolOf(item);
	if (name === undefined) return searchBlock(item);
	if (isHosted(item)) return undefined;
	const rest = Object.entries(item).filter(([field, value]) => !said.has(field) && value !== null);
	const extras = ownBag({ ...Object.fromEntries(rest), item });
	const id = asText(item["call_id"]) ?? asText(item["id"]) ?? "";
	if ((asText(item["type"]) ?? "").endsWith("_output")) {
		const failed = item["status"] === "failed" || item["status"] === "incomplete";
		const content = [{ type: "text", text: outputTextOf(item) } as const];
		return { type: "tool_result", callId: id, kind: "function", content, extras, ...(failed && { isError: true }) };
	}
	const value = argumentsOf(name, item);
	const told = { form: "json", value, text: JSON.stringify(value) } as const;
	return { type: "tool_call", id, name, kind: "function", arguments: told, extras };
};

/** A word where a list of words is wanted is a list of one: models write commands so. */
const listed = (name: string, value: unknown): unknown =>
	(name === "commands" || name === "command") && typeof value === "string" ? [value] : value;

/** The item for a call of such a tool. */
export const callItem = (name: string, given: WireRecord): WireRecord => {
	if (name === toolSearch) return searchItem(given);
	const tool = known(name);
	const { diff, ...plain } = tool?.plain ?? {};
	const asked = Object.fromEntries(Object.entries(given).map(([member, value]) => [member, listed(member, value)]));
	// A file that is deleted has no difference.
	const more = diff === undefined || asked["type"] === "delete_file" ? {} : { diff };
	return { type: `${name}_call`, [tool?.member ?? "action"]: { ...plain, ...more, ...asked } };
};

/** The prefix of ids of such calls. */
export const callPrefix = (name: string): ClientTool["callPrefix"] | "tsc" =>
	name === toolSearch ? "tsc" : (known(name)?.callPrefix ?? "sh");
