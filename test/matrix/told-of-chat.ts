/** A chat completion, as the client gives it, in comparable words. */
import { asCount, asList, asRecord, asText, isRecord } from "#core";
import { argumentsOf, distinct, type Ended, type Told, type ToldCandidate } from "./told.ts";

const ends: Readonly<Record<string, Ended>> = {
	stop: "stop",
	length: "length",
	tool_calls: "tool_calls",
	function_call: "tool_calls",
	content_filter: "filter",
};

export const toldOfChat = (completion: unknown): Told => {
	const { choices, usage } = asRecord(completion);
	return { candidates: asList(choices).map(candidateOf), usage: isRecord(usage) ? usageOf(usage) : undefined };
};

const candidateOf = (choice: unknown): ToldCandidate => {
	const { message: given, finish_reason: finish } = asRecord(choice);
	const message = asRecord(given);
	const refusal = asText(message["refusal"]) ?? "";
	const calls = [...asList(message["tool_calls"]), ...(asRecord(message["function_call"])["name"] ? [message] : [])];
	const tools = calls.map((call) => {
		const made = asRecord(call);
		const body = asRecord(made["function"] ?? made["function_call"] ?? made["custom"]);
		return { name: String(body["name"]), arguments: argumentsOf(String(body["arguments"] ?? body["input"] ?? "")) };
	});
	const ended = ends[String(finish)] ?? "stop";
	return {
		text: textOf(message["content"]) + refusal,
		thinking: asText(message["reasoning_content"]) ?? asText(message["reasoning"]) ?? "",
		tools,
		cited: distinct(asList(message["annotations"]).map((note) => asRecord(asRecord(note)["url_citation"])["url"])),
		// what a call or a refusal tells beside a plain stop
		ended: ended !== "stop" ? ended : tools.length > 0 ? "tool_calls" : refusal !== "" ? "filter" : ended,
		media: asList(message["images"]).length + (asRecord(message["audio"])["data"] ? 1 : 0),
	};
};

const textOf = (content: unknown): string =>
	asText(content) ??
	asList(content)
		.map((part) => asText(asRecord(part)["text"]) ?? "")
		.join("");

/** Some vendors count reasoning or sound beside the rest, so that only the total holds it. */
const usageOf = (usage: Readonly<Record<string, unknown>>): Told["usage"] => {
	const given = asRecord(usage["prompt_tokens_details"]);
	const input = asCount(usage["prompt_tokens"]) ?? 0;
	const output = asCount(usage["completion_tokens"]) ?? 0;
	const beside = Math.max(0, (asCount(usage["total_tokens"]) ?? 0) - input - output);
	const sound = beside > 0 && beside === asCount(given["audio_tokens"]);
	const cacheRead = asCount(given["cached_tokens"]) ?? 0;
	return { input: sound ? input + beside : input, output: sound ? output : output + beside, cacheRead };
};
