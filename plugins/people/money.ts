/** A ceiling as people write it. */
import { t, toDollars } from "#core";

export const ceilingSchema = t.Union([t.Null(), t.Number({ minimum: 0, maximum: 1_000_000_000 })], {
	description: "Dollars that all tokens of the person may spend together; null: no limit.",
});

/** The same with its ceiling in dollars, where it has one. */
export const inDollars = <T extends { readonly ceiling?: number }>(one: T): T =>
	one.ceiling === undefined ? one : { ...one, ceiling: toDollars(one.ceiling) };
