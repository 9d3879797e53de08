/** What a token may do, in a line. */
import { dollars } from "../data/format.ts";
import { ownBudgets, type Token } from "./token.ts";

const few = (names: readonly string[], none: string): string => {
	if (names.length === 0) return none;
	return names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
};

export const limitsOf = (token: Token): string => {
	const { quota, models, ips, expiresAt } = token;
	return [
		quota === undefined ? "No quota" : `${dollars(quota)} in all`,
		...ownBudgets(token).map(({ amount, per }) => `${dollars(amount)} a ${per}`),
		few(models, "all models"),
		few(ips, "any address"),
		expiresAt === undefined
			? "no end"
			: `until ${new Date(expiresAt).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })}`,
	].join(" · ");
};
