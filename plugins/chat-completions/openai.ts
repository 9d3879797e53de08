/** What OpenAI's two protocols share in asking an upstream. Other vendors speak them too, and take less. */
import { createHash } from "node:crypto";
import {
	asObjectSchema,
	asRecord,
	describedSchema,
	type EncodeContext,
	type FunctionTool,
	Losses,
	lookup,
	type NeutralRequest,
	type OutputFormat,
	objectSchema,
	plainNames,
	type WireRecord,
} from "#core";
import { fittingSchema } from "./fitting-schema.ts";
import { isStrict } from "./strict-schema.ts";

/** A schema that an answer is to have. */
export type SchemaFormat = Extract<OutputFormat, { type: "schema" }>;

/** What the parts of a request encoder share. */
export interface OpenAiWriting {
	readonly request: NeutralRequest;
	readonly context: EncodeContext;
	/** The client speaks this protocol too: its own words may go on unchanged. */
	readonly sameProtocol: boolean;
	/** A model that OpenAI serves, which takes all of the protocol and nothing beside it. */
	readonly openai: boolean;
	readonly losses: Losses;
}

/** In OpenAI's own protocols nobody expects that the model goes on from the beginning of its answer. */
const openAiProtocols: ReadonlySet<string> = new Set(["chat-completions", "responses"]);

/** Whether the client began the answer for a model that answers anew. */
export const beginsAnswer = ({ openai, request: { protocol, messages } }: OpenAiWriting): boolean =>
	openai &&
	!openAiProtocols.has(protocol) &&
	messages.at(-1)?.role === "assistant" &&
	messages.at(-1)?.blocks.at(-1)?.type === "text";

export const answersAnew = "the model does not go on from the beginning of an answer; it answers anew";

/** Begins the writing of one request in the protocol of that name. */
export const beginOpenAiWriting = (
	protocol: string,
	request: NeutralRequest,
	context: EncodeContext,
): OpenAiWriting => ({
	request,
	context,
	sameProtocol: request.protocol === protocol,
	openai: context.capabilities.vendor === "openai",
	losses: new Losses(),
});

/** OpenAI's; of the others that are known the strictest takes twice as many characters. */
const longestUser = 64;

/** Who the end user is, as upstreams take it: a longer word goes as its hash, the same each time. Clients make it of several ids. */
export const userFor = (told: string | undefined): string | undefined =>
	told !== undefined && told.length > longestUser ? createHash("sha256").update(told).digest("hex") : told || undefined;

/** The names that tools may have. */
export const toolNames = plainNames(64);

const tiers = lookup<string>({
	auto: "auto",
	default: "default",
	flex: "flex",
	scale: "scale",
	priority: "priority",
	fast: "fast",
	standard: "default",
	standard_only: "default",
});

/** The tier that another protocol's client asks for, in OpenAI's words; undefined, and lost, where there is none. */
export const tierOf = (tier: string, losses: Losses): string | undefined => {
	const known = tiers[tier.toLowerCase()];
	if (known === undefined) losses.setting("tier", `the upstream has no tier "${tier.slice(0, 32)}"`);
	return known;
};

/** A schema's name as it is taken. */
export const formatName = (name = ""): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "answer";

/** JSON mode is refused unless the conversation speaks of JSON. */
export const speaksOfJson = ({ messages }: NeutralRequest): boolean =>
	messages.some(({ blocks }) => blocks.some((block) => block.type === "text" && /json/i.test(block.text)));

/** The parameters of a function that a client of another protocol offers: an object's. What they had to be widened by is told. */
export const functionSchema = (tool: FunctionTool, { losses, context }: OpenAiWriting): WireRecord => {
	const { schema, widened } = objectSchema(tool.schema);
	if (widened) losses.node(tool, `the schema of "${tool.name}" had to be widened to an object`);
	return asRecord(fittingSchema(schema, tool.strict, context.capabilities.typedUnions === false));
};

/** The schema of an answer as OpenAI takes it: an object's. Undefined for any other, which can only be asked for in words. */
export const answersObject = (format: SchemaFormat, { losses }: OpenAiWriting): WireRecord | undefined => {
	const schema = asObjectSchema(fittingSchema(format.schema, format.strict));
	if (schema === undefined && format.strict === true)
		losses.setting("formatStrict", "the upstream enforces only schemas of objects; it is asked for this one");
	return schema;
};

/** What a model is told where no field asks for the form of its answer: JSON, one of a list of words, a schema. */
export const spokenJson = "Answer in JSON.";

export const spokenWords = (words: readonly string[]): string =>
	`Answer with exactly one of these and nothing else: ${words.join(", ")}`;

export const spokenSchema = ({ schema, description }: Pick<SchemaFormat, "schema" | "description">): string =>
	`Answer with JSON that conforms to this JSON Schema, and with nothing else:\n${JSON.stringify(describedSchema(schema, description))}`;

/**
 * Whether a schema, of a tool or of the answer, may be enforced: what other protocols enforce, OpenAI refuses to where an
 * object is not closed. Such a schema is asked for, which is noted as a loss.
 */
export const mayEnforce = (schema: unknown, { losses, sameProtocol }: OpenAiWriting, tool?: FunctionTool): boolean => {
	if (sameProtocol || isStrict(schema)) return true;
	const reason = "the upstream enforces only schemas whose objects are closed and have no optional members";
	if (tool) losses.node(tool, reason, "strict");
	else losses.setting("formatStrict", reason);
	return false;
};
