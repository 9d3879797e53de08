/** What others must know of a Messages request: the most it can cost, its tier, and the fields that steer. */
import {
	asCount,
	asRecord,
	asText,
	BoundReader,
	isRecord,
	type JsonBody,
	membersOf,
	type RequestBound,
	type RequestFacts,
	readDisguised,
	spelledOtherwise,
	steeringFinder,
	tiersNamed,
	type WireRecord,
} from "#core";

/** Blocks that are nothing but the text, the call or the sealed value they hold. */
const plain = new Set(
	(
		"text thinking redacted_thinking tool_use server_tool_use mcp_tool_use tool_reference tool_removal search_result " +
		"web_search_tool_result tool_search_tool_result code_execution_tool_result bash_code_execution_tool_result " +
		"text_editor_code_execution_tool_result advisor_tool_result mcp_tool_listing browser_state fallback"
	).split(" "),
);
/** Blocks that hold others. */
const holders = new Set(["tool_result", "mcp_tool_result", "mid_conv_system"]);

/** Fields that say what is read, and how much that is. */
const telling = "role type text content source data url media_type file_id cache_control tool tool_changes".split(" ");
const tellsOtherwise = spelledOtherwise(new Set(telling));

/** A picture, a document or what else has a source. */
const readSource = (reader: BoundReader, source: WireRecord, isPicture: boolean): void => {
	reader.reachesOut(tellsOtherwise(source));
	const { type } = source;
	if (type === "text") return;
	if (type === "base64") reader.inline(source["media_type"], source["data"]);
	else if (type === "content") readBlocks(reader, source["content"]);
	else if (isPicture && type === "url") reader.address(source["url"]);
	else if (isPicture && type === "file") reader.picture();
	else reader.reachesOut();
};

const readBlocks = (reader: BoundReader, content: unknown): void => {
	for (const block of membersOf(content)) {
		const type = asText(block["type"]) ?? "";
		reader.reachesOut(tellsOtherwise(block));
		if (plain.has(type)) continue;
		if (holders.has(type)) readBlocks(reader, block["content"]);
		else if (type === "compaction") readBlocks(reader, block["tool_changes"]);
		else if (type === "tool_addition") readAddition(reader, asRecord(block["tool"]));
		else if (type === "image" || type === "document") readSource(reader, asRecord(block["source"]), type === "image");
		else reader.reachesOut();
	}
};

/** Tools that run at the client, though the provider describes them. */
const clientTool = /^(bash|text_editor|computer|memory)_\d/;

/** Sets of such tools, each of which the provider describes; the largest, a browser's, has 31. */
const clientToolset = /^(computer|browser)_toolset_\d/;
const mostInToolset = 32;

const readTool = (reader: BoundReader, tool: WireRecord): void => {
	const type = asText(tool["type"]) ?? "custom";
	const rounds = asCount(tool["max_uses"]);
	if (type === "custom") readDisguised(reader, tool);
	if (type === "custom" || clientTool.test(type)) return;
	if (clientToolset.test(type)) reader.tools(mostInToolset);
	else if (/^web_search/.test(type)) reader.hosted("webSearches", rounds);
	else if (/^(code_execution|bash|text_editor)/.test(type)) reader.hosted("codeSessions", rounds);
	else if (/^(web_fetch|tool_search|mcp_toolset|memory)/.test(type)) reader.hosted(undefined, rounds);
	else {
		// It may ask another model, as an advisor does, at that model's price.
		reader.hosted(undefined, rounds);
		reader.unknownPrice(`tools (${type.slice(0, 64)})`);
	}
};

/** A tool that is offered from here on: one of the list, or one that is defined here. */
const readAddition = (reader: BoundReader, { type, definition }: WireRecord): void => {
	if (type !== "tool_definition") return;
	const tool = asRecord(definition);
	reader.tools(tool["type"] === undefined || tool["type"] === "custom" ? 0 : 1);
	readTool(reader, tool);
};

/** From so many tokens on a conversation may be made shorter first, where the request does not say; what a summary has at most. */
const leastToCompact = 50_000;
const summaryTokens = 8_192;

/** A summary that the provider is asked to put in the place of a conversation that has grown long. */
const readCompaction = (reader: BoundReader, managed: WireRecord): void => {
	for (const { type, trigger } of membersOf(managed["edits"]))
		if (typeof type === "string" && type.startsWith("compact"))
			reader.compacts(asCount(asRecord(trigger)["value"]) ?? leastToCompact, summaryTokens);
};

/** Fields that point to what is kept at the provider, or let it run something. */
const references = ["mcp_servers", "container", "thread", "previous_message_id"];

const finder = steeringFinder(
	(
		"model messages system stream max_tokens tools mcp_servers container service_tier speed inference_geo thinking " +
		"output_config cache_control"
	).split(" "),
);

const boundOf = (body: JsonBody): RequestBound => {
	const reader = new BoundReader(body);
	const { value } = body;
	readBlocks(reader, value["system"]);
	for (const message of membersOf(value["messages"])) {
		reader.reachesOut(tellsOtherwise(message));
		readBlocks(reader, message["content"]);
	}
	const tools = membersOf(value["tools"]);
	const formatted = value["output_format"] ?? asRecord(value["output_config"])["format"];
	if (tools.length > 0 || formatted !== undefined)
		reader.tools(tools.filter(({ type }) => typeof type === "string" && type !== "custom").length);
	for (const tool of tools) readTool(reader, tool);
	if (value["thinking"] !== undefined && asRecord(value["thinking"])["type"] === "disabled") reader.thinks(0);
	const managed = value["context_management"];
	if (isRecord(managed)) readCompaction(reader, managed);
	for (const field of references) if (value[field] !== undefined && value[field] !== null) reader.reachesOut();
	if (membersOf(value["mcp_servers"]).length > 0) reader.hosted(undefined);
	if (value["container"] !== undefined && value["container"] !== null) reader.hosted("codeSessions");
	return reader.result();
};

/** By which Sonnet 4 and 4.5 read a million tokens, where they take 200,000 of others. */
const millionTokens = /\bcontext-1m-/;

export const facts: RequestFacts = {
	bound(body, headers) {
		const bound = boundOf(body);
		return millionTokens.test(headers?.get("anthropic-beta") ?? "") ? { ...bound, window: 1_000_000 } : bound;
	},
	tiers: tiersNamed,
	steering: finder.find,
};
