/** The secrets that sign: one for each token, two while one is being replaced. Kept in the database because signing needs them; shown once. */
import { sql } from "drizzle-orm";
import { asNumber, asText, type Clock, type Statement, type Store, valueList } from "#core";
import { createSecret } from "./signature.ts";

/** How long a node may sign with what it knows before it looks again, in milliseconds. */
const freshMs = 5000;

interface Entry {
	readonly secret: string;
	readonly createdAt: number;
	readonly previous?: string;
	readonly previousUntil: number;
}

/** What may be shown of a secret. Times in milliseconds since 1970. */
interface SecretState {
	readonly createdAt: number;
	/** Until when callbacks are signed with the replaced secret too; null when there is none. */
	readonly previousUntil: number | null;
}

const maximumOwners = 10_000;

export class SecretBook {
	private readonly store: Store;
	private readonly clock: Clock;
	private readonly known = new Map<string, { readonly entry: Entry | undefined; readonly readAt: number }>();

	constructor(store: Store, clock: Clock) {
		this.store = store;
		this.clock = clock;
	}

	/** Reads the secrets of these owners that are not known or not fresh. */
	async load(owners: readonly string[]): Promise<void> {
		const now = this.clock.monotonic();
		const missing = [...new Set(owners)].filter(
			(owner) => (this.known.get(owner)?.readAt ?? -freshMs) <= now - freshMs,
		);
		if (missing.length === 0) return;
		const rows = await this.store.all(sql`SELECT * FROM webhook_secrets WHERE owner IN ${valueList(missing)}`);
		if (this.known.size > maximumOwners) this.known.clear();
		const found = new Map(rows.map((row) => [asText(row.owner), entryOf(row)]));
		for (const owner of missing) this.known.set(owner, { entry: found.get(owner), readAt: now });
	}

	/** The secrets to sign with, the current one first. None until the owner has made one. */
	valid(owner: string, now: number): readonly string[] {
		const entry = this.known.get(owner)?.entry;
		if (!entry) return [];
		return entry.previous !== undefined && entry.previousUntil > now ? [entry.secret, entry.previous] : [entry.secret];
	}

	async state(owner: string): Promise<SecretState | undefined> {
		this.known.delete(owner);
		await this.load([owner]);
		const entry = this.known.get(owner)?.entry;
		if (!entry) return undefined;
		const rotating = entry.previous !== undefined && entry.previousUntil > this.clock.now();
		return { createdAt: entry.createdAt, previousUntil: rotating ? entry.previousUntil : null };
	}

	/** Makes the first secret; undefined when there is one already. `beside` is written in the same batch. */
	async create(owner: string, beside: readonly Statement[] = []): Promise<string | undefined> {
		if (await this.state(owner)) return undefined;
		const secret = createSecret();
		await this.store.write([
			sql`INSERT INTO webhook_secrets (owner, secret, created_at) VALUES (${owner}, ${secret}, ${this.clock.now()})
				ON CONFLICT DO NOTHING`,
			...beside,
		]);
		return await this.ifCurrent(owner, secret);
	}

	/** Replaces the secret; the old one goes on signing beside it for `overlapMs`. Undefined when there was none. */
	async rotate(owner: string, overlapMs: number, beside: readonly Statement[] = []): Promise<string | undefined> {
		if (!(await this.state(owner))) return undefined;
		const secret = createSecret();
		const now = this.clock.now();
		await this.store.write([
			sql`UPDATE webhook_secrets SET previous = secret, previous_until = ${now + overlapMs}, secret = ${secret}, created_at = ${now}
				WHERE owner = ${owner} AND secret <> ${secret}`,
			...beside,
		]);
		return await this.ifCurrent(owner, secret);
	}

	/** The owner's secret is this one, whatever it was: the old one goes on signing beside it for `overlapMs`. */
	async set(owner: string, secret: string, overlapMs: number): Promise<void> {
		const now = this.clock.now();
		await this.store.write([
			sql`INSERT INTO webhook_secrets (owner, secret, created_at) VALUES (${owner}, ${secret}, ${now})
				ON CONFLICT (owner) DO UPDATE SET previous = secret, previous_until = ${now + overlapMs},
					secret = excluded.secret, created_at = excluded.created_at WHERE secret <> excluded.secret`,
		]);
		this.known.delete(owner);
	}

	private async ifCurrent(owner: string, secret: string): Promise<string | undefined> {
		this.known.delete(owner);
		await this.load([owner]);
		return this.known.get(owner)?.entry?.secret === secret ? secret : undefined;
	}
}

const entryOf = (row: Readonly<Record<string, unknown>>): Entry => {
	const previous = asText(row.previous);
	return {
		secret: asText(row.secret) ?? "",
		createdAt: asNumber(row.created_at) ?? 0,
		previousUntil: asNumber(row.previous_until) ?? 0,
		...(previous !== undefined && { previous }),
	};
};
