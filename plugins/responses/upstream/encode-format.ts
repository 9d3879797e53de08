/** The form the answer's text must have, for an upstream. */
import {
	asObjectSchema,
	definedOnly,
	type FunctionTool,
	type NeutralRequest,
	type OutputFormat,
	type WireRecord,
} from "#core";
import {
	answersObject,
	formatName,
	mayEnforce,
	speaksOfJson,
	spokenJson,
	spokenSchema,
	spokenWords,
} from "../../chat-completions/service.ts";
import { protocolName } from "../name.ts";
import type { Writing } from "./writing.ts";

/** What is said of `strict`: that it is not where the schema cannot be enforced, for unsaid it is. */
export const strictness = (
	strict: boolean | undefined,
	schema: unknown,
	writing: Writing,
	tool?: FunctionTool,
): boolean | undefined => (strict !== true || mayEnforce(schema, writing, tool) ? strict : false);

const encodeFormat = (format: OutputFormat, writing: Writing): WireRecord | undefined => {
	switch (format.type) {
		case "json":
			return { type: "json_object" };
		case "schema": {
			const { name, description } = format;
			const schema = writing.sameProtocol ? format.schema : answersObject(format, writing);
			if (schema === undefined) return undefined;
			const strict = strictness(format.strict, schema, writing);
			return { type: "json_schema", name: formatName(name), schema, ...definedOnly({ description, strict }) };
		}
		case "enum":
			writing.losses.setting("format", "the upstream cannot be held to a list of words; it is asked for one of them");
			return undefined;
		default:
			return undefined;
	}
};

/** `text` with the format and how much is to be said. */
export const encodeText = (writing: Writing): WireRecord | undefined => {
	const { format, verbosity } = writing.request;
	const text = definedOnly({ format: format && encodeFormat(format, writing), verbosity });
	return Object.keys(text).length > 0 ? text : undefined;
};

/** OpenAI takes `json_object` only when the conversation speaks of JSON; other protocols' clients need not. */
const needsMentionOfJson = (request: NeutralRequest): boolean =>
	request.format?.type === "json" && request.protocol !== "chat-completions" && !speaksOfJson(request);

/** Words for the model where the protocol has no field for the form; undefined where it has. */
export const spokenFormat = (request: NeutralRequest): string | undefined => {
	const { format, protocol } = request;
	if (format?.type === "schema" && protocol !== protocolName && asObjectSchema(format.schema) === undefined)
		return spokenSchema(format);
	if (format?.type === "enum") return spokenWords(format.values);
	return needsMentionOfJson(request) ? spokenJson : undefined;
};
