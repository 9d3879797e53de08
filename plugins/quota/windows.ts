/** Calendar windows: the day, week or month that an instant lies in, by the clocks of a zone. Computed from the clock alone. */

export const periods = ["day", "week", "month"] as const;
export type Period = (typeof periods)[number];
export const isPeriod = (value: unknown): value is Period => periods.some((period) => period === value);

/** From `start`, and up to but not at `end`. Milliseconds since 1970. */
export interface Window {
	readonly start: number;
	readonly end: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Clocks of zones are at most so far from the world's. */
const widestOffsetMs = 27 * hourMs;

/** A day of the calendar as a number: days since 1970, as if there were no zones. */
type Day = number;

/** A zone's name is the same however it is capitalised: kept by each way to write it, formats would have no end. */
const keyOf = (zone: string): string => zone.toLowerCase();

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (zone: string): Intl.DateTimeFormat => {
	const known = formats.get(keyOf(zone));
	if (known) return known;
	const options = { year: "numeric", month: "numeric", day: "numeric", era: "short" } as const;
	const made = new Intl.DateTimeFormat("en-US", { timeZone: zone, calendar: "gregory", ...options });
	formats.set(keyOf(zone), made);
	return made;
};

export const isZone = (zone: string): boolean => {
	try {
		return /^[A-Za-z][\w+/-]{0,63}$/.test(zone) && formatOf(zone) !== undefined;
	} catch {
		return false;
	}
};

/** The date that clocks in the zone show. */
const dayAt = (at: number, zone: string): Day => {
	if (zone === "UTC") return Math.floor(at / dayMs);
	const shown = new Map<string, string>(
		formatOf(zone)
			.formatToParts(at)
			.map(({ type, value }) => [type, value]),
	);
	const part = (name: Intl.DateTimeFormatPartTypes): number => Number(shown.get(name));
	return Date.UTC(part("year"), part("month") - 1, part("day")) / dayMs;
};

/** The first day of the period that the day lies in, and of the one after it. Weeks begin on Monday. */
const bounds = (day: Day, period: Period): readonly [Day, Day] => {
	if (period === "day") return [day, day + 1];
	if (period === "week") {
		// The first of January 1970 was a Thursday.
		const monday = day - ((((day + 3) % 7) + 7) % 7);
		return [monday, monday + 7];
	}
	const date = new Date(day * dayMs);
	const first = (month: number): Day => Date.UTC(date.getUTCFullYear(), month, 1) / dayMs;
	return [first(date.getUTCMonth()), first(date.getUTCMonth() + 1)];
};

/** The first instant at which the zone's clocks show this date or a later one: not every day has a midnight, or exists. */
const beginningOf = (day: Day, zone: string): number => {
	if (zone === "UTC") return day * dayMs;
	let before = day * dayMs - widestOffsetMs;
	let at = day * dayMs + widestOffsetMs;
	while (at - before > 1) {
		const middle = Math.floor((before + at) / 2);
		if (dayAt(middle, zone) < day) before = middle;
		else at = middle;
	}
	return at;
};

/** The window of an instant. */
export const windowAt = (at: number, period: Period, zone: string): Window => {
	const [first, next] = bounds(dayAt(at, zone), period);
	return { start: beginningOf(first, zone), end: beginningOf(next, zone) };
};

type Find = (at: number) => Window;

const isWithin = (at: number, window: Window | undefined): window is Window =>
	window !== undefined && at >= window.start && at < window.end;

/** Remembers two: what is set is told of the window that runs and of the next. */
const makeFinder = (period: Period, zone: string): Find => {
	let known: Window | undefined;
	let other: Window | undefined;
	return (at) => {
		if (isWithin(at, known)) return known;
		[known, other] = [isWithin(at, other) ? other : windowAt(at, period, zone), known];
		return known;
	};
};

const finders = new Map<string, Find>();

/** The same, remembered for as long as the clock stays within it. One for all budgets of a zone: a window there takes a millisecond. */
export const windowFinder = (period: Period, zone: string): Find => {
	const key = `${period} ${keyOf(zone)}`;
	const found = finders.get(key) ?? makeFinder(period, zone);
	finders.set(key, found);
	return found;
};
