/** Reads a client's body so that large integers keep all their digits when calls, results and schemas of it are written on. */
import type { JsonBody } from "../contract/json-body.ts";
import { holdsLargeInteger, parseExactly } from "../neutral/exact-json.ts";
import { asRecord, type WireRecord } from "../neutral/json.ts";

/** The body's value, its large integers as they stood. */
export const exactBody = ({ text, value }: JsonBody): WireRecord =>
	holdsLargeInteger(text) ? asRecord(parseExactly(text)) : value;

/** One member of the body's root in the same way. */
export const exactMember = ({ text, value, members }: JsonBody, name: string): unknown => {
	const member = members.get(name);
	const told = member && text.slice(member.valueStart, member.valueEnd);
	return told !== undefined && holdsLargeInteger(told) ? parseExactly(told) : value[name];
};
