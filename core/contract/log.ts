/** The one log, as plugins see it. Fields are chosen by the caller; nothing is logged that was not named. */
import { asText } from "../neutral/json.ts";
import { isFault } from "./fault.ts";

/** Values that may be logged. Objects are left out on purpose: name the fields you mean. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * A log bound to one plugin. Messages are constant sentences; what varies goes into the fields.
 *
 * @example
 * log.warn("the weather service did not answer", { status, town });
 */
export interface Log {
	debug(message: string, fields?: LogFields): void;
	info(message: string, fields?: LogFields): void;
	warn(message: string, fields?: LogFields): void;
	error(message: string, fields?: LogFields): void;
	/** The same log with a field that says which plugin speaks. */
	of(plugin: string): Log;
}

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
