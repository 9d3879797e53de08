/** When to ask again: as upstreams say it, and as clients are told. */
import type { Denial } from "../contract/fault.ts";
import { isRefusedCredentials } from "./upstream-failure.ts";

/**
 * Seconds to wait, from `retry-after-ms` or `retry-after`: a number of seconds, or a date (RFC 9110), which is taken by the
 * clock of whoever sent it.
 */
export const retryAfterIn = (headers: Headers): number | undefined => {
	const milliseconds = Number(headers.get("retry-after-ms") || Number.NaN);
	if (milliseconds >= 0) return milliseconds / 1000;
	const said = headers.get("retry-after") || "";
	const seconds = Number(said || Number.NaN);
	if (!Number.isNaN(seconds)) return seconds >= 0 ? seconds : undefined;
	const untilThen = (Date.parse(said) - Date.parse(headers.get("date") || "")) / 1000;
	return untilThen >= 0 ? untilThen : undefined;
};

/** Seconds to wait, from the sentence in which some upstreams say it: `Please try again in 1.2s.` */
export const waitSaidIn = (message: string): number | undefined => {
	const said = /try again in (\d+(?:\.\d+)?)(ms|s)\b/i.exec(message);
	if (said === null) return undefined;
	return said[2]?.toLowerCase() === "ms" ? Number(said[1]) / 1000 : Number(said[1]);
};

/** Longer waits freeze some clients: a caller may come back after a minute at the latest. */
const longestWaitSeconds = 60;

/** Seconds after which the same call may do better; undefined where nothing is known of it. */
export const waitOf = ({ kind, retryAfterSeconds }: Denial): number | undefined => {
	const wait = retryAfterSeconds ?? (kind === "quota_held" ? 1 : undefined);
	// A plugin's own sum may have no result.
	return wait === undefined || Number.isNaN(wait) ? undefined : Math.min(longestWaitSeconds, Math.max(0, wait));
};

/** The headers by which clients decide whether and when to ask again. `passing`: the same call may do better a little later. */
export const retryHeaders = (denial: Denial, passing: boolean): Record<string, string> => {
	// The vendor's 401 is not asked for again either: only the operator can help.
	if (!passing || isRefusedCredentials(denial)) return { "x-should-retry": "false" };
	const wait = waitOf(denial);
	if (wait === undefined) return {};
	return {
		"retry-after": String(Math.max(1, Math.ceil(wait))),
		"retry-after-ms": String(Math.max(1, Math.round(wait * 1000))),
	};
};

const otherWords: Readonly<Record<string, string>> = {
	exhausted: "used up",
	overloaded: "busy",
	unavailable: "not available",
};

/** Some clients ask again wherever one of these words stands: they are for what passes, and not for a request that is wrong. */
export const withoutRetryWords = (text: string): string =>
	text.replace(/exhausted|overloaded|unavailable/gi, (word) => otherWords[word.toLowerCase()] ?? word);
