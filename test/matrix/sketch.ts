/** What a request asks, in words that survive a way through another protocol and back. */
import { isDeepStrictEqual } from "node:util";
import type { Block, NeutralRequest, Tool } from "#core";
import type { ProtocolName } from "../support/recordings.ts";

const said = (blocks: readonly Block[]): string =>
	blocks.map((block) => (block.type === "text" || block.type === "refusal" ? block.text : "")).join("");

/** Text of each run of messages in one role; adjacent messages count as one, as two protocols join them. */
const turns = (request: NeutralRequest): readonly string[] => {
	const made: { role: string; text: string }[] = [];
	for (const { role: given, blocks } of request.messages) {
		const role = given === "developer" ? "system" : given;
		const text = said(blocks);
		const last = made.at(-1);
		if (role === "tool" || text.trim() === "") continue;
		if (last?.role === role) last.text += text;
		else made.push({ role, text });
	}
	return made.map(({ role, text }) => `${role}: ${text.trim().replaceAll(/\s+/g, " ")}`);
};

const blocksOf = <T extends Block["type"]>(request: NeutralRequest, type: T) =>
	request.messages.flatMap(({ blocks }) =>
		blocks.filter((block): block is Extract<Block, { type: T }> => block.type === type),
	);

const toolOf = (tool: Tool): unknown =>
	tool.type === "function"
		? [tool.name, tool.description ?? ""]
		: tool.type === "unknown"
			? "unknown"
			: [tool.type, tool.name];

const sketch = (request: NeutralRequest) => ({
	turns: turns(request),
	images: blocksOf(request, "image").length,
	documents: blocksOf(request, "document").length,
	audio: blocksOf(request, "audio").length,
	calls: blocksOf(request, "tool_call").map(({ name, arguments: args }) => [
		name,
		args.form === "json" ? args.value : args.text,
	]),
	results: blocksOf(request, "tool_result").map((result) => [result.isError === true, said(result.content).trim()]),
	tools: request.tools?.filter(({ type }) => type === "function").map(toolOf) ?? [],
	hosted: request.tools?.filter(({ type }) => type !== "function").map(toolOf) ?? [],
	"tool choice": request.toolChoice ?? { mode: "auto" },
	"max tokens": request.maxOutputTokens,
	temperature: request.sampling.temperature,
	"top p": request.sampling.topP,
	stop: request.stop,
	stream: request.stream,
	format: request.format?.type ?? "text",
});

/** In what two requests differ, the second of which came by way of `via`. */
export const requestDifferences = (
	before: NeutralRequest,
	after: NeutralRequest,
	via: ProtocolName,
): readonly string[] => {
	const one = sketch(before);
	const other = sketch(after);
	// the limit that Messages demands is there on the way back
	const demanded = via === "messages" && before.maxOutputTokens === undefined;
	return Object.keys(one).filter(
		(key) =>
			!(demanded && key === "max tokens") &&
			!isDeepStrictEqual(one[key as keyof typeof one], other[key as keyof typeof one]),
	);
};
