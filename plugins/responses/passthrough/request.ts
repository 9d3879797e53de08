/** The client's own bytes for an upstream of the same protocol, with only what must change. */
import {
	asCount,
	asList,
	asRecord,
	asText,
	definedOnly,
	editJsonBody,
	effortLoss,
	effortToSend,
	isRecord,
	type Loss,
	type ModelAsk,
	type PassthroughChanges,
	runAsText,
	type UpstreamMessage,
	type WireRecord,
} from "#core";
import { passedHeaders } from "../../chat-completions/service.ts";
import { mayCarry, uncarryFor } from "../carrier.ts";
import { decodeHostedItem } from "../hosted-item.ts";
import { foreignContainer, isForeignRun, originOf, ownReasoningMark } from "../origin.ts";
import { placesOf } from "../sent-input.ts";

/** Reasoning of other providers' models, which this upstream can neither read nor find among what it kept. */
const isForeign = (item: unknown): boolean => {
	const { type, id, encrypted_content: value } = asRecord(item);
	if (type !== "reasoning") return false;
	const blob = asText(value) ?? "";
	return blob === "" ? (asText(id) ?? "").startsWith(ownReasoningMark) : uncarryFor(blob) !== undefined;
};

/** A call without what OpenAI's SDKs add to it when they fold a stream, and OpenAI refuses. */
const withoutParsed = (item: unknown): unknown => {
	if (!isRecord(item) || !("parsed_arguments" in item)) return item;
	const { parsed_arguments: _parsed, ...call } = item;
	return call;
};

/** Code that another provider's model ran, as a message of the model: this upstream did not run it. */
const runAsMessage = (item: WireRecord): WireRecord => {
	const texts = decodeHostedItem(item, originOf("")).flatMap((block) =>
		block.type === "server_call" || block.type === "server_result" ? (runAsText(block) ?? []) : [],
	);
	return { role: "assistant", content: texts.join("").trim() };
};

/** The input without what no upstream of this protocol takes; undefined when it stays as it is. */
const cleanInput = (ask: ModelAsk, losses: Loss[]): readonly unknown[] | undefined => {
	const { text, value } = ask.body;
	const marks = [`"${ownReasoningMark}`, '"parsed_arguments"', foreignContainer];
	if (!mayCarry(text) && !marks.some((mark) => text.includes(mark))) return undefined;
	const input = asList(value["input"]);
	const places = placesOf(input, ask);
	return input.flatMap((item, at) => {
		if (isRecord(item) && isForeignRun(item)) return [runAsMessage(item)];
		if (!isForeign(item)) return [withoutParsed(item)];
		const path = places[at] ?? "";
		if (path !== "") losses.push({ path, reason: "it is reasoning of another provider's model" });
		return [];
	});
};

/** The path for what is asked; the same for upstreams that are reached by translation. */
export const pathFor = (operation: string): string =>
	operation === "count_tokens"
		? "/responses/input_tokens"
		: operation === "compact"
			? "/responses/compact"
			: "/responses";

/** The message to send: the client's bytes when nothing must change. */
export const passthroughRequest = (ask: ModelAsk, changes: PassthroughChanges): UpstreamMessage => {
	const { body, call } = ask;
	const edits: Record<string, unknown> = {};
	const losses: Loss[] = [];
	if (body.value["model"] !== changes.model) edits["model"] = changes.model;
	const limit = changes.maxOutputTokens;
	const asked = asCount(body.value["max_output_tokens"]);
	if (limit !== undefined && call.operation === "generate" && (asked === undefined || asked > limit))
		edits["max_output_tokens"] = limit;
	const reasoning = asRecord(body.value["reasoning"]);
	const effort = effortToSend(reasoning["effort"], changes.capabilities);
	if (effort !== reasoning["effort"]) edits["reasoning"] = definedOnly({ ...reasoning, effort });
	const lost = effortLoss(reasoning["effort"], effort);
	if (lost !== undefined) losses.push({ path: "reasoning.effort", reason: lost });
	const input = cleanInput(ask, losses);
	if (input !== undefined) edits["input"] = input;
	return { path: pathFor(call.operation), headers: passedHeaders(ask), body: editJsonBody(body, edits), losses };
};
