/** What the accounts of this node show to whoever watches. */
import { toDollars } from "#core";
import { figure, type Metric } from "../metrics/service.ts";
import { isTokenAccount } from "./account-names.ts";
import type { Accounts } from "./accounts.ts";

export const quotaMetrics = ({ leases, loose, journal }: Accounts): readonly Metric[] => {
	const all = [...leases];
	// What persons' accounts hold, their tokens' accounts hold too.
	const held = all.reduce((sum, { account, held }) => (isTokenAccount(account) ? sum + held : sum), 0);
	const rows = all.reduce((sum, lease) => sum + lease.rows.length, loose.length);
	return [
		figure("portico_quota_held_dollars", "gauge", "What running calls hold of their tokens' quotas.", toDollars(held)),
		figure("portico_ledger_rows_waiting", "gauge", "Rows that are not in the database yet.", rows),
		figure("portico_journal_bytes", "gauge", "The journal of charges and rows on this node.", journal.size),
	];
};
