/** Tokens as they are issued, changed and taken back, each with what policies and the audit write beside them. */
import { type SQL, sql } from "drizzle-orm";
import { deny, Fault, invalidParameter, type Statement } from "#core";
import { refuseBeyond } from "./bounds.ts";
import { makeKey, previewOf } from "./key.ts";
import type { Registry, RegistryOptions } from "./registry.ts";
import { checkSettings, type Settings } from "./settings.ts";
import {
	findToken,
	listTokens,
	ofOwner,
	type StoredToken,
	statementsFor,
	type TokenQuery,
	withoutNulls,
} from "./stored-token.ts";
import { nextRevision } from "./tables.ts";

/** On whose behalf something is done (only to tokens of that person), and what is written in the same batch. */
export interface By {
	readonly owner?: string | undefined;
	readonly beside?: readonly Statement[];
}

interface Rotation extends By {
	/** The node that has yet to show the key. */
	readonly unshownBy?: string;
	/** How long the old key is good too. */
	readonly graceMs?: number;
}

/** A token whose key is known this once. */
export interface IssuedToken {
	readonly token: StoredToken;
	readonly key: string;
}

interface NewToken {
	/** The node that has yet to show the key. */
	readonly unshownBy?: string;
	/** The person it belongs to. */
	readonly owner?: string | undefined;
	/** What is written in the same batch. */
	beside?(id: string): readonly Statement[];
}

interface TokenChange {
	readonly name?: string;
	readonly disabled?: boolean;
	readonly settings?: Settings;
	/** Null: nobody's. */
	readonly owner?: string | null;
}

const adminsEnable = deny("permission", "An administrator disabled this token; only an administrator enables it.", {
	code: "admins_only",
	parameter: "disabled",
});

/** The column with these settings in it; one of `null` is removed. */
const changedSettings = (had: Settings, given: Settings): SQL =>
	Object.entries(given)
		.filter(([key, value]) => value !== null || Object.hasOwn(had, key))
		.reduce((settings, [key, value]) => {
			const path = `$."${key}"`;
			return value === null
				? sql`json_remove(${settings}, ${path})`
				: sql`json_set(${settings}, ${path}, json(${JSON.stringify(value)}))`;
		}, sql`settings`);

export class Issuer {
	private readonly options: RegistryOptions;
	private readonly registry: Registry;

	constructor(options: RegistryOptions, registry: Registry) {
		this.options = options;
		this.registry = registry;
	}

	/** Stores a new token; the key is returned here and never again. Throws `Fault` for settings that cannot be. */
	async create(name: string, settings: Settings, { unshownBy, owner, beside }: NewToken = {}): Promise<IssuedToken> {
		const { store, clock, peppers, settings: known } = this.options;
		checkSettings(settings, known());
		await this.checkBounds(settings, owner);
		const kept = withoutNulls(settings);
		const key = makeKey();
		const digest = peppers.digest(key);
		const preview = previewOf(key);
		const id = `tok_${crypto.randomUUID().replaceAll("-", "")}`;
		const createdAt = clock.now();
		await store.write([
			sql`INSERT INTO tokens (id, name, digest, pepper_mark, preview, settings, disabled, deleted, created_at, unshown_by, owner, revision)
				VALUES (${id}, ${name}, ${digest}, ${peppers.mark}, ${preview}, ${JSON.stringify(kept)}, 0, 0, ${createdAt}, ${unshownBy ?? null}, ${owner ?? null}, (SELECT coalesce(max(revision), 0) + 1 FROM tokens))
				ON CONFLICT (id) DO NOTHING`,
			...statementsFor(id, kept, known()),
			...(beside?.(id) ?? []),
		]);
		this.registry.welcome(digest);
		const owned = owner === undefined ? {} : { owner };
		return { token: { id, name, preview, settings: kept, disabled: false, ...owned, createdAt }, key };
	}

