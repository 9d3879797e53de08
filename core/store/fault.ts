/** What goes wrong in the database, without the parameters of the statement: they may be secrets. */
import { DrizzleQueryError } from "drizzle-orm/errors";
import { type Denial, deny, Fault } from "../contract/fault.ts";
import { asNumber, asRecord, asText, definedOnly } from "../neutral/json.ts";

/** The database as a whole does not work; a full disk is among them, and mends when somebody makes room. */
const outageCodes =
	/^(?:SQLITE_(IOERR|FULL|CORRUPT|NOTADB|READONLY|CANTOPEN|NOMEM|PERM|AUTH)|TOKEN_REFUSED$|TABLES_GONE$)/;

/** As it is told of a database that is not Portico's, or no more: it was empty when the server was started. */
const withoutTables = /no such table: portico_migrations\b/;

/** The database as a whole does not work. */
export interface Outage {
	/** Milliseconds since 1970. */
	readonly since: number;
	/** As of a `StoreFault`. */
	readonly code: string;
}

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

/**
 * Whether an error says that the database, or the disk of a file beside it, does not work, or that it was thrown because of
 * that. Anything else is a mistake of the code that threw it, and no outage.
 */
export const isOutage = (error: unknown): boolean =>
	error instanceof Error &&
	((error instanceof StoreFault && error.isOutage) || isDiskFull(error) || isOutage(error.cause));

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

/** The network failed before the whole answer was there: whether the server has done its part is not known. */
export class Unreachable extends Error {}

const passingCodes = /^(SQLITE_(BUSY|LOCKED|PROTOCOL|INTERRUPT)|CLIENT_CLOSED|HRANA_|STREAM_|TRANSACTION_|.*BATON)/;

/** Any error of the driver as a `StoreFault`. */
export const storeFault = (error: unknown): StoreFault => {
	if (error instanceof StoreFault) return error;
	if (error instanceof DrizzleQueryError) return storeFault(error.cause);
	const reason = error instanceof Error ? error.message : "no reason was given";
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (cause instanceof Unreachable) return new StoreFault("UNREACHABLE", reason, true);
	}
	const { code, extendedCode } = codesOf(error);
	// Of a file that it could not open the driver gives an empty one.
	if (!code) return new StoreFault(/unable to open/i.test(reason) ? "SQLITE_CANTOPEN" : "DRIVER", reason);
	if (withoutTables.test(reason)) return new StoreFault("TABLES_GONE", reason);
	if (code === "SERVER_ERROR") return serverFault(reason, codesOf(error instanceof Error ? error.cause : undefined));
	return new StoreFault(extendedCode ?? code, reason, passingCodes.test(code));
};

/** What a server's HTTP status says. */
const serverFault = (reason: string, { status = 0 }: { readonly status?: number }): StoreFault => {
	if (status === 401 || status === 403) return new StoreFault("TOKEN_REFUSED", reason);
	return new StoreFault("SERVER_ERROR", reason, status >= 500 || status === 429);
};

const mends: Readonly<Record<string, string>> = {
	UNREACHABLE: "; start it, or correct database.url",
	TOKEN_REFUSED: "; database.authToken is not its token, or names a variable that is not set here",
	SQLITE_CANTOPEN: "; see to it that it is a file that this user may read and write",
	SQLITE_FULL: "; make room on the disk that holds it",
};

/** What an operator is to do about a database that cannot be opened; empty where that is not known. */
export const mendOf = ({ code }: StoreFault): string => mends[code] ?? "";

/** The driver's errors, told by their members: importing its class would load the driver into every plugin. */
const codesOf = (error: unknown): { code?: string; extendedCode?: string; status?: number } => {
	const { code, extendedCode, status } = asRecord(error);
	return definedOnly({ code: asText(code), extendedCode: asText(extendedCode), status: asNumber(status) });
};
