/** A whole response as the stream that would have told it: `fold(explode(response))` is the response. */

import type { Block, TextBlock, ThinkingBlock, ToolArguments } from "./content.ts";
import { definedOnly } from "./json.ts";
import type { Candidate, Delta, NeutralEvent, NeutralResponse } from "./response.ts";

/**
 * The events of a response, in the order written at `NeutralEvent`. Each growing block opens empty, is given in one
 * delta of each sort and closes with the whole as `final`. Where the response is a failure, the finish of a candidate
 * that ended by it is left to the error event.
 */
export const explode = (response: NeutralResponse): NeutralEvent[] => {
	const { id, model, createdAt, usage, tier, extras, promptBlocked, error } = response;
	const events: NeutralEvent[] = [definedOnly({ type: "start" as const, id, model, createdAt, usage, tier, extras })];
	let number = 0;
	for (const candidate of response.candidates)
		for (const block of candidate.blocks) explodeBlock(events, block, number++, candidate.index);
	if (usage) events.push({ type: "usage", usage });
	if (promptBlocked) events.push({ type: "blocked", ...promptBlocked });
	for (const candidate of response.candidates) explodeEnd(events, candidate, error !== undefined);
	if (error) events.push({ type: "error", error });
	events.push({ type: "end", clean: error === undefined });
	return events;
};

const explodeEnd = (events: NeutralEvent[], candidate: Candidate, failed: boolean): void => {
	const { index, grounding, finish, extras } = candidate;
	if (grounding) events.push({ type: "grounding", candidate: index, grounding });
	if (failed && finish.reason === "error") return;
	events.push({ type: "finish", candidate: index, finish, ...(extras && { extras }) });
};

const explodeBlock = (events: NeutralEvent[], whole: Block, block: number, candidate: number): void => {
	const { shell, deltas } = splitBlock(whole);
	events.push({ type: "open", block, candidate, shell });
	for (const delta of deltas) events.push({ type: "delta", block, delta });
	events.push({ type: "close", block, final: whole });
};

/** A block as an empty shell, and the deltas that make it whole again. */
interface SplitBlock {
	readonly shell: Block;
	readonly deltas: readonly Delta[];
}

/**
 * Splits a block that grows; any other is its own shell. The signature of a tool call stays on the shell, because some
 * protocols write it before the call.
 */
export const splitBlock = (block: Block): SplitBlock => {
	switch (block.type) {
		case "text":
			return splitText(block);
		case "thinking":
			return splitThinking(block);
		case "tool_call": {
			const { text } = block.arguments;
			const deltas: Delta[] = text === "" ? [] : [{ type: "arguments", text }];
			return { shell: { ...block, arguments: noArguments(block.kind) }, deltas };
		}
		case "refusal":
			return { shell: { ...block, text: "" }, deltas: [{ type: "refusal", text: block.text }] };
		default:
			return { shell: block, deltas: [] };
	}
};

const splitText = (block: TextBlock): SplitBlock => {
	const { citations = [], logprobs = [], signature, ...rest } = block;
	const deltas: Delta[] = block.text === "" ? [] : [{ type: "text", text: block.text }];
	for (const citation of citations) deltas.push({ type: "citation", citation });
	if (logprobs.length > 0) deltas.push({ type: "logprobs", items: logprobs });
	if (signature) deltas.push({ type: "signature", value: signature });
	return { shell: { ...rest, text: "" }, deltas };
};

const splitThinking = (block: ThinkingBlock): SplitBlock => {
	const { parts, signature, ...rest } = block;
	const deltas: Delta[] = [];
	if (parts) for (const [part, text] of parts.entries()) deltas.push({ type: "thinking", text, part });
	else if (block.text !== "") deltas.push({ type: "thinking", text: block.text });
	if (signature) deltas.push({ type: "signature", value: signature });
	return { shell: { ...rest, text: "" }, deltas };
};

/** Arguments of a call of which nothing has come yet. */
const noArguments = (kind: "function" | "custom"): ToolArguments =>
	kind === "custom" ? { form: "text", text: "" } : { form: "invalid", text: "" };
