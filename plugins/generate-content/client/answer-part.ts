/** Blocks of an answer as the parts a Gemini client is given. */
import {
	asRecord,
	type Block,
	codeOf,
	definedOnly,
	flatName,
	isRecord,
	type Media,
	type NeutralRequest,
	outputOf,
	printed,
	type ServerCallBlock,
	type ServerResultBlock,
	type ToolCallBlock,
	type WireRecord,
} from "#core";
import { argumentsObject } from "../encode-part.ts";
import { protocolName } from "../name.ts";
import { writeSignature } from "../signatures.ts";

/** True for a client that said it does not want to see thoughts. */
export const hidesThoughts = (request: NeutralRequest): boolean => request.reasoning?.expose === "none";

/** A visible text or thought; `signature` is given as it is to be written. */
export const textPart = (text: string, thought: boolean, signature?: string): string => {
	const more = signature === undefined ? "" : `,"thoughtSignature":${JSON.stringify(signature)}`;
	return thought ? `{"text":${JSON.stringify(text)},"thought":true${more}}` : `{"text":${JSON.stringify(text)}${more}}`;
};

/** Whether the mark of reasoning that shows nothing may stand on it: on what is said or called, and not signed itself. */
export const bearsMark = (part: WireRecord): boolean =>
	(part["text"] !== undefined || part["functionCall"] !== undefined) &&
	part["thought"] !== true &&
	part["thoughtSignature"] === undefined;

/** A function call; undefined for one whose arguments are no JSON, which cannot be told here. */
const callPart = (block: ToolCallBlock): WireRecord | undefined => {
	if (block.arguments.form === "invalid" && block.arguments.text.trim() !== "") return undefined;
	const name = flatName(block.name, block.namespace);
	return {
		functionCall: { id: block.id, name, args: argumentsObject(block.arguments) },
		...(block.signature && { thoughtSignature: writeSignature(block.signature) }),
	};
};

const mediaPart = (media: Media): WireRecord | undefined => {
	switch (media.by) {
		case "bytes":
			return { inlineData: { mimeType: media.mime, data: media.base64 } };
		case "url":
			return { fileData: { ...definedOnly({ mimeType: media.mime }), fileUri: media.url } };
		case "file":
			return media.origin.protocol === protocolName
				? { fileData: { ...definedOnly({ mimeType: media.mime }), fileUri: media.id } }
				: undefined;
		case "text":
			return { text: media.text };
	}
};

/** Code that another provider's model ran, in the form that Gemini has for it. */
const codePart = (block: ServerCallBlock | ServerResultBlock): WireRecord | undefined => {
	if (block.type === "server_call") {
		const run = codeOf(block);
		const language = (run?.language ?? "python") === "python" ? "PYTHON" : "LANGUAGE_UNSPECIFIED";
		return run && { executableCode: { id: block.id, language, code: run.code } };
	}
	const output = outputOf(block);
	const outcome = block.isError === true ? "OUTCOME_FAILED" : "OUTCOME_OK";
	return output && { codeExecutionResult: { id: block.callId, outcome, output: printed(output) } };
};

const serverPart = (block: ServerCallBlock | ServerResultBlock): WireRecord | undefined =>
	block.raw?.origin.protocol === protocolName ? asRecord(block.raw.value) : codePart(block);

const imagePart = (block: Extract<Block, { type: "image" }>): WireRecord | undefined => {
	const part = mediaPart(block.media);
	const signature = block.signature && writeSignature(block.signature);
	return part && { ...part, ...definedOnly({ thought: block.thought || undefined, thoughtSignature: signature }) };
};

/** The part of a block that comes in one piece; undefined when a Gemini client cannot be told of it. */
export const wholePart = (block: Block): WireRecord | undefined => {
	switch (block.type) {
		case "tool_call":
			return callPart(block);
		case "image":
			return imagePart(block);
		case "audio":
		case "video":
		case "document":
			return mediaPart(block.media);
		case "server_call":
		case "server_result":
			return serverPart(block);
		case "unknown":
			return block.origin.protocol === protocolName ? asRecord(block.raw) : undefined;
		default:
			return undefined;
	}
};

/** The words of a sound, which Gemini has no place for beside it: they are told after it. */
export const wordsOf = (block: Block): string => (block.type === "audio" ? (block.transcript ?? "") : "");

/** What the model searched for, as far as the block tells. */
export const queriesOf = (block: Block): readonly string[] => {
	if (block.type !== "server_call" || block.tool !== "web_search" || !isRecord(block.arguments)) return [];
	const { query, queries } = block.arguments;
	const list = Array.isArray(queries) ? queries : [query];
	return list.filter((text) => typeof text === "string" && text !== "");
};
