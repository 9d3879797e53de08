/** A client's request as the neutral form. Lenient: what can be understood is. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type Block,
	definedOnly,
	type Message,
	type ModelAsk,
	type NeutralRequest,
} from "#core";

const blocksOf = (content: unknown): Block[] => {
	if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
	return asList(content).flatMap((part): Block[] => {
		const text = asText(asRecord(part)["text"]);
		return text === undefined ? [] : [{ type: "text", text }];
	});
};

const roleOf = (role: unknown): Message["role"] =>
	role === "system" || role === "developer" || role === "assistant" || role === "tool" ? role : "user";

/** Decodes the conversation and every option. */
export const decodeRequest = (ask: ModelAsk): NeutralRequest => {
	const body = ask.body.value;
	return {
		protocol: "chat-completions",
		model: ask.call.name,
		stream: ask.call.stream,
		messages: asList(body["messages"]).map((message) => ({
			role: roleOf(asRecord(message)["role"]),
			blocks: blocksOf(asRecord(message)["content"]),
		})),
		sampling: definedOnly({ temperature: asNumber(body["temperature"]), topP: asNumber(body["top_p"]) }),
		raw: body,
		includeUsage: asRecord(body["stream_options"])["include_usage"] === true,
		...definedOnly({ maxOutputTokens: ask.call.maxOutputTokens }),
	};
};
