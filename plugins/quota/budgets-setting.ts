/** The token setting `budgets`: dollars for each day, week or month of the calendar, beside the quota for its whole life. */
import { asList, asNumber, asRecord, asText, dollars, type TokenSetting, t } from "#core";
import type { Accounts } from "./accounts.ts";
import { type Budget, Budgets, budgetsKey, limitIn, windowAccount } from "./budgets.ts";
import { count, toDollars, toMicroDollars } from "./numbers.ts";
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

const budgetsOf = (value: unknown): readonly Budget[] => asList(value).map(budgetOf);

/** `5/day,100/month@Europe/Berlin`; anything else is left for JSON. */
const fromWords = (words: string): unknown => {
	if (words.trimStart().startsWith("[")) return JSON.parse(words);
	return words.split(",").map((one) => {
		const found = /^\s*\$?([\d.]+)\/(\w+)(?:@([\w+/-]+))?\s*$/.exec(one);
		if (!found) throw new TypeError(`"${one.trim()}" is no budget; write 5/day, 20/week or 100/month@Europe/Berlin`);
		const [, amount, per, zone] = found;
		return { amount: Number(amount), per, ...(zone !== undefined && { zone }) };
	});
};

/** `$5.00/day: $4.10 left`; what is left is not known where the server does not tell it. */
const wordsOf = (value: unknown, shown: unknown): string => {
	const told = asList(shown).map(asRecord);
	return asList(value)
		.map(asRecord)
		.map(({ amount, per, zone = "UTC" }) => {
			const left = asNumber(told.find((one) => one["per"] === per && one["zone"] === zone)?.["remaining"]);
			const place = zone === "UTC" ? "" : `@${String(zone)}`;
			return `${dollars(asNumber(amount) ?? 0)}/${String(per)}${place}${left === undefined ? "" : `: ${dollars(left)} left`}`;
		})
		.join(", ");
};

const complaint = (value: unknown): string | undefined => {
	const seen = new Set<string>();
	for (const one of asList(value)) {
		const { per, zone = "UTC", boost } = asRecord(one);
		if (!isZone(String(zone)))
			return `"${String(zone).slice(0, 64)}" is no zone known here; give one such as Europe/Berlin`;
		if (boost !== undefined && Number.isNaN(Date.parse(asText(asRecord(boost)["until"]) ?? "")))
			return "a boost needs an end: until, as in 2026-12-01T00:00:00Z";
		const key = `${String(per)} ${String(zone)}`;
		if (seen.has(key)) return `there are two budgets per ${String(per)}; keep one`;
		seen.add(key);
	}
	return undefined;
};

export interface BudgetsSettingOptions {
	readonly accounts: () => Accounts;
	now(): number;
}

export const budgetsSetting = ({ accounts, now }: BudgetsSettingOptions): TokenSetting<Budgets> => ({
	key: budgetsKey,
	schema,
	refuse: complaint,
	compile: (value) => new Budgets(budgetsOf(value)),
	fromWords,
	inWords: (value, shown) => wordsOf(value, shown["budgets"]),
	/** The window that runs and the one after it are told; later ones are made with what the token has by then. */
	statements: (token, value) =>
		budgetsOf(value).flatMap((budget) => {
			const current = budget.windowAt(now());
			return [current, budget.windowAt(current.end)].flatMap((window) =>
				accounts().statements.setQuota(windowAccount(token, budget, window), limitIn(budget, window)),
			);
		}),
	async view(token, value) {
		const budgets = budgetsOf(value);
		if (budgets.length === 0) return {};
		await accounts().flush();
		const at = now();
		const shown = budgets.map(async (budget) => {
			const window = budget.windowAt(at);
			const limit = limitIn(budget, window);
			const [row] = await accounts().store.all(accounts().statements.balance(windowAccount(token, budget, window)));
			const used = count(row?.["used"]) ?? 0;
			return {
				amount: toDollars(limit),
				per: budget.per,
				zone: budget.zone,
				used: toDollars(used),
				remaining: toDollars(Math.max(0, limit - used)),
				resetsAt: new Date(window.end).toISOString(),
			};
		});
		return { budgets: await Promise.all(shown) };
	},
});
