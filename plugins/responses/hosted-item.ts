/** Items of tools that the upstream runs itself: searches, code, remote tools. Each keeps its raw form for replay at home. */
import {
	asList,
	asRecord,
	asText,
	type Block,
	definedOnly,
	lookup,
	type Origin,
	parseShallow,
	type RunOutput,
	type ServerTool,
	type WireRecord,
} from "#core";
import { isForeignRun } from "./origin.ts";
import { looksAtPage } from "./usage.ts";

const tools = lookup<ServerTool>({
	web_search_call: "web_search",
	x_search_call: "web_search",
	file_search_call: "file_search",
	code_interpreter_call: "code_execution",
	computer_call: "computer",
	shell_call: "shell",
	local_shell_call: "shell",
	mcp_call: "mcp",
	mcp_list_tools: "mcp",
	tool_search_call: "tool_search",
});

/** What a call was asked to do, in the members other protocols' tools of the sort have. */
const argumentsOf = (item: WireRecord): unknown => {
	switch (item["type"]) {
		case "web_search_call":
			return searchOf(asRecord(item["action"]));
		case "file_search_call":
			return { queries: asList(item["queries"]) };
		case "code_interpreter_call":
			return { code: asText(item["code"]) ?? "", language: "python" };
		case "mcp_list_tools":
			return {};
		default:
			return argumentsGiven(item["arguments"]) ?? item["action"] ?? {};
	}
};

const argumentsGiven = (value: unknown): unknown =>
	typeof value === "string" ? (parseShallow(value) ?? value) : value;

const searchOf = (action: WireRecord): WireRecord => {
	const queries = asList(action["queries"]).filter((query) => typeof query === "string");
	const query = asText(action["query"]) ?? queries[0];
	return definedOnly({
		query,
		queries: queries.length > 1 ? queries : undefined,
		url: asText(action["url"]),
		pattern: asText(action["pattern"]),
	});
};

const toolOf = (item: WireRecord): ServerTool | undefined =>
	looksAtPage(item) ? "web_fetch" : tools[asText(item["type"]) ?? ""];

const nameOf = (item: WireRecord, tool: ServerTool): string =>
	asText(item["name"]) ?? (tool === "other" ? "tool" : tool);

const ranOf = (outputs: readonly unknown[]): RunOutput => ({
	output: outputs.flatMap((output) => asText(asRecord(output)["logs"]) ?? []).join("\n"),
});

/** What the tool gave, for the sorts that tell it in the same item; undefined where another item tells it. */
const resultOf = (item: WireRecord): { readonly result: unknown; readonly isError?: boolean } | undefined => {
	const isError = item["status"] === "failed";
	switch (item["type"]) {
		case "web_search_call":
		case "x_search_call":
			return { result: sourcesOf(item), ...(isError && { isError }) };
		case "code_interpreter_call":
			return Array.isArray(item["outputs"])
				? { result: ranOf(item["outputs"]), ...(isError && { isError }) }
				: undefined;
		case "file_search_call":
			return Array.isArray(item["results"]) ? { result: item["results"] } : undefined;
		case "mcp_call":
			return item["error"]
				? { result: item["error"], isError: true }
				: item["output"] === undefined || item["output"] === null
					? undefined
					: { result: item["output"] };
		default:
			return undefined;
	}
};

const sourcesOf = (item: WireRecord): readonly WireRecord[] =>
	[...asList(asRecord(item["action"])["sources"]), ...asList(item["results"])].flatMap((source) => {
		const { url, title } = asRecord(source);
		return typeof url === "string" ? [definedOnly({ url, title: asText(title) })] : [];
	});

/** A call and, where the item tells it, its result; anything else is kept as it is. */
export const decodeHostedItem = (item: WireRecord, origin: Origin): readonly Block[] => {
	const tool = toolOf(item);
	if (tool === undefined) return [{ type: "unknown", origin, raw: item }];
	const id = asText(item["id"]) ?? "";
	const isForeign = isForeignRun(item);
	const call: Block = {
		type: "server_call",
		id,
		tool,
		name: nameOf(item, tool),
		arguments: argumentsOf(item),
		...definedOnly({ status: asText(item["status"]) }),
		...(!isForeign && { raw: { origin, value: item } }),
	};
	const given = resultOf(item);
	// The result carries the origin without the item: the call has it whole.
	return given === undefined
		? [call]
		: [
				call,
				{
					type: "server_result",
					callId: id,
					tool,
					...given,
					...(!isForeign && { raw: { origin, value: undefined } }),
				},
			];
};
