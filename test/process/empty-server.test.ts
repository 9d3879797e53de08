/** A start at a database server that has lost its files, beside the journal of a node that was killed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { runCommand } from "../support/process.ts";
import { type SqlServer, startSqlServer } from "../support/sql-server.ts";

let folder: string;
let server: SqlServer;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-empty-"));
	server = startSqlServer(join(folder, "server.db"));
	const plugins = ["tokens", "prices", "quota", "chat-completions", "router"].map((use) => ({ use }));
	const config = { server: { port: 0 }, database: { url: server.url }, plugins };
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify(config));
	mkdirSync(join(folder, "data/quota"), { recursive: true });
});
afterEach(async () => {
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

test("is refused and changes nothing, for what the journal tells would be charged in no database", async () => {
	const journal = join(folder, "data/quota/node_killed-1.journal");
	writeFileSync(journal, "journal\t1\tboot\n");
	const { code, errors } = await runCommand(folder, ["serve"]);
	expect(code).toBe(1);
	expect(errors).toEndWith(
		`the database server is empty, and ${journal} tells of calls that are to be charged in what it held. Start the server on its own files; where those are lost, remove the journal, and Portico begins anew.\n`,
	);
	const database = new Database(join(folder, "server.db"));
	expect(database.prepare("SELECT name FROM sqlite_master").all()).toEqual([]);
	database.close();
	expect(existsSync(journal)).toBe(true);
});
