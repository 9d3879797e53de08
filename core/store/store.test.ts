import { afterEach, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execPath } from "node:process";
import { eq, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import Database from "libsql";
import { createMovedClock, until } from "../../test/support/moved-clock.ts";
import { type SqlServer, startSqlServer } from "../../test/support/sql-server.ts";
import type { Clock } from "../contract/clock.ts";
import type { Log } from "../contract/log.ts";
import type { Store, Tables } from "../contract/store.ts";
import { StoreFault, unlessOutage } from "../errors/store-fault.ts";
import { systemClock } from "../wire/system-clock.ts";
import { backupFile } from "./backup.ts";
import { Connection, databaseFile } from "./connection.ts";
import type { spaceOf } from "./free-space.ts";
import { holderOf, lockFile } from "./lock.ts";
import { migrate } from "./migrate.ts";
import { type OpenStore, openStore, unusable } from "./open.ts";
import { WriteQueue } from "./queue.ts";
import { transferDatabase } from "./transfer.ts";

const things = sqliteTable("things", { id: integer("id").primaryKey(), name: text("name").notNull() });
const tables: Tables = {
	plugin: "things",
	migrations: [
		{
			name: "0001-things",
			statements: [
				"CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (length(name) < 100)) STRICT",
				"CREATE TABLE counts (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT",
				"INSERT INTO counts VALUES (1, 0)",
			],
		},
	],
};

const logged: string[] = [];
const keep = (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields ?? {})}`);
const keepDebug = (message: string, fields?: object) => keep(`debug: ${message}`, fields);
const log: Log = { debug: keepDebug, info: keep, warn: keep, error: keep, of: () => log };

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
	for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
	logged.length = 0;
});

const folder = (): string => {
	const made = mkdtempSync(join(tmpdir(), "portico-store-"));
	cleanups.push(() => rmSync(made, { recursive: true, force: true }));
	return made;
};

const open = async (
	url: string,
	more: { clock?: Clock; patienceMs?: number; space?: typeof spaceOf; changing?: (missing: number) => void } = {},
): Promise<OpenStore> => {
	const opened = await openStore({ url, clock: systemClock, log, ...more });
	if ("heldBy" in opened) throw new Error(`held by ${opened.heldBy.pid}`);
	cleanups.push(() => opened.close());
	return opened;
};

const openFile = async (more: { clock?: Clock; patienceMs?: number; space?: typeof spaceOf } = {}) => {
	const file = join(folder(), "sub", "portico.db");
	const opened = await open(`file:${file}`, more);
	await opened.migrate([tables]);
	return { file, opened, store: opened.store };
};

const server = (file = join(folder(), "server.db")): SqlServer => {
	const started = startSqlServer(file);
	cleanups.push(() => started.close());
	return started;
};

const faultOf = async (promise: Promise<unknown>): Promise<StoreFault> => {
	const error = await promise.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(error instanceof StoreFault)) throw new Error(`expected a StoreFault, found ${String(error)}`);
	return error;
};

const names = async (store: Store) =>
	(await store.all(sql`SELECT name FROM things ORDER BY id`)).map(({ name }) => name);

describe.each(["a file", "a server"])("a store in %s", (kind) => {
	const fresh = async (): Promise<OpenStore> => {
		if (kind === "a file") return (await openFile()).opened;
		const opened = await open(server().url);
		await opened.migrate([tables]);
		return opened;
	};

	test("writes builder and raw statements in one piece and gives back rows by column name", async () => {
		const { store } = await fresh();
		expect(store.shared).toBe(kind === "a server");
		const written = await store.write([
			store.db.insert(things).values([
				{ id: 1, name: "one" },
				{ id: 2, name: "two" },
			]),
			sql`UPDATE things SET name = ${"ONE"} WHERE id = ${1} RETURNING id, name AS "now"`,
			sql`UPDATE things SET name = 'none' WHERE id = 99 RETURNING id`,
			sql`SELECT count(*) AS "all" FROM things`,
		]);
		expect(written).toEqual([
			{ rows: [], changes: 2 },
			{ rows: [{ id: 1, now: "ONE" }], changes: 1 },
			{ rows: [], changes: 0 },
			{ rows: [{ all: 2 }], changes: 0 },
		]);
		expect(await store.db.select().from(things).where(eq(things.id, 1))).toEqual([{ id: 1, name: "ONE" }]);
		expect(await store.all(sql`SELECT * FROM things WHERE id = ${2}`)).toEqual([{ id: 2, name: "two" }]);
	});

	test("whole numbers and booleans are integers to the database", async () => {
		const { store } = await fresh();
		const query = sql`SELECT typeof(${1}) AS a, ${3} / 2 AS b, typeof(${true}) AS c, typeof(${1.5}) AS d, typeof(${null}) AS e`;
		expect(await store.all(query)).toEqual([{ a: "integer", b: 1, c: "integer", d: "real", e: "null" }]);
	});

	test("a statement that failed is as good as before when it is written again", async () => {
		const { store } = await fresh();
		const insert = (id: number) => sql`INSERT INTO things VALUES (${id}, 'x')`;
		await store.write([insert(1), insert(2)]);
		expect((await faultOf(store.write([insert(3), insert(1)]))).isConstraint).toBe(true);
		expect(await store.write([insert(3), insert(4)])).toEqual([
			{ rows: [], changes: 1 },
			{ rows: [], changes: 1 },
		]);
		expect(await names(store)).toHaveLength(4);
	});

	test("a write that fails leaves nothing and does not fail its neighbours", async () => {
		const { store } = await fresh();
		const writes = Array.from({ length: 30 }, (_, id) =>
			store.write([
				sql`INSERT INTO things VALUES (${id}, ${`name ${id}`})`,
				sql`INSERT INTO things VALUES (${id % 10 === 7 ? id : id + 1000}, 'second')`,
			]),
		);
		const outcomes = await Promise.allSettled(writes);
		expect(outcomes.flatMap(({ status }, id) => (status === "rejected" ? [id] : []))).toEqual([7, 17, 27]);
		const ids = (await store.all(sql`SELECT id FROM things ORDER BY id`)).map(({ id }) => Number(id));
		const kept = Array.from({ length: 30 }, (_, id) => id).filter((id) => id % 10 !== 7);
		expect(ids).toEqual([...kept, ...kept.map((id) => id + 1000)]);
	});

	test("what is refused says which rule, and neither it nor the log carries a parameter", async () => {
		const { store } = await fresh();
		const secret = "sk-very-secret".padEnd(120, "!");
		const check = await faultOf(store.write([sql`INSERT INTO things VALUES (1, ${secret})`]));
		expect(check.isConstraint).toBe(true);
		expect(check.detail).toContain("length(name) < 100");
		expect(check.denial).toEqual({ kind: "internal", message: "the database could not do this" });
		const wrong = await faultOf(Promise.resolve(store.db.select().from(sql`nowhere`).where(sql`x = ${secret}`)));
		const raw = await faultOf(store.all(sql`SELECT ${secret} FROM nowhere`));
		for (const fault of [check, wrong, raw]) {
			expect(
				`${fault.message} ${fault.detail} ${String(fault.stack)} ${JSON.stringify(fault)} ${String(fault.cause)}`,
			).not.toContain("secret");
		}
		expect(raw.detail).toContain("no such table: nowhere");
		expect(logged.join("\n")).not.toContain("secret");
	});

	test("a parameter that a database cannot hold is refused before anything is written", async () => {
		const { store } = await fresh();
		for (const value of [undefined, Number.NaN, {}]) {
			const fault = await faultOf(
				store.write([sql`INSERT INTO things VALUES (1, 'x')`, sql`SELECT ${sql.param(value)}`]),
			);
			expect(fault.code).toBe("PARAMETER");
		}
		expect(await names(store)).toEqual([]);
	});

	test("the query builder is for reads", async () => {
		const { store } = await fresh();
		const fault = await faultOf(Promise.resolve().then(() => store.db.insert(things).values({ id: 1, name: "x" })));
		expect(fault.code).toBe("NOT_A_READ");
		expect(await names(store)).toEqual([]);
	});

	test("no write is lost when the store is closed, and none is taken after", async () => {
		const opened = await fresh();
		const writes = Array.from({ length: 200 }, (_, id) =>
			opened.store.write([sql`INSERT INTO things VALUES (${id}, 'x')`]),
		);
		await opened.close();
		expect((await Promise.allSettled(writes)).filter(({ status }) => status === "rejected")).toEqual([]);
		expect((await faultOf(opened.store.write([sql`SELECT 1`]))).code).toBe("CLOSED");
		expect((await faultOf(opened.store.all(sql`SELECT 1`))).code).toBe("CLOSED");
		await opened.close();
	});
});

describe("migrations", () => {
	const second = { name: "0002-more", statements: ["ALTER TABLE things ADD COLUMN more TEXT"] };

	test("are applied once, and later ones are added to earlier ones", async () => {
		const { opened, store } = await openFile();
		await opened.migrate([tables]);
		await opened.migrate([{ ...tables, migrations: [...tables.migrations, second] }]);
		expect(await store.all(sql`SELECT plugin, name FROM portico_migrations ORDER BY name`)).toEqual([
			{ plugin: "things", name: "0001-things" },
			{ plugin: "things", name: "0002-more" },
		]);
	});

	test("an older database is told of before it is changed, a new one is not", async () => {
		const { file, opened } = await openFile();
		expect(logged).toEqual([
			'debug: applied a migration {"plugin":"things","name":"0001-things"}',
			'made the tables of a new database {"migrations":1}',
		]);
		await opened.close();
		logged.length = 0;
		const changing = () => void logged.push("let go");
		const again = await open(`file:${file}`, { changing });
		await again.migrate([tables]);
		expect(logged).toEqual([]);
		await again.migrate([{ ...tables, migrations: [...tables.migrations, second] }]);
		expect(logged).toEqual([
			"let go",
			'bringing the database up to date {"migrations":1,"megabytes":1}',
			'applying a migration {"plugin":"things","name":"0002-more"}',
			'applied a migration {"plugin":"things","name":"0002-more"}',
			'the database is up to date {"seconds":0}',
		]);
	});

	test("whoever may not change tables of an earlier version leaves them, and makes those of a plugin that had none", async () => {
		const { file, opened } = await openFile();
		await opened.close();
		const changing = (missing: number) => {
			throw new Error(`${missing} missing`);
		};
		const again = await open(`file:${file}`, { changing });
		const more = { ...tables, migrations: [...tables.migrations, second] };
		const other = { plugin: "others", migrations: [{ name: "0001", statements: ["CREATE TABLE others (id)"] }] };
		await again.migrate([tables, other]);
		expect(await again.store.all(sql`SELECT plugin, name FROM portico_migrations ORDER BY plugin`)).toEqual([
			{ plugin: "others", name: "0001" },
			{ plugin: "things", name: "0001-things" },
		]);
		await expect(again.migrate([more, other])).rejects.toThrow("1 missing");
		expect(await again.store.all(sql`SELECT name FROM portico_migrations`)).toHaveLength(2);
	});

	test("one for which there is no room says so once, and what to do", async () => {
		const { opened } = await openFile();
		const large = ["PRAGMA max_page_count = 1", "CREATE TABLE large AS SELECT zeroblob(1000000) AS bytes"];
		expect(await refusal(opened, [...tables.migrations, { name: "0002", statements: large }])).toBe(
			"the migration 0002 of things failed, and nothing of it was kept: SQLITE_FULL: database or disk is full; make room on the disk that holds it",
		);
	});

	const refusal = async (opened: OpenStore, migrations: Tables["migrations"]): Promise<string> =>
		opened.migrate([{ plugin: "things", migrations }]).then(
			() => "nothing was refused",
			(error: unknown) => (error instanceof Error ? error.message : ""),
		);

	test("one that was changed after it was applied is refused, a new indentation is no change", async () => {
		const { opened } = await openFile();
		const [first] = tables.migrations;
		if (first === undefined) throw new Error("there is no first migration");
		const indented = {
			...first,
			statements: first.statements.map((statement) => `\n\t${statement.replaceAll(" ", "\n\t ")}`),
		};
		expect(await refusal(opened, [indented])).toBe("nothing was refused");
		expect(await refusal(opened, [{ ...first, statements: ["CREATE TABLE other (id)"] }])).toBe(
			"the migration 0001-things of things was changed after it had been applied: leave it as it was and add another one",
		);
	});

	test("one that comes too late, several statements in one text, and one that does not work are refused whole", async () => {
		const { opened, store } = await openFile();
		expect(await refusal(opened, [{ name: "0000", statements: [] }, ...tables.migrations])).toBe(
			"the migration 0000 of things must come after 0001-things, which is already applied",
		);
		const several = "CREATE TABLE a (id); CREATE TABLE b (id)";
		expect(await refusal(opened, [...tables.migrations, { name: "0002", statements: [several] }])).toContain(
			"has several statements",
		);
		const broken = ["CREATE TABLE a (id)", "INSERT INTO nowhere VALUES (1)"];
		expect(await refusal(opened, [...tables.migrations, { name: "0002", statements: broken }])).toContain(
			"nothing of it was kept: ",
		);
		const trigger = "CREATE TRIGGER t AFTER INSERT ON things BEGIN SELECT 1; SELECT 2; END";
		expect(
			await refusal(opened, [
				...tables.migrations,
				{ name: "0002", statements: [trigger, "CREATE TABLE a (id TEXT DEFAULT ';x')"] },
			]),
		).toBe("nothing was refused");
		expect(await store.all(sql`SELECT name FROM portico_migrations ORDER BY name`)).toHaveLength(2);
	});

	test("two connections to one file that race apply each migration once", async () => {
		const file = join(folder(), "race.db");
		const open = () => Connection.open({ url: `file:${file}`, clock: systemClock, log });
		const connections = [await open(), await open()];
		cleanups.push(() => {
			for (const { client } of connections) client.close();
		});
		for (const connection of connections) await connection.prepare();
		await Promise.all(
			connections.map((connection) => migrate({ connection, clock: systemClock, log, tables: [tables] })),
		);
		const [connection] = connections;
		expect((await connection?.client.execute("SELECT n FROM counts"))?.rows.length).toBe(1);
	});

	test("nodes that share a server race, and each migration is applied once", async () => {
		const { url } = server();
		const nodes = await Promise.all([1, 2, 3, 4].map(() => open(url)));
		await Promise.all(nodes.map((node) => node.migrate([tables])));
		expect(await nodes[0]?.store.all(sql`SELECT count(*) AS n FROM counts`)).toEqual([{ n: 1 }]);
	});

	test("a node whose answer was lost finds its migration applied", async () => {
		const shared = server();
		const opened = await open(shared.url);
		await opened.migrate([]);
		shared.faults.push("lost", "lost", "lost");
		await opened.migrate([tables]);
		expect(await opened.store.all(sql`SELECT count(*) AS n FROM counts`)).toEqual([{ n: 1 }]);
	});
});

describe("a file", () => {
	test("is used with a write-ahead log, and its folder is made for its owner alone", async () => {
		const { file, store } = await openFile();
		expect(await store.all(sql`PRAGMA journal_mode`)).toEqual([{ journal_mode: "wal" }]);
		expect(await store.all(sql`PRAGMA synchronous`)).toEqual([{ synchronous: 1 }]);
		expect(statSync(join(file, "..")).mode & 0o077).toBe(0);
	});

	test("its URL may be relative, absolute, or written with slashes", () => {
		expect(databaseFile("file:data/portico.db")).toBe("data/portico.db");
		expect(databaseFile("file:/data/a%20b.db?x=1")).toBe("/data/a b.db");
		expect(databaseFile("file:///data/portico.db")).toBe("/data/portico.db");
		expect(databaseFile("libsql://db.test")).toBeUndefined();
	});

	test("a file that is no database, or cannot be opened, is a clear fault, and is let go again", async () => {
		const file = join(folder(), "text.db");
		writeFileSync(file, "this is a text file, and a long one at that, which is not a database at all".repeat(20));
		expect(openStore({ url: `file:${file}`, clock: systemClock, log })).rejects.toThrow(
			`the database file ${file} cannot be used: SQLITE_NOTADB: file is not a database; nothing was written to it: put a backup in its place (portico db restore FILE)`,
		);
		const lock = lockFile(file);
		expect("release" in lock).toBe(true);
		if ("release" in lock) lock.release();
	});

	test("of a file that may not be opened, or is a folder, whoever starts is told what it is to be", async () => {
		const file = join(folder(), "portico.db");
		mkdirSync(file);
		await expect(openStore({ url: `file:${file}`, clock: systemClock, log })).rejects.toThrow(
			/portico\.db cannot be used: .*; see to it that it is a file that this user may read and write$/,
		);
	});

	test("of a file that another program holds whoever starts is told to end that", () => {
		const busy = new StoreFault("SQLITE_BUSY", "database is locked");
		const told = "portico.db cannot be used: database is locked; another program holds it: end that (fuser FILE tells";
		expect(unusable("file:/data/portico.db", busy).message).toContain(told);
	});

	test("of a server whose disk is full whoever starts is told to make room", async () => {
		const shared = server();
		const first = await open(shared.url);
		await first.migrate([tables]);
		shared.fill(true);
		const full = await faultOf(first.store.write([sql`INSERT INTO things VALUES (1, 'x')`]));
		expect(unusable(shared.url, full).message).toEndWith("; make room on the disk that holds it");
	});

	test("of a server that takes no token of ours whoever starts or copies is told which setting it is", async () => {
		const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 401 }) });
		const url = `http://127.0.0.1:${server.port}`;
		const told = "HTTP status 401; database.authToken is not its token, or names a variable that is not set here";
		await expect(openStore({ url, clock: systemClock, log })).rejects.toThrow(told);
		const to = { url: `file:${join(folder(), "all.db")}`, named: "all.db" };
		const copied = transferDatabase({ from: { url, named: "the server" }, to, tables: [tables], progress() {} });
		await expect(copied).rejects.toThrow(
			`the server could not be copied to all.db: SERVER_ERROR: Server returned ${told}`,
		);
		await server.stop(true);
	});

	test("of a server that is away, or hangs, a copy says that, and that it is to be started", async () => {
		const shared = server();
		shared.faults.push("silent");
		const to = { url: `file:${join(folder(), "all.db")}`, named: "all.db" };
		const copy = (url: string) =>
			transferDatabase({ from: { url, named: "the server" }, to, tables: [tables], progress() {}, patienceMs: 50 });
		const told = (why: string) => `the server could not be copied to all.db: ${why}; start it, or correct database.url`;
		await expect(copy(shared.url)).rejects.toThrow(told("TimeoutError"));
		await expect(copy("http://127.0.0.1:1")).rejects.toThrow(told("ECONNREFUSED"));
	});

	test("of a file that cannot be made a copy says which, and what it must be", async () => {
		const places = ["from.db", "nowhere/to.db"].map((name) => ({ url: `file:${join(folder(), name)}`, named: name }));
		const [from = { url: "", named: "" }, to = from] = places;
		await expect(transferDatabase({ from, to, tables: [tables], progress() {} })).rejects.toThrow(
			/^from\.db could not be copied to nowhere\/to\.db: .*; see to it that it is a file that this user may read and write$/,
		);
	});

	test("a lock that cannot be taken is told in words, and leaves nothing held", async () => {
		const file = join(folder(), "portico.db");
		mkdirSync(`${file}.owner.new`);
		expect(() => lockFile(file)).toThrow(`${file} cannot be locked for this process: Error: EISDIR`);
		rmSync(`${file}.owner.new`, { recursive: true });
		const lock = lockFile(file);
		if ("release" in lock) lock.release();
		expect("release" in lock).toBe(true);
		rmSync(`${file}.lock`);
		mkdirSync(`${file}.lock`);
		expect(() => lockFile(file)).toThrow(`${file}.lock cannot be locked for this process: `);
	});

	/** A process that writes to `file`, and the ids that were acknowledged to it. */
	const startWriter = (file: string) => {
		const notes = `${file}.notes`;
		writeFileSync(notes, "");
		const child = spawn(execPath, [join(import.meta.dir, "fixtures/writer.ts"), `file:${file}`, notes], {
			stdio: "inherit",
		});
		const gone = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
		const acknowledged = () => readFileSync(notes, "utf8").split("\n").slice(0, -1).map(Number);
		const kill = (): Promise<unknown> => {
			child.kill("SIGKILL");
			return gone;
		};
		cleanups.push(async () => void (await kill()));
		return { pid: child.pid ?? -1, acknowledged, kill };
	};

	test("belongs to one process: a second one is refused, told who has it, and welcome once it is gone", async () => {
		const file = join(folder(), "portico.db");
		const writer = startWriter(file);
		await until(() => writer.acknowledged().length > 0);
		const refused = await openStore({ url: `file:${file}`, clock: systemClock, log });
		expect(refused).toEqual({ heldBy: { pid: writer.pid, address: "http://127.0.0.1:1" } });
		expect(holderOf(file)).toEqual({ pid: writer.pid, address: "http://127.0.0.1:1" });
		await writer.kill();
		// What tells that it did not end in order stays for the next that serves.
		expect([holderOf(file), existsSync(`${file}.owner`)]).toEqual([undefined, true]);
		expect([holderOf(join(folder(), "none.db")), existsSync(join(folder(), "none.db.lock"))]).toEqual([
			undefined,
			false,
		]);
		const opened = await open(`file:${file}`);
		opened.describe({ address: "http://127.0.0.1:2" });
		expect(lockFile(file)).toEqual({ heldBy: { pid: process.pid, address: "http://127.0.0.1:2" } });
		await opened.close();
		const lock = lockFile(file);
		expect("release" in lock).toBe(true);
		if ("release" in lock) lock.release();
	});

	test.each([50, 400, 900])(
		"kill -9 after %d writes loses none that was acknowledged and leaves none half",
		async (count) => {
			const file = join(folder(), "portico.db");
			const writer = startWriter(file);
			await until(() => writer.acknowledged().length >= count);
			expect(await writer.kill()).toBe("SIGKILL");
			const opened = await open(`file:${file}`);
			expect(await opened.store.all(sql`PRAGMA integrity_check`)).toEqual([{ integrity_check: "ok" }]);
			const kept = await opened.store.all(sql`SELECT id, count(*) AS halves FROM pairs GROUP BY id ORDER BY id`);
			expect(kept.filter(({ halves }) => halves !== 2)).toEqual([]);
			const ids = new Set(kept.map(({ id }) => id));
			expect(writer.acknowledged().filter((id) => !ids.has(id))).toEqual([]);
		},
	);

	test("while another connection holds the database, writes wait and the process goes on; none is lost or done twice", async () => {
		const { file, opened, store } = await openFile();
		const other = new Database(file, { timeout: 0 });
		cleanups.push(() => void other.close());
		other.exec("BEGIN IMMEDIATE");
		let turns = 0;
		let longest = 0;
		let last = performance.now();
		const ticking = setInterval(() => {
			turns++;
			longest = Math.max(longest, performance.now() - last);
			last = performance.now();
		}, 5);
		const writes = Array.from({ length: 50 }, () => store.write([sql`UPDATE counts SET n = n + 1 WHERE id = 1`]));
		await until(() => turns > 20);
		expect(await store.all(sql`SELECT n FROM counts`)).toEqual([{ n: 0 }]);
		other.exec("ROLLBACK");
		await Promise.all(writes);
		clearInterval(ticking);
		expect(longest).toBeLessThan(1000);
		// the truth is what another connection sees
		expect(other.prepare("SELECT n FROM counts").get()).toMatchObject({ n: 50 });
		expect(await store.all(sql`PRAGMA synchronous`)).toEqual([{ synchronous: 1 }]);
		expect(opened.outage()).toBeUndefined();
	});

	test("a database that stays busy refuses kindly, is unhealthy, and is well again after the next write", async () => {
		const { file, opened, store } = await openFile({ patienceMs: 100 });
		const other = new Database(file, { timeout: 0 });
		cleanups.push(() => void other.close());
		other.exec("BEGIN IMMEDIATE");
		const fault = await faultOf(store.write([sql`INSERT INTO things VALUES (1, 'x')`]));
		expect(fault.code).toBe("SQLITE_BUSY");
		expect(fault.denial.kind).toBe("overloaded");
		expect(opened.outage()).toBeDefined();
		expect(await names(store)).toEqual([]);
		expect(opened.outage()).toBeDefined();
		other.exec("ROLLBACK");
		await store.write([sql`INSERT INTO things VALUES (2, 'y')`]);
		expect(opened.outage()).toBeUndefined();
		expect(other.prepare("SELECT id FROM things").all()).toMatchObject([{ id: 2 }]);
		expect(logged.filter((line) => line.startsWith("the database"))).toEqual([
			expect.stringContaining("the database fails"),
			expect.stringContaining("the database answers again"),
		]);
	});

	test("a full disk is told once, however many writes that need no room succeed, until there is room", async () => {
		let free = 0;
		const { opened, store } = await openFile({ patienceMs: 0, space: () => ({ free, total: 1e9 }) });
		const fault = await faultOf(
			store.write([sql`PRAGMA max_page_count = 1`, sql`CREATE TABLE large AS SELECT zeroblob(1000000) AS bytes`]),
		);
		expect(fault.code).toBe("SQLITE_FULL");
		for (let times = 0; times < 3; times++) await store.write([sql`UPDATE things SET name = 'y' WHERE id = 9`]);
		expect(opened.outage()).toMatchObject({ code: "SQLITE_FULL" });
		const told = () => logged.filter((line) => /the database (?:fails|answers)/.test(line)).length;
		expect(told()).toBe(1);
		free = 1e9;
		await store.write([sql`INSERT INTO things VALUES (2, 'z')`]);
		expect(opened.outage()).toBeUndefined();
		expect(told()).toBe(2);
	});

	test("a heartbeat is written and looked for, and ends an outage by itself", async () => {
		const clock = createMovedClock();
		const { file, opened, store } = await openFile({ clock, patienceMs: 0 });
		const beat = async () => (await store.all(sql`SELECT at FROM portico_heartbeat`).catch(() => []))[0]?.["at"];
		clock.advance(30_000);
		await until(async () => (await beat()) === clock.now());
		const other = new Database(file, { timeout: 0 });
		cleanups.push(() => void other.close());
		other.exec("BEGIN IMMEDIATE");
		await until(() => clock.waiting === 1);
		clock.advance(30_000);
		await until(() => opened.outage() !== undefined);
		other.exec("ROLLBACK");
		await until(() => clock.waiting === 1);
		clock.advance(30_000);
		await until(() => opened.outage() === undefined);
		expect(await beat()).toBe(clock.now());
		expect(logged.join("\n")).not.toContain("does not keep what is written");
	});

	test("that was closed is all there is: nothing is left in the log beside it", async () => {
		const { file, opened, store } = await openFile();
		await store.write([sql`INSERT INTO things VALUES (1, 'kept')`]);
		await opened.close();
		const copy = join(file, "..", "copy.db");
		writeFileSync(copy, readFileSync(file.endsWith(".db") ? file : join(file, "portico.db")));
		expect(await names((await open(`file:${copy}`)).store)).toEqual(["kept"]);
	});

	test("a backup is whole, opens as a store, and never writes over a file", async () => {
		const { file, opened, store } = await openFile();
		await store.write([sql`INSERT INTO things VALUES (1, 'kept')`]);
		const copy = join(file, "..", "copies", "one.db");
		await expect(opened.backup(copy)).rejects.toThrow(
			/there is no folder .*copies: mount the disk it is on, or make it/,
		);
		mkdirSync(dirname(copy));
		await opened.backup(copy);
		await store.write([sql`INSERT INTO things VALUES (2, 'after')`]);
		expect(opened.backup(copy)).rejects.toThrow("exists already");
		expect(statSync(copy).mode & 0o077).toBe(0);
		const restored = await open(`file:${copy}`);
		await restored.migrate([tables]);
		expect(await names(restored.store)).toEqual(["kept"]);
		expect(await restored.store.all(sql`PRAGMA integrity_check`)).toEqual([{ integrity_check: "ok" }]);
		expect(opened.backup(join(file, "portico.db"))).rejects.toThrow();
	});

	test("a backup that fails says why and leaves nothing", async () => {
		const { file } = await openFile();
		const [broken, target] = [join(file, "..", "broken.db"), join(file, "..", "copies", "two.db")];
		mkdirSync(dirname(target));
		writeFileSync(broken, "no database at all ".repeat(100));
		await expect(backupFile(broken, target)).rejects.toThrow(/two\.db failed: .*not a database/);
		expect(readdirSync(dirname(target))).toEqual([]);
	});

	test("calls go on while a backup is made", async () => {
		const { file, opened } = await openFile();
		let turns = 0;
		const count = (): void => {
			turns++;
			next = setImmediate(count);
		};
		let next = setImmediate(count);
		await opened.backup(join(file, "..", "three.db"));
		clearImmediate(next);
		expect(turns).toBeGreaterThan(5);
	});

	test("writes that wait are joined: many take few transactions", async () => {
		const connection = await Connection.open({ url: `file:${join(folder(), "joined.db")}`, clock: systemClock, log });
		await connection.prepare();
		await connection.client.execute("CREATE TABLE t (id)");
		let transactions = 0;
		const { client, writer } = connection;
		if (!writer) throw new Error("a file has a writer");
		const write = writer.write.bind(writer);
		writer.write = (statements) => {
			transactions++;
			return write(statements);
		};
		const queue = new WriteQueue(connection);
		await Promise.all(
			Array.from({ length: 640 }, (_, id) => queue.write([{ sql: "INSERT INTO t VALUES (?)", args: [id] }])),
		);
		expect(transactions).toBe(10);
		expect((await client.execute("SELECT count(*) AS n, sum(id) AS sum FROM t")).rows[0]).toMatchObject({
			n: 640,
			sum: 204_480,
		});
		await queue.close();
		connection.close();
	});
});

