/** Brings to the ledger what was charged without a call: leases that were lost, and found again. */
import { isTokenAccount } from "./account-names.ts";
import type { Accounts } from "./accounts.ts";
import { count } from "./numbers.ts";
import type { Correction } from "./service.ts";

const isReason = (value: unknown): value is Correction["reason"] => value === "lease_lost" || value === "lease_found";

/** Writes a row for every correction that has none, and tells what it crossed. */
export const recordCorrections = async ({ store, statements, writer, alerts }: Accounts): Promise<void> => {
	if (!writer) return;
	const found = await store.all(statements.newCorrections());
	const corrections = found.flatMap((row): Correction[] => {
		const { id, token, reason } = row;
		if (typeof id !== "string" || typeof token !== "string" || !isReason(reason)) return [];
		return [{ id, tokenId: token, reason, amount: count(row["amount"]) ?? 0, at: count(row["at"]) ?? 0 }];
	});
	if (corrections.length === 0) return;
	// What a person's account or a budget's was charged, its tokens' accounts were charged too: their rows tell it.
	const rows = corrections
		.filter(({ tokenId }) => isTokenAccount(tokenId))
		.map((correction) => writer.correction(correction));
	await store.write([
		...(rows.length > 0 ? writer.statements(rows) : []),
		...corrections.map(({ id }) => statements.recorded(id)),
		...alerts.crossed(new Set(corrections.map(({ tokenId }) => tokenId))),
	]);
};
