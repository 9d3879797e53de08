/** Reads a client's body so that large integers keep all their digits when calls and results of it are written on. */
import type { JsonBody } from "../contract/json-body.ts";
import { holdsLargeInteger, parseExactly } from "../neutral/exact-json.ts";
import { asRecord, type WireRecord } from "../neutral/json.ts";

/** The body's value, its large integers as they stood. */
export const exactBody = ({ text, value }: JsonBody): WireRecord =>
	holdsLargeInteger(text) ? asRecord(parseExactly(text)) : value;
