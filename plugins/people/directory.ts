/** Persons in the database: found, listed, changed. */
import { type SQL, sql } from "drizzle-orm";
import { asNumber, asText, deny, Fault, type Statement, type Store, StoreFault } from "#core";
import { nameKey, type Person, personColumns, personOf, type Role, storedBudgets } from "./person.ts";
import type { Sessions } from "./sessions.ts";

const columns = sql.raw(personColumns);

/** A person with what is needed to check a password. */
export interface Candidate {
	readonly person: Person;
	readonly password: string;
}

export interface PersonChange {
	readonly role?: Role;
	readonly disabled?: boolean;
	/** Micro-dollars; null: no limit. */
	readonly ceiling?: number | null;
	/** Null: none. */
	readonly budgets?: readonly unknown[] | null;
	readonly limits?: Person["limits"];
}

interface ListedPerson extends Person {
	/** When the person last did something in a session that is remembered; milliseconds since 1970. */
	readonly seenAt?: number;
}

const isActiveAdmin = ({ role, disabled }: Person): boolean => role === "admin" && !disabled;

const lastAdmin = deny(
	"conflict",
	"Nobody else is an admin who may sign in: make somebody one first. With the admin token it can be done all the same: portico person.",
);

const setMeanwhile = deny("conflict", "Your password was set anew meanwhile; sign in with that one.");

export class Directory {
	private readonly store: Store;
	private readonly sessions: Sessions;

	constructor(store: Store, sessions: Sessions) {
		this.store = store;
		this.sessions = sessions;
	}

	private async one(condition: SQL): Promise<Readonly<Record<string, unknown>> | undefined> {
		return (await this.store.all(sql`SELECT ${columns}, password FROM persons WHERE ${condition}`))[0];
	}

	async find(id: string): Promise<Person | undefined> {
		return personOf(await this.one(sql`id = ${id}`));
	}

	/** By id, or by name where nobody has such an id. Throws `Fault` (`not_found`). */
	async get(idOrName: string): Promise<Person> {
		const person = (await this.find(idOrName)) ?? (await this.candidate(idOrName))?.person;
		if (!person) throw new Fault(deny("not_found", `There is no person "${idOrName.slice(0, 64)}".`));
		return person;
	}

	async candidate(name: string): Promise<Candidate | undefined> {
		const row = await this.one(sql`name_key = ${nameKey(name)}`);
		const person = personOf(row);
		return person && { person, password: asText(row?.["password"]) ?? "" };
	}

	/** Admin persons may sign in without the admin token; so there must be a way in while there is none. */
	async isEmpty(): Promise<boolean> {
		const [row] = await this.store.all(
			sql`SELECT EXISTS (SELECT 1 FROM persons) OR EXISTS (SELECT 1 FROM invitations) AS known`,
		);
		return row?.["known"] === 0;
	}

	/**
	 * For the batch of a change, after it: a person who is the last admin may shut everybody out by one slip, which only the holder
	 * of the admin token can undo. A role may not be null, so nothing of the batch stays when no admin would be left.
	 */
	keepAnAdmin(before: Person, after: Person): readonly Statement[] {
		if (!isActiveAdmin(before) || isActiveAdmin(after)) return [];
		return [
			sql`UPDATE persons SET role = NULL
				WHERE id = ${before.id} AND NOT EXISTS (SELECT 1 FROM persons WHERE role = 'admin' AND disabled = 0)`,
		];
	}

	/** Writes a change with what belongs to it. Throws `Fault` (`conflict`) where `keepAnAdmin` or `setPassword` refused it. */
	async write(statements: readonly Statement[]): Promise<void> {
		await this.store.write(statements).catch((error: unknown) => {
			const broken = error instanceof StoreFault && error.isConstraint ? error.detail : "";
			if (broken.includes("persons.role")) throw new Fault(lastAdmin, error);
			throw broken.includes("persons.password") ? new Fault(setMeanwhile, error) : error;
		});
	}

	async list(): Promise<readonly ListedPerson[]> {
		const rows = await this.store.all(
			sql`SELECT ${columns}, (SELECT max(seen_at) FROM sessions WHERE person = persons.id) AS seen FROM persons ORDER BY name_key`,
		);
		return rows.flatMap((row) => {
			const person = personOf(row);
			const seenAt = asNumber(row["seen"]);
			return person ? [{ ...person, ...(seenAt !== undefined && { seenAt }) }] : [];
		});
	}

	/**
	 * Whoever may do less than before, or nothing, signs in again, and no link is left by which they would come back: neither
	 * one that they made, nor one for a password of theirs.
	 */
	change(id: string, { role, disabled, ceiling, budgets, limits }: PersonChange): readonly Statement[] {
		const sets: SQL[] = [];
		if (role !== undefined) sets.push(sql`role = ${role}`);
		if (disabled !== undefined) sets.push(sql`disabled = ${disabled ? 1 : 0}`);
		if (ceiling !== undefined) sets.push(sql`ceiling = ${ceiling}`);
		if (budgets !== undefined) sets.push(sql`budgets = ${storedBudgets(budgets)}`);
		if (limits !== undefined) sets.push(sql`limits = ${JSON.stringify(limits)}`);
		const out = role !== undefined || disabled === true;
		return [
			...(sets.length > 0 ? [sql`UPDATE persons SET ${sql.join(sets, sql`, `)} WHERE id = ${id}`] : []),
			...(out
				? [
						this.sessions.endAll(id),
						sql`UPDATE invitations SET expires_at = 0 WHERE used_at IS NULL AND (created_by = ${id} OR person = ${id})`,
					]
				: []),
		];
	}

	/** Both as they are stored. It may not be null, so nothing of the batch stays when it is neither the one nor the other. */
	setPassword(id: string, from: string, to: string): Statement {
		return sql`UPDATE persons SET password = iif(password IN (${from}, ${to}), ${to}, NULL) WHERE id = ${id}`;
	}
}
