/** Spans of time that usage is shown for. Days are those of UTC, as the ledger counts them. */
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
const dayMs = 24 * hourMs;

const startOfDay = (at: number): number => at - (at % dayMs);

export const periods: readonly Period[] = [
	{ value: "day", text: "24 h", by: "hour", from: (now) => now - (now % hourMs) - 23 * hourMs },
	{ value: "week", text: "7 days", by: "day", from: (now) => startOfDay(now) - 6 * dayMs },
	{
		value: "month",
		text: "This month",
		by: "day",
		from: (now) => Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth(), 1),
	},
	{ value: "quarter", text: "90 days", by: "day", from: (now) => startOfDay(now) - 89 * dayMs },
];

/** Every hour or day of a period, as the ledger writes it: an ISO time to the hour, or a date. */
export const steps = ({ by, from }: Period, now: number): readonly string[] => {
	const found: string[] = [];
	for (let at = from(now); at <= now; at += by === "hour" ? hourMs : dayMs)
		found.push(new Date(at).toISOString().slice(0, by === "hour" ? 13 : 10));
	return found;
};

/** The step a row of the ledger belongs to, however its hour is written. */
export const stepOf = (written: string, by: Period["by"]): string =>
	written.replace(" ", "T").slice(0, by === "hour" ? 13 : 10);

const startOf = (step: string): number => Date.parse(step.length === 13 ? `${step}:00Z` : `${step}T00:00Z`);

/** Below a column: the hour in the browser's zone, or the day of the month. */
export const stepLabel = (step: string): string =>
	step.length === 13 ? String(new Date(startOf(step)).getHours()) : String(Number(step.slice(8)));

/** In a sentence: an hour in the browser's zone, or a day of UTC. */
export const stepName = (step: string): string =>
	step.length === 13
		? toMinute(startOf(step))
		: new Date(startOf(step)).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

/** From when to when it is, as routes take times. */
export const stepTimes = (step: string): { readonly from: string; readonly to: string } => ({
	from: new Date(startOf(step)).toISOString(),
	to: new Date(startOf(step) + (step.length === 13 ? hourMs : dayMs)).toISOString(),
});
