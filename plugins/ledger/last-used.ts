/** When each token was last used: read from the rows there are, so that no call writes it. */
import { sql } from "drizzle-orm";
import { asNumber, asText, type Store } from "#core";
import type { TokenFacts } from "../tokens/service.ts";

/** What a lost node's lease cost is no call. */
export const lastUsed = (store: Store): TokenFacts => ({
	async about(ids) {
		const rows = await store.all(
			sql`SELECT value AS id, (SELECT at FROM ledger WHERE token = value AND ending NOT IN ('lease_lost', 'lease_found')
				ORDER BY at DESC LIMIT 1) AS at FROM json_each(${JSON.stringify(ids)})`,
		);
		return new Map(
			rows.flatMap(({ id, at }): [string, { lastUsedAt: number }][] => {
				const lastUsedAt = asNumber(at);
				return lastUsedAt === undefined ? [] : [[asText(id) ?? "", { lastUsedAt }]];
			}),
		);
	},
});
