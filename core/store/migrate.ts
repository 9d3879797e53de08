/** Brings the tables of every plugin up to date: forward only, each migration once, also when several nodes start at once. */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../contract/clock.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import type { Migration, Tables } from "../contract/store.ts";
import type { Connection } from "./connection.ts";
import { mendOf, storeFault } from "./fault.ts";
import { type AppliedMigration, refuseNewer } from "./newer.ts";

interface MigrateInput {
	readonly connection: Connection;
	readonly clock: Clock;
	readonly log: Log;
	/** In the order in which they are applied. */
	readonly tables: readonly Tables[];
	readonly changing?: Changing | undefined;
}

/**
 * Called before tables of an earlier version are changed, which takes long where they are large and keeps that version from
 * them: with how many migrations are missing. What it throws keeps them as they are.
 */
export type Changing = (missing: number) => void;

/** Throws `Fault`, for the operator, when a released migration was changed, comes too late, or does not work. */
export const migrate = async (input: MigrateInput): Promise<void> => {
	const { connection, clock, tables } = input;
	const { client } = connection;
	const write = (sql: string) => connection.run("write", () => client.execute(sql));
	await write(`CREATE TABLE IF NOT EXISTS portico_migrations (
		plugin TEXT NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL,
		PRIMARY KEY (plugin, name)
	) STRICT`);
	const applied = await appliedTo(connection);
	refuseNewer("the database", applied, tables);
	const told = progressOf(input, applied);
	for (const { plugin, migrations } of tables)
		for (const [index, migration] of migrations.entries()) {
			const known = checksumIn(applied, plugin, migration.name);
			if (known !== undefined) refuseChange(plugin, migration, known);
			else {
				const later = migrations.slice(index + 1).find(({ name }) => checksumIn(applied, plugin, name) !== undefined);
				if (later !== undefined) refuse(plugin, migration, `must come after ${later.name}, which is already applied`);
				await told.next(plugin, migration.name);
				await apply(connection, plugin, migration, clock.now());
				told.applied(plugin, migration.name);
			}
		}
	told.done();
};

interface Progress {
	next(plugin: string, name: string): Promise<void>;
	applied(plugin: string, name: string): void;
	done(): void;
}

const idle: Progress = { next: async () => {}, applied() {}, done() {} };

/** Tells whoever waits what is being done. */
const progressOf = (input: MigrateInput, applied: readonly Applied[]): Progress => {
	const missing = input.tables.flatMap(({ plugin, migrations }) =>
		migrations.filter(({ name }) => checksumIn(applied, plugin, name) === undefined).map(() => plugin),
	);
	if (missing.length === 0) return idle;
	if (applied.length === 0) return ofNew(input, missing.length);
	// Tables of a plugin that had none change nothing for whoever does not know it.
	if (missing.some((plugin) => applied.some((one) => one.plugin === plugin))) input.changing?.(missing.length);
	return ofOlder(input, missing.length);
};

/** A new database is made in a moment, and nobody needs a line for each migration. */
const ofNew = ({ log }: MigrateInput, migrations: number): Progress => ({
	...idle,
	applied: (plugin, name) => log.debug("applied a migration", { plugin, name }),
	done: () => log.info("made the tables of a new database", { migrations }),
});

const ofOlder = ({ connection, clock, log }: MigrateInput, migrations: number): Progress => {
	const began = clock.monotonic();
	const { file } = connection;
	const size = file === undefined ? {} : { megabytes: Math.ceil(statSync(file).size / 1_000_000) };
	log.info("bringing the database up to date", { migrations, ...size });
	return {
		async next(plugin, name) {
			log.info("applying a migration", { plugin, name });
			// A file is changed without a pause, in which nothing of the log would be written.
			await turn();
		},
		applied: (plugin, name) => log.info("applied a migration", { plugin, name }),
		done: () => log.info("the database is up to date", { seconds: Math.round((clock.monotonic() - began) / 1000) }),
	};
};

interface Applied extends AppliedMigration {
	readonly checksum: string;
}

const appliedTo = async (connection: Connection): Promise<readonly Applied[]> => {
	const sql = "SELECT plugin, name, checksum FROM portico_migrations";
	const { rows } = await connection.run("read", () => connection.client.execute(sql));
	return rows.map(({ plugin, name, checksum }) => ({
		plugin: String(plugin),
		name: String(name),
		checksum: String(checksum),
	}));
};

/** Undefined where it is not applied yet. */
const checksumIn = (applied: readonly Applied[], plugin: string, name: string): string | undefined =>
	applied.find((one) => one.plugin === plugin && one.name === name)?.checksum;

/** The mark goes first: of two nodes that race, the second breaks its key and applies nothing. */
const apply = async (connection: Connection, plugin: string, migration: Migration, now: number): Promise<void> => {
	for (const statement of migration.statements) refuseSeveral(plugin, migration, statement);
	const mark = {
		sql: "INSERT INTO portico_migrations (plugin, name, checksum, applied_at) VALUES (?, ?, ?, ?)",
		args: [plugin, migration.name, checksumOf(migration), now],
	};
	try {
		await connection.run("write", () => connection.client.batch([mark, ...migration.statements], "write"));
	} catch (error) {
		const fault = storeFault(error);
		const other = fault.isConstraint ? checksumIn(await appliedTo(connection), plugin, migration.name) : undefined;
		if (other === undefined)
			refuse(plugin, migration, `failed, and nothing of it was kept: ${fault.detail}${mendOf(fault)}`);
		else refuseChange(plugin, migration, other);
	}
};

/** The same however the text is indented. */
const checksumOf = ({ statements }: Migration): string => {
	const words = statements.map((statement) => statement.trim().replace(/\s+/g, " "));
	return createHash("sha256").update(JSON.stringify(words)).digest("hex").slice(0, 32);
};

const refuse = (plugin: string, { name }: Migration, problem: string): never => {
	throw new Fault(deny("internal", `the migration ${name} of ${plugin} ${problem}`));
};

const refuseChange = (plugin: string, migration: Migration, checksum: string): void => {
	if (checksum === checksumOf(migration)) return;
	refuse(plugin, migration, "was changed after it had been applied: leave it as it was and add another one");
};

/** Of several statements in one text the driver runs the first and says nothing. A trigger has its own semicolons. */
const refuseSeveral = (plugin: string, migration: Migration, statement: string): void => {
	const bare = statement.replace(/'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\//g, "");
	if (/^\s*CREATE\s+(TEMP\w*\s+)?TRIGGER/i.test(bare) || !/;\s*\S/.test(bare)) return;
	refuse(plugin, migration, "has several statements in one text: give each its own");
};
