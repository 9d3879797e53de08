/**
 * A search for tools that the client makes itself (`tool_search` with `execution: client`): to models elsewhere it is a
 * function, and what it found is told in words beside the tools, which are offered from then on.
 */
import {
	asList,
	asRecord,
	asText,
	definedOnly,
	type FunctionTool,
	flatName,
	isRecord,
	parseJson,
	type ToolCallBlock,
	type ToolResultBlock,
	type WireRecord,
} from "#core";
import { namespaceIn } from "./namespaces.ts";
import { ownBag } from "./origin.ts";

/** The tool's name, which is its type. */
export const toolSearch = "tool_search";

const usual = {
	description: "Searches for tools that are not listed yet. What it finds can be called from then on.",
	schema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

/** Whether the client makes the search of this tool or item. An item may leave it out; a provider's own has no call's id. */
export const isClientSearch = ({ execution, call_id: callId }: WireRecord): boolean =>
	execution === "client" || ((execution === undefined || execution === null) && typeof callId === "string");

/** The tool as a function that leads back to its definition. */
export const searchFunction = (told: WireRecord): FunctionTool => ({
	type: "function",
	name: toolSearch,
	description: asText(told["description"]) ?? usual.description,
	schema: isRecord(told["parameters"]) ? told["parameters"] : usual.schema,
	extras: ownBag({ definition: told }),
});

const lineOf = ({ name, description }: WireRecord, namespace?: string): string =>
	[`- ${flatName(asText(name) ?? "", namespace)}`, asText(description)].filter((part) => part !== undefined).join(": ");

const foundIn = (tool: WireRecord): readonly string[] => {
	if (tool["type"] !== "namespace") return [lineOf(tool)];
	const name = namespaceIn(tool, "tools");
	return asList(tool["tools"]).map((inner) => lineOf(asRecord(inner), name));
};

const foundText = (tools: unknown): string => {
	const lines = asList(tools).flatMap((tool) => foundIn(asRecord(tool)));
	return lines.length === 0 ? "No tool was found." : ["These tools can be called now:", ...lines].join("\n");
};

/** The call or the result that such an item is; undefined for other items. */
export const searchBlock = (item: WireRecord): ToolCallBlock | ToolResultBlock | undefined => {
	if (!isClientSearch(item)) return undefined;
	const id = asText(item["call_id"]) ?? asText(item["id"]) ?? "";
	const extras = ownBag({ item });
	if (item["type"] === `${toolSearch}_output`) {
		const content = [{ type: "text", text: foundText(item["tools"]) } as const];
		return { type: "tool_result", callId: id, kind: "function", content, extras };
	}
	if (item["type"] !== `${toolSearch}_call`) return undefined;
	const given = item["arguments"];
	const value = asRecord(typeof given === "string" ? parseJson(given) : given);
	const told = { form: "json", value, text: JSON.stringify(value) } as const;
	return { type: "tool_call", id, name: toolSearch, kind: "function", arguments: told, extras };
};

/** The item for a call of it. */
export const searchItem = (given: WireRecord): WireRecord => ({
	type: `${toolSearch}_call`,
	execution: "client",
	arguments: definedOnly(given),
});
