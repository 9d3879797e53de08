/** Reads the failure that an endpoint's upstream tells within an answer of status 200, in the whole of it or in one of its events. */
import type { Denial } from "../../contract/fault.ts";
import type { StreamEvent } from "../../contract/upstream-side.ts";
import { openAiFailureWithin } from "../../errors/openai-failure.ts";
import { isRecord, parseJson } from "../../neutral/json.ts";

/** Undefined for an answer. Every vendor, and every gateway before one, tells a failure in an object or a text `error`. */
export const failureIn = (body: unknown): Denial | undefined => {
	if (!isRecord(body)) return undefined;
	const { error } = body;
	return isRecord(error) || (typeof error === "string" && error !== "") ? openAiFailureWithin(body) : undefined;
};

/** Texts that speak of errors have their quotes escaped. */
export const failureOf = ({ data }: StreamEvent): Denial | undefined =>
	data.includes('"error"') ? failureIn(parseJson(data)) : undefined;
