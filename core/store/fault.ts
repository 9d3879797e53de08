/** What the driver throws as a `StoreFault`, without the parameters of the statement: they may be secrets. */
import { DrizzleQueryError } from "drizzle-orm/errors";
import { StoreFault } from "../errors/store-fault.ts";
import { asNumber, asRecord, asText, definedOnly } from "../neutral/json.ts";

/** As it is told of a database that is not Portico's, or no more: it was empty when the server was started. */
const withoutTables = /no such table: portico_migrations\b/;

/** The database as a whole does not work. */
export interface Outage {
	/** Milliseconds since 1970. */
	readonly since: number;
	/** As of a `StoreFault`. */
	readonly code: string;
}

/** The network failed before the whole answer was there: whether the server has done its part is not known. */
export class Unreachable extends Error {}

const passingCodes = /^(SQLITE_(BUSY|LOCKED|PROTOCOL|INTERRUPT)|CLIENT_CLOSED|HRANA_|STREAM_|TRANSACTION_|.*BATON)/;

/** Any error of the driver as a `StoreFault`. */
export const storeFault = (error: unknown): StoreFault => {
	if (error instanceof StoreFault) return error;
	if (error instanceof DrizzleQueryError) return storeFault(error.cause);
	// Of a batch the driver says the code in front of what has it in front already.
	const reason = error instanceof Error ? error.message.replace(/^(\w+: )\1/, "$1") : "no reason was given";
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
	SQLITE_BUSY: "; another program holds it: end that (fuser FILE tells which), and start again",
	SQLITE_FULL: "; make room on the disk that holds it",
};

/** What an operator is to do about a database that cannot be opened; empty where that is not known. */
export const mendOf = ({ code }: StoreFault): string => mends[code] ?? "";

/** The driver's errors, told by their members: importing its class would load one that may not be needed. */
const codesOf = (error: unknown): { code?: string; extendedCode?: string; status?: number } => {
	const { code, extendedCode, status } = asRecord(error);
	return definedOnly({ code: asText(code), extendedCode: asText(extendedCode), status: asNumber(status) });
};
