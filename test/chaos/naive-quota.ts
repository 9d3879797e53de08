/** How quotas are commonly kept: look whether something is left, call, add what it cost. Here to show that the harness sees it overspend. */

import { sql } from "drizzle-orm";
import { add, definePlugin, type Policy, policies, store, t, tables } from "#core";
import { prices } from "../../plugins/prices/service.ts";
import { ledgerWriters } from "../../plugins/quota/service.ts";
import { quotaTables } from "../../plugins/quota/tables.ts";

export default definePlugin({
	name: "naive-quota",
	summary: "Looks, calls, adds.",
	// What Portico's own is given here; this one has no leases.
	config: t.Object({ leaseSeconds: t.Optional(t.Integer()) }),
	needs: { store, prices, writers: ledgerWriters },
	gives: [policies, tables],
	setup({ needs }) {
		const policy: Policy<number> = {
			name: "naive-quota",
			setting: {
				key: "quota",
				schema: t.Number(),
				compile: (value) => Math.round(Number(value) * 1e6),
				statements: (token, value) => [
					sql`INSERT INTO quota_accounts (token, quota) VALUES (${token}, ${Math.round(Number(value) * 1e6)})
						ON CONFLICT (token) DO UPDATE SET quota = excluded.quota`,
				],
			},
			async check(call, quota) {
				const [row] = await needs.store.all(sql`SELECT used FROM quota_accounts WHERE token = ${call.token.id}`);
				if (quota !== undefined && Number(row?.["used"] ?? 0) >= quota)
					return { kind: "quota_exhausted", message: "This token's quota is used up." };
				return {
					settle({ usage, target }) {
						const price = target && needs.prices.find(target.model);
						const cost = usage && price ? (needs.prices.cost(usage, price) ?? 0) : 0;
						void needs.store.write([
							sql`UPDATE quota_accounts SET used = used + ${cost} WHERE token = ${call.token.id}`,
						]);
					},
				};
			},
		};
		return { offers: [add(tables, quotaTables("quota")), add(policies, policy)] };
	},
});
