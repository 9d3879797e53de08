/** Invitations: a link that lets somebody choose a name and a password, once, within its time. */
import { sql } from "drizzle-orm";
import { asNumber, asText, type Clock, deny, Fault, type Statement, type Store, StoreFault } from "#core";
import { budgetsOf, limitsOf, nameKey, type Person, type Role, roleOf, storedBudgets } from "./person.ts";
import { newSecret, secretDigest } from "./secret.ts";

const hourMs = 3_600_000;
/** Longer than any request that may still be about one. */
const keptMs = 24 * hourMs;

interface InvitationTerms {
	readonly role: Role;
	/** Micro-dollars. */
	readonly ceiling?: number;
	readonly budgets?: readonly unknown[];
	readonly limits?: Person["limits"];
	/** Set when the link is to set another password for this person. */
	readonly person?: string;
	readonly hours: number;
	/** The operator who made it. */
	readonly by: string;
}

interface Invitation {
	readonly id: string;
	readonly role: Role;
	readonly person?: string;
	readonly ceiling?: number;
	readonly budgets?: readonly unknown[];
	readonly limits: Person["limits"];
	readonly createdAt: number;
	readonly expiresAt: number;
}

/** One answer for unknown, used and late: whoever guesses learns nothing. */
const spent = deny(
	"permission",
	"This link is not valid: it was used, its time is over, or it is not whole. Ask an administrator for another (portico person invite).",
	{ code: "invitation_not_valid" },
);

const taken = deny("conflict", "Somebody here has this name already; choose another.", {
	code: "name_taken",
	parameter: "name",
});

const invitationOf = (row: Readonly<Record<string, unknown>>): Invitation => {
	const ceiling = asNumber(row["ceiling"]);
	const person = asText(row["person"]);
	return {
		id: asText(row["id"]) ?? "",
		role: roleOf(row["role"]),
		...(person !== undefined && { person }),
		...(ceiling !== undefined && { ceiling }),
		...budgetsOf(row["budgets"]),
		limits: limitsOf(row["limits"]),
		createdAt: asNumber(row["created_at"]) ?? 0,
		expiresAt: asNumber(row["expires_at"]) ?? 0,
	};
};

export class Invitations {
	private readonly store: Store;
	private readonly clock: Clock;

	constructor(store: Store, clock: Clock) {
		this.store = store;
		this.clock = clock;
	}

	/** The secret is known here and never again. */
	make({ role, ceiling, budgets, limits = {}, person, hours, by }: InvitationTerms): {
		readonly invitation: Invitation;
		readonly secret: string;
		readonly statement: Statement;
	} {
		const secret = newSecret();
		const id = `inv_${crypto.randomUUID().replaceAll("-", "")}`;
		const createdAt = this.clock.now();
		const expiresAt = createdAt + hours * hourMs;
		const optional = {
			...(person !== undefined && { person }),
			...(ceiling !== undefined && { ceiling }),
			...(budgets !== undefined && { budgets }),
		};
		return {
			secret,
			invitation: { id, role, ...optional, limits, createdAt, expiresAt },
			statement: sql`INSERT INTO invitations (id, digest, person, role, ceiling, budgets, limits, created_at, created_by, expires_at)
				VALUES (${id}, ${secretDigest(secret)}, ${person ?? null}, ${role}, ${ceiling ?? null}, ${storedBudgets(budgets)}, ${JSON.stringify(limits)}, ${createdAt}, ${by}, ${expiresAt})
				ON CONFLICT (id) DO NOTHING`,
		};
	}

	/** Those that can still be used. */
	async open(): Promise<readonly Invitation[]> {
		const rows = await this.store.all(
			sql`SELECT id, person, role, ceiling, budgets, limits, created_at, expires_at FROM invitations
				WHERE used_at IS NULL AND expires_at > ${this.clock.now()} ORDER BY created_at`,
		);
		return rows.map(invitationOf);
	}

	/** Throws `Fault` for a secret that cannot be used. */
	async of(secret: string): Promise<Invitation> {
		const [row] = await this.store.all(
			sql`SELECT id, person, role, ceiling, budgets, limits, created_at, expires_at FROM invitations
				WHERE digest = ${secretDigest(secret)} AND used_at IS NULL AND expires_at > ${this.clock.now()}`,
		);
		if (!row) throw new Fault(spent);
		return invitationOf(row);
	}

	/**
	 * Uses an invitation, and makes the person of it, or sets their password, in one batch with `more`. Of two who use it
	 * at once one is refused: their batch fails as a whole. Throws `Fault`.
	 */
	async use(
		{ id, person: known }: Invitation,
		joins: { readonly id: string; readonly name: string; readonly password: string },
		more: readonly Statement[],
	): Promise<void> {
		const now = this.clock.now();
		const use = crypto.randomUUID();
		const person =
			known === undefined
				? sql`INSERT INTO persons (id, name, name_key, role, password, ceiling, budgets, limits, created_at)
					SELECT ${joins.id}, ${joins.name}, ${nameKey(joins.name)}, role, ${joins.password}, ceiling, budgets, limits, ${now}
					FROM invitations WHERE id = ${id} ON CONFLICT (id) DO NOTHING`
				: sql`UPDATE persons SET password = ${joins.password} WHERE id = ${known}`;
		await this.store
			.write([
				sql`UPDATE invitations SET used_at = ${now}, used_by = ${use}
					WHERE id = ${id} AND used_at IS NULL AND expires_at > ${now}`,
				// The digest may not be null: so nothing of the batch stays when another was faster.
				sql`UPDATE invitations SET digest = NULL WHERE id = ${id} AND used_by IS NOT ${use}`,
				person,
				...more,
			])
			.catch((error: unknown) => {
				if (!(error instanceof StoreFault && error.isConstraint)) throw error;
				throw new Fault(error.detail.includes("invitations") ? spent : taken, error);
			});
	}

	withdraw(id: string): Statement {
		return sql`UPDATE invitations SET expires_at = 0 WHERE id = ${id} AND used_at IS NULL`;
	}

	prune(): Statement {
		return sql`DELETE FROM invitations WHERE expires_at < ${this.clock.now() - keptMs}`;
	}
}
