/**
 * How many input tokens a request can be at most, from its body alone and without its protocol: a token stands for at
 * least one byte, so the bytes are a bound, but for what the body only points to (files, earlier responses, searches).
 */
import { asCount, asList, asRecord, asText, isRecord, type JsonBody, type WireRecord } from "#core";

export interface InputBound {
	/** Tokens for what stands in the body; images count by themselves, however many bytes they have. */
	readonly tokens: number;
	/** Something outside the body is read as well: the model's context window is the only bound. */
	readonly open: boolean;
	readonly webSearches: number;
	readonly fileSearches: number;
	/** Something may be kept in a cache for an hour. */
	readonly longCache: boolean;
}

/** What providers wrap around a conversation, and the instructions they put before tools. */
const aroundConversation = 16;
const aroundTools = 1_024;
/** No provider counts an ordinary image as more. */
const perImage = 16_384;
/** Searches a model makes when the request does not say. */
const usualSearches = 10;
const deepest = 12;

/** Roots that point to what is kept at the provider. */
const references = ["previous_response_id", "conversation", "prompt", "cachedContent", "cached_content"];
const imageTypes = new Set(["image_url", "input_image", "image"]);
const openTypes = new Set([
	"file",
	"input_file",
	"document",
	"video",
	"video_url",
	"input_video",
	"audio_url",
	"item_reference",
]);
/** Parts whose bytes are all there is to them; looking into them would only cost time. */
const plain = new Set([
	"tools",
	"functions",
	"arguments",
	"args",
	"input_schema",
	"parameters",
	"response_format",
	"metadata",
	"tool_use",
]);
/** Tools that run at the client: they read nothing by themselves. */
const clientTool = /^(function|custom|computer|bash|text_editor|memory|local_shell|shell|apply_patch|namespace)/;

class Reader {
	images = 0;
	imageBytes = 0;
	open = false;
	webSearches = 0;
	fileSearches = 0;
	longCache = false;

	/** Looks for media and references, not at text. */
	walk(value: unknown, depth: number): void {
		if (typeof value !== "object" || value === null || depth > deepest) return;
		if (Array.isArray(value)) {
			for (const item of value) this.walk(item, depth + 1);
			return;
		}
		const node = value as WireRecord;
		if (this.isMedia(node)) return;
		for (const key in node) {
			const member = node[key];
			if (typeof member !== "object" || member === null || plain.has(key)) continue;
			if (key === "cache_control") this.longCache ||= asText(asRecord(member)["ttl"]) === "1h";
			else this.walk(member, depth + 1);
		}
	}

	private isMedia(node: WireRecord): boolean {
		const { type } = node;
		const inline = node["inlineData"] ?? node["inline_data"];
		if (typeof type === "string" && imageTypes.has(type)) return this.image(node["image_url"] ?? node["source"]);
		if (inline !== undefined) return this.inline(asRecord(inline));
		if (node["fileData"] !== undefined || node["file_data"] !== undefined) this.open = true;
		else if (typeof type === "string" && openTypes.has(type)) this.open ||= !isTextSource(node["source"]);
		return false;
	}

	private image(source: unknown): true {
		const { url, data } = asRecord(source);
		this.images++;
		this.imageBytes += (asText(source) ?? asText(url) ?? asText(data) ?? "").length;
		return true;
	}

	private inline({ mimeType, mime_type, data }: WireRecord): true {
		if ((asText(mimeType) ?? asText(mime_type) ?? "").startsWith("image/")) return this.image(data);
		this.open ||= !(asText(mimeType) ?? asText(mime_type) ?? "").startsWith("audio/");
		return true;
	}

	tools(tools: readonly unknown[]): void {
		for (const tool of tools) if (isRecord(tool)) this.tool(tool);
	}

	private tool(tool: WireRecord): void {
		const type = asText(tool["type"]);
		if (type === undefined ? tool["name"] !== undefined || tool["input_schema"] !== undefined : clientTool.test(type))
			return;
		const names =
			type === undefined ? Object.keys(tool).filter((key) => !/^function_?declarations$/i.test(key)) : [type];
		for (const name of names) this.serverTool(name, asCount(tool["max_uses"]) ?? usualSearches);
	}

	serverTool(name: string, uses: number): void {
		this.open = true;
		if (/file|storage|retrieval/i.test(name)) this.fileSearches += uses;
		else if (/search|web|url/i.test(name)) this.webSearches += uses;
	}
}

const isTextSource = (source: unknown): boolean => ["text", "content"].includes(asText(asRecord(source)["type"]) ?? "");

/** The bound for one request. Cheap: it looks at the structure, never at the text. */
export const inputBound = ({ bytes, value }: JsonBody): InputBound => {
	const reader = new Reader();
	const tools = asList(value["tools"]);
	reader.tools(tools);
	if (value["web_search_options"] !== undefined) reader.serverTool("web_search", usualSearches);
	for (const reference of references)
		if (value[reference] !== undefined && value[reference] !== null) reader.open = true;
	reader.walk(value, 0);
	const { images, imageBytes, open, webSearches, fileSearches, longCache } = reader;
	const around = aroundConversation + (tools.length > 0 ? aroundTools : 0);
	return { tokens: bytes.length - imageBytes + images * perImage + around, open, webSearches, fileSearches, longCache };
};

/** What a model reads at most that reads more than the body, where its context window is not known. */
const unknownWindow = 200_000;

/** Input tokens for a model whose context window may be known. */
export const inputTokens = (bound: InputBound, contextWindow: number | undefined): number =>
	bound.open ? (contextWindow ?? Math.max(bound.tokens, unknownWindow)) : bound.tokens;
