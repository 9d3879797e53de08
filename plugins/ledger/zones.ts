/**
 * Days by the clocks of a zone, put together of the hours of UTC that there are sums for. An hour belongs to the day in
 * which it begins; so where clocks are half an hour off, as in India, a day here begins half an hour after midnight.
 */

import { type SQL, sql } from "drizzle-orm";
import { invalidParameter } from "#core";
import { isZone } from "../quota/service.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The zone that days are asked for in; UTC unless said. */
export const zoneOf = (url: URL): string => {
	const zone = url.searchParams.get("zone") ?? "UTC";
	if (isZone(zone)) return zone;
	throw invalidParameter(
		"zone",
		`zone must be one of the IANA time zones, such as Europe/Berlin, not "${zone.slice(0, 64)}".`,
	);
};

/** How far the zone's clocks are ahead of UTC, in milliseconds, as a function of the instant. */
const offsetIn = (zone: string): ((at: number) => number) => {
	const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
	return (at) => {
		const word = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
		const [, sign = "+", hours = "0", minutes = "0"] = /([+-])(\d\d):(\d\d)/.exec(word) ?? [];
		return Number(`${sign}1`) * (Number(hours) * hourMs + Number(minutes) * 60_000);
	};
};

/** The first whole hour of a day, which is the beginning of that date in UTC. */
export const startOfDay = (date: number, zone: string): number => {
	const offset = offsetIn(zone);
	// No clock is further ahead than 14 hours, and a night in which one is put forward ends an hour later.
	let at = date - 14 * hourMs;
	while (at + offset(at) < date) at += hourMs;
	return at;
};

/** The date of the hour that `at` lies in, for any `at` from `from` up to `to`. */
export const dateIn = (zone: string, from: number, to: number): SQL => {
	const hour = sql`(at - at % ${hourMs})`;
	const offset = offsetIn(zone);
	const first = from - (from % hourMs);
	let known = offset(first);
	const cases: SQL[] = [sql`WHEN true THEN ${known}`];
	for (let at = first; at < to; at += dayMs) {
		if (offset(at + dayMs) === known) continue;
		let change = at;
		while (offset(change) === known) change += hourMs;
		known = offset(change);
		// The latest stands first.
		cases.unshift(sql`WHEN ${hour} >= ${change} THEN ${known}`);
	}
	return sql`date((${hour} + CASE ${sql.join(cases, sql` `)} END) / 1000, 'unixepoch')`;
};
