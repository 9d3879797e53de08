/** What other plugins may ask of tokens: which of them are a person's, to show that person nothing else. */
import { type SQL, sql } from "drizzle-orm";
import { type AccessToken, invalidParameter, type RefusedToken, type Store, service, slot } from "#core";

export { withoutKey } from "./named-token.ts";
export { type Vouched, vouchedSettings, vouchedToken } from "./vouched-token.ts";

export interface TokenOwnership {
	/**
	 * The ids of a person's tokens, deleted ones too, as a subquery.
	 *
	 * @example
	 * sql`SELECT * FROM tasks WHERE token IN (${tokens.ownedBy(person)})`
	 */
	ownedBy(person: string): SQL;
	/** The token of that id, or the only one of that name, as a call would have it; undefined when there is none or several. */
	find(idOrName: string): Promise<AccessToken | RefusedToken | undefined>;
	/** Whether there is a token of that id, deleted ones not counted; `owner`: only theirs. */
	has(id: string, owner: string | undefined): Promise<boolean>;
	/** `id`, `name`, `created_at` and the `value` of that setting, of every token that has it and may be used, as a subquery. */
	having(setting: string): SQL;
	/** `id`, `name` and `owner` of every token, deleted ones too, as a subquery. */
	directory(): SQL;
}

export const tokenOwnership = service<TokenOwnership>("tokens");

/** Knows something of tokens that is told beside them (`lastUsedAt`). */
export interface TokenFacts {
	/** The fields to add, by the token's id; asked once for a whole list. */
	about(ids: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
}

export const tokenFacts = slot<TokenFacts>("tokens.facts");

/** ` AND token IN …` for whoever may see only what is their own, nothing for whoever sees all. Fails closed where nobody knows whose tokens are whose. */
export const narrowedTo = (
	tokens: TokenOwnership | undefined,
	person: string | undefined,
	column: SQL = sql`token`,
): SQL => {
	if (person === undefined) return sql``;
	return tokens ? sql` AND ${column} IN (${tokens.ownedBy(person)})` : sql` AND false`;
};

export const directory = (): SQL => sql`SELECT id, name, owner FROM tokens`;

export const having = (setting: string): SQL =>
	sql`SELECT id, name, created_at, settings->>${`$.${setting}`} AS value FROM tokens
		WHERE deleted = 0 AND disabled = 0 AND settings->>${`$.${setting}`} IS NOT NULL`;

export const ownedBy = (person: string): SQL => sql`SELECT id FROM tokens WHERE owner = ${person}`;

/**
 * The id of the token that a list is asked for by its id or its name; of `owner`'s tokens alone, where that is given. `used`:
 * finds a row of the list that has these words as its token's id, for not every token is one of this plugin's. Throws `Fault`.
 */
export const tokenAsked = async (
	store: Store,
	tokens: TokenOwnership | undefined,
	asked: string,
	owner: string | undefined,
	used: SQL,
): Promise<string> => {
	if (!tokens || asked.startsWith("tok_")) return asked;
	const theirs = owner === undefined ? sql`` : sql` AND owner = ${owner}`;
	const rows = await store.all(sql`SELECT id FROM (${tokens.directory()}) WHERE name = ${asked}${theirs} LIMIT 2`);
	const [first, second] = rows.map(({ id }) => String(id));
	if (first === undefined && (owner !== undefined || (await store.all(used)).length === 0))
		throw invalidParameter(
			"token",
			`No token is or was called "${asked.slice(0, 64)}", and none of that id is known here.`,
		);
	if (second === undefined) return first ?? asked;
	const message = `Several tokens are or were called "${asked.slice(0, 64)}"; give the id of one, such as ${first} or ${second}.`;
	throw invalidParameter("token", message);
};
