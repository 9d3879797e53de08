/** A token as the server shows it, and how it does. */
import type { KnownPerson } from "../data/person-names.ts";
import { asWire, number, text, texts, time, type Wire, wires } from "../data/read.ts";
import { nearly, partOf } from "../parts/meter.tsx";
import type { Tone } from "../parts/state.tsx";

/** What may be spent in a day, week or month, and what of it is. Dollars. */
interface Budget {
	readonly amount: number;
	readonly per: string;
	readonly used: number;
	readonly resetsAt: number | undefined;
	/** It is the owner's: all their tokens share it. */
	readonly shared: boolean;
}

export interface Token {
	readonly id: string;
	readonly name: string;
	/** The key's beginning and its last four. */
	readonly preview: string;
	/** The person it belongs to; absent: no person. */
	readonly owner: string | undefined;
	/** Why its owner's tokens are refused, where somebody knows that. */
	readonly ownerStopped?: KnownPerson["stopped"];
	readonly settings: Wire;
	readonly disabled: boolean;
	/** Settings that no plugin enforces: the token is refused. */
	readonly unenforced: readonly string[];
	readonly createdAt: number | undefined;
	readonly lastUsedAt: number | undefined;
	/** Until when the key before the last rotation is good too. */
	readonly previousUntil: number | undefined;
	/** Dollars. */
	readonly used: number;
	readonly quota: number | undefined;
	readonly budgets: readonly Budget[];
	readonly expiresAt: number | undefined;
	readonly models: readonly string[];
	readonly ips: readonly string[];
}

export const tokenOf = (wire: Wire): Token => {
	const settings = asWire(wire["settings"]);
	return {
		id: text(wire, "id") ?? "",
		name: text(wire, "name") ?? "",
		preview: text(wire, "preview") ?? "",
		owner: text(wire, "owner"),
		settings,
		disabled: wire["disabled"] === true,
		unenforced: texts(wire, "unenforced"),
		createdAt: time(wire, "createdAt"),
		lastUsedAt: time(wire, "lastUsedAt"),
		previousUntil: time(wire, "previousUntil"),
		used: number(wire, "used") ?? 0,
		quota: number(settings, "quota"),
		budgets: wires(wire, "budgets").map((budget) => ({
			amount: number(budget, "amount") ?? 0,
			per: text(budget, "per") ?? "",
			used: number(budget, "used") ?? 0,
			resetsAt: time(budget, "resetsAt"),
			shared: text(budget, "owner") !== undefined,
		})),
		expiresAt: time(settings, "expiresAt"),
		models: texts(settings, "models"),
		ips: texts(settings, "ips"),
	};
};

/** With its owner's name in place of the id, and what stops the tokens of that person. */
export const withOwner = (token: Token, persons: ReadonlyMap<string, KnownPerson>): Token => {
	const owner = persons.get(token.owner ?? "");
	return owner ? { ...token, owner: owner.name, ownerStopped: owner.stopped } : token;
};

export type Group = "working" | "soon" | "stopped";

interface TokenState {
	readonly word: string;
	readonly tone: Tone;
	readonly group: Group;
}

const weekMs = 7 * 86_400_000;

/** What part of its quota a token has used; 0 without one. */
export const usedPart = ({ used, quota }: Token): number => (quota === undefined ? 0 : partOf(used, quota));

/** Those that are the token's alone. */
export const ownBudgets = ({ budgets }: Token): readonly Budget[] => budgets.filter(({ shared }) => !shared);

const spentBudget = ({ budgets }: Token): Budget | undefined =>
	budgets.find(({ used, amount }) => partOf(used, amount) >= 1);

export const stateOf = (token: Token, now: number): TokenState => {
	if (token.disabled) return { word: "Disabled", tone: "off", group: "stopped" };
	if (token.unenforced.length > 0) return { word: "Refused", tone: "stop", group: "stopped" };
	if (token.expiresAt !== undefined && token.expiresAt <= now)
		return { word: "Expired", tone: "off", group: "stopped" };
	if (token.ownerStopped === "disabled") return { word: "Owner disabled", tone: "off", group: "stopped" };
	const part = usedPart(token);
	if (token.ownerStopped === "spent") return { word: "Owner has spent all", tone: "stop", group: "stopped" };
	if (part >= 1) return { word: "Spent", tone: "stop", group: "stopped" };
	const spent = spentBudget(token);
	if (spent) return { word: `Spent this ${spent.per}`, tone: "warn", group: "soon" };
	if (part >= nearly) return { word: "Nearly spent", tone: "warn", group: "soon" };
	if (token.expiresAt !== undefined && token.expiresAt - now < weekMs)
		return { word: "Expires soon", tone: "warn", group: "soon" };
	return { word: "Working", tone: "good", group: "working" };
};
