/** What is known of the upstream a request is written for, and of what had to be left behind on the way. */
import { createHash } from "node:crypto";
import { type EncodeContext, type NeutralRequest, ToolNames } from "#core";
import { beginOpenAiWriting, type OpenAiWriting, toolNames } from "../../chat-completions/service.ts";
import { protocolName } from "../name.ts";

/** What the parts of the request encoder share. */
export interface Writing extends OpenAiWriting {
	readonly names: ToolNames;
	/** Whether the model reasons; undefined where nobody knows. */
	readonly reasons: boolean | undefined;
}

/** Begins the writing of one request. */
export const beginWriting = (request: NeutralRequest, context: EncodeContext): Writing => {
	const { thinking } = context.capabilities;
	return {
		...beginOpenAiWriting(protocolName, request, context),
		names: new ToolNames(request.tools, toolNames),
		reasons: thinking === undefined ? undefined : thinking !== "none",
	};
};

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
