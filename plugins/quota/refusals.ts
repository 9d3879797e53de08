/** What is said where an account has too little: whose money it is, what is left, and when there is more. */
import { type Denial, deny, toDollars } from "#core";
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
