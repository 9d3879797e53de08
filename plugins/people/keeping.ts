/** What a person is held to must be kept by somebody: a ceiling, limits and budgets are checked, and told of, by those who do. */
import { invalidParameter } from "#core";
import type { PersonChange } from "./directory.ts";
import type { Person } from "./person.ts";
import type { PersonFollower } from "./service.ts";

/** Throws `Fault` for what nobody keeps, or cannot. */
export const checkKept = (
	followers: readonly PersonFollower[],
	{ ceiling, limits, budgets }: Pick<PersonChange, "ceiling" | "limits" | "budgets">,
): void => {
	if (typeof ceiling === "number" && !followers.some(({ keepsCeiling }) => keepsCeiling))
		throw invalidParameter("ceiling", "Nothing here can keep a ceiling; switch the plugins tokens and quota on.");
	if (limits) {
		const keepers = followers.flatMap(({ checkLimits: check }) => (check ? [check] : []));
		if (keepers.length === 0 && Object.keys(limits).length > 0)
			throw invalidParameter("limits", "Nothing here can keep limits; switch the plugin tokens on.");
		for (const check of keepers) check(limits);
	}
	if (budgets) {
		const keepers = followers.flatMap(({ checkBudgets: check }) => (check ? [check] : []));
		if (keepers.length === 0 && budgets.length > 0)
			throw invalidParameter("budgets", "Nothing here can keep budgets; switch the plugins tokens and quota on.");
		for (const check of keepers) check(budgets);
	}
};

/** What those who keep the person's things add to what is shown of them. */
export const keptOf = async (
	followers: readonly PersonFollower[],
	person: Person,
): Promise<Readonly<Record<string, unknown>>> => {
	const more = await Promise.all(followers.map(async ({ view }) => (await view?.(person)) ?? {}));
	return Object.assign({}, ...more) as Readonly<Record<string, unknown>>;
};
