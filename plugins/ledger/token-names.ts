/** Names of tokens for rows that know only an id: those of tasks, which end long after they were asked for. */
import { sql } from "drizzle-orm";
import { asText, type Store, valueList, type WireRecord } from "#core";
import type { TokenOwnership } from "../tokens/service.ts";

export const withTokenNames = async (
	store: Store,
	tokens: TokenOwnership | undefined,
	views: readonly WireRecord[],
): Promise<readonly WireRecord[]> => {
	const nameless = new Set(views.flatMap(({ token, tokenName }) => (tokenName === null ? (asText(token) ?? []) : [])));
	if (!tokens || nameless.size === 0) return views;
	const rows = await store.all(sql`SELECT id, name FROM (${tokens.directory()}) WHERE id IN ${valueList(nameless)}`);
	const names = new Map(rows.map(({ id, name }) => [id, name]));
	return views.map((view) => ({ ...view, tokenName: view["tokenName"] ?? names.get(view["token"]) ?? null }));
};
