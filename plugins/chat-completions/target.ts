/** What is known of the upstream a request is written for, and of what had to be left behind on the way. */
import { type EncodeContext, familyOf, type Loss, type NeutralRequest } from "#core";
import { protocolName } from "./name.ts";

/** OpenAI's models that reason: they have their own field for the limit, efforts and custom tools. */
const reasoningModel = /^(?:o\d|gpt-(?:[5-9]|\d\d)|codex)/;

const bare = (model: string): string => model.slice(model.lastIndexOf("/") + 1).toLowerCase();

/** True for OpenAI's reasoning models. */
export const reasons = (model: string): boolean => reasoningModel.test(bare(model));

/** The name of the field that limits output, for a model whose capabilities are not known. */
export const limitField = (model: string): "max_completion_tokens" | "max_tokens" =>
	reasons(model) ? "max_completion_tokens" : "max_tokens";

/** What the parts of the request encoder share. */
export interface Writing {
	readonly request: NeutralRequest;
	readonly context: EncodeContext;
	/** The client speaks this protocol too: its own words may go on unchanged. */
	readonly sameProtocol: boolean;
	/** A model that OpenAI serves, which takes all of the protocol and nothing beside it. */
	readonly openai: boolean;
	/** One of OpenAI's models that reason. */
	readonly reasoner: boolean;
	readonly losses: Loss[];
}

/** Begins the writing of one request. */
export const beginWriting = (request: NeutralRequest, context: EncodeContext): Writing => ({
	request,
	context,
	sameProtocol: request.protocol === protocolName,
	openai: familyOf(context.model) === "gpt" && !/gpt-oss/.test(context.model),
	reasoner: reasons(context.model),
	losses: [],
});

/** Notes that something was left behind. */
export const lose = (writing: Writing, path: string, reason: string): void => {
	writing.losses.push({ path, reason });
};

/** The fields of a node that only this protocol understands. */
export const ownExtras = (node: {
	readonly extras?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}): Readonly<Record<string, unknown>> => node.extras?.[protocolName] ?? {};
