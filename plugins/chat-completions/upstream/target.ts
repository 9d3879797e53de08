/** What is known of the upstream a request is written for, and of what had to be left behind on the way. */
import type { EncodeContext, NeutralRequest } from "#core";
import { protocolName } from "../name.ts";
import { beginOpenAiWriting, type OpenAiWriting } from "../openai.ts";

/** What the parts of the request encoder share. */
export interface Writing extends OpenAiWriting {
	/** One of OpenAI's models that reason. */
	readonly reasoner: boolean;
}

/** Begins the writing of one request. */
export const beginWriting = (request: NeutralRequest, context: EncodeContext): Writing => {
	const writing = beginOpenAiWriting(protocolName, request, context);
	return { ...writing, reasoner: writing.openai && context.capabilities.thinking !== "none" };
};

/** The fields of a node that only this protocol understands. */
export const ownExtras = (node: {
	readonly extras?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}): Readonly<Record<string, unknown>> => node.extras?.[protocolName] ?? {};
