/** What a person is held to must be kept by somebody: a ceiling, limits and budgets are checked by those who will. */
import { invalidParameter } from "#core";
import type { Person } from "./person.ts";
import type { PersonFollower } from "./service.ts";

export const keeping = (followers: () => readonly PersonFollower[]) => ({
	/** Throws `Fault` for a ceiling that nobody keeps. */
	checkCeiling(ceiling: number | null | undefined): void {
		if (typeof ceiling !== "number" || followers().some(({ keepsCeiling }) => keepsCeiling)) return;
		const message = "Nothing here can keep a ceiling; switch the plugins tokens and quota on.";
		throw invalidParameter("ceiling", message);
	},

	/** Throws `Fault` for limits that nobody can keep. */
	checkLimits(limits: Person["limits"]): void {
		const keepers = followers().flatMap(({ checkLimits: check }) => (check ? [check] : []));
		if (keepers.length === 0 && Object.keys(limits).length > 0)
			throw invalidParameter("limits", "Nothing here can keep limits; switch the plugin tokens on.");
		for (const check of keepers) check(limits);
	},

	/** Throws `Fault` for budgets that nobody can keep. */
	checkBudgets(budgets: NonNullable<Person["budgets"]>): void {
		const keepers = followers().flatMap(({ checkBudgets: check }) => (check ? [check] : []));
		if (keepers.length === 0 && budgets.length > 0)
			throw invalidParameter("budgets", "Nothing here can keep budgets; switch the plugins tokens and quota on.");
		for (const check of keepers) check(budgets);
	},
});
