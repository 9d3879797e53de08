/** The form of the answer, for an upstream: `response_format`, and in words what it cannot be told otherwise. */
import { definedOnly, type FunctionTool, type WireRecord } from "#core";
import { fittingSchema } from "../fitting-schema.ts";
import {
	answersObject,
	formatName,
	mayEnforce,
	type SchemaFormat,
	speaksOfJson,
	spokenJson,
	spokenSchema,
	spokenWords,
} from "../openai.ts";
import type { Writing } from "./target.ts";

/** What is sent, and a sentence for the model where the protocol has no field for it. */
interface EncodedFormat {
	readonly response_format?: WireRecord;
	readonly instruction?: string;
}

/** What is said of `strict`: nothing where the schema cannot be enforced. */
export const strictness = (
	strict: boolean | undefined,
	schema: unknown,
	writing: Writing,
	tool?: FunctionTool,
): boolean | undefined => (strict !== true || mayEnforce(schema, writing, tool) ? strict : undefined);

/** The schema as it is sent: other vendors take any, at the root too. */
const schemaFor = (format: SchemaFormat, writing: Writing): unknown => {
	if (writing.sameProtocol) return format.schema;
	return writing.openai ? answersObject(format, writing) : fittingSchema(format.schema, format.strict);
};

const schemaFormat = (format: SchemaFormat, writing: Writing): EncodedFormat => {
	const schema = schemaFor(format, writing);
	if (schema === undefined) return { instruction: spokenSchema(format) };
	const name = formatName(format.name);
	const { description } = format;
	const strict = strictness(format.strict, schema, writing);
	return {
		response_format: { type: "json_schema", json_schema: { name, schema, ...definedOnly({ description, strict }) } },
	};
};

/** What to send for the wanted form. */
export const encodeFormat = (writing: Writing): EncodedFormat => {
	const { format } = writing.request;
	switch (format?.type) {
		case "text":
			return writing.sameProtocol ? { response_format: { type: "text" } } : {};
		case "json":
			return {
				response_format: { type: "json_object" },
				...(writing.sameProtocol || speaksOfJson(writing.request) ? {} : { instruction: spokenJson }),
			};
		case "schema":
			return schemaFormat(format, writing);
		case "enum":
			writing.losses.setting("format", "the upstream cannot be held to a list of words; it is asked for one of them");
			return { instruction: spokenWords(format.values) };
		default:
			return {};
	}
};
