/** A token as it is stored, and what is written beside it. */
import { and, eq, gt, like, type SQL, sql } from "drizzle-orm";
import type { Statement, Store } from "#core";
import type { KnownSettings, Settings } from "./settings.ts";
import { tokens } from "./tables.ts";

/** A row of the table. */
export type Row = typeof tokens.$inferSelect;

/** A token as the admin routes see it. */
export interface StoredToken {
	readonly id: string;
	readonly name: string;
	readonly preview: string;
	readonly settings: Settings;
	readonly disabled: boolean;
	/** An administrator disabled it: its owner does not enable it. */
	readonly disabledByAdmin?: true;
	/** The person it belongs to; absent: the operator's. */
	readonly owner?: string;
	readonly createdAt: number;
	/** Until when the key before the last rotation is good too; milliseconds since 1970. */
	readonly previousUntil?: number;
}

/** Settings that are to stay. */
export const withoutNulls = (settings: Settings): Settings =>
	Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));

/** A row as a token. */
export const storedOf = (row: Row): StoredToken => {
	const { id, name, preview, disabled, disabledByAdmin, owner, createdAt, previousUntil } = row;
	return {
		id,
		name,
		preview,
		disabled,
		...(disabledByAdmin && { disabledByAdmin }),
		...(owner !== null && { owner }),
		createdAt,
		...(previousUntil !== null && { previousUntil }),
		settings: JSON.parse(row.settings) as Settings,
	};
};

/** What policies write beside the token; `null` tells them that the setting is gone. */
export const statementsFor = (id: string, settings: Settings, known: KnownSettings): readonly Statement[] =>
	Object.entries(settings).flatMap(([key, value]) => known.get(key)?.statements?.(id, value ?? undefined) ?? []);

/** A token that is not deleted, and, where an owner is given, theirs: another's is not there. */
export const ofOwner = (id: string, owner: string | undefined): SQL =>
	owner === undefined ? sql`id = ${id} AND deleted = 0` : sql`id = ${id} AND deleted = 0 AND owner = ${owner}`;

export const findToken = async (
	{ db }: Store,
	id: string,
	owner: string | undefined,
): Promise<StoredToken | undefined> => {
	const [row] = await db.select().from(tokens).where(ofOwner(id, owner));
	return row && storedOf(row);
};

export interface TokenQuery {
	readonly limit: number;
	/** The id after which the list goes on. */
	readonly after?: string;
	/** How names begin. */
	readonly name?: string;
	/** Only tokens of this person. */
	readonly owner?: string | undefined;
}

/** Tokens by id. */
export const listTokens = async ({ db }: Store, query: TokenQuery): Promise<readonly StoredToken[]> => {
	const { limit, after = "", name, owner } = query;
	const begins =
		name === undefined ? undefined : like(tokens.name, sql`${`${name.replace(/[\\%_]/g, "\\$&")}%`} ESCAPE '\\'`);
	const belongs = owner === undefined ? undefined : eq(tokens.owner, owner);
	const rows = await db
		.select()
		.from(tokens)
		.where(and(eq(tokens.deleted, false), gt(tokens.id, after), begins, belongs))
		.orderBy(tokens.id)
		.limit(limit);
	return rows.map(storedOf);
};
