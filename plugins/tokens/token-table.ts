/** Tokens as `portico token` shows them to people. */
import { asList, asRecord, asText, dollars, flagOf, type TokenSetting, type TSchema, tableLines } from "#core";
import type { KnownSettings } from "./settings.ts";

/** `expiresAt` as a title. */
const titleOf = (key: string): string => flagOf(key).replaceAll("-", " ");

const cellOf = (value: unknown, schema: TSchema | undefined): string => {
	if (value === undefined || value === null) return "";
	if (typeof value === "number" && schema?.["unit"] === "dollars") return dollars(value);
	if (Array.isArray(value))
		return value.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join(",");
	return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** A setting's own words; undefined where it has none or they fail, for a key that is told once must be shown all the same. */
const inWordsOf = (
	setting: TokenSetting<unknown> | undefined,
	value: unknown,
	shown: Readonly<Record<string, unknown>>,
): string | undefined => {
	if (value === undefined || value === null) return undefined;
	try {
		return setting?.inWords?.(value, shown);
	} catch {
		return undefined;
	}
};

const moneyOf = (amount: unknown): string => (typeof amount === "number" ? dollars(amount) : "");

type Shown = Readonly<Record<string, unknown>>;

const hasEnded = (token: Shown, now: number): boolean =>
	Date.parse(asText(asRecord(token["settings"])["expiresAt"]) ?? "") <= now;

/** A budget of which nothing is left, its own or its owner's. */
const spentBudget = ({ budgets }: Shown): Shown | undefined =>
	asList(budgets)
		.map(asRecord)
		.find(({ remaining }) => remaining === 0);

/** Why its calls are refused, the console's reasons in its order; "enabled" where nothing says that they are. */
const stateOf = (token: Shown, owner: Shown | undefined, now: number): string => {
	if (token["disabled"] === true) return "disabled";
	if (asList(token["unenforced"]).length > 0) return "refused";
	if (hasEnded(token, now)) return "expired";
	if (owner?.["disabled"] === true) return "owner disabled";
	if (token["remaining"] === 0) return "spent";
	const budget = spentBudget(token);
	return budget ? `spent this ${String(budget["per"])}` : "enabled";
};

/** A table for people; a setting that no token has takes no column, nor do owners where there are none. */
export const tableOf = (
	tokens: readonly Shown[],
	known: KnownSettings,
	owners: ReadonlyMap<unknown, Shown>,
	now: number,
): readonly string[] => {
	if (tokens.length === 0) return ["no tokens"];
	const settings = tokens.map((token) => asRecord(token["settings"]));
	const keys = [...new Set(settings.flatMap((one) => Object.keys(one)))];
	const schemas = keys.map((key) => known.get(key)?.schema);
	const isOwned = tokens.some(({ owner }) => typeof owner === "string");
	const spent = ["used", "remaining"].filter((name) => tokens.some((token) => typeof token[name] === "number"));
	const columns = [
		"name",
		"key",
		"state",
		...(isOwned ? ["owner"] : []),
		...keys.map((key, at) => ({ title: titleOf(key), right: schemas[at]?.["type"] === "number" })),
		...spent.map((title) => ({ title, right: true })),
		"id",
	];
	const rows = tokens.map((token, at) => [
		String(token["name"]),
		asText(token["preview"]) ?? "",
		stateOf(token, owners.get(token["owner"]), now),
		...(isOwned ? [asText(owners.get(token["owner"])?.["name"]) ?? asText(token["owner"]) ?? ""] : []),
		...keys.map((key, column) => {
			const value = settings[at]?.[key];
			return inWordsOf(known.get(key), value, tokens[at] ?? {}) ?? cellOf(value, schemas[column]);
		}),
		...spent.map((name) => moneyOf(token[name])),
		String(token["id"]),
	]);
	return tableLines(columns, rows);
};
