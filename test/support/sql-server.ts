/**
 * A database server for tests: libSQL's HTTP protocol (Hrana 2, JSON) in front of one file, so that several stores can
 * share it. It can be told to be away, to lose answers after doing the work, or to be slow.
 */
import Database from "libsql";
import { asList, asNumber, asRecord, asText, isRecord } from "#core";
import { listen } from "../../core/runtime/serve.ts";

export interface SqlServer {
	readonly url: string;
	/** Each request first takes one of these: do nothing of it, do not take its token, do it and lose the answer, or never answer. */
	readonly faults: ("down" | "refused" | "lost" | "silent")[];
	/** From now on there is no room on the disk (SQLITE_FULL for what writes), or there is again. */
	fill(full: boolean): void;
	/** From now on nothing may be written, as after a remount (SQLITE_READONLY), or it may again. */
	freeze(frozen: boolean): void;
	/** Requests that reached the server. */
	readonly requests: number;
	close(): Promise<void>;
}

type Results = {
	readonly cols: readonly { name: string }[];
	readonly rows: unknown[][];
	readonly affected_row_count: number;
};
type Step = { readonly result: Results | null; readonly error: { message: string; code: string } | null };

const fromWire = (value: unknown): unknown => {
	const { type, value: inner, base64 } = asRecord(value);
	if (type === "integer") return BigInt(String(inner));
	if (type === "blob") return Buffer.from(asText(base64) ?? "", "base64");
	return type === "null" ? null : inner;
};

const toWire = (value: unknown): unknown => {
	if (value === null) return { type: "null" };
	if (typeof value === "bigint") return { type: "integer", value: String(value) };
	if (typeof value === "number") return { type: "float", value };
	return value instanceof Uint8Array
		? { type: "blob", base64: Buffer.from(value).toString("base64") }
		: { type: "text", value };
};

/** Whether there is room for what writes. */
interface Disk {
	full: boolean;
}

/** One stream: its statements run one after another, and what it leaves open is rolled back. */
class Stream {
	readonly #database: Database.Database;
	readonly #texts = new Map<unknown, string>();

	readonly #disk: Disk;

	constructor(database: Database.Database, disk: Disk) {
		this.#database = database;
		this.#disk = disk;
	}

	answer(request: unknown): unknown {
		const { type, stmt, batch, sql_id: id, sql } = asRecord(request);
		if (type === "store_sql") this.#texts.set(id, asText(sql) ?? "");
		if (type === "close" && this.#database.inTransaction) this.#database.exec("ROLLBACK");
		if (type === "execute") {
			const { result, error } = this.#step(stmt);
			return error === null ? { type: "ok", response: { type, result } } : { type: "error", error };
		}
		if (type === "batch")
			return { type: "ok", response: { type, result: this.#batch(asList(asRecord(batch)["steps"])) } };
		return { type: "ok", response: { type } };
	}

	#batch(steps: readonly unknown[]): unknown {
		const done: (Step | undefined)[] = [];
		for (const step of steps) {
			const { condition, stmt } = asRecord(step);
			done.push(condition === undefined || this.#holds(condition, done) ? this.#step(stmt) : undefined);
		}
		return {
			step_results: done.map((step) => step?.result ?? null),
			step_errors: done.map((step) => step?.error ?? null),
		};
	}

	#holds(condition: unknown, done: readonly (Step | undefined)[]): boolean {
		const { type, step, cond, conds } = asRecord(condition);
		const before = done[asNumber(step) ?? -1];
		if (type === "ok") return before?.error === null;
		if (type === "error") return before !== undefined && before.error !== null;
		if (type === "not") return !this.#holds(cond, done);
		if (type === "and") return asList(conds).every((part) => this.#holds(part, done));
		return !this.#database.inTransaction;
	}

	#step(statement: unknown): Step {
		const { sql, sql_id: id, args } = asRecord(statement);
		if (this.#disk.full && /^\s*(INSERT|UPDATE|DELETE|CREATE)/i.test(asText(sql) ?? this.#texts.get(id) ?? ""))
			return { result: null, error: { message: "SQLite error: database or disk is full", code: "SQLITE_FULL" } };
		try {
			const prepared = this.#database.prepare(asText(sql) ?? this.#texts.get(id) ?? "");
			prepared.safeIntegers(true);
			const values = asList(args).map(fromWire);
			if (prepared.columns().length === 0) {
				const { changes } = prepared.run(values);
				return { result: { cols: [], rows: [], affected_row_count: changes }, error: null };
			}
			const names = prepared.columns().map(({ name }) => ({ name, decltype: null }));
			const rows = prepared
				.raw(true)
				.all(values)
				.map((row) => asList(row).map(toWire));
			return { result: { cols: names, rows, affected_row_count: 0 }, error: null };
		} catch (error) {
			const code = isRecord(error) ? (asText(error["code"]) ?? "SQLITE_ERROR") : "SQLITE_ERROR";
			const base = /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code;
			return {
				result: null,
				error: { message: `SQLite error: ${error instanceof Error ? error.message : code}`, code: base },
			};
		}
	}
}

/** Serves `file` on a free port of 127.0.0.1. */
export const startSqlServer = (file: string): SqlServer => {
	const database = new Database(file, { timeout: 1000 });
	database.exec("PRAGMA journal_mode = WAL");
	const faults: SqlServer["faults"] = [];
	const disk: Disk = { full: false };
	let requests = 0;
	const server = listen({
		host: "127.0.0.1",
		port: 0,
		reusePort: false,
		bodyLimitBytes: 512 * 1024 * 1024,
		async handle(request) {
			requests++;
			const body = asRecord(await request.json());
			const fault = faults.shift();
			if (fault === "down") return new Response("away", { status: 503 });
			if (fault === "refused") return new Response("Unauthorized", { status: 401 });
			const stream = new Stream(database, disk);
			const results = asList(body["requests"]).map((one) => stream.answer(one));
			if (database.inTransaction) database.exec("ROLLBACK");
			if (fault === "lost") return new Response("lost", { status: 502 });
			if (fault === "silent") await new Promise(() => undefined);
			return Response.json({ baton: null, base_url: null, results });
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		faults,
		fill(full) {
			disk.full = full;
		},
		freeze(frozen) {
			database.exec(`PRAGMA query_only = ${frozen ? "ON" : "OFF"}`);
		},
		get requests() {
			return requests;
		},
		async close() {
			await server.cut();
			database.close();
		},
	};
};
