/** The figures of a run, as they are printed. */
import { overcharge, perToken } from "./checks.ts";
import type { Books } from "./database.ts";
import type { Purse } from "./purse.ts";
import type { Report, Run } from "./world.ts";

const figuresOfPurse = (run: Run, purse: Purse, books: Books | undefined): (readonly [string, string | number])[] => {
	const { name, field, tokens } = purse.parts;
	const counts = run.countsOf(purse);
	const rows: readonly (readonly [string, string | number])[] = [
		[`${field} at last, raised so many times`, `${purse.limit}, ${purse.topUps}`],
		["upstream sent (micro-dollars)", counts.sent * perToken],
		["clients received", counts.received * perToken],
		["charged", books?.used ?? "unknown"],
		["ledger adds up to", `${books?.recorded} in ${books?.rows} rows`],
		["still leased", books?.leased ?? "unknown"],
		["overspent at worst", purse.overspent],
		["overcharged at kills", books ? overcharge(books, counts) : "unknown"],
	];
	const title = `${name}, ${tokens.length} token${tokens.length > 1 ? "s" : ""}`;
	return rows.map(([what, figure]) => [`${title}: ${what}`, figure]);
};

export const figuresOf = (run: Run, all: readonly (Books | undefined)[], seconds: number): Report["figures"] => {
	const { database, purses } = run;
	const sum = (figure: "answered" | "left" | "failed" | "held" | "usedUp"): number =>
		purses.reduce((whole, { parts }) => whole + parts.clients.tally[figure], 0);
	const inFlight = purses.reduce((whole, purse) => whole + purse.inFlight, 0);
	return {
		"answered, left by client, failed": `${sum("answered")}, ${sum("left")}, ${sum("failed")}`,
		"refused: held, used up": `${sum("held")}, ${sum("usedUp")}`,
		"kills, stops, calls in flight at kills": `${run.kills}, ${run.stops}, ${inFlight}`,
		"database: requests dropped, replies lost": `${database.dropped}, ${database.lost}`,
		"samples, calls a second": `${run.samples}, ${Math.round((sum("answered") + sum("left")) / seconds)}`,
		...Object.fromEntries(purses.flatMap((purse, index) => figuresOfPurse(run, purse, all[index]))),
	};
};
