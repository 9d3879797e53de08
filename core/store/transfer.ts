/** Moves a whole database from one place to another, file or server, and proves by sums that all of it arrived. */
import type { Client, InStatement, ResultSet, Value } from "@libsql/client";
import { deny, Fault } from "../contract/fault.ts";
import type { Tables } from "../contract/store.ts";
import { openClient } from "./client.ts";
import { fetchWhole } from "./connection.ts";
import { mendOf, storeFault } from "./fault.ts";
import { refuseNewer } from "./newer.ts";

/** A database: a `file:` URL or a server's. */
export interface Place {
	readonly url: string;
	readonly authToken?: string;
	/** As messages call it. */
	readonly named: string;
}

interface TransferInput {
	readonly from: Place;
	readonly to: Place;
	/** What this Portico knows of tables. */
	readonly tables: readonly Tables[];
	/** Hears how many rows of a table are copied by now, and when that is all of it. */
	progress(table: string, rows: number, done: boolean): void;
	/** How long a server is waited for until it has answered once, in milliseconds: ten seconds unless a test says. */
	readonly patienceMs?: number;
}

/** What a table holds: its rows, and the exact sum of each column of whole numbers. */
type Sums = Readonly<Record<string, string>>;

interface SourceTable {
	readonly name: string;
	readonly sql: string;
	/** Rows are read in this order, which is that of the row numbers where the table has them. */
	readonly order: string;
}

const rowsAtOnce = 500;

