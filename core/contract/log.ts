/** The one log, as plugins see it. Fields are chosen by the caller; nothing is logged that was not named. */

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
