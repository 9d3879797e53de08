/**
 * Spans of time that usage is shown for. Days are those of the browser's zone, made of whole hours of UTC as the ledger
 * makes them: where clocks are half an hour off, a day begins half an hour after midnight.
 */
import { toMinute } from "../data/format.ts";

export interface Period {
	readonly value: string;
	readonly text: string;
	readonly by: "hour" | "day";
	/** Milliseconds since 1970. */
	from(now: number): number;
}

export const units = { hour: "an hour", day: "a day" } as const;

const hourMs = 3_600_000;

/** As the ledger takes it; a browser that knows no zone says one that is none. */
export const browserZone = (): string => {
	const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
	return timeZone === undefined || timeZone === "Etc/Unknown" ? "UTC" : timeZone;
};

const hourOf = (at: number): Date => new Date(at - (at % hourMs));

/** The beginning of the browser's day that is so many days after that of `at`. */
const dayAfter = (at: number, days: number): number => {
	const date = hourOf(at);
	const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
	return Math.ceil(midnight / hourMs) * hourMs;
};

/** The day that the hour of `at` belongs to. */
const dayOf = (at: number): string => {
	const date = hourOf(at);
	const two = (part: number): string => String(part).padStart(2, "0");
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

/** What is shown unless somebody chooses. */
export const thisMonth: Period = {
	value: "month",
	text: "This month",
	by: "day",
	from: (now) => dayAfter(now, 1 - hourOf(now).getDate()),
};

export const periods: readonly Period[] = [
	{ value: "day", text: "24 h", by: "hour", from: (now) => now - (now % hourMs) - 23 * hourMs },
	{ value: "week", text: "7 days", by: "day", from: (now) => dayAfter(now, -6) },
	thisMonth,
	{ value: "quarter", text: "90 days", by: "day", from: (now) => dayAfter(now, -89) },
];

/** Every hour or day of a period, as the ledger writes it: an ISO time to the hour, or a date. */
export const steps = ({ by, from }: Period, now: number): readonly string[] => {
	const found: string[] = [];
	for (let at = from(now); at <= now; at = by === "hour" ? at + hourMs : dayAfter(at, 1))
		found.push(by === "hour" ? new Date(at).toISOString().slice(0, 13) : dayOf(at));
	return found;
};

/** As many hours or days right before a period, from when to when. The last step of the period may not be over yet. */
export const spanBefore = (period: Period, now: number): readonly [from: number, to: number] => {
	const [to, many] = [period.from(now), steps(period, now).length];
	return [period.by === "hour" ? to - many * hourMs : dayAfter(to, -many), to];
};

/** The step a row of the ledger belongs to, however its hour is written. */
export const stepOf = (written: string, by: Period["by"]): string =>
	written.replace(" ", "T").slice(0, by === "hour" ? 13 : 10);

const isHour = (step: string): boolean => step.length === 13;

/** A day by its noon, which every day has. */
const within = (step: string): number => new Date(isHour(step) ? `${step}:00Z` : `${step}T12:00`).getTime();

/** Below a column: the hour, or the day of the month. */
const stepLabel = (step: string): string =>
	String(isHour(step) ? new Date(within(step)).getHours() : Number(step.slice(8)));

const shortDate = (step: string): string =>
	new Date(within(step)).toLocaleDateString("en-GB", { day: "numeric", month: "short" });

/** Below the columns. Where a day of the month comes twice, each says the month too. */
export const stepLabels = (steps: readonly string[]): readonly string[] => {
	const labels = steps.map(stepLabel);
	return labels.length > 31 ? steps.map(shortDate) : labels;
};

/** In a sentence. */
export const stepName = (step: string): string =>
	isHour(step)
		? toMinute(within(step))
		: new Date(within(step)).toLocaleDateString("en-GB", { day: "numeric", month: "long" });

/** From when to when it is, as routes take times. */
export const stepTimes = (step: string): { readonly from: string; readonly to: string } => {
	const at = within(step);
	const [from, to] = isHour(step) ? [at, at + hourMs] : [dayAfter(at, 0), dayAfter(at, 1)];
	return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
};
