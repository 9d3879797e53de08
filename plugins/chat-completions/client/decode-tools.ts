/** Tools and the choice among them, in the current form, the old one (`functions`) and without the inner object. */
import {
	asBoolean,
	asList,
	asRecord,
	asText,
	definedOnly,
	exactMember,
	Fault,
	type HostedTool,
	isRecord,
	type JsonBody,
	lookup,
	placed,
	type Tool,
	type ToolChoice,
	type WireRecord,
} from "#core";
import { protocolName } from "../name.ts";

const nameless = (parameter: string): Fault =>
	new Fault({
		kind: "invalid_request",
		code: "invalid_value",
		parameter,
		message: `The field \`${parameter}\` is missing or not a string; every tool needs a name.`,
	});

const nameOf = (holder: WireRecord, at: string): string => {
	const name = asText(holder["name"]);
	if (name === undefined || name === "") throw nameless(`${at}.name`);
	return name;
};

const cacheOf = (raw: WireRecord) => {
	const control = raw["cache_control"];
	return isRecord(control) ? { cache: {}, extras: { [protocolName]: { cache_control: control } } } : {};
};

const functionTool = (given: WireRecord, raw: WireRecord, at: string): Tool => ({
	type: "function",
	name: nameOf(given, at),
	schema: given["parameters"] ?? { type: "object", properties: {} },
	...cacheOf(raw),
	...definedOnly({ description: asText(given["description"]), strict: asBoolean(given["strict"]) }),
});

/** Chat Completions nests a grammar; the neutral form is the flat one of Responses. */
const formatOf = (format: unknown): unknown => {
	const given = asRecord(format);
	return given["type"] === "grammar" && isRecord(given["grammar"]) ? { type: "grammar", ...given["grammar"] } : format;
};

const customTool = (given: WireRecord, at: string): Tool => ({
	type: "custom",
	name: nameOf(given, at),
	...definedOnly({ description: asText(given["description"]), format: formatOf(given["format"]) }),
});

const decodeTool = (value: unknown, at: string, family: string): Tool => {
	const raw = asRecord(value);
	if (raw["type"] === "custom") {
		const nested = isRecord(raw["custom"]);
		return customTool(nested ? asRecord(raw["custom"]) : raw, nested ? `${at}.custom` : at);
	}
	if (isRecord(raw["function"])) return functionTool(raw["function"], raw, `${at}.function`);
	if (raw["type"] === undefined || raw["type"] === "function") return functionTool(raw, raw, at);
	return { type: "unknown", origin: { protocol: protocolName, family }, raw: value };
};

const searchName = "web_search";

/** The built-in search of OpenAI's search models, which is an option and not a tool there. */
const searchTool = (options: WireRecord, family: string): HostedTool => {
	const { city, country, region, timezone } = asRecord(asRecord(options["user_location"])["approximate"]);
	const place = definedOnly({
		city: asText(city),
		country: asText(country),
		region: asText(region),
		timezone: asText(timezone),
	});
	return {
		type: "server",
		tool: "web_search",
		vendorType: "web_search_options",
		name: searchName,
		config: definedOnly({
			userLocation: Object.keys(place).length === 0 ? undefined : place,
			contextSize: asText(options["search_context_size"]),
		}),
		origin: { protocol: protocolName, family },
	};
};

/** All tools of a request; undefined when it names none. */
export const decodeTools = (body: JsonBody, family: string): readonly Tool[] | undefined => {
	const tools = asList(exactMember(body, "tools")).map((tool, index) =>
		placed(decodeTool(tool, `tools[${index}]`, family), `tools[${index}]`),
	);
	for (const [index, old] of asList(exactMember(body, "functions")).entries())
		tools.push(placed(functionTool(asRecord(old), asRecord(old), `functions[${index}]`), `functions[${index}]`));
	const search = body.value["web_search_options"];
	if (isRecord(search)) tools.push(placed(searchTool(search, family), "web_search_options"));
	return tools.length === 0 ? undefined : tools;
};

const nameIn = (choice: WireRecord): string | undefined =>
	asText(asRecord(choice["function"])["name"]) ?? asText(asRecord(choice["custom"])["name"]) ?? asText(choice["name"]);

/** The search that is an option here, and no tool that the list could leave out, stays allowed; it is not what must be called. */
const allowedTools = (choice: WireRecord, searches: boolean): ToolChoice | undefined => {
	const nested = isRecord(choice["allowed_tools"]) ? choice["allowed_tools"] : choice;
	const names = asList(nested["tools"]).flatMap((tool) => nameIn(asRecord(tool)) ?? []);
	if (names.length === 0) return undefined;
	const force = nested["mode"] === "required";
	if (!searches) return { mode: "named", names, force };
	return force
		? { mode: "named", names, force, leavesHosted: true }
		: { mode: "named", names: [...names, searchName], force };
};

const modes = lookup<ToolChoice>({
	auto: { mode: "auto" },
	none: { mode: "none" },
	required: { mode: "required" },
	any: { mode: "required" },
});

/** The choice among tools, `function_call` of old requests included; undefined when nothing was said. */
export const decodeToolChoice = (body: WireRecord): ToolChoice | undefined => {
	const given = body["tool_choice"] ?? body["function_call"];
	if (typeof given === "string") return modes[given];
	const choice = asRecord(given);
	if (choice["type"] === "allowed_tools") return allowedTools(choice, isRecord(body["web_search_options"]));
	const name = nameIn(choice);
	if (name === undefined) return undefined;
	return { mode: "named", names: [name], force: true, kind: choice["type"] === "custom" ? "custom" : "function" };
};
