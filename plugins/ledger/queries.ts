/** What the routes' queries have in common. */
import { type Ending, instantOf, invalidParameter } from "#core";
import type { Correction } from "../quota/service.ts";

/** Milliseconds since 1970 of an ISO date or time. `startOf`: when a date begins that begins at that time in UTC. */
export const timeOf = (url: URL, name: string, startOf = (date: number): number => date): number | undefined => {
	const text = url.searchParams.get(name);
	if (text === null) return undefined;
	const at = instantOf(text);
	if (at === undefined)
		throw invalidParameter(name, `${name} must be a date such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z.`);
	return text.length === "2027-01-31".length ? startOf(at) : at;
};

/** Every way in which the ledger says that a call ended: those of calls, and of charges that no call explains. */
const endings = [
	"completed",
	"client_left",
	"upstream_failed",
	"refused",
	"cut",
	"timed_out",
	"shut_down",
	"failed",
	"crash",
	"lease_lost",
	"lease_found",
] as const satisfies readonly (Ending | Correction["reason"])[];

/** Whatever went otherwise than well, for whoever looks for that. */
export const notCompleted = "not_completed";

/** `more`: what else is taken there. */
export const checkEnding = (value: string, ...more: readonly string[]): string => {
	const known: readonly string[] = [...endings, ...more];
	if (known.includes(value)) return value;
	throw invalidParameter("ending", `ending must be one of ${known.join(", ")}, not "${value.slice(0, 32)}".`);
};
