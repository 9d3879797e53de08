/**
 * What a protocol reads nothing from, in the body of a call that may go on as its own bytes: parts and fields that it does
 * not know, and turns that no model is shown any more. Guards see it beside what was read, for the upstream gets it all.
 */
import type { ModelAsk } from "../contract/protocol.ts";
import { isRecord } from "../neutral/json.ts";
import { namesThings } from "../neutral/map-texts.ts";
import type { NeutralRequest } from "../neutral/request.ts";

const isText = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";

/** Every text, number and name of a field in a value. */
const gather = (value: unknown, into: Set<string>): Set<string> => {
	if (isText(value)) into.add(String(value));
	else if (Array.isArray(value)) for (const one of value) gather(one, into);
	else if (isRecord(value))
		for (const [name, inner] of Object.entries(value)) {
			into.add(name);
			gather(inner, into);
		}
	return into;
};

/** As names of fields are in every protocol. Another may hold what somebody wrote. */
const plainName = /^[A-Za-z_$][\w$.-]*$/;

/** What may hold words, in its order: not what names something, nor what its maker alone can read. */
const wordsIn = (value: unknown, field: string, into: string[]): readonly string[] => {
	if (Array.isArray(value)) for (const one of value) wordsIn(one, field, into);
	else if (isRecord(value))
		for (const [name, inner] of Object.entries(value)) {
			if (!plainName.test(name)) into.push(name);
			wordsIn(inner, name, into);
		}
	else if (isText(value) && value !== "" && !namesThings(field)) into.push(String(value));
	return into;
};

/** As bytes are kept once they were read: without a `data:` before them, in the usual alphabet. */
const asRead = (text: string): string => {
	const bytes = text.startsWith("data:") ? text.slice(text.indexOf(",") + 1) : text;
	return bytes.replaceAll("-", "+").replaceAll("_", "/");
};

/** The request with the texts and numbers of its body that nothing was read from, in their order. */
export const withLeftAside = (ask: ModelAsk, { raw, ...read }: NeutralRequest): NeutralRequest => {
	const known = gather(read, new Set());
	const { model: _, ...fields } = ask.body.value;
	const leftAside = wordsIn(fields, "", []).filter((text) => !known.has(text) && !known.has(asRead(text)));
	return { ...read, raw, ...(leftAside.length > 0 && { leftAside }) };
};