	/** Changes what is given; a setting of `null` is removed. Throws `Fault` (`not_found`). */
	async update(id: string, change: TokenChange, { owner, beside = [] }: By = {}): Promise<StoredToken> {
		const { store, settings: known } = this.options;
		const before = await this.get(id, owner);
		const given = change.settings ?? {};
		checkSettings(given, known());
		const settings = withoutNulls({ ...before.settings, ...given });
		const belongs = change.owner === undefined ? before.owner : (change.owner ?? undefined);
		await this.checkBounds(settings, belongs, belongs === before.owner ? given : settings);
		const isMember = owner !== undefined;
		if (isMember && before.disabledByAdmin && change.disabled === false) throw new Fault(adminsEnable);
		const disabled = change.disabled === undefined ? sql`disabled` : sql`${change.disabled}`;
		// What is not given is left as it is by then: another may be changing that.
		await store.write([
			sql`UPDATE tokens SET name = coalesce(${change.name ?? null}, name),
				disabled = ${isMember ? sql`max(${disabled}, disabled_by_admin)` : disabled},
				disabled_by_admin = ${isMember || change.disabled === undefined ? sql`disabled_by_admin` : disabled},
				settings = ${changedSettings(before.settings, given)}, owner = ${change.owner === undefined ? sql`owner` : change.owner},
				${nextRevision} WHERE ${ofOwner(id, owner)}`,
			...statementsFor(id, given, known()),
			...beside,
		]);
		this.registry.forget(id);
		return await this.get(id);
	}

	/** Gives the token another key; the old one is refused from now on, or from the end of the grace. */
	async rotate(id: string, { owner, beside = [], unshownBy, graceMs = 0 }: Rotation = {}): Promise<IssuedToken> {
		await this.get(id, owner);
		const key = makeKey();
		const { peppers } = this.options;
		const digest = peppers.digest(key);
		const graced = graceMs > 0;
		// A batch that is written twice must not take the new key for the old one.
		const previous = sql`iif(digest = ${digest}, previous_digest, ${graced ? sql`digest` : null})`;
		await this.options.store.write([
			sql`UPDATE tokens SET previous_digest = ${previous}, previous_until = ${graced ? this.options.clock.now() + graceMs : null},
				digest = ${digest}, pepper_mark = ${peppers.mark}, preview = ${previewOf(key)}, unshown_by = ${unshownBy ?? null}, ${nextRevision} WHERE ${ofOwner(id, owner)}`,
			...beside,
		]);
		this.registry.forget(id);
		return { token: await this.get(id), key };
	}

	/** The token is refused from now on and shown no more; what it used stays in the ledger. */
	async remove(id: string, { owner, beside = [] }: By = {}): Promise<void> {
		await this.get(id, owner);
		await this.options.store.write([
			sql`UPDATE tokens SET deleted = 1, digest = NULL, previous_digest = NULL, previous_until = NULL, ${nextRevision}
				WHERE ${ofOwner(id, owner)}`,
			...beside,
		]);
		this.registry.forget(id);
	}

	/** `owner`: only a token of that person. Throws `Fault` (`not_found`). */
	async get(id: string, owner?: string): Promise<StoredToken> {
		const found = await findToken(this.options.store, id, owner);
		if (!found) throw new Fault(deny("not_found", `There is no token "${id.slice(0, 64)}".`));
		return found;
	}

	find(id: string): Promise<StoredToken | undefined> {
		return findToken(this.options.store, id, undefined);
	}

	list(query: TokenQuery): Promise<readonly StoredToken[]> {
		return listTokens(this.options.store, query);
	}

	/** Throws `Fault` for settings that go beyond what the token's owner may have, or an owner who is nobody. */
	private async checkBounds(settings: Settings, owner: string | undefined, given = settings): Promise<void> {
		if (owner === undefined) return;
		const person = await this.options.owner(owner);
		if (!person) throw invalidParameter("owner", `There is no person "${owner.slice(0, 64)}".`);
		refuseBeyond(given, person.limits, this.options.settings());
	}
}
