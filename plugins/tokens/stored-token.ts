/** A token as it is stored, and what is written beside it. */
import type { Statement, TokenSetting } from "#core";
import type { Settings } from "./settings.ts";
import type { tokens } from "./tables.ts";

/** A row of the table. */
export type Row = typeof tokens.$inferSelect;

/** A token as the admin routes see it. */
export interface StoredToken {
	readonly id: string;
	readonly name: string;
	readonly preview: string;
	readonly settings: Settings;
	readonly disabled: boolean;
	readonly createdAt: number;
}

/** Settings that are to stay. */
export const withoutNulls = (settings: Settings): Settings =>
	Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));

/** A row as a token. */
export const storedOf = (row: Row): StoredToken => {
	const { id, name, preview, disabled, createdAt } = row;
	return { id, name, preview, disabled, createdAt, settings: JSON.parse(row.settings) as Settings };
};

/** What policies write beside the token; `null` tells them that the setting is gone. */
export const statementsFor = (
	id: string,
	settings: Settings,
	known: ReadonlyMap<string, TokenSetting<unknown>>,
): readonly Statement[] =>
	Object.entries(settings).flatMap(([key, value]) => known.get(key)?.statements?.(id, value ?? undefined) ?? []);
