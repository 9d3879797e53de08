/** What others must know of a chat request: the most it can cost, its tier, and the fields that steer. */
import {
	asCount,
	asksOtherModels,
	asRecord,
	asText,
	BoundReader,
	dataUrlHead,
	membersOf,
	type RequestFacts,
	readDisguised,
	spelledOtherwise,
	steeringFinder,
	tiersNamed,
	type WireRecord,
} from "#core";

/** Parts that are nothing but the text they hold. */
const texts = new Set(["text", "input_text", "output_text", "refusal", "thinking", "reasoning", "redacted_thinking"]);
const pictures = new Set(["image_url", "input_image", "image"]);
/** Tools that run at the client. */
const clientTools = new Set(["function", "custom"]);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** What is no medium in a part, whatever it calls itself. */
const plainFields = new Set(["type", "uuid", "text", "thinking", "refusal", "cache_control"]);

/** vLLM tells a part without a type, or with a `uuid`, by its media, a picture first: what is called a text may be a film. */
const typeOf = (part: WireRecord): string | undefined => {
	const type = asText(part["type"]);
	const isTold = type !== undefined && !isGiven(part["uuid"]);
	if (isTold || Object.keys(part).every((name) => plainFields.has(name))) return type;
	return isGiven(part["image_url"]) ? "image_url" : "other";
};

/** By these vLLM and SGLang make as many tokens of a picture as the client likes. */
const setsSize = (value: WireRecord): boolean =>
	isGiven(value["mm_processor_kwargs"]) ||
	isGiven(value["images_config"]) ||
	isGiven(value["max_dynamic_patch"]) ||
	isGiven(value["min_dynamic_patch"]);

/** Fields that say what is read, and how much that is. */
const telling = "role type text content image_url video_url audio_url input_audio file url uuid audio".split(" ");
const tellsOtherwise = spelledOtherwise(new Set(telling));

const readPart = (reader: BoundReader, part: WireRecord): void => {
	reader.reachesOut(tellsOtherwise(part) || tellsOtherwise(asRecord(part["image_url"])));
	const type = typeOf(part);
	if (type !== undefined && texts.has(type)) return;
	if (type !== undefined && pictures.has(type)) {
		const source = part["image_url"] ?? part["image"] ?? part["source"];
		if (setsSize(asRecord(source))) reader.reachesOut();
		reader.address(asText(source) ?? asRecord(source)["url"]);
		return;
	}
	const data = asText(asRecord(part["file"])["file_data"]);
	const head = dataUrlHead(data ?? "");
	if (type === "file" && head?.isBase64) reader.inline(head.mime, data?.slice(head.end));
	else if (part["text"] === undefined || type !== undefined) reader.reachesOut();
};

/** Whoever takes these knows their limit: gateways before Claude. */
const anthropics = /^web_search_\d{8}$/;

const readTool = (reader: BoundReader, tool: WireRecord): void => {
	const type = asText(tool["type"]) ?? "function";
	if (clientTools.has(type)) {
		readDisguised(reader, tool);
		return;
	}
	if (asksOtherModels(type)) reader.unknownPrice(`tools (${type.slice(0, 64)})`);
	if (/file|retriev/i.test(type)) reader.hosted("fileSearches");
	else if (/search|web|builtin/i.test(type))
		reader.hosted("webSearches", anthropics.test(type) ? asCount(tool["max_uses"]) : undefined);
	else if (/code|shell/i.test(type)) reader.hosted("codeSessions");
	else if (/image/i.test(type)) reader.hosted("images");
	else reader.hosted(undefined);
};

/** Searches that a field of its own asks for; the last two are Tencent's. */
const searchFields =
	"web_search_options search_parameters enable_search web_search enable_enhancement force_search_enhancement".split(
		" ",
	);
/** xAI bills each source, of which it alone takes a limit. */
const mostSources = 20;

/** Where Venice is asked for them. */
const veniceFields = ["enable_web_search", "enable_x_search", "enable_web_scraping"];

const isWanted = (value: unknown): boolean => isGiven(value) && value !== false;

const finder = steeringFinder(
	(
		"model messages stream stream_options max_tokens max_completion_tokens n tools functions service_tier speed " +
		"inference_geo web_search_options search_parameters enable_search web_search modalities reasoning cached_content"
	).split(" "),
);

const readSearches = (reader: BoundReader, value: WireRecord): void => {
	for (const field of searchFields)
		if (isWanted(value[field])) {
			const limit = field === "search_parameters" ? asRecord(value[field])["max_search_results"] : undefined;
			reader.hosted("webSearches", asCount(limit) ?? mostSources);
		}
	const venice = asRecord(value["venice_parameters"]);
	for (const field of veniceFields)
		if (isWanted(venice[field]) && venice[field] !== "off") reader.hosted("webSearches", mostSources);
	// DashScope runs code, and reads what comes of it.
	if (isWanted(value["enable_code_interpreter"])) reader.hosted(undefined);
};

/** By a template vLLM writes the prompt, and may say the same words as often as the client likes. */
const countsForMore = (value: WireRecord): boolean => {
	const { chat_template: template, chat_template_kwargs: words } = value;
	return isGiven(template) || isGiven(asRecord(words)["chat_template"]) || setsSize(value);
};

/**
 * Output beyond its limit: what is predicted, and, in the words of each vendor, what is thought. A budget of nothing is refused by
 * some and is none to others.
 */
const readBeyond = (reader: BoundReader, value: WireRecord): void => {
	const { prediction, enable_thinking: enabled, thinking_budget: budget, thinking } = value;
	if (isGiven(prediction)) reader.predicts(asRecord(prediction)["content"]);
	if (enabled === false) reader.thinks(0, "enable_thinking");
	if (asRecord(thinking)["type"] === "disabled") reader.thinks(0, "thinking");
	const most = asCount(budget);
	if (most) reader.thinks(most, "thinking_budget");
};

export const facts: RequestFacts = {
	bound(body) {
		const reader = new BoundReader(body);
		const { value } = body;
		for (const message of membersOf(value["messages"])) {
			const { content } = message;
			if (typeof content !== "string") for (const part of membersOf(content)) readPart(reader, part);
			// A sound of an earlier answer, by its id.
			if (isGiven(message["audio"]) || tellsOtherwise(message)) reader.reachesOut();
		}
		const tools = membersOf(value["tools"]);
		if (tools.length > 0 || membersOf(value["functions"]).length > 0 || value["response_format"] !== undefined)
			reader.tools(0);
		for (const tool of tools) readTool(reader, tool);
		readSearches(reader, value);
		if (value["reasoning"] !== undefined) reader.reasons(value["reasoning"]);
		if (countsForMore(value)) reader.reachesOut();
		readBeyond(reader, value);
		return reader.result();
	},
	tiers: tiersNamed,
	steering: finder.find,
};
