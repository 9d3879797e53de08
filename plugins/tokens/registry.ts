/** Tokens in the database and, once used, in memory: a call costs one digest and one look-up. */

import { and, eq, gt, inArray, or } from "drizzle-orm";
import { type AccessToken, type Clock, deny, Fault, type Log, type RefusedToken, type Store } from "#core";
import type { Owner } from "../people/service.ts";
import { boundedBy } from "./bounds.ts";
import { keyLength, looksLikeKey } from "./key.ts";
import type { Peppers } from "./peppers.ts";
import { compileSettings, type KnownSettings } from "./settings.ts";
import { type Row, storedOf } from "./stored-token.ts";
import { tokens } from "./tables.ts";

type Known = ({ readonly token: AccessToken } | RefusedToken) & {
	/** The key that was tried is good until then only: another has taken its place. Milliseconds since 1970. */
	readonly until?: number;
};

/** A token, or why one that is known is refused; undefined for a key that was never issued. */
type Identity = AccessToken | RefusedToken | undefined;

const answerOf = (known: Known | undefined): Identity => known && ("token" in known ? known.token : known);

/** How many unknown digests are remembered, and for how long, so that guessing does not reach the database. */
const strangersKept = 10_000;
const strangerMs = 5000;
/** How old the last word from a shared database may be before a call asks it again. */
const trustedMs = 2000;
/** How long that call waits for the answer: a database that takes longer is away. */
const askedForMs = 1000;

const unheard = (error: unknown): Fault =>
	new Fault(
		deny(
			"overloaded",
			"Portico cannot reach its database, so it cannot tell whether this token is still valid. Ask again soon.",
			{ retryAfterSeconds: 1 },
		),
		error,
	);

const unknown = (error: unknown): Fault =>
	new Fault(
		deny("overloaded", "Portico cannot reach its database, so it cannot check this token. Ask again soon.", {
			retryAfterSeconds: 1,
		}),
		error,
	);

export interface RegistryOptions {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly settings: () => KnownSettings;
	readonly peppers: Peppers;
	/** For so long tokens that are known here are good while a shared database does not answer, milliseconds. */
	readonly aloneMs: number;
	/** Finds the person a token belongs to. */
	readonly owner: (id: string) => Promise<Owner | undefined>;
}

export class Registry {
	private readonly options: RegistryOptions;
	private readonly byDigest = new Map<string, Known>();
	/** A token whose key was replaced may be known by two. */
	private readonly digestsById = new Map<string, readonly string[]>();
	private readonly strangers = new Map<string, number>();
	private revision = 0;
	/** Grows whenever something is forgotten: what was read before that is not kept. */
	private forgotten = 0;
	private heardAt = Number.NEGATIVE_INFINITY;
	/** The shared database did not answer when it was last asked. */
	private away = false;
	private asking: Promise<void> | undefined;

	constructor(options: RegistryOptions) {
		this.options = options;
	}

	/** Reads the peppers and the newest revision. */
	async open(): Promise<void> {
		await this.options.peppers.open();
		await this.refresh();
	}

	identify(key: string): Identity | Promise<Identity> {
		if (key.length !== keyLength) return undefined;
		const { store, clock } = this.options;
		const unheardMs = store.shared ? clock.monotonic() - this.heardAt : 0;
		if (unheardMs <= trustedMs || (this.away && unheardMs <= this.options.aloneMs)) return this.find(key);
		return this.findOnceHeard(key);
	}

	private async findOnceHeard(key: string): Promise<Identity> {
		await this.hear();
		return await this.find(key);
	}

	/**
	 * Asks a shared database what has changed, for a moment. One that does not answer is away: nobody can revoke a token in
	 * it, so those that are known here stay good for a while. `keepUp` finds out when it is back.
	 */
	private async hear(): Promise<void> {
		const { clock, aloneMs, log } = this.options;
		const asking = this.keepUp();
		const late = Promise.withResolvers<"late">();
		const cancel = clock.after(askedForMs, () => late.resolve("late"));
		try {
			if ((await Promise.race([asking, late.promise])) !== "late") return;
		} catch (error) {
			if (clock.monotonic() - this.heardAt > aloneMs) throw error;
		} finally {
			cancel();
		}
		if (clock.monotonic() - this.heardAt > aloneMs) throw unheard(undefined);
		if (!this.away)
			log.warn("the database does not answer; tokens that are known here are good for a while", {
				seconds: aloneMs / 1000,
			});
		this.away = true;
	}

	/** One question at a time to a shared database, however many ask it. */
	keepUp(): Promise<void> {
		this.asking ??= this.refresh().finally(() => {
			this.asking = undefined;
		});
		this.asking.catch(() => undefined);
		return this.asking;
	}

