/** What failed, and where: for errors of plugins, which Portico's own log tells. */
import type { LogFields } from "../contract/log.ts";
import { describe } from "./describe.ts";

/** An error for the log, with the place that it comes from: the first line of its stack names the file of a plugin. */
export const whatFailed = (error: unknown): LogFields => {
	const [, ...lines] = error instanceof Error ? (error.stack?.split(/\n\s*at /) ?? []) : [];
	const at = lines.find((line) => !/\bnode:|\bnative\b/.test(line));
	return { error: describe(error), ...(at !== undefined && { at: at.trim() }) };
};
