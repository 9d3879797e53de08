/**
 * Finds rows, newest first, page by page. Like the sums, it looks at some thousand rows at a time, in the order of time,
 * and others get their turn in between.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { asNumber, asText, type Store } from "#core";
import { notCompleted } from "./queries.ts";

/** What rows can be kept to. */
export const filters = ["token", "model", "upstream", "ending", "status", "protocol", "address"] as const;

export type Filter = (typeof filters)[number];

export interface Search {
	readonly only: ReadonlyMap<Filter, string | number>;
	/** Milliseconds since 1970; the second is not included. */
	readonly from: number;
	readonly to: number;
	readonly limit: number;
	/** The id of the last row of the page before. */
	readonly after?: string;
	/** A further condition, ` AND …`: whose rows alone may be seen. */
	readonly whose: SQL;
}

type Row = Readonly<Record<string, unknown>>;

const rowsAtOnce = 5_000;

const everything = sql`id, at, token, model, upstream, ending, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, excess, request, protocol, status, tags, detail`;

/** The row of this id, or the newest of this request id: clients choose those, and may choose the id of another call. */
export const findRow = async (store: Store, id: string, whose: SQL): Promise<Row | undefined> => {
	const [row] = await store.all(
		sql`SELECT ${everything} FROM ledger WHERE (id = ${id} OR request = ${id})${whose} ORDER BY id = ${id} DESC, at DESC LIMIT 1`,
	);
	return row;
};

/** A row of that token, if there is any. */
export const anyOf = (token: string): SQL => sql`SELECT 1 FROM ledger WHERE token = ${token} LIMIT 1`;

/** A name that has no sums of its own stands in the detail alone. */
const modelOf = sql`coalesce(model, detail->>'asked')`;

const columnOf = (name: Filter): SQL => {
	if (name === "model") return modelOf;
	return name === "address" ? sql`detail->>'address'` : sql`${sql.identifier(name)}`;
};

export const searchRows = async (store: Store, search: Search): Promise<readonly Row[]> => {
	const { only, from, limit, after, whose } = search;
	const kept = [...only].map(([name, value]) =>
		name === "ending" && value === notCompleted
			? sql` AND ending NOT IN ('completed', 'lease_found')`
			: sql` AND ${columnOf(name)} = ${value}`,
	);
	const token = only.get("token");
	const ofToken = token === undefined ? sql`` : sql` AND token = ${token}`;
	const [cursor] = after === undefined ? [] : await store.all(sql`SELECT at FROM ledger WHERE id = ${after}`);
	if (after !== undefined && !cursor) return [];
	let to = Math.min(search.to, cursor ? (asNumber(cursor["at"]) ?? 0) + 1 : search.to);
	const past: SQL = cursor ? sql` AND (at, id) < (${asNumber(cursor["at"])}, ${after})` : sql``;
	const found: Row[] = [];
	for (; to > from; await nextTurn()) {
		const [next] = await store.all(sql`SELECT at FROM ledger WHERE at >= ${from} AND at < ${to}${ofToken}
			ORDER BY at DESC LIMIT 1 OFFSET ${rowsAtOnce}`);
		const begin = next ? Math.min(asNumber(next["at"]) ?? from, to - 1) : from;
		const rows = await store.all(sql`SELECT ${everything} FROM ledger
			WHERE at >= ${begin} AND at < ${to}${sql.join(kept)}${whose}${past}
			ORDER BY at DESC, id DESC LIMIT ${limit - found.length}`);
		found.push(...rows);
		if (found.length >= limit) break;
		to = begin;
	}
	return found;
};

/** What an attempt met: the upstream's status, or the word for there being none. */
const met = (detail: SQL, place: "0" | "#-1"): SQL =>
	sql`coalesce(${detail}->>${`$.attempts[${place}].status`}, ${detail}->>${`$.attempts[${place}].code`}, '')`;

/** How many calls of the last rows before `at` tell the same trouble, and since when. */
export const alike = async (
	store: Store,
	row: Row,
): Promise<{ readonly calls: number; readonly since: number } | undefined> => {
	const detail = sql`${row["detail"]}`;
	const [sum] = await store.all(sql`SELECT sum(coalesce(detail->>'repeats', 1)) AS calls, min(at) AS since FROM (
			SELECT at, upstream, token, model, ending, detail FROM ledger WHERE at <= ${asNumber(row["at"])} ORDER BY at DESC LIMIT ${rowsAtOnce})
		WHERE ending = ${asText(row["ending"])} AND upstream IS ${row["upstream"]} AND detail->>'reason' IS (${row["detail"]}->>'reason')
			AND detail->>'stopped' IS (${row["detail"]}->>'stopped')
			AND ${met(sql`detail`, "0")} = ${met(detail, "0")} AND ${met(sql`detail`, "#-1")} = ${met(detail, "#-1")}
			AND (upstream IS NOT NULL OR token IS ${row["token"]})
			AND (coalesce(detail->>'reason', '') NOT IN ('model_not_found', 'model_not_priced') OR ${modelOf} IS coalesce(${row["model"]}, ${detail}->>'asked'))`);
	const calls = asNumber(sum?.["calls"]) ?? 0;
	return calls > 1 ? { calls, since: asNumber(sum?.["since"]) ?? 0 } : undefined;
};
