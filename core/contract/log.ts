/** The one log, as plugins see it. Fields are chosen by the caller; nothing is logged that was not named. */
import { asText } from "../neutral/json.ts";

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
 * or the database gave it.
 *
 * @example
 * log.error("the forecast could not be kept", { error: describe(error) });
 */
export const describe = (error: unknown): string => {
	if (!(error instanceof Error)) return typeof error;
	const code = asText(Reflect.get(error, "code"));
	const said = `${error.name}: ${error.message}`;
	return code === undefined || said.includes(code) ? said : `${said} (${code})`;
};
