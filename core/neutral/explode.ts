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
	events.push({ type: "open", block, candidate, shell: shellOf(whole) });
	for (const delta of deltasOf(whole)) events.push({ type: "delta", block, delta });
	events.push({ type: "close", block, final: whole });
};

const none: readonly Delta[] = [];

/**
 * A block that grows, as an empty shell that its deltas make whole again; any other is its own shell. The signature of a
 * tool call stays on the shell, because some protocols write it before the call.
 */
export const shellOf = (block: Block): Block => {
	switch (block.type) {
		case "text": {
			const { citations: _citations, logprobs: _logprobs, signature: _signature, ...rest } = block;
			return { ...rest, text: "" };
		}
		case "thinking": {
			const { parts: _parts, signature: _signature, ...rest } = block;
			return { ...rest, text: "" };
		}
		case "tool_call":
			return { ...block, arguments: noArguments(block.kind) };
		case "refusal":
			return { ...block, text: "" };
		default:
			return block;
	}
};

/** What makes the shell of a block whole again. */
export const deltasOf = (block: Block): readonly Delta[] => {
	switch (block.type) {
		case "text":
			return deltasOfText(block);
		case "thinking":
			return deltasOfThinking(block);
		case "tool_call":
			return block.arguments.text === "" ? none : [{ type: "arguments", text: block.arguments.text }];
		case "refusal":
			return [{ type: "refusal", text: block.text }];
		default:
			return none;
	}
};

const deltasOfText = ({ text, citations, logprobs, signature }: TextBlock): readonly Delta[] => {
	const deltas: Delta[] = text === "" ? [] : [{ type: "text", text }];
	if (citations) for (const citation of citations) deltas.push({ type: "citation", citation });
	if (logprobs && logprobs.length > 0) deltas.push({ type: "logprobs", items: logprobs });
	if (signature) deltas.push({ type: "signature", value: signature });
	return deltas;
};

const deltasOfThinking = ({ text, parts, signature }: ThinkingBlock): readonly Delta[] => {
	const deltas: Delta[] = [];
	if (parts) for (const [part, said] of parts.entries()) deltas.push({ type: "thinking", text: said, part });
	else if (text !== "") deltas.push({ type: "thinking", text });
	if (signature) deltas.push({ type: "signature", value: signature });
	return deltas;
};

/** Arguments of a call of which nothing has come yet. */
const noArguments = (kind: "function" | "custom"): ToolArguments =>
	kind === "custom" ? { form: "text", text: "" } : { form: "invalid", text: "" };