describe("a server", () => {
	test("that is away for a moment, or whose answers get lost, is asked again, and nothing is done twice", async () => {
		const shared = server();
		const opened = await open(shared.url);
		await opened.migrate([tables]);
		shared.faults.push("down", "lost", "down");
		const [written] = await opened.store.write([
			sql`INSERT INTO things VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING name`,
		]);
		expect(written?.rows).toEqual([{ name: "x" }]);
		shared.faults.push("down");
		expect(await names(opened.store)).toEqual(["x"]);
		shared.faults.push("down");
		expect(await opened.store.db.select().from(things)).toEqual([{ id: 1, name: "x" }]);
		expect(opened.outage()).toBeUndefined();
	});

	test("whose disk is full is told of once, however many writes that change nothing succeed", async () => {
		const shared = server();
		const { store, migrate, outage } = await open(shared.url);
		await migrate([tables]);
		shared.fill(true);
		await faultOf(store.write([sql`INSERT INTO things VALUES (1, 'x')`]));
		for (let times = 0; times < 3; times++)
			await store.write([sql`WITH none AS (SELECT 9) UPDATE things SET name = 'y'`]);
		expect(outage()).toMatchObject({ code: "SQLITE_FULL" });
		const told = () => logged.filter((line) => /the database (?:fails|answers)/.test(line)).length;
		expect(told()).toBe(1);
		shared.fill(false);
		await store.write([sql`INSERT INTO things VALUES (1, 'x')`]);
		expect(outage()).toBeUndefined();
		expect(told()).toBe(2);
	});

	test("that stays away refuses kindly, and is unhealthy until it is back", async () => {
		const shared = server();
		const opened = await open(shared.url, { patienceMs: 100 });
		await opened.migrate([tables]);
		shared.faults.push(...Array.from({ length: 50 }, () => "down" as const));
		const writes = Array.from({ length: 10 }, (_, id) =>
			faultOf(opened.store.write([sql`INSERT INTO things VALUES (${id}, 'x')`])),
		);
		expect(new Set((await Promise.all(writes)).map(({ denial }) => denial.kind))).toEqual(new Set(["overloaded"]));
		expect(opened.outage()).toBeDefined();
		shared.faults.length = 0;
		await opened.store.write([sql`INSERT INTO things VALUES (100, 'back')`]);
		expect(opened.outage()).toBeUndefined();
		expect(await names(opened.store)).toEqual(["back"]);
	});

	test("that takes the token no more refuses kindly and is unhealthy, as one that is away, until it takes it again", async () => {
		const shared = server();
		const opened = await open(shared.url);
		await opened.migrate([tables]);
		shared.faults.push("refused", "refused");
		const read = await faultOf(opened.store.all(sql`SELECT 1`));
		expect(read).toMatchObject({ code: "TOKEN_REFUSED", denial: { kind: "overloaded" } });
		expect(await faultOf(opened.store.write([sql`INSERT INTO things VALUES (1, 'no')`]))).toMatchObject({
			code: "TOKEN_REFUSED",
		});
		expect(opened.outage()).toMatchObject({ code: "TOKEN_REFUSED" });
		await opened.store.all(sql`SELECT 1`);
		await opened.store.write([sql`INSERT INTO things VALUES (2, 'back')`]);
		expect(opened.outage()).toBeUndefined();
		expect(await names(opened.store)).toEqual(["back"]);
	});

	test("that was started without its files is found by a heartbeat, which writes nothing there", async () => {
		const clock = createMovedClock();
		const file = join(folder(), "server.db");
		const opened = await open(server(file).url, { clock });
		await opened.migrate([tables]);
		const other = new Database(file);
		cleanups.push(() => void other.close());
		const beats = () => other.prepare("SELECT name FROM sqlite_master WHERE name = 'portico_heartbeat'").all().length;
		clock.advance(30_000);
		await until(() => beats() === 1 && clock.waiting === 1);
		other.exec("ALTER TABLE portico_migrations RENAME TO kept; DROP TABLE portico_heartbeat");
		clock.advance(30_000);
		await until(() => opened.outage() !== undefined && clock.waiting === 1);
		expect([opened.outage()?.code, beats()]).toEqual(["TABLES_GONE", 0]);
		other.exec("ALTER TABLE kept RENAME TO portico_migrations");
		clock.advance(30_000);
		await until(() => opened.outage() === undefined);
		await until(() => beats() === 1);
	});

	test("that is not there is a clear fault that does not show the token", async () => {
		const { url, close } = startSqlServer(join(folder(), "gone.db"));
		await close();
		const opening = openStore({ url, authToken: "sk-database", clock: systemClock, log, patienceMs: 50 });
		const message = await opening.then(
			() => "",
			(error: unknown) => String(error),
		);
		const why = "cannot be used: ECONNREFUSED; start it, or correct database.url";
		expect(message).toContain(`the database server ${new URL(url).host} ${why}`);
		expect(message).not.toContain("sk-database");
	});

	test("makes its own backups", async () => {
		const opened = await open(server().url);
		expect(opened.backup("/tmp/never.db")).rejects.toThrow("a database server makes its own backups");
	});
});

test("nothing of the driver is loaded by the faults that plugins import", () => {
	const source = readFileSync(join(import.meta.dir, "../errors/store-fault.ts"), "utf8");
	expect(source).not.toMatch(/libsql|drizzle/);
});

test("what is read is told although a file beside the database could not be written, as its disk is full", async () => {
	const full = Object.assign(new Error("no space left on device, write"), { code: "ENOSPC" });
	await unlessOutage(Promise.reject(full));
	await expect(unlessOutage(Promise.reject(new Error("a mistake")))).rejects.toThrow("a mistake");
});
