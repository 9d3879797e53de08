/** From when on calls are looked for, and until when. */
import { toMinute } from "../data/format.ts";

export const spans: readonly { readonly value: string; readonly text: string; readonly ms: number }[] = [
	{ value: "hour", text: "Last hour", ms: 3_600_000 },
	{ value: "day", text: "Last 24 hours", ms: 86_400_000 },
	{ value: "week", text: "Last 7 days", ms: 604_800_000 },
];

/** As the server takes it; undefined for all time. */
export const spanStart = (value: string | undefined, now: number): string | undefined => {
	const span = spans.find((one) => one.value === value);
	return span && new Date(now - span.ms).toISOString();
};

const inWords = (time: string): string => (Number.isNaN(Date.parse(time)) ? time : toMinute(Date.parse(time)));

/** Times that a link brought along; undefined where it brought none. */
export const givenTimes = (words: URLSearchParams): string | undefined => {
	const [from, to] = [words.get("from"), words.get("to")];
	if (words.has("span") || (from === null && to === null)) return undefined;
	if (from === null) return `Until ${inWords(to ?? "")}`;
	if (to === null) return `Since ${inWords(from)}`;
	const hours = (Date.parse(to) - Date.parse(from)) / 3_600_000;
	return `${inWords(from)}, ${Number.isNaN(hours) ? `until ${to}` : `${Math.round(hours * 10) / 10} h`}`;
};
