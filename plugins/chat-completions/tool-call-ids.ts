/** Ids of tool calls: the first of a message, and those that another protocol or vendor made as upstreams of this protocol take them. */
import { createHash } from "node:crypto";
import { asList, asRecord, asText, type ModelCapabilities, type WireRecord } from "#core";

/** OpenAI takes 40 characters; others behind this protocol take these letters only. */
const fits = /^[a-zA-Z0-9_-]{1,40}$/;
/** What the strictest take. */
const fitsNine = /^[a-zA-Z0-9]{9}$/;

const digest = (id: string, length: number): string => createHash("sha256").update(id).digest("hex").slice(0, length);

/** The id to send. The same id always becomes the same, so calls keep their results and prompts their cached prefix. */
export const callIdFor = (id: string, capabilities: ModelCapabilities): string => {
	if (capabilities.nineCharacterCallIds === true) return fitsNine.test(id) ? id : digest(id, 9);
	return fits.test(id) ? id : `call_${digest(id, 24)}`;
};

/** An id that a client of this protocol sends: only OpenAI and the strictest refuse ids that others made. */
export const callIdAs = (id: string, capabilities: ModelCapabilities): string =>
	capabilities.nineCharacterCallIds === true || capabilities.vendor === "openai" ? callIdFor(id, capabilities) : id;

/** The id of the first call of a message; Gemini's own server of this protocol gives an empty one. */
export const firstCallId = (message: WireRecord): string | undefined =>
	asText(asRecord(asList(message["tool_calls"])[0])["id"]) || undefined;