	/** Garbage is told from keys before the database is asked, and keys in use cost no check at all. */
	private find(key: string): Identity | Promise<Identity> {
		const { peppers, clock } = this.options;
		const digest = peppers.digest(key);
		const known = this.byDigest.get(digest);
		if (known && (known.until === undefined || known.until > clock.now())) return answerOf(known);
		return looksLikeKey(key) ? this.load(digest, peppers.earlier(key)).then(answerOf) : undefined;
	}

	/** Takes in what other nodes changed. */
	async refresh(): Promise<void> {
		const { store, clock } = this.options;
		const asked = clock.monotonic();
		const changed = await store.db
			.select({ id: tokens.id, revision: tokens.revision })
			.from(tokens)
			.where(gt(tokens.revision, this.revision))
			.catch((error: unknown) => {
				throw unheard(error);
			});
		this.heardAt = asked;
		this.away = false;
		for (const row of changed) {
			this.revision = Math.max(this.revision, row.revision);
			this.forget(row.id);
		}
	}

	async isEmpty(): Promise<boolean> {
		const [row] = await this.options.store.db.select({ id: tokens.id }).from(tokens).limit(1);
		return row === undefined;
	}

	/** A key was issued: nobody who tried it before is to be kept out by that. */
	welcome(digest: string): void {
		this.strangers.delete(digest);
	}

	/** What a person may do has changed: their tokens are looked up anew. */
	forgetAll(): void {
		this.forgotten++;
		this.byDigest.clear();
		this.digestsById.clear();
	}

	/** `earlier`: what the key is by earlier peppers. */
	private async load(digest: string, earlier: readonly string[]): Promise<Known | undefined> {
		const { store, clock, peppers } = this.options;
		const until = this.strangers.get(digest);
		if (until !== undefined && until > clock.monotonic()) return undefined;
		if (this.away) await this.hear();
		if (this.away) throw unknown(undefined);
		const { forgotten } = this;
		const digests = [digest, ...earlier];
		const [row] = await store.db
			.select()
			.from(tokens)
			.where(
				or(
					inArray(tokens.digest, digests),
					and(inArray(tokens.previousDigest, digests), gt(tokens.previousUntil, clock.now())),
				),
			)
			.catch((error: unknown) => {
				throw unknown(error);
			});
		const known = row && this.goodFor(digests, row, await this.knownOf(row));
		if (row?.digest && digests.includes(row.digest) && row.pepperMark !== peppers.mark)
			peppers.move(row.id, row.digest, digest);
		// A change that was made meanwhile may not be in what was read.
		if (forgotten !== this.forgotten) return known;
		if (!known) {
			if (this.strangers.size >= strangersKept) this.strangers.clear();
			this.strangers.set(digest, clock.monotonic() + strangerMs);
			return undefined;
		}
		this.byDigest.set(digest, known);
		this.digestsById.set(row.id, [...(this.digestsById.get(row.id) ?? []).filter((one) => one !== digest), digest]);
		return known;
	}

	private goodFor(digests: readonly string[], { digest, previousUntil }: Row, known: Known): Known {
		return digest !== null && digests.includes(digest) ? known : { ...known, until: previousUntil ?? 0 };
	}

	/** The token of that id, or the only one of that name, as a call with its key would find it. */
	async named(idOrName: string): Promise<AccessToken | RefusedToken | undefined> {
		const rows = await this.options.store.db
			.select()
			.from(tokens)
			.where(and(eq(tokens.deleted, false), or(eq(tokens.id, idOrName), eq(tokens.name, idOrName))))
			.limit(2);
		const row = rows.find(({ id }) => id === idOrName) ?? (rows.length === 1 ? rows[0] : undefined);
		return row && answerOf(await this.knownOf(row));
	}

	private async knownOf(row: Row): Promise<Known> {
		const { id, name, settings, owner } = storedOf(row);
		const refused = { id, name };
		if (row.disabled)
			return {
				refused,
				denial: deny("authentication", "This API key is disabled. Ask the operator to enable it or for another.", {
					code: "token_disabled",
				}),
			};
		const known = this.options.settings();
		const bounded = owner === undefined ? { settings } : boundedBy(await this.options.owner(owner), settings, known);
		if ("denial" in bounded) return { ...bounded, refused };
		const compiled = compileSettings(bounded.settings, known, { id, log: this.options.log });
		if ("denial" in compiled) return { ...compiled, refused };
		return { token: { id, name, ...bounded, compiled: compiled.compiled } };
	}

	/** The token is another now: it is looked up anew. */
	forget(id: string): void {
		this.forgotten++;
		for (const digest of this.digestsById.get(id) ?? []) this.byDigest.delete(digest);
		this.digestsById.delete(id);
		this.strangers.clear();
	}
}
