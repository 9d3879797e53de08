/**
 * Sums by hour and by day, kept up by the database itself: a trigger adds every row that is really inserted, in the
 * statement that inserts it. So the sums are those of the rows, whatever is written twice or not at all.
 */

import { tookColumns, tookCounts } from "./time-taken.ts";

/** What the sums are kept apart by; none is '' here, because the database takes two NULLs for different. */
const apart = ["token", "model", "upstream", "protocol", "ending", "tags"] as const;

const figures = [
	"calls",
	"completed",
	"input_tokens",
	"cached_tokens",
	"output_tokens",
	"reasoning_tokens",
	"cost",
	"excess",
] as const;

const columns = ["at", ...apart, ...figures].join(", ");

const hourMs = 3_600_000;
const tables = [
	{ table: "ledger_hours", milliseconds: hourMs },
	{ table: "ledger_days", milliseconds: 24 * hourMs },
] as const;

/**
 * How many calls a row stands for: none where it tells of a charge alone, several where a refusal was repeated. Those who sum
 * up rows count alike; the text is part of migrations that have run.
 */
export const callsOf = (row: string): string =>
	`CASE WHEN ${row}ending IN ('lease_lost', 'lease_found') THEN 0 WHEN ${row}ending = 'refused' THEN coalesce(${row}detail->>'repeats', 1) ELSE 1 END`;

/** The values of one row, named by `row`. */
const valuesOf = (row: string, milliseconds: number): string =>
	[
		`${row}at - ${row}at % ${milliseconds}`,
		...apart.map((name) => `coalesce(${row}${name}, '')`),
		callsOf(row),
		`${row}ending = 'completed'`,
		...["input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"].map((name) => `${row}${name}`),
		`coalesce(${row}cost, 0)`,
		`${row}excess`,
	].join(", ");

const addedTo = (names: readonly string[]): string =>
	names.map((name) => `${name} = ${name} + excluded.${name}`).join(", ");

const added = `ON CONFLICT (at, ${apart.join(", ")}) DO UPDATE SET ${addedTo(figures)}`;

const tableText = (table: string, sums: readonly string[]): string => `CREATE TABLE ${table} (
	at INTEGER NOT NULL,
	${apart.map((name) => `${name} TEXT NOT NULL`).join(", ")},
	${sums.map((name) => `${name} INTEGER NOT NULL`).join(", ")},
	PRIMARY KEY (at, ${apart.join(", ")})
) STRICT, WITHOUT ROWID`;

/**
 * Adds what each row counts of how long calls took: tables with more columns in the place of those there are (one by one
 * they take ten times as long), what rows there are already, and the trigger anew.
 */
export const tookStatements: readonly string[] = [
	"DROP TRIGGER ledger_rollup",
	...tables.flatMap(({ table, milliseconds }) => [
		tableText(`${table}_next`, [...figures, ...tookColumns]),
		`INSERT INTO ${table}_next (${[columns, ...tookColumns].join(", ")})
			SELECT ${[columns, ...tookColumns.map(() => 0)].join(", ")} FROM ${table}`,
		`DROP TABLE ${table}`,
		`ALTER TABLE ${table}_next RENAME TO ${table}`,
		`INSERT INTO ${table} (${[columns, ...tookColumns].join(", ")})
			SELECT at - at % ${milliseconds}, ${apart.map((name) => `coalesce(${name}, '')`).join(", ")},
				${figures.map(() => 0).join(", ")}, ${tookCounts("").join(", ")}
			FROM ledger WHERE took_span IS NOT NULL ON CONFLICT (at, ${apart.join(", ")}) DO UPDATE SET ${addedTo(tookColumns)}`,
	]),
	`CREATE TRIGGER ledger_rollup AFTER INSERT ON ledger BEGIN
		${tables
			.map(
				({ table, milliseconds }) => `INSERT INTO ${table} (${[columns, ...tookColumns].join(", ")})
			VALUES (${[valuesOf("NEW.", milliseconds), ...tookCounts("NEW.")].join(", ")})
			ON CONFLICT (at, ${apart.join(", ")}) DO UPDATE SET ${addedTo([...figures, ...tookColumns])};`,
			)
			.join("\n\t\t")}
	END`,
];

/** Statements of a migration: the tables, what rows there are already, and the trigger. */
export const rollupStatements: readonly string[] = [
	...tables.flatMap(({ table, milliseconds }) => [
		tableText(table, figures),
		`INSERT INTO ${table} (${columns}) SELECT ${valuesOf("", milliseconds)} FROM ledger WHERE true ${added}`,
	]),
	`CREATE TRIGGER ledger_rollup AFTER INSERT ON ledger BEGIN
		${tables.map(({ table, milliseconds }) => `INSERT INTO ${table} (${columns}) VALUES (${valuesOf("NEW.", milliseconds)}) ${added};`).join("\n\t\t")}
	END`,
];
