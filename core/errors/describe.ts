/** Errors as the log tells them. */
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { isFault } from "../contract/fault.ts";
import type { LogFields } from "../contract/log.ts";
import { asText } from "../neutral/json.ts";
import { isOfStoreOutage } from "./store-fault.ts";

/**
 * An error for the log: its class, its message, which for database faults holds no parameters, and the code that the system
 * or the database gave it, with the database's own words. A text that was thrown is told as it is, anything else by its type.
 *
 * @example
 * log.error("the forecast could not be kept", { error: describe(error) });
 */
export const describe = (error: unknown): string => {
	if (!(error instanceof Error)) return asText(error) ?? typeof error;
	const said = `${error.name}: ${error.message}`;
	const code = asText(Reflect.get(error, "code")) ?? "";
	// Of a database's fault; what other errors hold under that name nobody knows.
	const detail = (isFault(error) && asText(Reflect.get(error, "detail"))) || code;
	const more = detail.includes(code) ? detail : `${code}: ${detail}`;
	return said.includes(more) ? said : `${said} (${more})`;
};

/** Calls by the lines of its stack. */
const callsOf = (error: unknown): readonly string[] => {
	const stack = error instanceof Error ? (error.stack ?? "") : "";
	const [, ...lines] = stripVTControlCharacters(stack).split(/\n\s*at /);
	// What the runtime itself has called stands in no file, or in one of its own.
	return lines.filter((line) => /[\\/].*:\d/.test(line) && !/\b(?:node|ext):/.test(line)).map((line) => line.trim());
};

/**
 * The same of a plugin's error, with the place that it comes from: the first line of its stack names the plugin's file. In an
 * outage of the database that place says nothing, and `outage` says that it is one.
 */
export const whatFailed = (error: unknown): LogFields => {
	if (isOfStoreOutage(error)) return { error: describe(error), outage: true };
	const [at] = callsOf(error);
	return { error: describe(error), ...(at !== undefined && { at }) };
};

/** Portico's core, which calls plugins, as its sources and as the one file that is built of them. */
const own = ["../", "../../built/"].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));

/** The words, and behind them the file and the line of a plugin from which the error comes, where its stack has one. */
export const withPlace = (words: string, error: unknown): string => {
	const call = callsOf(error).find((line) => !own.some((folder) => line.includes(folder)));
	const place = call && (/\((.*)\)$/.exec(call)?.[1] ?? call).replace(/^file:\/\//, "");
	return place === undefined || words.includes(place) ? words : `${words} at ${place}`;
};
