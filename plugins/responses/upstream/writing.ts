/** What is known of the upstream a request is written for, and of what had to be left behind on the way. */
import { createHash } from "node:crypto";
import { type EncodeContext, Losses, type NeutralRequest, plainNames, ToolNames } from "#core";
import { protocolName } from "../name.ts";

const toolNames = plainNames(64);

/** What the parts of the request encoder share. */
export interface Writing {
	readonly request: NeutralRequest;
	readonly context: EncodeContext;
	readonly names: ToolNames;
	/** The client speaks this protocol too: its own words may go on unchanged. */
	readonly sameProtocol: boolean;
	/** A model of OpenAI's, which takes all of the protocol and nothing beside it. */
	readonly openai: boolean;
	/** Whether the model reasons; undefined where nobody knows. */
	readonly reasons: boolean | undefined;
	readonly losses: Losses;
}

/** Begins the writing of one request. */
export const beginWriting = (request: NeutralRequest, context: EncodeContext): Writing => ({
	request,
	context,
	names: new ToolNames(request.tools, toolNames),
	sameProtocol: request.protocol === protocolName,
	openai: context.capabilities.vendor === "openai",
	reasons: context.capabilities.thinking === undefined ? undefined : context.capabilities.thinking !== "none",
	losses: new Losses(),
});

const shortHash = (text: string, length: number): string =>
	createHash("sha256").update(text).digest("hex").slice(0, length);

const longestCallId = 64;

/** The id of a call as OpenAI takes it. The same for the same id, so that histories and cached prefixes stay equal. */
export const callIdOf = (id: string): string => {
	if (/^[\w.:-]{1,64}$/.test(id)) return id;
	return `${id.replace(/[^\w.:-]/g, "_").slice(0, longestCallId - 9)}_${shortHash(id, 8)}`;
};

/** An id for an item that came without one; the same for the same content. */
export const itemIdOf = (prefix: "msg" | "rs", content: string): string => `${prefix}_${shortHash(content, 32)}`;
