/**
 * Structured output. Models that enforce a schema get it as `output_config.format`. Others are given a tool whose input
 * is the answer, and the decoder turns its call back into text; what no schema can say is said in the system prompt.
 */
import {
	asObjectSchema,
	type DecodeContext,
	describedSchema,
	type Losses,
	type NeutralRequest,
	type OutputFormat,
	type WireRecord,
} from "#core";
import { ownNamesIn, withFittingNames } from "./member-names.ts";
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
		tool: { name: answerTool, description: told, input_schema: withFittingNames(root) },
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

/** The tool whose call is the answer itself; undefined where there is none, or the client has one of that name. */
export const answerToolOf = ({ tool }: EncodedFormat, { tools = [] }: NeutralRequest): string | undefined =>
	tool === undefined || tools.some((each) => each.type !== "unknown" && each.name === answerTool)
		? undefined
		: answerTool;

/** True for a call that is the answer itself. */
export const isAnswer = (told: WireRecord, { names }: DecodeContext): boolean =>
	told["type"] === "tool_use" && names.answer !== undefined && told["name"] === names.answer;

/** The own names of the answer's members, where its schema went as a tool with others; undefined where they are the same. */
export const answerNames = ({ request: { format } }: DecodeContext): ReadonlyMap<string, string> | undefined => {
	const root = format?.type === "schema" ? asObjectSchema(format.schema) : undefined;
	return root && ownNamesIn(root);
};

/** A whole answer's blocks without what stands around such a call, but for what was said before another call. */
export const withoutPreface = (content: readonly WireRecord[], context: DecodeContext): readonly WireRecord[] => {
	const answer = content.findIndex((block) => isAnswer(block, context));
	if (answer === -1) return content;
	const call = content.slice(0, answer).findLastIndex(({ type }) => type === "tool_use");
	return content.filter(
		(block, at) => at <= call || at === answer || !(block["type"] === "text" || isAnswer(block, context)),
	);
};
