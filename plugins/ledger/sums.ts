/**
 * Sums of calls. Hours and days are summed up already (`rollup.ts`); only what begins or ends within an hour is read from
 * the rows. The database of a file runs in this process, so all is read some thousand rows at a time, in the order of
 * time, and others get their turn in between.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { asList, asNumber, asText, deny, Fault, parseJson, type Store } from "#core";
import { callsOf } from "./rollup.ts";
import { isTagGroup, tagOf } from "./tags.ts";
import { tookColumns, tookCounts } from "./time-taken.ts";
import { dateIn } from "./zones.ts";

/** What there can be a sum for each of. Hours are those of UTC, days too unless a zone is asked for. */
const groups = {
	token: sql`nullif(token, '')`,
	model: sql`nullif(model, '')`,
	upstream: sql`nullif(upstream, '')`,
	protocol: sql`nullif(protocol, '')`,
	ending: sql`ending`,
	hour: sql`strftime('%Y-%m-%dT%H:00:00Z', at / 1000, 'unixepoch')`,
	day: sql`date(at / 1000, 'unixepoch')`,
};

export const groupNames = Object.keys(groups);

export const isGroup = (word: string): boolean => Object.hasOwn(groups, word) || isTagGroup(word);

const groupValue = (name: string, day: SQL): SQL => {
	if (name === "day") return day;
	if (isTagGroup(name)) return tagOf(name);
	return (groups as Readonly<Record<string, SQL>>)[name] ?? sql`NULL`;
};

/** The day of a row: of the zone's clocks, which is to be known for as long as there are rows. */
const dayOf = async (store: Store, { by, from, to, zone }: Question): Promise<SQL> => {
	if (zone === "UTC" || !by.includes("day")) return groups.day;
	const [ends] = await store.all(
		sql`SELECT (SELECT min(at) FROM ledger_hours) AS first, (SELECT max(at) FROM ledger_hours) AS last`,
	);
	const first = Math.max(from, asNumber(ends?.["first"]) ?? 0);
	return dateIn(zone, first, Math.min(to, asNumber(ends?.["last"]) ?? first));
};

/** What rows and sums can be kept to. */
export type Kept = "token" | "model" | "upstream" | "protocol" | "ending";

export interface Question {
	/** None makes one sum of everything. */
	readonly by: readonly string[];
	/** Milliseconds since 1970. */
	readonly from: number;
	/** The same; not included. */
	readonly to: number;
	/** By whose clocks days are told. */
	readonly zone: string;
	/** Only rows of this token, this model and so on. */
	readonly only: ReadonlyMap<Kept, string>;
	/** A further condition, ` AND …`: whose rows alone may be seen. */
	readonly whose?: SQL;
	/** Whether it is asked how long calls took, which makes sums of many groups twice as slow; yes unless said. */
	readonly took?: boolean;
}

const added = {
	inputTokens: sql`sum(input_tokens)`,
	cachedTokens: sql`sum(cached_tokens)`,
	outputTokens: sql`sum(output_tokens)`,
	reasoningTokens: sql`sum(reasoning_tokens)`,
	microDollars: sql`sum(coalesce(cost, 0))`,
	excessMicroDollars: sql`sum(excess)`,
};

const ofRows = {
	calls: sql`sum(${sql.raw(callsOf(""))})`,
	completed: sql`sum(ending = 'completed')`,
	...added,
};

const ofSums: typeof ofRows = { calls: sql`sum(calls)`, completed: sql`sum(completed)`, ...added };

type Figures = Record<keyof typeof ofRows, number>;
export const figureNames = Object.keys(ofRows) as readonly (keyof Figures)[];

const tookOf: Readonly<Record<Table, readonly string[]>> = {
	ledger: tookCounts(""),
	ledger_hours: tookColumns,
	ledger_days: tookColumns,
};

/** `of` are the values of the groups asked for, by their names. */
export interface Sum extends Figures {
	readonly of: Readonly<Record<string, unknown>>;
	/** How many calls took so long, by the spans of `time-taken.ts`. */
	readonly took: number[];
}

type Table = "ledger" | "ledger_hours" | "ledger_days";

