/** A Gemini client's request in the neutral form. */
import {
	asText,
	definedOnly,
	exactBody,
	isRecord,
	type Message,
	type ModelAsk,
	type NeutralRequest,
	type WireRecord,
} from "#core";
import { field, otherFields } from "../fields.ts";
import { beginFraming } from "../framing.ts";
import { bagOf } from "../signatures.ts";
import { decodeConfig } from "./decode-config.ts";
import { decodeContents, decodeSystem } from "./decode-contents.ts";
import { decodeToolConfig, decodeTools, withHosted } from "./decode-tools.ts";

const known = new Set([
	"model",
	"contents",
	"systemInstruction",
	"generationConfig",
	"safetySettings",
	"serviceTier",
	"tools",
	"toolConfig",
	"generateContentRequest",
]);

/** `countTokens` may hold the request to be counted in a field of its own. */
const requestOf = (body: WireRecord): WireRecord => {
	const inner = field(body, "generateContentRequest");
	return isRecord(inner) ? inner : body;
};

/** `exact`: the same body, from which contents are read. */
const messagesOf = (body: WireRecord, exact: WireRecord): readonly Message[] => {
	const system = decodeSystem(field(body, "systemInstruction"));
	const contents = field(exact, "contents");
	const messages = contents === undefined ? [] : decodeContents(contents);
	return system ? [system, ...messages] : messages;
};

const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** Lenient about spelling and form. Throws `Fault` (`invalid_request`) for contents and roles that no upstream could take. */
export const decodeRequest = (ask: ModelAsk): NeutralRequest => {
	beginFraming(ask);
	const body = requestOf(ask.body.value);
	const exact = requestOf(exactBody(ask.body));
	const config = decodeConfig(exact);
	const { toolChoice, validated, rest: toolConfig } = decodeToolConfig(body);
	const tools = decodeTools(exact, validated);
	const own = definedOnly({ ...otherFields(body, known), generationConfig: config.rest, toolConfig });
	return {
		protocol: ask.protocol.name,
		model: ask.call.name,
		stream: ask.call.stream,
		messages: messagesOf(body, exact),
		sampling: config.sampling,
		...config.settings,
		...definedOnly({
			tools,
			toolChoice: withHosted(toolChoice, tools),
			tier: asText(field(body, "serviceTier")),
			safety: listOf(field(body, "safetySettings")),
		}),
		...bagOf(own),
		raw: ask.body.value,
	};
};
