/** Which of a client's own fields go on to an upstream. */
import { addressFields, Fault, type WireRecord } from "#core";
import { callbackNames } from "./callback-url.ts";
import type { TaskOrder } from "./service.ts";

/**
 * Fields by which some services let the caller choose the address or the key of a request, and those that name an address
 * to call back: upstreams never call Portico's clients.
 */
const withheld: ReadonlySet<string> = new Set([...callbackNames, ...addressFields, "apiKey", "baseUrl"]);

/** Throws `Fault` where one of the fields is a file. */
export const refuseFiles = (fields: WireRecord): void => {
	const file = Object.entries(fields).find(([, value]) => [value].flat().some((one) => one instanceof Blob));
	if (!file) return;
	const parameter = file[0].slice(0, 64);
	throw new Fault({
		kind: "invalid_request",
		parameter,
		message: `"${parameter}" was sent as a file; here it is taken as an address or as base64.`,
	});
};

/** The order's input without what no client may say. Throws `Fault` for a file that its kind has not made into text. */
export const inputOf = ({ input }: TaskOrder): WireRecord => {
	const kept = Object.fromEntries(Object.entries(input).filter(([name]) => !withheld.has(name)));
	refuseFiles(kept);
	return kept;
};
