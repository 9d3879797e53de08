/** The moments that people and programs write in queries, as ISO dates. */

const pattern = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/i;

/**
 * Milliseconds since 1970 of a date, which begins in UTC, or of a time with its zone. Undefined for a day that no month has
 * and for all else: `Date.parse` reads "Nov 1" as of 2001, "1.11.2026" as of January, and takes a time without a zone for
 * one of this machine.
 */
export const instantOf = (words: string): number | undefined => {
	const [, day, minute = "00:00", rest = ":00", zone = "Z"] = pattern.exec(words) ?? [];
	if (day === undefined) return undefined;
	const asWritten = Date.parse(`${day}T${minute}Z`);
	if (Number.isNaN(asWritten) || !new Date(asWritten).toISOString().startsWith(`${day}T${minute}`)) return undefined;
	const at = Date.parse(`${day}T${minute}${rest}${zone.toUpperCase().replace(/^(...)(?=\d)/, "$1:")}`);
	return Number.isNaN(at) ? undefined : at;
};
