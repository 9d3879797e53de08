/** That the database could not do something, as the store throws it, and whether that is an outage of the whole database. */
import { type Denial, deny, Fault } from "../contract/fault.ts";

/** The database as a whole does not work; a full disk is among them, and mends when somebody makes room. */
const outageCodes =
	/^(?:SQLITE_(IOERR|FULL|CORRUPT|NOTADB|READONLY|CANTOPEN|NOMEM|PERM|AUTH)|TOKEN_REFUSED$|TABLES_GONE$)/;

const away: Denial = deny("overloaded", "the database did not answer; try again in a moment", {
	retryAfterSeconds: 5,
});

/**
 * `message` is public and says nothing of the database. `code` is SQLite's (`SQLITE_CONSTRAINT_UNIQUE`; a libSQL server
 * says only `SQLITE_CONSTRAINT`) and `detail` its words, both for the log: names of tables and columns, never values.
 */
export class StoreFault extends Fault {
	readonly code: string;
	readonly detail: string;
	/** True when the same statements may succeed a moment later. */
	readonly passing: boolean;

	constructor(code: string, detail: string, passing = false) {
		super(passing || outageCodes.test(code) ? away : deny("internal", "the database could not do this"));
		this.code = code;
		this.detail = detail;
		this.passing = passing;
	}

	/** Whether it says that the database as a whole does not work, rather than that this statement is wrong. */
	get isOutage(): boolean {
		return this.passing || outageCodes.test(this.code);
	}

	/** Whether a connection to a file is not to be trusted after it. */
	get harms(): boolean {
		return !this.isConstraint && this.code !== "CLIENT_CLOSED";
	}

	/** Whether a `UNIQUE`, `CHECK`, `NOT NULL` or foreign key rule, or a trigger, refused the write. */
	get isConstraint(): boolean {
		return this.code.startsWith("SQLITE_CONSTRAINT");
	}
}

/** A file beside the database could not be written, such as the journal: what the system says of its disk. */
const isDiskFull = (error: Error): boolean => /^(ENOSPC|EDQUOT|EROFS|EIO)$/.test(String(Reflect.get(error, "code")));

const isOrHasCause = (error: unknown, says: (one: Error) => boolean): boolean =>
	error instanceof Error && (says(error) || isOrHasCause(error.cause, says));

const saysAway = (error: Error): boolean => error instanceof StoreFault && error.isOutage;

/** Whether the database does not work, and an error was thrown because of that: the store has told of it by then. */
export const isOfStoreOutage = (error: unknown): boolean => isOrHasCause(error, saysAway);

/**
 * Whether an error says that the database, or the disk of a file beside it, does not work, or that it was thrown because of
 * that. Anything else is a mistake of the code that threw it, and no outage.
 */
export const isOutage = (error: unknown): boolean => isOrHasCause(error, (one) => saysAway(one) || isDiskFull(one));

/**
 * Waits for what is being written, but not for a database that takes nothing: for reads, which then tell what was true
 * before. A full disk is when an operator must look. The store logs the outage.
 *
 * @example
 * await unlessOutage(ledger.flush());
 */
export const unlessOutage = async (writing: Promise<unknown>): Promise<void> => {
	try {
		await writing;
	} catch (error) {
		if (!isOutage(error)) throw error;
	}
};
