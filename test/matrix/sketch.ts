/** What a request asks, in words that survive a way through another protocol and back. */
import { isDeepStrictEqual } from "node:util";
import { type Block, type NeutralRequest, parseJson, type Tool } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import type { Difference } from "./compare.ts";

/** Text without white space, as protocols join pieces differently, and without the marks of a system message in between. */
const bare = (text: string): string => text.replaceAll(/<\/?system-reminder>|\s+/g, "");

/** The text of blocks; text documents and search results are text to protocols that have no such block. */
const said = (blocks: readonly Block[]): string =>
	blocks
		.map((block) => {
			if (block.type === "text" || block.type === "refusal") return block.text;
			if (block.type === "search_result") return said(block.content);
			return block.type === "document" && block.media.by === "text" ? block.media.text : "";
		})
		.join("");

const within = (blocks: readonly Block[]): readonly Block[] =>
	blocks.flatMap((block) => (block.type === "tool_result" ? [block, ...within(block.content)] : [block]));

const isMedia = (block: Block): boolean =>
	(block.type === "image" || block.type === "document" || block.type === "video") && block.media.by !== "text";

/** JSON is compared as a value. */
const resultOf = (text: string): unknown => parseJson(text) ?? bare(text);

const toolOf = (tool: Tool): unknown => (tool.type === "unknown" ? "unknown" : tool.name);

/** The request in comparable words. The free input of a custom tool is the field `input` where there are only functions. */
export const sketch = (request: NeutralRequest) => {
	const all = request.messages.flatMap(({ blocks }) => within(blocks));
	const isHosted = ({ type }: Tool) => type === "server" || type === "unknown";
	return {
		said: bare(request.messages.map(({ blocks }) => said(blocks)).join("")),
		media: all.filter(isMedia).length,
		audio: all.filter(({ type }) => type === "audio").length,
		calls: all.flatMap((block) =>
			block.type === "tool_call"
				? [[block.name, block.arguments.form === "json" ? block.arguments.value : { input: block.arguments.text }]]
				: [],
		),
		results: all.flatMap((block) =>
			block.type === "tool_result" ? [[block.isError === true, resultOf(said(block.content))]] : [],
		),
		tools: request.tools?.filter((tool) => !isHosted(tool)).map(toolOf) ?? [],
		hosted: request.tools?.filter(isHosted).map(toolOf) ?? [],
		"tool choice": request.toolChoice ?? { mode: "auto" },
		"max tokens": request.maxOutputTokens,
		temperature: request.sampling.temperature,
		"top p": request.sampling.topP,
		stop: request.stop,
		stream: request.stream,
		format: request.format?.type ?? "text",
	};
};

type Sketch = ReturnType<typeof sketch>;

/** Words that an encoder adds where the protocol has no field for what was asked, or demands a user turn. */
const added = /Continue\.|AnswerwithnothingbutonevalidJSONobject,withoutacodefencearoundit\./g;

type Reason = (before: Sketch, after: Sketch) => string | false | undefined;

const calledWithoutTools: Reason = (before, after) =>
	before.tools.length === 0 && after.calls.length > 0 && "a history with calls demands tools, which may not be called";

const listed: Reason = (before) =>
	before["tool choice"].mode === "named" && "a list of tools to choose from goes as the only tools";

const asText: Reason = (before, after) =>
	before.media > after.media && "a text document is text where there is no such block";

const reasons: Partial<Record<keyof Sketch, readonly Reason[]>> = {
	said: [
		(before, after) =>
			after.said.replace(added, "") === before.said &&
			"what has no field is asked in words, or a user turn is demanded",
		(_, after) => after.said.includes("AnswerwithasingleJSONvalue") && "a schema that has no field is asked in words",
		(before, after) =>
			before.said.length < after.said.length &&
			isWithin(before.said, after.said) &&
			"a document's name is text where there is no such field",
		asText,
	],
	media: [asText],
	format: [
		(before, after) =>
			before.format !== "text" && after.format === "text" && "a format that has no field is asked in words",
	],
	tools: [calledWithoutTools, listed],
	"tool choice": [calledWithoutTools, listed],
	results: [
		(before) =>
			before.results.some(([, text]) => text === "") && "an empty result, or one that is all picture, is told in words",
		(before, after) =>
			isWithin(JSON.stringify(before.results), JSON.stringify(after.results)) &&
			"a document's name is text where there is no such field",
	],
	calls: [
		(before) => before.calls.some(([, value]) => Array.isArray(value)) && "arguments that are a list become a field",
	],
};

/** True when the letters of one stand in the other in the same order. */
const isWithin = (one: string, other: string): boolean => {
	let at = 0;
	for (const letter of other) if (letter === one[at]) at++;
	return at >= one.length;
};

/** Paths of losses that take something away from a part of the sketch. */
const losing: Partial<Record<keyof Sketch, RegExp>> = {
	said: /input|content|messages|document|image|audio|video|search_result|thinking|refusal|format|system/i,
	media: /input|content|messages|document|image|video|file|media/i,
	audio: /input|content|messages|audio/i,
	calls: /input|content|messages|tool|server_call/i,
	results: /input|content|messages|isError|tool_result|image|document|audio|video/i,
	tools: /tool/i,
	hosted: /tool|web_search|server|search/i,
	"tool choice": /tool/i,
	"max tokens": /max/i,
	temperature: /temperature|sampling/i,
	"top p": /top_?p/i,
	stop: /stop/i,
	format: /format|schema/i,
};

/** In what two requests differ, the second of which came by way of `via` and told what it dropped. */
export const requestDifferences = (
	before: NeutralRequest,
	after: NeutralRequest,
	via: ProtocolName,
	dropped: readonly string[],
): readonly Difference[] => {
	const one = sketch(before);
	const other = sketch(after);
	// the limit that Messages demands is there on the way back
	const demanded = via === "messages" && before.maxOutputTokens === undefined;
	return (Object.keys(one) as (keyof Sketch)[]).flatMap((key) => {
		if ((demanded && key === "max tokens") || isDeepStrictEqual(one[key], other[key])) return [];
		const told = dropped.some((path) => losing[key]?.test(path)) ? "it was dropped, and told to be" : undefined;
		const reason = reasons[key]?.map((reasonFor) => reasonFor(one, other)).find(Boolean);
		return [{ what: key, reason: reason || told }];
	});
};
