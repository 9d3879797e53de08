/**
 * The stage between the decoder and the encoder of a request: repairs that every protocol needs and none owns. What only
 * one protocol demands (alternating turns, a first user turn, its alphabet of ids) is its encoder's.
 */
import type { Block, ImageBlock, Message, ToolCallBlock } from "./content.ts";
import { Losses, type NeutralLoss } from "./losses.ts";
import { pairTools } from "./pair-tools.ts";
import { pictureType } from "./picture-type.ts";
import { inPlaceOf } from "./place.ts";
import type { NeutralRequest, Tool, ToolChoice } from "./request.ts";
import { flatName } from "./tool-names.ts";

/** A request in good order, and what had to be left behind for it. */
interface NormalizedRequest {
	readonly request: NeutralRequest;
	readonly losses: readonly NeutralLoss[];
}

const noTools: readonly Tool[] = [];

/**
 * Pure, and idempotent. Afterwards:
 * - no block is empty and no message is without blocks;
 * - the ids of tool calls differ; behind each assistant message with calls stands one `tool` message with exactly one
 *   result for each, in order, and what else was said meanwhile comes after it; results carry the call's name and kind;
 *   a call without a result gets an error result, a result without a call is dropped, of two results the later stays;
 * - calls that went out together (in assistant messages that follow each other) are one message;
 * - tools have different names; the tool choice names only tools that exist and is absent without tools.
 */
export const normalizeRequest = (request: NeutralRequest): NormalizedRequest => {
	const losses = new Losses();
	const stateful = request.state?.previousId !== undefined || request.state?.conversation !== undefined;
	const messages = pairTools(withoutEmpty(request.messages), { losses, stateful });
	const { tools, toolChoice, parallelTools, stop, ...rest } = request;
	const distinct = tools ? distinctTools(tools, losses) : noTools;
	const choice = toolChoice && fitting(toolChoice, distinct, losses);
	const stops = stop?.filter((text) => text !== "") ?? [];
	return {
		request: {
			...rest,
			messages,
			...(distinct.length > 0 && { tools: distinct }),
			...(choice && { toolChoice: choice }),
			...(distinct.length > 0 && parallelTools !== undefined && { parallelTools }),
			...(stops.length > 0 && { stop: stops }),
		},
		losses: losses.list(),
	};
};

const withoutEmpty = (messages: readonly Message[]): readonly Message[] => {
	const kept: Message[] = [];
	for (const message of messages) {
		const blocks = message.blocks.flatMap(sound);
		if (blocks.length === message.blocks.length && blocks.every((block, at) => block === message.blocks[at])) {
			if (blocks.length > 0) kept.push(message);
		} else if (blocks.length > 0) kept.push(inPlaceOf({ ...message, blocks }, message));
	}
	return kept;
};

/** The block as it may go out, or nothing. */
const sound = (block: Block): readonly Block[] => {
	switch (block.type) {
		case "text":
		case "thinking":
			return block.text !== "" || block.signature ? [block] : [];
		case "refusal":
			return block.text === "" ? [] : [block];
		case "tool_call":
			return [soundCall(block)];
		case "tool_result": {
			const content = block.content.flatMap(sound);
			return [content.length === block.content.length ? block : inPlaceOf({ ...block, content }, block)];
		}
		case "image":
			return [soundImage(block)];
		default:
			return [block];
	}
};

const soundCall = (block: ToolCallBlock): ToolCallBlock =>
	block.kind === "function" && block.arguments.text.trim() === ""
		? inPlaceOf({ ...block, arguments: { form: "json", value: {}, text: "{}" } }, block)
		: block;

/** Clients say `image/jpg`, which no provider knows, or `image/png` of whatever they have; Anthropic refuses the request for it. */
const soundImage = (block: ImageBlock): ImageBlock => {
	const { media } = block;
	if (media.by !== "bytes") return block;
	const mime = pictureType(media.base64) ?? (media.mime === "image/jpg" ? "image/jpeg" : media.mime);
	return mime === media.mime ? block : inPlaceOf({ ...block, media: { ...media, mime } }, block);
};

/** Tools by what a call names them; of two with one name the first stays. */
const distinctTools = (tools: readonly Tool[], losses: Losses): readonly Tool[] => {
	const seen = new Set<string>();
	return tools.filter((tool) => {
		if (tool.type !== "function" && tool.type !== "custom") return true;
		const name = `${("namespace" in tool && tool.namespace) || ""}/${tool.name}`;
		if (seen.has(name)) losses.node(tool, `the tool "${tool.name}" is defined twice; the first stays`);
		return !seen.has(name) && seen.add(name);
	});
};

const fitting = (choice: ToolChoice, tools: readonly Tool[], losses: Losses): ToolChoice | undefined => {
	if (tools.length === 0) {
		if (choice.mode !== "auto" && choice.mode !== "none")
			losses.setting("toolChoice", "there are no tools to choose from");
		return undefined;
	}
	if (choice.mode !== "named") return choice;
	const known = new Set(tools.flatMap((tool) => (tool.type === "unknown" ? [] : [tool.name, wordOf(tool)])));
	if (tools.some((tool) => tool.type === "unknown") || choice.names.every((name) => known.has(name))) return choice;
	const names = choice.names.filter((name) => known.has(name));
	losses.setting("toolChoice", "it names a tool that is not among the tools");
	return names.length > 0 ? { ...choice, names } : undefined;
};

/** Another word by which a choice may name the tool. */
const wordOf = (tool: Exclude<Tool, { type: "unknown" }>): string => {
	if (tool.type === "server") return tool.vendorType;
	return flatName(tool.name, "namespace" in tool ? tool.namespace : undefined);
};
