/** A ceiling as people write it. */
import { t, toDollars } from "#core";

export const ceilingSchema = t.Union([t.Null(), t.Number({ minimum: 0, maximum: 1_000_000_000 })], {
	description: "Dollars that all tokens of the person may spend together; null: no limit.",
});

/** The ceiling in dollars, where there is one. */
export const dollarsOf = ({ ceiling }: { readonly ceiling?: number }): { readonly ceiling?: number } =>
	ceiling === undefined ? {} : { ceiling: toDollars(ceiling) };
