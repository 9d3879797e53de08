/** Hours of a day: read once, compared with every call. */
import { type Denial, deny } from "#core";

/** Minutes since midnight; `until` is not included, and may be the smaller: then the hours go over midnight. */
export interface Hours {
	readonly from: number;
	readonly until: number;
	readonly text: string;
}

const pattern = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** `09:00-17:30` as hours; undefined for anything else. */
export const readHours = (value: unknown): Hours | undefined => {
	const match = typeof value === "string" ? pattern.exec(value) : null;
	if (!match) return undefined;
	const [fromHour = 0, fromMinute = 0, untilHour = 0, untilMinute = 0] = match.slice(1).map(Number);
	return { from: fromHour * 60 + fromMinute, until: untilHour * 60 + untilMinute, text: match[0] };
};

/** `at` in milliseconds since 1970, already in the hours' own time. */
export const isOpen = ({ from, until }: Hours, at: number): boolean => {
	const minute = Math.floor(at / 60_000) % 1440;
	return from <= until ? minute >= from && minute < until : minute >= from || minute < until;
};

export const outsideHours = ({ text }: Hours): Denial =>
	deny("permission", `This token may be used at ${text} only. Ask again then.`, { code: "outside_office_hours" });
