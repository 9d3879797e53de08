/** What is said where an account has too little (whose money it is, what is left, and when there is more) or a price is not known. */
import { type Denial, deny, type EndpointRouted, toDollars } from "#core";
import { isPersonAccount } from "./account-names.ts";
import type { AccountLimit } from "./holding.ts";

/** Whose money it is, as a refusal calls it. */
export const nameOf = ({ account, window }: AccountLimit): string => {
	const persons = isPersonAccount(account);
	if (window)
		return persons
			? `the budget of this token's owner for the ${window.per}`
			: `this token's budget for the ${window.per}`;
	return persons ? "the ceiling of this token's owner" : "this token's quota";
};

/** A budget comes back by itself; anything else only when somebody raises it. */
const remedy = ({ window }: AccountLimit): string =>
	window
		? `It resets at ${new Date(window.end).toISOString()}; until then, ask the operator to raise it.`
		: "Ask the operator to raise it.";

const whenBack = ({ window }: AccountLimit): Pick<Denial, "resetsAt"> =>
	window ? { resetsAt: new Date(window.end).toISOString() } : {};

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const heldBack = (on: AccountLimit): Denial =>
	deny(
		"quota_held",
		isPersonAccount(on.account)
			? "The rest of what this token's owner may spend is held by running calls and tasks of their tokens. Ask again when one of them has ended."
			: `The rest of ${nameOf(on)} is held by its own running calls and tasks. Ask again when one of them has ended.`,
		{ retryAfterSeconds: 1 },
	);

const dollars = (microDollars: number): string => `$${toDollars(Math.max(0, microDollars)).toFixed(6)}`;

export const usedUp = (on: AccountLimit, left: number, needed: number): Denial =>
	deny(
		"quota_exhausted",
		left <= 0
			? `${capital(nameOf(on))} is used up. ${remedy(on)}`
			: `${capital(nameOf(on))} is nearly used up: ${dollars(left)} is left, and this call may cost ${dollars(needed)} or more. Ask for less. ${remedy(on)}`,
		whenBack(on),
	);

export const nearlyUsedUp = (on: AccountLimit): Denial =>
	deny(
		"quota_exhausted",
		`${capital(nameOf(on))} is nearly used up: a call was just refused for it, so no large request is read now. Ask for less. ${remedy(on)}`,
		whenBack(on),
	);

export const tooFarBehind: Denial = deny(
	"overloaded",
	"Portico cannot write down any more calls until its database takes what waits, so it cannot let the call through. Ask again soon.",
	{ retryAfterSeconds: 5 },
);

export const unreachable: Denial = deny(
	"overloaded",
	"Portico cannot reach the database that holds this token's quota, so it cannot let the call through. Ask again soon.",
	{ retryAfterSeconds: 1 },
);

export const notWrittenDown: Denial = deny(
	"overloaded",
	"Portico cannot write down here what a call may cost, so it cannot let this one through. Ask again soon.",
	{ retryAfterSeconds: 1 },
);

/** The price of a model is not known. */
export const notPriced = (model: string): Denial =>
	deny(
		"permission",
		`The price of the model "${model.slice(0, 128)}" is not known, so it cannot be used under a quota. Ask the operator to set it under "prices".`,
		{ code: "model_not_priced", parameter: "model" },
	);

/** A price is there, and has no rate for something that this call uses. */
export const partlyPriced = (
	model: string,
	{ inputTokens, outputTokens, units = {} }: EndpointRouted["bound"],
): Denial => {
	const tokens = inputTokens + outputTokens > 0 ? ["tokens"] : [];
	const used = [...tokens, ...Object.entries(units).flatMap(([unit, most]) => (most > 0 ? [unit] : []))];
	return deny(
		"permission",
		`The price of the model "${model.slice(0, 128)}" has no rate for all that this call uses (${used.join(", ")}), so it cannot be used under a quota. Ask the operator to set it under "prices".`,
		{ code: "model_not_priced", parameter: "model" },
	);
};

/** A tier, a field or a tool costs nobody knows what. */
export const unknownPrice = (name: string): Denial =>
	deny(
		"permission",
		`What "${name.slice(0, 64)}" costs is not known, so it cannot be used under a quota. Leave it out, or ask the operator to set it under "prices".`,
		{ code: "tier_not_priced" },
	);
