/** Sums of the ledger: by token, model, upstream or day. */

import { type SQL, sql } from "drizzle-orm";
import { deny, Fault, lookup, type Route, type Store } from "#core";

const groups = lookup<SQL>({
	token: sql`token`,
	model: sql`model`,
	upstream: sql`upstream`,
	day: sql`date(at / 1000, 'unixepoch')`,
});

const wrong = (parameter: string, message: string): Fault => new Fault(deny("invalid_request", message, { parameter }));

/** Milliseconds since 1970 of an ISO date or time. */
const timeOf = (url: URL, name: string): number | undefined => {
	const text = url.searchParams.get(name);
	if (text === null) return undefined;
	const at = Date.parse(text);
	if (Number.isNaN(at))
		throw wrong(name, `${name} must be a date such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z.`);
	return at;
};

const groupedBy = (url: URL): readonly string[] => {
	const by = (url.searchParams.get("by") ?? "model").split(",").filter((word) => word !== "");
	for (const word of by)
		if (!groups[word]) throw wrong("by", `by takes ${Object.keys(groups).join(", ")}, not "${word.slice(0, 32)}".`);
	return by;
};

export const usageRoute = (store: Store, flush: () => Promise<void>): Route => ({
	method: "GET",
	path: "/admin/usage",
	access: "admin",
	summary: "Sums of calls, model tokens and cost: by=token,model,upstream,day; from, to; token, model.",
	async handle({ url }) {
		await flush();
		const by = groupedBy(url);
		const columns = by.map((word) => sql`${groups[word] ?? sql`NULL`} AS ${sql.identifier(word)}`);
		const filters: SQL[] = [sql`1 = 1`];
		const from = timeOf(url, "from");
		const to = timeOf(url, "to");
		if (from !== undefined) filters.push(sql`at >= ${from}`);
		if (to !== undefined) filters.push(sql`at < ${to}`);
		for (const name of ["token", "model", "upstream"]) {
			const value = url.searchParams.get(name);
			if (value !== null) filters.push(sql`${groups[name] ?? sql`NULL`} = ${value}`);
		}
		const selected = [
			...columns,
			sql`count(*) FILTER (WHERE ending NOT IN ('lease_lost', 'lease_found')) AS calls`,
			sql`sum(ending = 'completed') AS completed`,
			sql`sum(input_tokens) AS inputTokens`,
			sql`sum(cached_tokens) AS cachedTokens`,
			sql`sum(output_tokens) AS outputTokens`,
			sql`sum(reasoning_tokens) AS reasoningTokens`,
			sql`sum(coalesce(cost, 0)) AS microDollars`,
			sql`sum(excess) AS excessMicroDollars`,
		];
		const comma = sql`, `;
		const grouping =
			by.length > 0
				? sql`GROUP BY ${sql.join(
						by.map((word) => groups[word] ?? sql`NULL`),
						comma,
					)}`
				: sql``;
		const rows = await store.all(
			sql`SELECT ${sql.join(selected, comma)} FROM ledger WHERE ${sql.join(filters, sql` AND `)} ${grouping} ORDER BY microDollars DESC, calls DESC LIMIT 10000`,
		);
		return Response.json({
			data: rows.map(({ microDollars, excessMicroDollars, ...row }) => ({
				...row,
				cost: Number(microDollars) / 1e6,
				excess: Number(excessMicroDollars) / 1e6,
			})),
		});
	},
});