interface Span {
	readonly table: Table;
	readonly from: number;
	readonly to: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const forever = Number.MAX_SAFE_INTEGER;

/** The coarsest sums that tell what is asked, and rows where a time begins or ends within an hour. */
const spansOf = ({ by, from, to, zone }: Question): readonly Span[] => {
	const isWhole = (unit: number): boolean => from % unit === 0 && (to === forever || to % unit === 0);
	const isOfHours = by.includes("hour") || (by.includes("day") && zone !== "UTC");
	if (isWhole(dayMs) && !isOfHours) return [{ table: "ledger_days", from, to }];
	if (isWhole(hourMs)) return [{ table: "ledger_hours", from, to }];
	const first = Math.ceil(from / hourMs) * hourMs;
	const last = to === forever ? to : Math.floor(to / hourMs) * hourMs;
	if (first >= last) return [{ table: "ledger", from, to }];
	const spans: readonly Span[] = [
		{ table: "ledger", from, to: first },
		{ table: "ledger_hours", from: first, to: last },
		{ table: "ledger", from: last, to },
	];
	return spans.filter((span) => span.from < span.to);
};

/**
 * A piece takes a millisecond or two; rows that are sums themselves have more to add up. A call has to wait for several
 * pieces, as it takes several turns.
 */
const rowsAtOnce: Readonly<Record<Table, number>> = { ledger: 1_500, ledger_hours: 300, ledger_days: 300 };
/** What rows are in order by, besides their time: there may be many of one time. */
const next: Readonly<Record<Table, SQL>> = { ledger: sql`rowid`, ledger_hours: sql`token`, ledger_days: sql`token` };
const mostSums = 100_000;
const comma = sql`, `;

/** The sums, the dearest first. Throws a `Fault` when there would be more than 100,000. */
export const sumRows = async (store: Store, question: Question): Promise<readonly Sum[]> => {
	const { by, only, whose = sql``, took = true } = question;
	const spans = took ? tookColumns : [];
	const day = await dayOf(store, question);
	const filters = [...only].map(([name, value]) => sql` AND ${sql.identifier(name)} = ${value}`);
	const columnsOf = (table: Table): SQL =>
		sql.join(
			[
				...by.map((name) => sql`${groupValue(name, day)} AS ${sql.identifier(name)}`),
				...figureNames.map((name) => sql`${(table === "ledger" ? ofRows : ofSums)[name]} AS ${sql.identifier(name)}`),
				...spans.map((name, span) => sql.raw(`sum(${tookOf[table][span]}) AS ${name}`)),
			],
			comma,
		);
	// The plus keeps SQLite from reading an index in the groups' order, from end to end, for the sake of a short time.
	const grouping =
		by.length > 0
			? sql`GROUP BY ${sql.join(
					by.map((name) => sql`+${groupValue(name, day)}`),
					comma,
				)}`
			: sql``;
	const sums = new Map<string, Sum>();

	/** One text and not a row for each group: the driver takes longer to make a row than SQLite to sum it up. */
	const packed = sql.join(
		[...by, ...figureNames, ...spans].map((name) => sql.identifier(name)),
		comma,
	);
	const addRows = async (table: Table, times: SQL): Promise<void> => {
		const [answer] = await store.all(
			sql`SELECT json_group_array(json_array(${packed})) AS rows FROM (SELECT ${columnsOf(table)} FROM ${sql.identifier(table)}
				WHERE ${times}${sql.join(filters)}${whose} ${grouping})`,
		);
		for (const row of asList(parseJson(asText(answer?.["rows"]) ?? "")).map(asList)) {
			const values = row.slice(0, by.length);
			const key = JSON.stringify(values);
			const sum = sums.get(key) ?? emptySum(by, values);
			sums.set(key, sum);
			addTo(sum, row.slice(by.length));
		}
		if (sums.size > mostSums)
			throw new Fault(
				deny("invalid_request", `That makes more than ${mostSums} sums: ask for a shorter time or fewer groups.`),
			);
	};

	const token = only.get("token");
	for (const { table, from, to } of spansOf(question)) {
		const [at, ofToken] = [
			sql`(at, ${next[table]})`,
			table === "ledger" && token !== undefined ? sql` AND token = ${token}` : sql``,
		];
		/** The last row of the piece after another; undefined where nothing comes after it. */
		const endOfPiece = async (after: SQL): Promise<SQL | undefined> => {
			const [row] = await store.all(sql`SELECT at, ${next[table]} AS next FROM ${sql.identifier(table)}
				WHERE ${at} > ${after} AND at < ${to}${ofToken} ORDER BY at, ${next[table]} LIMIT 1 OFFSET ${rowsAtOnce[table] - 1}`);
			return row && sql`(${row["at"]}, ${row["next"]})`;
		};
		for (let after: SQL | undefined = sql`(${from - 1}, '')`; after; await nextTurn()) {
			const end = await endOfPiece(after);
			await addRows(table, sql`${at} > ${after} AND ${end ? sql`${at} <= ${end}` : sql`at < ${to}`}`);
			after = end;
		}
	}
	return dearestFirst([...sums.values()]);
};

export const dearestFirst = (sums: readonly Sum[]): readonly Sum[] =>
	sums.toSorted((a, b) => b.microDollars - a.microDollars || b.calls - a.calls);

/** `figures`: a number for each of `figureNames`, and then for each span where it is asked how long calls took. */
const addTo = (sum: Sum, figures: readonly unknown[]): void => {
	for (const [index, figure] of figures.entries()) {
		const more = asNumber(figure) ?? 0;
		const name = figureNames[index];
		const span = index - figureNames.length;
		if (name !== undefined) sum[name] += more;
		else sum.took[span] = (sum.took[span] ?? 0) + more;
	}
};

const emptySum = (by: readonly string[], values: readonly unknown[]): Sum => ({
	of: Object.fromEntries(by.map((name, index) => [name, values[index]])),
	took: [],
	calls: 0,
	completed: 0,
	inputTokens: 0,
	cachedTokens: 0,
	outputTokens: 0,
	reasoningTokens: 0,
	microDollars: 0,
	excessMicroDollars: 0,
});
