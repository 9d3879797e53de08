/** Writes one row now and then and looks for it through a second connection: proof that what is written is there. */
import { dirname } from "node:path";
import Database from "libsql";
import type { Clock } from "../contract/clock.ts";
import type { Log } from "../contract/log.ts";
import type { Connection } from "./connection.ts";
import { storeFault } from "./fault.ts";
import { spaceOf, watchSpace } from "./free-space.ts";
import type { WriteQueue } from "./queue.ts";

interface HeartbeatInput {
	readonly connection: Connection;
	readonly queue: WriteQueue;
	readonly clock: Clock;
	readonly log: Log;
}

const everyMs = 30_000;
/** How often it is looked whether the file is still there. */
const lookMs = 2_000;

/**
 * Also ends an outage that no other write would notice the end of, and finds a server that was started on other files, where it
 * writes nothing. Returns what stops it.
 */
export const startHeartbeat = ({ connection, queue, clock, log }: HeartbeatInput): (() => void) => {
	let stopped = false;
	let cancel = (): void => undefined;
	let hasBeaten = false;
	const { file } = connection;
	const lookAtSpace = watchSpace(() => (file === undefined ? undefined : spaceOf(dirname(file))), log);
	lookAtSpace();
	const beat = async (): Promise<void> => {
		lookAtSpace();
		const at = clock.now();
		const sql = "INSERT INTO portico_heartbeat (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at";
		await queue.write([
			// Amid a first start the tables may still be on their way.
			...(hasBeaten ? [{ sql: "SELECT 1 FROM portico_migrations LIMIT 1", args: [] }] : []),
			{ sql: createTable, args: [] },
			{ sql, args: [at] },
		]);
		hasBeaten = true;
		if (connection.file === undefined || readBack(connection.file) === at) return;
		log.error("the database does not keep what is written; it is opened again");
		await connection.heal();
	};
	let due = clock.monotonic() + everyMs;
	const look = async (): Promise<void> => {
		await connection.look();
		if (clock.monotonic() < due) return;
		await beat().finally(() => {
			due = clock.monotonic() + everyMs;
		});
	};
	const next = (): void => {
		if (stopped) return;
		cancel = clock.after(Math.min(lookMs, due - clock.monotonic()), () => {
			look()
				.catch((error: unknown) =>
					log.warn("the database did not take the heartbeat", { code: storeFault(error).code }),
				)
				.finally(next);
		});
	};
	next();
	return () => {
		stopped = true;
		cancel();
	};
};

const createTable = "CREATE TABLE IF NOT EXISTS portico_heartbeat (id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT";

const readBack = (file: string): unknown => {
	const database = new Database(file, { timeout: 1000 });
	try {
		const row: unknown = database.prepare("SELECT at FROM portico_heartbeat WHERE id = 1").get();
		return typeof row === "object" && row !== null && "at" in row ? row.at : undefined;
	} finally {
		database.close();
	}
};
