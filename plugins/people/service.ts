/** What other plugins may ask of people: who owns what, and to write down who changed what. */
import { type Operated, type Operator, type Statement, service, slot } from "#core";

export { personId, personsById } from "./asked-persons.ts";

/** A person as whoever keeps their things must know them. */
export interface Owner {
	/** `per_…` */
	readonly id: string;
	readonly name: string;
	readonly disabled: boolean;
	/** What all of the person's tokens may spend together, micro-dollars; absent: no limit. */
	readonly ceiling?: number;
	/** The same for each day, week or month, as the token setting `budgets` has it; absent: none. */
	readonly budgets?: readonly unknown[];
	/** Token settings that none of the person's tokens goes beyond, by key. */
	readonly limits: Readonly<Record<string, unknown>>;
}

/** A call that changes something, and who made it: an operator, or the holder of a token. */
export type Changing = Pick<Operated, "id" | "address"> & { readonly operator: Pick<Operator, "id" | "name"> };

/** One change as it is told. */
export interface Change {
	/** `create`, `change`, `disable`, `delete` … */
	readonly verb: string;
	/** What it was done to: `token`, `person`, `invitation` …, its id, and its name where it has one. */
	readonly kind: string;
	readonly object: string;
	readonly name?: string;
	/** Each changed field as it was and as it is; never a secret. */
	readonly changes?: Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>;
}

export interface People {
	/** The person of that id; undefined for nobody. */
	owner(id: string): Promise<Owner | undefined>;
	/** The person of that name as an operator, for a doorkeeper to whom somebody else vouches for them; undefined for nobody, and for whoever may not come in. */
	named(name: string): Promise<Operator | undefined>;
	/**
	 * Writes down who changed what: belongs in the batch that makes the change.
	 *
	 * @example
	 * await store.write([change, people.audit(call, { verb: "disable", kind: "token", object: id })]);
	 */
	audit(call: Changing, change: Change): Statement;
}

export const people = service<People>("people");

/** Keeps things of persons, and is told when what a person may do has changed. */
export interface PersonFollower {
	/** Written in the batch that changes the person. */
	statements(person: Owner): readonly Statement[];
	/** Fields added to what admins and the person see of them (`used`, `remaining`). */
	view?(person: Owner): Promise<Readonly<Record<string, unknown>>>;
	/** True where the person's ceiling is kept. */
	readonly keepsCeiling?: true;
	/** Throws `Fault` for limits that cannot be kept. */
	checkLimits?(limits: Owner["limits"]): void;
	/** Throws `Fault` for budgets that cannot be kept. */
	checkBudgets?(budgets: NonNullable<Owner["budgets"]>): void;
	/** Called once it is written, on the node that wrote it. */
	changed?(person: Owner): void;
}

export const personFollowers = slot<PersonFollower>("people.followers");
