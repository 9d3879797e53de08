/** Why an answer ended, in both directions. */
import { asRecord, asText, type Block, definedOnly, type Finish, isRecord, lookup, type WireRecord } from "#core";
import { protocolName } from "./name.ts";

const reasons = lookup<Finish["reason"]>({
	end_turn: "stop",
	stop_sequence: "stop_sequence",
	max_tokens: "length",
	model_context_window_exceeded: "context_full",
	tool_use: "tool_calls",
	pause_turn: "pause",
	refusal: "refusal",
	sensitive: "safety",
});

/** Refusals of these sorts Anthropic bills like answers; others only for what they had begun to say. */
const billedRefusals = new Set(["bio", "frontier_llm", "reasoning_extraction"]);

/** Whether `told` is a refusal that costs nothing where it came before any output. */
export const isUnbilled = ({ stop_reason: reason, stop_details: details }: WireRecord): boolean =>
	reason === "refusal" && isRecord(details) && !billedRefusals.has(asText(details["category"]) ?? "");

/** `told` is a message, or the `delta` of `message_delta`. An unknown word is a stop that keeps the word. */
export const decodeFinish = (told: WireRecord): Finish => {
	const raw = asText(told["stop_reason"]);
	const details = isRecord(told["stop_details"]) ? told["stop_details"] : undefined;
	return {
		reason: raw === undefined ? "stop" : (reasons[raw] ?? "stop"),
		...definedOnly({
			raw,
			stopSequence: asText(told["stop_sequence"]),
			message: asText(asRecord(details)["explanation"]),
			unbilled: isUnbilled(told) || undefined,
			extras: details ? { [protocolName]: { stop_details: details } } : undefined,
		}),
	};
};

const words: Readonly<Record<Finish["reason"], string>> = {
	stop: "end_turn",
	stop_sequence: "stop_sequence",
	length: "max_tokens",
	context_full: "model_context_window_exceeded",
	tool_calls: "tool_use",
	refusal: "refusal",
	safety: "refusal",
	recitation: "refusal",
	malformed_call: "end_turn",
	pause: "pause_turn",
	error: "end_turn",
	other: "end_turn",
};

/** The word for the reason, in view of what the answer holds: a call is there to be run, a refusal is one. */
const wordOf = ({ reason }: Finish, said: ReadonlySet<Block["type"]>): string => {
	const word = words[reason];
	if (word !== "end_turn") return word;
	if (said.has("tool_call")) return "tool_use";
	return said.has("refusal") ? "refusal" : word;
};

/** The three members that tell why a message ended. `said`: the sorts of blocks it holds. */
export const encodeFinish = (finish: Finish, said: ReadonlySet<Block["type"]>): WireRecord => {
	const stop_reason = wordOf(finish, said);
	const details = finish.extras?.[protocolName]?.["stop_details"];
	const refusal = { type: "refusal", category: null, explanation: finish.message ?? null };
	return {
		stop_reason,
		stop_sequence: stop_reason === "stop_sequence" ? (finish.stopSequence ?? null) : null,
		stop_details: stop_reason === "refusal" ? (details ?? refusal) : null,
	};
};
