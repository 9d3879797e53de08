/** Tools that the upstream runs itself: their calls and results as blocks, and how they are asked for. */
import {
	asList,
	asRecord,
	asText,
	type CacheMark,
	definedOnly,
	type HostedTool,
	isRecord,
	lookup,
	type Origin,
	type RunOutput,
	type ServerCallBlock,
	type ServerResultBlock,
	type ServerTool,
	type WireRecord,
} from "#core";
import { foreignServerId } from "./carried.ts";
import { protocolName } from "./name.ts";

const kinds: readonly (readonly [RegExp, ServerTool])[] = [
	[/^web_search/, "web_search"],
	[/^web_fetch/, "web_fetch"],
	[/code_execution/, "code_execution"],
	[/^computer/, "computer"],
	[/^bash/, "shell"],
	[/^tool_search/, "tool_search"],
	[/^mcp/, "mcp"],
];

/** The sort of a tool, by the name of a call, the type of a result or the type in a definition. */
const serverToolOf = (word: string): ServerTool => kinds.find(([pattern]) => pattern.test(word))?.[1] ?? "other";

/** True for a block that holds what a tool of the upstream gave. */
export const isServerResult = (type: string): boolean => type !== "tool_result" && type.endsWith("_tool_result");

/** True for a block in which the model calls a tool of the upstream. */
export const isServerCall = (type: string): boolean => type === "server_tool_use" || type === "mcp_tool_use";

const found = (result: unknown): { url?: string; title?: string } => {
	const { url, title } = asRecord(result);
	return definedOnly({ url: asText(url), title: asText(title) });
};

/** Input of the tools that run code, in neutral words. */
const inputOf = (name: string, input: unknown): unknown => {
	const { code, command } = asRecord(input);
	if (name === "bash_code_execution" && typeof command === "string") return { code: command, language: "bash" };
	return name === "code_execution" && typeof code === "string" ? { code, language: "python" } : (input ?? {});
};

/** What such a tool printed; of a failure that has no output, its code. An editor prints nothing. */
const ranResult = (type: string, content: unknown): unknown => {
	const { stdout, stderr, error_code } = asRecord(content);
	if (type.startsWith("text_editor") || (typeof stdout !== "string" && typeof error_code !== "string")) return content;
	const ran: RunOutput = {
		output: asText(stdout) ?? "",
		...definedOnly({ error: asText(stderr) || asText(error_code) }),
	};
	return ran;
};

const hasFailed = (content: unknown): boolean => {
	const { type, return_code } = asRecord(content);
	return /_error$/.test(asText(type) ?? "") || (typeof return_code === "number" && return_code !== 0);
};

const resultOf = (type: string, tool: ServerTool, content: unknown): unknown => {
	if (tool === "web_search" && Array.isArray(content)) return asList(content).map(found);
	return tool === "code_execution" ? ranResult(type, content) : content;
};

/** `raw` is left out of what another protocol's upstream had made: no upstream of this protocol would take it back. */
export const decodeServerCall = (block: WireRecord, origin: Origin): ServerCallBlock => {
	const id = asText(block["id"]) ?? "";
	const name = asText(block["name"]) ?? "";
	return {
		type: "server_call",
		id,
		tool: block["type"] === "mcp_tool_use" ? "mcp" : serverToolOf(name),
		name,
		arguments: inputOf(name, block["input"]),
		...(id.startsWith(foreignServerId) ? {} : { raw: { origin, value: block } }),
	};
};

export const decodeServerResult = (block: WireRecord, origin: Origin): ServerResultBlock => {
	const callId = asText(block["tool_use_id"]) ?? "";
	const content = block["content"];
	const type = asText(block["type"]) ?? "";
	const tool = serverToolOf(type);
	const failed = block["is_error"] === true || hasFailed(content);
	return {
		type: "server_result",
		callId,
		tool,
		result: resultOf(type, tool, content),
		...(failed ? { isError: true } : {}),
		...(callId.startsWith(foreignServerId) ? {} : { raw: { origin, value: block } }),
	};
};

const neutralNames = lookup<string>({
	allowed_domains: "allowedDomains",
	blocked_domains: "blockedDomains",
	max_uses: "maxUses",
	user_location: "userLocation",
});

/** A tool definition with a type of its own: `web_search_20250305` and its kin. */
export const decodeHostedTool = (tool: WireRecord, origin: Origin, cache: CacheMark | undefined): HostedTool => {
	const vendorType = asText(tool["type"]) ?? "";
	const { type: _type, name, cache_control: _cache, ...rest } = tool;
	const config: Record<string, unknown> = {};
	const bag: Record<string, unknown> = {};
	const kind = serverToolOf(vendorType);
	for (const [key, value] of Object.entries(rest)) {
		const neutral = kind === "web_search" ? neutralNames[key] : undefined;
		if (neutral === undefined) bag[key] = value;
		else if (value !== null) config[neutral] = value;
	}
	return {
		type: "server",
		tool: kind,
		vendorType,
		name: asText(name) ?? kind,
		config,
		origin,
		...definedOnly({ cache, extras: Object.keys(bag).length === 0 ? undefined : { [protocolName]: bag } }),
	};
};

const placeFields = ["city", "region", "country", "timezone"] as const;

const locationOf = (value: unknown): WireRecord | undefined => {
	const told = asRecord(value);
	const place = isRecord(told["approximate"]) ? told["approximate"] : told;
	const kept: Record<string, string> = {};
	for (const field of placeFields) {
		const text = asText(place[field]);
		if (text !== undefined) kept[field] = text;
	}
	return Object.keys(kept).length === 0 ? undefined : { type: "approximate", ...kept };
};

const domains = (value: unknown): readonly unknown[] | undefined => {
	const list = asList(value);
	return list.length === 0 ? undefined : list;
};

/** The neutral config of a web search in this protocol's words. Allowed and blocked domains exclude each other: allowed stays. */
export const webSearchConfig = (config: WireRecord): WireRecord => {
	const allowed = domains(config["allowedDomains"]);
	return definedOnly({
		allowed_domains: allowed,
		blocked_domains: allowed ? undefined : domains(config["blockedDomains"]),
		max_uses: config["maxUses"],
		user_location: locationOf(config["userLocation"]),
	});
};