const refuse = (message: string): never => {
	throw new Fault(deny("conflict", message));
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A server that hangs is not waited for long; one that has answered may take its time to add up a large table. */
const open = ({ url, authToken }: Place, patienceMs: number): Promise<Client> => {
	let limitMs: number | undefined = patienceMs;
	const reach = async (request: Request): Promise<Response> => {
		const response = await fetchWhole(request, limitMs);
		limitMs = undefined;
		return response;
	};
	const fetch = url.startsWith("file:") ? {} : { fetch: reach };
	return openClient({ url, intMode: "bigint", ...fetch, ...(authToken !== undefined && { authToken }) });
};

/** What SQLite and its servers keep for themselves is left out. */
const ownObjects =
	"SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'libsql_%' ORDER BY rowid";

const keyColumns = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk";

interface Plan {
	readonly tables: readonly SourceTable[];
	/** Indexes and triggers: made once the rows are there, for a trigger is about changes and not about copies. */
	readonly later: readonly string[];
}

const planOf = async (client: Client): Promise<Plan> => {
	const { rows } = await client.execute(ownObjects);
	const tables: SourceTable[] = [];
	for (const row of rows.filter(({ type }) => type === "table")) {
		const [name, sql] = [String(row["name"]), String(row["sql"])];
		let order = "rowid";
		if (/WITHOUT\s+ROWID/i.test(sql)) {
			const keys = await client.execute({ sql: keyColumns, args: [name] });
			order = keys.rows.map((key) => quoted(String(key["name"]))).join(", ");
		}
		tables.push({ name, sql, order });
	}
	const later = rows.filter(({ type }) => type !== "table").map(({ sql }) => String(sql));
	return { tables, later };
};

const sumsOf = async (client: Client, { name }: SourceTable): Promise<Sums> => {
	const info = await client.execute({ sql: "SELECT name, type FROM pragma_table_info(?)", args: [name] });
	const numbers = info.rows.filter(({ type }) => /INT/i.test(String(type))).map((row) => String(row["name"]));
	// In halves, for the sum of many times of day in milliseconds would not fit into one number.
	const halves = numbers.flatMap((column) => [
		`coalesce(sum(${quoted(column)} >> 20), 0)`,
		`coalesce(sum(${quoted(column)} & 1048575), 0)`,
	]);
	const { rows, columns } = await client.execute(`SELECT ${["count(*)", ...halves].join(", ")} FROM ${quoted(name)}`);
	const values = columns.map((_, at) => BigInt(String(rows[0]?.[at] ?? 0)));
	const sums: Record<string, string> = { rows: String(values[0]) };
	for (const [at, column] of numbers.entries())
		sums[column] = String((values[1 + at * 2] ?? 0n) * 1048576n + (values[2 + at * 2] ?? 0n));
	return sums;
};

/** Pages of a table: by the row number, which finds its place at once, or for a table without one by counting. */
const pagesOf = async function* (from: Client, { name, order }: SourceTable) {
	const byNumber = order === "rowid";
	let last: Value = 0n;
	for (let done = 0; ; done += rowsAtOnce) {
		const page: InStatement = byNumber
			? {
					sql: `SELECT rowid AS portico_row, * FROM ${quoted(name)} WHERE rowid > ? ORDER BY rowid LIMIT ${rowsAtOnce}`,
					args: [last],
				}
			: `SELECT * FROM ${quoted(name)} ORDER BY ${order} LIMIT ${rowsAtOnce} OFFSET ${done}`;
		const { rows, columns }: ResultSet = await from.execute(page);
		const skipped = byNumber ? 1 : 0;
		yield {
			columns: columns.slice(skipped),
			rows: rows.map((row) => columns.slice(skipped).map((_, at): Value => row[at + skipped] ?? null)),
		};
		last = rows.at(-1)?.[0] ?? last;
		if (rows.length < rowsAtOnce) return;
	}
};

const copyRows = async (
	from: Client,
	to: Client,
	table: SourceTable,
	progress: TransferInput["progress"],
): Promise<void> => {
	let copied = 0;
	for await (const { columns, rows } of pagesOf(from, table)) {
		const marks = columns.map(() => "?").join(", ");
		const sql = `INSERT INTO ${quoted(table.name)} (${columns.map(quoted).join(", ")}) VALUES (${marks})`;
		if (rows.length > 0)
			await to.batch(
				rows.map((args): InStatement => ({ sql, args })),
				"write",
			);
		copied += rows.length;
		progress(table.name, copied, false);
	}
	progress(table.name, copied, true);
};

const compare = (table: string, before: Sums, after: Sums, who: string): void => {
	for (const [column, sum] of Object.entries(before))
		if (after[column] !== sum) refuse(`${table}.${column} adds up to ${sum} at first and to ${after[column]} ${who}`);
};

const knownBy = async (client: Client, { named }: Place, tables: readonly Tables[]): Promise<void> => {
	const { rows } = await client.execute("SELECT plugin, name FROM portico_migrations").catch((error: unknown) => {
		const { code, detail } = storeFault(error);
		// Of a server that does not let itself be asked nobody knows what it holds.
		if (/^(?:UNREACHABLE|SERVER_ERROR|TOKEN_REFUSED)$/.test(code)) throw error;
		return refuse(`${named} holds none of Portico's tables (${detail})`);
	});
	const applied = rows.map((row) => ({ plugin: String(row["plugin"]), name: String(row["name"]) }));
	refuseNewer(named, applied, tables);
};

const transfer = async (from: Client, to: Client, input: TransferInput): Promise<ReadonlyMap<string, Sums>> => {
	await knownBy(from, input.from, input.tables);
	if ((await to.execute(ownObjects)).rows.length > 0)
		refuse(`${input.to.named} is not empty; nothing was written to it`);
	const { tables, later } = await planOf(from);
	const sums = new Map<string, Sums>();
	for (const table of tables) sums.set(table.name, await sumsOf(from, table));
	await to.batch(
		tables.map(({ sql }) => sql),
		"write",
	);
	for (const table of tables) await copyRows(from, to, table, input.progress);
	if (later.length > 0) await to.batch([...later], "write");
	for (const table of tables) {
		const before = sums.get(table.name) ?? {};
		compare(
			table.name,
			before,
			await sumsOf(from, table),
			"now: something wrote to it meanwhile. Stop every node first",
		);
		compare(table.name, before, await sumsOf(to, table), `in ${input.to.named}: it is not whole, do not use it`);
	}
	return sums;
};

/** Gives the sums that both places have, by table. Throws `Fault`, for the operator, unless all of it arrived. */
export const transferDatabase = async (input: TransferInput): Promise<ReadonlyMap<string, Sums>> => {
	const { patienceMs = 10_000 } = input;
	const opened: Client[] = [];
	const opens = async (place: Place): Promise<Client> => {
		const client = await open(place, patienceMs);
		opened.push(client);
		return client;
	};
	try {
		return await transfer(await opens(input.from), await opens(input.to), input);
	} catch (error) {
		if (error instanceof Fault) throw error;
		const fault = storeFault(error);
		const why = `${fault.detail}${mendOf(fault)}`;
		throw new Fault(deny("internal", `${input.from.named} could not be copied to ${input.to.named}: ${why}`), error);
	} finally {
		for (const client of opened) client.close();
	}
};
