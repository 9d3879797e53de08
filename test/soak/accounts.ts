/** What the database file says once everything is over, asked after the process has ended. */
import { Database } from "bun:sqlite";

export interface Books {
	/** Rows of calls that ended well. */
	readonly completed: number;
	/** Accounts in which something is still held back, or whose charges are not explained by rows. */
	readonly wrong: readonly string[];
}

export const booksOf = (file: string): Books => {
	const database = new Database(file, { readonly: true });
	try {
		const accounts = database
			.query<{ token: string; used: number; leased: number; explained: number }, []>(
				`SELECT token, used, leased, (SELECT coalesce(sum(cost), 0) FROM ledger WHERE ledger.token = quota_accounts.token)
					AS explained FROM quota_accounts`,
			)
			.all();
		const row = database.query<{ n: number }, []>("SELECT count(*) AS n FROM ledger WHERE ending = 'completed'").get();
		const wrong = accounts.flatMap(({ token, used, leased, explained }) =>
			leased === 0 && used === explained
				? []
				: [`${token}: ${leased} held back, ${used} charged, ${explained} in the ledger`],
		);
		return { completed: row?.n ?? 0, wrong: accounts.length === 0 ? ["there are no accounts"] : wrong };
	} finally {
		database.close();
	}
};
