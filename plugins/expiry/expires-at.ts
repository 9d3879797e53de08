/** The token setting `expiresAt`: when it is a date, and whether it has passed. */
import { type AccessToken, type Clock, type Denial, deny, instantOf, type TokenSetting, t } from "#core";

const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds since 1970, or undefined for what is no date with a time and a zone (a 30th of February included). */
export const readTime = (value: unknown): number | undefined =>
	typeof value === "string" && pattern.test(value) ? instantOf(value) : undefined;

export const settingKey = "expiresAt";

const complaint = 'must be a date with a time and a zone, such as "2027-01-01T00:00:00Z"';

/** Compiled to milliseconds since 1970. A time that is over is refused where it is set, for it is most likely a slip. */
export const expiresAt = (clock: Clock): TokenSetting<number> => ({
	key: settingKey,
	schema: t.String({
		maxLength: 40,
		description: 'When the token stops working, such as "2027-01-01T00:00:00Z".',
		form: { label: "Expires", widget: "time", order: 3, note: "A date and time in your zone. Empty: never." },
	}),
	refuse(value) {
		const time = readTime(value);
		if (time === undefined) return complaint;
		const now = new Date(clock.now()).toISOString();
		return time > clock.now()
			? undefined
			: `is in the past, for now it is ${now}; to refuse a token at once, disable it`;
	},
	inWords: (value) => `${value}${(readTime(value) ?? Number.POSITIVE_INFINITY) <= clock.now() ? " (over)" : ""}`,
	narrow: (value, limit) => ((readTime(value) ?? 0) <= (readTime(limit) ?? 0) ? value : limit),
	compile(value) {
		const time = readTime(value);
		if (time === undefined) throw new TypeError(`expiresAt ${complaint}`);
		return time;
	},
});

/** Refuses from that very moment on, by the wall clock. A call that began before may finish. */
export const expired = (token: AccessToken, at: number | undefined, clock: Clock): Denial | undefined =>
	at === undefined || clock.now() < at
		? undefined
		: deny(
				"authentication",
				`The token "${token.name.slice(0, 64)}" expired at ${new Date(at).toISOString()}. Ask the operator for a new one.`,
				{ code: "token_expired" },
			);
