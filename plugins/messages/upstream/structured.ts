/**
 * Structured output. Models that enforce a schema get it as `output_config.format`. Others are given a tool whose input
 * is the answer, and the decoder turns its call back into text; what no schema can say is said in the system prompt.
 */
import {
	asObjectSchema,
	describedSchema,
	type Losses,
	type NeutralRequest,
	type OutputFormat,
	type WireRecord,
} from "#core";
import { closedSchema } from "./schema.ts";
import type { StrictRoom } from "./strict-limits.ts";

/** The name of the tool whose input is the answer. */
const answerTool = "structured_answer";

export interface EncodedFormat {
	/** For `output_config.format`. */
	readonly format?: WireRecord;
	/** A sentence for the system prompt. */
	readonly instruction?: string;
	readonly tool?: WireRecord;
}

type SchemaFormat = Extract<OutputFormat, { type: "schema" }>;

/** Asked for where the model cannot be held to it: as the input of a tool where it is an object's, or in words. */
const askedSchema = ({ schema, description }: SchemaFormat): EncodedFormat => {
	const root = asObjectSchema(schema);
	if (root === undefined)
		return {
			instruction: `Answer with nothing but JSON that conforms to this JSON Schema:\n${JSON.stringify(describedSchema(schema, description))}`,
		};
	const told = description ?? "Gives the final answer. Call it once, with the whole answer as its input.";
	return {
		tool: { name: answerTool, description: told, input_schema: root },
		instruction: `Give your final answer only by calling the tool \`${answerTool}\`.`,
	};
};

const encodeSchema = (
	format: SchemaFormat,
	own: boolean,
	room: StrictRoom | undefined,
	losses: Losses,
): EncodedFormat => {
	const { schema } = format;
	// A client of this protocol wrote its schema within the limits itself.
	if (own && room !== undefined) return { format: { type: "json_schema", schema } };
	const reason = room === undefined ? "it does not enforce schemas" : room.take(schema, false);
	if (reason === undefined)
		return { format: { type: "json_schema", schema: closedSchema(describedSchema(schema, format.description)) } };
	if (format.strict === true)
		losses.setting("formatStrict", `the model is asked for the schema, and not held to it: ${reason}`);
	return askedSchema(format);
};

/** What the asked format becomes; `room`: what the model may be held to, undefined for one that is held to none. */
export const encodeFormat = (request: NeutralRequest, room: StrictRoom | undefined, losses: Losses): EncodedFormat => {
	const { format } = request;
	switch (format?.type) {
		case "schema":
			return encodeSchema(format, request.protocol === "messages", room, losses);
		case "json":
			return { instruction: "Answer with nothing but one valid JSON object, without a code fence around it." };
		case "enum":
			return { instruction: `Answer with exactly one of these words and nothing else: ${format.values.join(", ")}` };
		default:
			return {};
	}
};

/** True for a call that is the answer itself. */
export const isAnswer = (wireName: string, { format, tools = [] }: NeutralRequest): boolean =>
	wireName === answerTool &&
	format?.type === "schema" &&
	!tools.some((tool) => tool.type !== "unknown" && tool.name === answerTool);
