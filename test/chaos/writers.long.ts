/** Six nodes write batches of a hundred rows to one `sqld` at once: all of them get through, and every row is there. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Log } from "#core";
import { type OpenStore, openStore } from "../../core/store/open.ts";
import { systemClock } from "../../core/wire/system-clock.ts";
import { startSqlServer } from "../support/sql-server.ts";
import { sqldProgram, startSqld } from "../support/sqld.ts";

const program = sqldProgram() ?? "";
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, of: () => quiet };
const [nodes, batches, rows] = [6, 40, 100];

/** Enough for several checkpoints of the server's log, at which a server with several connections got stuck. */
const padding = "x".repeat(300);

test.skipIf(program === "")(
	"several nodes that write at once wait for each other and for nothing else",
	async () => {
		const folder = mkdtempSync(join(tmpdir(), "portico-writers-"));
		const server = await startSqld(program, folder);
		const opened: OpenStore[] = [];
		try {
			for (let node = 0; node < nodes; node++) {
				const store = await openStore({ url: server.url, clock: systemClock, log: quiet });
				if ("heldBy" in store) throw new Error("a server has no lock");
				opened.push(store);
			}
			const [first] = opened;
			await first?.store.write([
				sql`CREATE TABLE rows (id TEXT PRIMARY KEY, node INTEGER NOT NULL, text TEXT NOT NULL) STRICT`,
			]);
			await Promise.all(
				opened.map(async ({ store }, node) => {
					for (let batch = 0; batch < batches; batch++)
						await store.write(
							Array.from(
								{ length: rows },
								(_, row) => sql`INSERT INTO rows VALUES (${`${row}-${crypto.randomUUID()}`}, ${node}, ${padding})`,
							),
						);
				}),
			);
			const counted = await first?.store.all(sql`SELECT node, count(*) AS rows FROM rows GROUP BY node ORDER BY node`);
			expect(counted).toEqual(Array.from({ length: nodes }, (_, node) => ({ node, rows: batches * rows })));
		} finally {
			for (const one of opened) await one.close();
			await server.close();
			rmSync(folder, { recursive: true, force: true });
		}
	},
	120_000,
);

test("a server that reads and no longer writes is told from one that is away, with what to do", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-stuck-"));
	const server = startSqlServer(join(folder, "shared.db"));
	const stuck = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 0,
		async fetch(request) {
			const body = await request.text();
			if (body.includes("INSERT")) return await new Promise<Response>(() => undefined);
			const { method } = request;
			return await fetch(server.url + new URL(request.url).pathname, { method, ...(method !== "GET" && { body }) });
		},
	});
	const warned: string[] = [];
	const log: Log = { ...quiet, warn: (words) => void warned.push(words) };
	const opened = await openStore({ url: `http://127.0.0.1:${stuck.port}`, clock: systemClock, log, patienceMs: 0 });
	if ("heldBy" in opened) throw new Error("a server has no lock");
	try {
		await opened.store.write([sql`CREATE TABLE rows (id INTEGER PRIMARY KEY) STRICT`]);
		const written = opened.store.write([sql`INSERT INTO rows VALUES (1)`]);
		expect(await written.catch((error: unknown) => error)).toMatchObject({ code: "UNREACHABLE" });
		expect(await opened.store.all(sql`SELECT count(*) AS rows FROM rows`)).toEqual([{ rows: 0 }]);
		expect(warned).toEqual([expect.stringContaining("SQLD_MAX_CONCURRENT_CONNECTIONS=1")]);
	} finally {
		await opened.close();
		await stuck.stop(true);
		await server.close();
		rmSync(folder, { recursive: true, force: true });
	}
}, 60_000);
