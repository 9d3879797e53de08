/** What of a client's own fields goes on to an upstream. */
import { Fault, type WireRecord } from "#core";
import { callbackNames } from "./callback-url.ts";
import type { TaskOrder } from "./service.ts";

/**
 * Fields by which some services let whoever asks choose where a request goes and by whose key, and those that name an
 * address to call back: upstreams call Portico's clients never.
 */
const withheld: ReadonlySet<string> = new Set([
	...callbackNames,
	"api_base",
	"api_key",
	"api_version",
	"apiKey",
	"base_url",
	"baseUrl",
	"extra_body",
	"extra_headers",
	"extra_query",
]);

/** The order's input without what no client may say. Throws `Fault` for a file where a kind has not made one into text. */
export const inputOf = ({ input }: TaskOrder): WireRecord => {
	const kept = Object.entries(input).filter(([name]) => !withheld.has(name));
	const file = kept.find(([, value]) => [value].flat().some((one) => one instanceof Blob));
	if (file)
		throw new Fault({
			kind: "invalid_request",
			parameter: file[0].slice(0, 64),
			message: `"${file[0].slice(0, 64)}" was sent as a file; here it is taken as an address or as base64.`,
		});
	return Object.fromEntries(kept);
};
