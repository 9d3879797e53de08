/** Figures and times in words. */

/** Two decimals; four below one cent, so that a small price is not nothing. */
export const dollars = (amount: number): string => {
	const size = Math.abs(amount);
	const decimals = size > 0 && size < 0.01 ? (size < 0.0001 ? 6 : 4) : 2;
	const figures = size.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
	return `${amount < 0 ? "−" : ""}$${figures}`;
};

/** To the millionth of a dollar, as charges are counted: for sums that must add up on the screen. */
export const microDollars = (amount: number): string => `$${amount.toFixed(6)}`;

export const count = (amount: number): string => amount.toLocaleString("en");

/** Model tokens: 212.4 M. */
export const short = (amount: number): string =>
	amount < 10_000
		? count(amount)
		: amount.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 }).replace(/(?=[A-Z])/, " ");

export const seconds = (milliseconds: number): string => {
	if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
	if (milliseconds < 120_000) return `${(milliseconds / 1000).toLocaleString("en", { maximumFractionDigits: 2 })} s`;
	return `${Math.round(milliseconds / 60_000)} min`;
};

export const share = (part: number, whole: number): string =>
	whole === 0 ? "–" : `${((100 * part) / whole).toLocaleString("en", { maximumFractionDigits: 1 })} %`;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The year only where it is not this one. */
const dayFields = (at: number) => ({
	day: "numeric" as const,
	month: "short" as const,
	...(new Date(at).getFullYear() !== new Date().getFullYear() && { year: "numeric" as const }),
});

/** "2 min ago", "in 6 days", "31 Dec": as one would say it. */
export const relative = (at: number): string => {
	const now = Date.now();
	const distance = Math.abs(now - at);
	const said = (words: string): string => (at > now ? `in ${words}` : `${words} ago`);
	if (distance < minute) return at > now ? "in a moment" : "just now";
	if (distance < hour) return said(`${Math.floor(distance / minute)} min`);
	if (distance < day) return said(`${Math.floor(distance / hour)} h`);
	if (distance < 14 * day) {
		const days = Math.floor(distance / day);
		return said(`${days} ${days === 1 ? "day" : "days"}`);
	}
	return new Date(at).toLocaleDateString("en-GB", dayFields(at));
};

const timeFields = (at: number) => ({ ...dayFields(at), hour: "2-digit" as const, minute: "2-digit" as const });

/** To the minute, in the browser's zone. */
export const toMinute = (at: number): string => new Date(at).toLocaleString("en-GB", timeFields(at));

/** With seconds, in the browser's zone. */
export const exact = (at: number): string =>
	new Date(at).toLocaleString("en-GB", { ...timeFields(at), second: "2-digit" });
