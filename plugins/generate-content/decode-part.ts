/** One part of a content as a block, for both directions. Calls and results of functions are read where their order is known. */
import {
	asText,
	type Block,
	definedOnly,
	isRecord,
	lookup,
	type Opaque,
	type Origin,
	type ServerTool,
	type WireRecord,
} from "#core";
import { languageWord, outcomeWord } from "./enum-words.ts";
import { field, otherFields, recordField } from "./fields.ts";
import { decodeBlob, decodeFile } from "./media.ts";
import { bagOf } from "./signatures.ts";

const serverTools = lookup<ServerTool>({
	GOOGLE_SEARCH_WEB: "web_search",
	GOOGLE_SEARCH_IMAGE: "web_search",
	URL_CONTEXT: "web_fetch",
	GOOGLE_MAPS: "maps",
	FILE_SEARCH: "file_search",
});

const toolOf = (word: string | undefined): ServerTool => serverTools[word ?? ""] ?? "other";

/** Fields that say what a part is; anything else is an addition to it, such as `videoMetadata`. */
const telling = new Set([
	"text",
	"thought",
	"thoughtSignature",
	"inlineData",
	"fileData",
	"functionCall",
	"functionResponse",
	"executableCode",
	"codeExecutionResult",
	"toolCall",
	"toolResponse",
]);

/** The signature on a part, as its raw text. */
export const signatureOf = (part: WireRecord): string | undefined => asText(field(part, "thoughtSignature"));

/** True for a part that is text and nothing but text. */
export const isPlain = (part: WireRecord): boolean => {
	for (const name in part) {
		if (name === "text" || name === "thought" || name === "thoughtSignature" || name === "thought_signature") continue;
		if (part[name] !== null) return false;
	}
	return true;
};

interface PartContext {
	readonly origin: Origin;
	/** The part's signature, read. */
	readonly signature?: Opaque | undefined;
	/** An id for a server tool's call that came without one; most parts need none. */
	readonly fallbackId: () => string;
}

const languageOf = (code: WireRecord): { language?: string } => {
	const language = languageWord(code["language"])?.toLowerCase();
	return language === undefined || language === "language_unspecified" ? {} : { language };
};

type Reader = (value: WireRecord, context: PartContext, part: WireRecord) => Block;

const rawOf = (context: PartContext, part: WireRecord) => ({ raw: { origin: context.origin, value: part } });

const serverCall = (
	tool: ServerTool,
	call: WireRecord,
	input: unknown,
	context: PartContext,
	part: WireRecord,
): Block => ({
	type: "server_call",
	id: asText(field(call, "id")) ?? context.fallbackId(),
	tool,
	name: tool,
	arguments: input,
	...definedOnly({ signature: context.signature }),
	...rawOf(context, part),
});

/** By the field that says what the part is. */
const readers = Object.entries<Reader>({
	inlineData: (blob, { signature }, part) => {
		const block = decodeBlob(blob);
		if (block.type !== "image") return block;
		return { ...block, ...definedOnly({ signature, thought: part["thought"] === true || undefined }) };
	},
	fileData: (file, { origin }) => decodeFile(file, origin),
	executableCode: (code, context, part) => {
		const input = { code: asText(code["code"]) ?? "", ...languageOf(code) };
		return serverCall("code_execution", code, input, context, part);
	},
	codeExecutionResult: (result, context, part) => {
		const outcome = outcomeWord(result["outcome"]);
		return {
			type: "server_result",
			callId: asText(field(result, "id")) ?? context.fallbackId(),
			tool: "code_execution",
			result: { output: asText(result["output"]) ?? "" },
			...(outcome !== undefined && outcome !== "OUTCOME_OK" && { isError: true }),
			...rawOf(context, part),
		};
	},
	toolCall: (call, context, part) =>
		serverCall(toolOf(asText(field(call, "toolType"))), call, recordField(call, "args"), context, part),
	toolResponse: (answer, context, part) => ({
		type: "server_result",
		callId: asText(field(answer, "id")) ?? context.fallbackId(),
		tool: toolOf(asText(field(answer, "toolType"))),
		result: recordField(answer, "response"),
		...rawOf(context, part),
	}),
});

/** True for a part with a text that has no other content; what is said about the text may stand beside it. */
export const isText = (part: WireRecord): boolean => !readers.some(([name]) => isRecord(field(part, name)));

const decodeText = (part: WireRecord, { signature }: PartContext): Block | undefined => {
	const text = asText(part["text"]);
	if (text === undefined && signature === undefined && part["thought"] !== true) return undefined;
	const signed = definedOnly({ signature });
	if (part["thought"] === true) return { type: "thinking", text: text ?? "", form: "summary", ...signed };
	return { type: "text", text: text ?? "", ...signed };
};

/** The block that a part is; whatever is not understood is kept whole for the same protocol and family. */
export const decodePart = (part: WireRecord, context: PartContext): Block => {
	const extras = bagOf(otherFields(part, telling));
	for (const [name, read] of readers) {
		const value = field(part, name);
		if (isRecord(value)) return { ...read(value, context, part), ...extras };
	}
	const block = extras.extras && part["text"] === undefined ? undefined : decodeText(part, context);
	return block ? { ...block, ...extras } : { type: "unknown", origin: context.origin, raw: part };
};
