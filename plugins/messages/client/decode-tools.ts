/** Tools and the choice among them, from the wire. */
import {
	asBoolean,
	asList,
	asText,
	definedOnly,
	isRecord,
	placed,
	type Tool,
	type ToolChoice,
	type WireRecord,
} from "#core";
import { nativeFamily, originOf } from "../carried.ts";
import { clientTool } from "../client-tools.ts";
import type { Offer } from "../mid-conversation.ts";
import { refuse } from "../refuse.ts";
import { decodeHostedTool } from "../server-tools.ts";
import { bagOf, cacheOf } from "./decode-content.ts";

const functionFields = new Set(["type", "name", "description", "input_schema", "strict", "cache_control"]);

const decodeTool = (told: unknown, at: string): Tool => {
	if (!isRecord(told)) throw refuse(at, told, "it must be an object.");
	const { type, name } = told;
	if (typeof type === "string" && type !== "custom" && type !== "function") {
		const origin = originOf(nativeFamily);
		// A set of tools without a name of its own is nothing that a choice could name.
		if (typeof name !== "string") return { type: "unknown", origin, raw: told };
		return clientTool(told, cacheOf(told)) ?? decodeHostedTool(told, origin, cacheOf(told));
	}
	if (typeof name !== "string" || name === "") throw refuse(`${at}.name`, name, "it must be the tool's name.");
	return {
		type: "function",
		name,
		schema: told["input_schema"] ?? { type: "object" },
		...definedOnly({
			description: asText(told["description"]),
			strict: asBoolean(told["strict"]),
			cache: cacheOf(told),
			extras: bagOf(told, functionFields),
		}),
	};
};

/** The tools of a request; `offers` are those that stand when its answer is asked for, where messages changed them. */
export const decodeTools = (tools: unknown, offers?: readonly Offer[]): readonly Tool[] => {
	if (tools !== undefined && tools !== null && !Array.isArray(tools))
		throw refuse("tools", tools, "it must be a list.");
	if (offers) return offers.map(({ told, at }) => placed(decodeTool(told, at), at));
	return asList(tools).map((tool, index) => placed(decodeTool(tool, `tools[${index}]`), `tools[${index}]`));
};

const choiceOf = (choice: WireRecord, tools: readonly Tool[]): ToolChoice => {
	const { type, name } = choice;
	switch (type) {
		case "auto":
			return { mode: "auto" };
		case "any":
			return { mode: "required" };
		case "none":
			return { mode: "none" };
		case "tool": {
			if (typeof name !== "string") throw refuse("tool_choice.name", name, "it must be a tool's name.");
			const hosted = tools.some((tool) => tool.type === "server" && tool.name === name);
			return { mode: "named", names: [name], force: true, kind: hosted ? "server" : "function" };
		}
		default:
			throw refuse("tool_choice.type", type, "it must be auto, any, tool or none.");
	}
};

/** The choice, and whether several tools may be called at once. */
export const decodeToolChoice = (
	choice: unknown,
	tools: readonly Tool[],
): { readonly toolChoice?: ToolChoice; readonly parallelTools?: boolean } => {
	if (choice === undefined || choice === null) return {};
	if (!isRecord(choice)) throw refuse("tool_choice", choice, "it must be an object with a type.");
	const alone = asBoolean(choice["disable_parallel_tool_use"]);
	return { toolChoice: choiceOf(choice, tools), ...(alone !== undefined && { parallelTools: !alone }) };
};
