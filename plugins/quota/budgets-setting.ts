/** The token setting `budgets`: dollars for each day, week or month of the calendar, beside the quota for its whole life. */
import { asList, asNumber, asRecord, asText, instantOf, type TokenSetting, t, toMicroDollars } from "#core";
import { personAccount } from "./account-names.ts";
import { type BudgetOptions, budgetStatements, budgetsShown } from "./budget-accounts.ts";
import { budgetsFromWords, budgetsInWords } from "./budget-words.ts";
import { type Budget, Budgets, budgetsIn, budgetsKey } from "./budgets.ts";
import { isPeriod, isZone, periods, windowFinder } from "./windows.ts";

const amountSchema = t.Number({
	minimum: 0,
	maximum: 1_000_000_000,
	unit: "dollars",
	description: "Dollars.",
	form: { unit: "$" },
});

const schema = t.Array(
	t.Object(
		{
			amount: amountSchema,
			per: t.Union(
				periods.map((period) => t.Literal(period)),
				{ description: "Each day, week (from Monday) or month." },
			),
			zone: t.Optional(
				t.String({ maxLength: 64, description: "Whose calendar, such as Europe/Berlin; UTC unless said." }),
			),
			boost: t.Optional(
				t.Object(
					{
						amount: amountSchema,
						until: t.String({ format: "date-time", description: "Windows that begin before it have so much more." }),
					},
					{ additionalProperties: false, description: "More for a while." },
				),
			),
		},
		{ additionalProperties: false },
	),
	{
		maxItems: 8,
		description: "Dollars for each day, week or month: 5/day,100/month@Europe/Berlin, or JSON.",
		form: { label: "Budgets", order: 2, note: "Dollars that come anew each day, week or month, beside the quota." },
	},
);

const budgetOf = (value: unknown): Budget => {
	const { amount, per, zone = "UTC", boost } = asRecord(value);
	const dollars = asNumber(amount);
	const place = asText(zone);
	if (dollars === undefined || !isPeriod(per) || place === undefined || !isZone(place))
		throw new TypeError("a budget has an amount, a period and the name of a zone");
	const more = asRecord(boost);
	const until = Date.parse(asText(more["until"]) ?? "");
	if (boost !== undefined && (Number.isNaN(until) || asNumber(more["amount"]) === undefined))
		throw new TypeError("a boost has an amount and an end");
	return {
		amount: toMicroDollars(dollars),
		per,
		zone: place,
		boost: boost === undefined ? undefined : { amount: toMicroDollars(asNumber(more["amount"]) ?? 0), until },
		windowAt: windowFinder(per, place),
	};
};

/** As they are stored, compiled. Throws for what is no budget. */
export const budgetsOf = (value: unknown): readonly Budget[] => asList(value).map(budgetOf);

const complaint = (value: unknown): string | undefined => {
	const seen = new Set<string>();
	for (const one of asList(value)) {
		const { per, zone = "UTC", boost } = asRecord(one);
		if (!isZone(String(zone)))
			return `"${String(zone).slice(0, 64)}" is no zone known here; give one such as Europe/Berlin`;
		if (boost !== undefined && instantOf(asText(asRecord(boost)["until"]) ?? "") === undefined)
			return "a boost needs an end: until, as in 2026-12-01T00:00:00Z";
		const key = `${String(per)} ${String(zone)}`;
		if (seen.has(key)) return `there are two budgets per ${String(per)}; keep one`;
		seen.add(key);
	}
	return undefined;
};

export const budgetsSetting = (options: BudgetOptions): TokenSetting<Budgets> => ({
	key: budgetsKey,
	schema,
	refuse: complaint,
	compile: (value) => new Budgets(budgetsOf(value)),
	fromWords: budgetsFromWords,
	inWords: (value, shown) => budgetsInWords(value, shown["budgets"]),
	statements: (token, value) => budgetStatements(options, token, budgetsOf(value)),
	/** The token's own, and those that its owner's tokens share, marked with the owner. */
	async view(token, value, owner) {
		const own = await budgetsShown(options, token, budgetsOf(value));
		const shared = owner
			? await budgetsShown(options, personAccount(owner.id), budgetsIn(owner.compiled)?.list ?? [])
			: [];
		const budgets = [...own, ...shared.map((one) => ({ ...one, owner: owner?.id }))];
		return budgets.length === 0 ? {} : { budgets };
	},
});
