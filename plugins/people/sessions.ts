/** Sessions: opaque secrets whose digests are stored. They slide for 12 hours and end after 7 days whatever happens. */
import { sql } from "drizzle-orm";
import {
	adminTokenOperator,
	asNumber,
	asText,
	type Clock,
	type Operator,
	type Statement,
	type Store,
	unlessOutage,
} from "#core";
import { operatorWhoMay, personOf } from "./person.ts";
import { newSecret, secretDigest } from "./secret.ts";

const hourMs = 3_600_000;
const idleMs = 12 * hourMs;
const personMs = 7 * 24 * hourMs;
/** Whoever signs in with the admin token does so to mend something. */
const adminTokenMs = hourMs;
/** The database hears at most so often that a session is used. */
const noticedMs = 60_000;

export interface Session {
	readonly digest: string;
	readonly operator: Operator;
	/** Milliseconds since 1970: when it ends unless it is used. */
	readonly expiresAt: number;
}

export interface NewSession {
	readonly secret: string;
	/** How long its cookie lasts. */
	readonly seconds: number;
	readonly statement: Statement;
}

/** Who enters, and the password by which they do, as it is stored. */
export interface Entering {
	readonly person: string;
	readonly password: string;
}

export class Sessions {
	private readonly store: Store;
	private readonly clock: Clock;

	constructor(store: Store, clock: Clock) {
		this.store = store;
		this.clock = clock;
	}

	/**
	 * `entering` undefined: the holder of the admin token. The statement makes no session for a person who is not there, or
	 * whose password (as it is stored) is another by then.
	 */
	begin(entering: Entering | undefined, address: string | undefined, agent: string | null): NewSession {
		const { person = null, password = null } = entering ?? {};
		const secret = newSecret();
		const now = this.clock.now();
		const lastsMs = person === null ? adminTokenMs : personMs;
		return {
			secret,
			seconds: lastsMs / 1000,
			statement: sql`INSERT INTO sessions (digest, person, created_at, seen_at, ends_at, address, user_agent)
				SELECT ${secretDigest(secret)}, ${person}, ${now}, ${now}, ${now + lastsMs}, ${address ?? null}, ${agent?.slice(0, 200) ?? null}
				WHERE ${person} IS NULL OR EXISTS (SELECT 1 FROM persons WHERE id = ${person} AND disabled = 0 AND password = ${password})
				ON CONFLICT (digest) DO NOTHING`,
		};
	}

	/** The session of a secret while it lasts, with whoever stands behind it. */
	async find(secret: string): Promise<Session | undefined> {
		const digest = secretDigest(secret);
		const now = this.clock.now();
		const [row] = await this.store.all(
			sql`SELECT s.person, s.seen_at, s.ends_at, p.id, p.name, p.role, p.disabled
				FROM sessions s LEFT JOIN persons p ON p.id = s.person
				WHERE s.digest = ${digest} AND s.ends_at > ${now} AND s.seen_at > ${now - idleMs}`,
		);
		if (row === undefined) return undefined;
		const operator = operatorOf(row);
		if (!operator) return undefined;
		const seenAt = asNumber(row["seen_at"]) ?? 0;
		if (now - seenAt >= noticedMs) await this.noteSeen(digest, now);
		return { digest, operator, expiresAt: Math.min(asNumber(row["ends_at"]) ?? 0, now + idleMs) };
	}

	/** Whoever has a session is let in though nothing can be written: that is when an operator must look. The store logs it. */
	private async noteSeen(digest: string, now: number): Promise<void> {
		await unlessOutage(
			this.store.write([sql`UPDATE sessions SET seen_at = max(seen_at, ${now}) WHERE digest = ${digest}`]),
		);
	}

	/** Whether the person signed in from there before, as far as is remembered. */
	async knows(person: string, address: string | undefined): Promise<boolean> {
		if (address === undefined) return false;
		const rows = await this.store.all(
			sql`SELECT 1 FROM sessions WHERE person = ${person} AND address = ${address} LIMIT 1`,
		);
		return rows.length > 0;
	}

	end(digest: string): Statement {
		return sql`DELETE FROM sessions WHERE digest = ${digest}`;
	}

	/** Ends all sessions of a person, or of whoever held the admin token; `but` stays. */
	endAll(operator: string, but = ""): Statement {
		const person = operator === adminTokenOperator.id ? null : operator;
		return sql`DELETE FROM sessions WHERE person IS ${person} AND digest <> ${but}`;
	}

	prune(): Statement {
		return sql`DELETE FROM sessions WHERE ends_at <= ${this.clock.now()}`;
	}
}

const operatorOf = (row: Readonly<Record<string, unknown>>): Operator | undefined => {
	if (asText(row["person"]) === undefined) return adminTokenOperator;
	return operatorWhoMay(personOf(row));
};
