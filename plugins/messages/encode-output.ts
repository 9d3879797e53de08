/** Blocks of an answer for a client of this protocol. */
import {
	asList,
	asRecord,
	asText,
	type Block,
	codeOf,
	definedOnly,
	flatName,
	type Grounding,
	type NeutralRequest,
	type Opaque,
	outputOf,
	unshown,
	type WireRecord,
} from "#core";
import { inputOf } from "./call-input.ts";
import { foreignServerId, nothingEncrypted, type Place, writeCarried } from "./carried.ts";
import { encodeCitation, runsOf } from "./citations.ts";
import { safeId, shortHash } from "./identifiers.ts";
import { protocolName } from "./name.ts";

const text = (words: string): WireRecord => ({ type: "text", text: words });

/** A thinking block without a word, which carries the signature of the block beside it. */
export const carrier = (signature: Opaque, place: Place): WireRecord => ({
	type: "thinking",
	thinking: "",
	signature: writeCarried(signature, place),
});

/**
 * What stands in place of media that this protocol's answers cannot hold. It is told as a thought, so that the text of
 * the answer stays what the model said.
 */
export const mediaNote = (what: string): WireRecord => ({
	type: "thinking",
	thinking: unshown(what),
	signature: nothingEncrypted,
});

/** The id of another protocol's server tool call as clients of this one expect it. */
const serverId = (id: string): string => `${foreignServerId}_${shortHash(id)}`;

const searchResult = (found: unknown): WireRecord => {
	const { url, title } = asRecord(found);
	const address = asText(url) ?? "";
	return {
		type: "web_search_result",
		url: address,
		title: asText(title) ?? address,
		encrypted_content: nothingEncrypted,
		page_age: null,
	};
};

const isError = ({ isError: failed }: { readonly isError?: boolean }): boolean => failed === true;

/** What came out of a foreign tool, in the shape of this protocol's tool of the same sort. */
const resultContent = (block: Extract<Block, { type: "server_result" }>): unknown => {
	if (block.tool === "web_search") {
		if (isError(block)) return { type: "web_search_tool_result_error", error_code: "unavailable" };
		return asList(block.result).map(searchResult);
	}
	const { output: stdout = "", error = "" } = outputOf(block) ?? {};
	const failed = isError(block);
	const stderr = failed && error === "" ? stdout : error;
	return {
		type: "code_execution_result",
		stdout: failed && error === "" ? "" : stdout,
		stderr,
		return_code: failed ? 1 : 0,
		content: [],
	};
};

/** Who called: the model itself, and not code that it wrote. SDKs of typed languages refuse calls and searches that do not say it. */
const caller = { type: "direct" } as const;

/** Sorts of foreign tools that have a counterpart here. */
const shown: ReadonlySet<string> = new Set(["web_search", "code_execution"]);

const resultBlock = (tool: string, id: unknown, content: unknown): WireRecord => ({
	type: `${tool}_tool_result`,
	tool_use_id: id,
	content,
	...(tool === "web_search" && { caller }),
});

const encodeServerCall = (block: Extract<Block, { type: "server_call" }>): readonly WireRecord[] => {
	if (block.raw?.origin.protocol === protocolName) return [asRecord(block.raw.value)];
	if (!shown.has(block.tool)) return [];
	const run = codeOf(block);
	const input = run ? { code: run.code } : asRecord(block.arguments);
	return [{ type: "server_tool_use", id: serverId(block.id), name: block.tool, input, caller }];
};

const encodeServerResult = (block: Extract<Block, { type: "server_result" }>): readonly WireRecord[] => {
	if (block.raw?.origin.protocol === protocolName) return [asRecord(block.raw.value)];
	if (!shown.has(block.tool)) return [];
	return [resultBlock(block.tool, serverId(block.callId), resultContent(block))];
};

const encodeText = (block: Extract<Block, { type: "text" }>): readonly WireRecord[] => {
	const blocks: WireRecord[] = [];
	for (const run of runsOf(block)) {
		const citations = run.citations.flatMap((citation) => encodeCitation(citation) ?? []);
		if (run.text !== "" || citations.length > 0)
			blocks.push({ ...text(run.text), ...(citations.length > 0 && { citations }) });
	}
	if (block.signature) blocks.push(carrier(block.signature, blocks.length === 0 ? "empty" : "previous"));
	return blocks;
};

/** A namespace means something to this client only when it named the tool with it. */
const clientName = (name: string, namespace: string | undefined, { tools = [] }: NeutralRequest): string => {
	const flat = flatName(name, namespace);
	return tools.some((tool) => tool.type === "function" && tool.name === flat) ? flat : name;
};

const encodeCall = (block: Extract<Block, { type: "tool_call" }>, request: NeutralRequest): readonly WireRecord[] => {
	const use = {
		type: "tool_use",
		id: safeId(block.id),
		name: clientName(block.name, block.namespace, request),
		input: inputOf(block.arguments),
		...block.extras?.[protocolName],
	};
	return block.signature ? [carrier(block.signature, "next"), use] : [use];
};

/** The block as a client sees it: none, one, or several where a text is cut along what it cites. */
export const encodeOutputBlock = (block: Block, request: NeutralRequest): readonly WireRecord[] => {
	switch (block.type) {
		case "text":
			return encodeText(block);
		case "refusal":
			return [text(block.text)];
		case "thinking": {
			// Without a signature some clients would not replay it, and an upstream of this protocol could not tell it apart.
			const signature = block.signature ? writeCarried(block.signature) : nothingEncrypted;
			return [{ type: "thinking", thinking: block.text, signature }];
		}
		case "opaque_thinking":
			return [{ type: "redacted_thinking", data: writeCarried(block.data) }];
		case "tool_call":
			return encodeCall(block, request);
		case "server_call":
			return encodeServerCall(block);
		case "server_result":
			return encodeServerResult(block);
		case "image":
			return block.thought ? [] : [mediaNote("an image")];
		case "audio":
			return [block.transcript ? text(block.transcript) : mediaNote("sound")];
		case "video":
		case "document":
			return [mediaNote(`a ${block.type}`)];
		case "unknown":
			return block.origin.protocol === protocolName ? [asRecord(block.raw)] : [];
		default:
			return [];
	}
};

/** Clients expect a result behind each call of a server tool; other protocols tell some calls without one. */
export class ServerPairs {
	private open: { readonly id: unknown; readonly name: string } | undefined;
	private searched = false;

	/** What must stand before the next block of the answer. */
	before(block: WireRecord | undefined): readonly WireRecord[] {
		const { open } = this;
		const isNext = block?.["type"] === "server_tool_use" && asText(block["id"])?.startsWith(foreignServerId) === true;
		this.open = isNext ? { id: block["id"], name: asText(block["name"]) ?? "" } : undefined;
		this.searched ||= block?.["name"] === "web_search";
		if (open === undefined || block?.["tool_use_id"] === open.id) return [];
		const nothing = { type: "server_result", callId: "", tool: open.name, result: [] } as const;
		const tool = open.name === "web_search" ? "web_search" : "code_execution";
		return [resultBlock(tool, open.id, resultContent({ ...nothing, tool }))];
	}

	/** A search that the model's maker told only at the end, as the call and result it stands for. */
	grounding({ queries, sources }: Grounding): readonly WireRecord[] {
		if (this.searched || sources.length === 0) return [];
		const id = serverId(JSON.stringify(queries));
		return [
			{ type: "server_tool_use", id, name: "web_search", input: definedOnly({ query: queries[0] }), caller },
			resultBlock("web_search", id, sources.map(searchResult)),
		];
	}
}
