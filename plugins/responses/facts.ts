/** What others must know of a Responses request: the most it can cost, its tier, and the fields that steer. */
import {
	asCount,
	asksOtherModels,
	asRecord,
	asText,
	BoundReader,
	dataUrlHead,
	isRecord,
	membersOf,
	type RequestFacts,
	readDisguised,
	spelledOtherwise,
	steeringFinder,
	tiersNamed,
	type WireRecord,
} from "#core";

import { compactAbove, summaryInstruction, summaryTokens } from "./summary-request.ts";

/** Parts that are nothing but the text they hold. */
const texts = new Set(["input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal"]);

/** Fields that say what is read, and how much that is. */
const telling = "role type id text content image_url file_data file_url file_id url output result".split(" ");
const tellsOtherwise = spelledOtherwise(new Set(telling));

const readFile = (reader: BoundReader, part: WireRecord): void => {
	const data = asText(part["file_data"]);
	const head = dataUrlHead(data ?? "");
	if (head?.isBase64) reader.inline(head.mime, data?.slice(head.end));
	else reader.reachesOut();
};

const readParts = (reader: BoundReader, parts: unknown): void => {
	for (const part of membersOf(parts)) {
		const type = asText(part["type"]) ?? "";
		reader.reachesOut(tellsOtherwise(part));
		if (texts.has(type)) continue;
		if (type === "input_image" || type === "computer_screenshot") {
			const address = asText(part["image_url"]) ?? asRecord(part["image_url"])["url"];
			if (address === undefined) reader.picture();
			else reader.address(address);
		} else if (type === "input_file") readFile(reader, part);
		else reader.reachesOut();
	}
};

const readItem = (reader: BoundReader, item: WireRecord): void => {
	const { type, id, role } = item;
	reader.reachesOut(tellsOtherwise(item));
	if (type === "item_reference" || (type === undefined && role === undefined && id !== undefined)) reader.reachesOut();
	if (type === undefined || type === "message") readParts(reader, item["content"]);
	else if (type === "image_generation_call") reader.inline("image/png", item["result"]);
	else if (typeof type === "string" && type.endsWith("_output")) readParts(reader, item["output"]);
};

/** Tools that run at the client. */
const clientTools = new Set(
	"function custom namespace computer computer_use_preview local_shell apply_patch".split(" "),
);

/** A container of more than 1 GB costs more, in steps up to 64 times, and no answer tells how large it was. */
const readContainer = (
	reader: BoundReader,
	{ container, environment }: WireRecord,
	rounds: number | undefined,
): void => {
	reader.hosted("codeSessions", rounds);
	for (const place of [container, environment])
		if ((asRecord(place)["memory_limit"] ?? "1g") !== "1g") reader.unknownPrice("memory_limit");
};

/** The largest picture that the usual price of one is for. */
const ordinaryPixels = 1536 * 1024;
const ordinaryQualities: ReadonlySet<unknown> = new Set([undefined, null, "auto", "low", "medium", "high"]);

const isOrdinarySize = (size: unknown): boolean => {
	if (size === undefined || size === null || size === "auto") return true;
	const [, width, height] = /^(\d{1,4})x(\d{1,4})$/.exec(asText(size) ?? "") ?? [];
	return Number(width) * Number(height) <= ordinaryPixels;
};

/** Newer models make larger and finer ones, at several times the price, and no usage tells of them. */
const readPictures = (
	reader: BoundReader,
	{ size, quality, n = null, output_format: format, svg = null }: WireRecord,
	rounds: number | undefined,
): void => {
	reader.hosted("images", rounds);
	// A drawing is written by a model besides, at that one's price.
	if (format === "svg" || svg !== null) reader.unknownPrice("output_format");
	// The frames are parts of one picture, which is larger than the size that is named for each.
	if (format === "gif") reader.dearPictures("output_format");
	if (!isOrdinarySize(size)) reader.dearPictures("size");
	if (!ordinaryQualities.has(quality)) reader.dearPictures("quality");
	if (n !== null && n !== 1) reader.dearPictures("n");
};

const readTool = (reader: BoundReader, tool: WireRecord, rounds: number | undefined): void => {
	const type = asText(tool["type"]) ?? "function";
	for (const inner of membersOf(tool["tools"])) readTool(reader, inner, rounds);
	if (type === "function" || type === "custom") readDisguised(reader, tool);
	if (clientTools.has(type)) return;
	if (type === "shell" && tool["environment"] === undefined) return;
	if (type === "tool_search" && tool["execution"] === "client") return;
	if (asksOtherModels(type)) reader.unknownPrice(`tools (${type.slice(0, 64)})`);
	if (/^(web_search|x_search)/.test(type)) reader.hosted("webSearches", rounds);
	else if (type === "file_search") reader.hosted("fileSearches", rounds);
	else if (/^(code_interpreter|shell)/.test(type)) readContainer(reader, tool, rounds);
	else if (type === "image_generation") readPictures(reader, tool, rounds);
	else reader.hosted(undefined, rounds);
};

/** Fields that point to what is kept at the provider; by the last vLLM makes as many tokens of a picture as the client likes. */
const references = ["previous_response_id", "conversation", "prompt", "mm_processor_kwargs"];

const finder = steeringFinder(
	(
		"model input instructions stream max_output_tokens max_tool_calls tools service_tier speed inference_geo background " +
		"conversation previous_response_id prompt store multi_agent reasoning"
	).split(" "),
	["input"],
);

/** Every tool that a request gives the model: beside its input, or within it (`additional_tools`, `tool_search_output`). */
const toolsOf = ({ tools, input }: WireRecord): readonly WireRecord[] => [
	...membersOf(tools),
	...membersOf(input).flatMap((item) => membersOf(item["tools"])),
];

const isPreview = ({ type, tools }: WireRecord): boolean =>
	(typeof type === "string" && type.startsWith("web_search_preview")) || membersOf(tools).some(isPreview);

/** OpenAI's older search costs otherwise at models that do not reason, and answers tell the two by one name. */
const searchesByPreview = (body: WireRecord): boolean => toolsOf(body).some(isPreview);

export const facts: RequestFacts = {
	bound(body) {
		const reader = new BoundReader(body);
		const { value } = body;
		for (const item of [...membersOf(value["instructions"]), ...membersOf(value["input"])]) readItem(reader, item);
		const tools = toolsOf(value);
		const own = tools.filter(({ type }) => typeof type === "string" && type !== "function" && type !== "custom").length;
		if (tools.length > 0 || asRecord(value["text"])["format"] !== undefined) reader.tools(own);
		for (const tool of tools) readTool(reader, tool, asCount(value["max_tool_calls"]));
		// Agents that the upstream starts by itself ask as often as they like, each of them with an input of its own.
		if (isRecord(value["multi_agent"]) && value["multi_agent"]["enabled"] !== false) reader.unknownPrice("multi_agent");
		if (value["reasoning"] !== undefined) reader.reasons(value["reasoning"]);
		const above = compactAbove(value);
		if (above !== undefined) reader.compacts(above, summaryTokens + summaryInstruction.length);
		for (const field of references) if (value[field] !== undefined && value[field] !== null) reader.reachesOut();
		return reader.result();
	},
	tiers: (body) => (searchesByPreview(body) ? [...tiersNamed(body), "web_search:preview"] : tiersNamed(body)),
	steering: finder.find,
};
