/** `portico db`: a backup that is put back is what was backed up, and a database that is moved adds up to the micro-dollar. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	copyFileSync,
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
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";
import { sqldProgram, startSqld } from "../support/sqld.ts";

let folder: string;
let file: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-db-"));
	file = config();
});
afterEach(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});
afterAll(endProcesses);

const plugins = ["tokens", "prices", "quota", "chat-completions", "demo", "ledger", "tasks", "image", "webhooks"];
const router = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
const config = (database: object = { url: "file:data/portico.db" }, name = "portico.yaml"): string => {
	const path = join(folder, name);
	const entries = [...plugins.map((use) => ({ use })), router];
	writeFileSync(path, JSON.stringify({ server: { port: 0 }, database, plugins: entries }));
	return path;
};

const portico = (...words: string[]) => runCommand(folder, [...words, "--config", file]);
const database = () => join(folder, "data/portico.db");

const run = async (url: string, sql: string) => {
	const client = createClient({ url, intMode: "bigint" });
	try {
		return (await client.execute(sql)).rows;
	} finally {
		client.close();
	}
};
const names = async (path = database()) =>
	(await run(`file:${path}`, "SELECT name FROM tokens ORDER BY name")).map((row) => String(row["name"]));

/** A database that a server made, with a token of each name. */
const made = async (...tokens: string[]) => {
	const process = await startProcess(folder, file);
	for (const name of tokens) await portico("token", "create", "--name", name, "--quota", "5");
	return process;
};

describe("db backup", () => {
	test("into a folder by name and date; the newest stay; what is called otherwise is left alone", async () => {
		const process = await made();
		const backups = join(folder, "backups");
		for (const missing of [`${backups}/`, join(backups, "copy.db")])
			expect(await portico("db", "backup", missing)).toMatchObject({
				code: 1,
				errors: expect.stringContaining(`there is no folder ${backups}: mount the disk it is on, or make it`),
			});
		expect(existsSync(backups)).toBe(false);
		mkdirSync(backups);
		expect(await portico("db", "backup", `${backups}/`)).toMatchObject({
			code: 0,
			output: expect.stringContaining("wrote "),
		});
		const [first = ""] = readdirSync(backups);
		expect(first).toMatch(/^portico-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/);
		for (const old of [
			"portico-2020-01-01T00-00-00Z.db",
			"portico-2021-01-01T00-00-00Z.db",
			"portico-mine.db",
			"other-2020-01-01T00-00-00Z.db",
		])
			copyFileSync(join(backups, first), join(backups, old));
		await new Promise((resolve) => setTimeout(resolve, 1001 - (Date.now() % 1000)));
		const second = await portico("db", "backup", backups, "--keep", "2");
		expect(second.output).toContain(`removed ${join(backups, "portico-2020-01-01T00-00-00Z.db")}`);
		const left = readdirSync(backups).toSorted();
		expect(left).toEqual(["other-2020-01-01T00-00-00Z.db", first, left[2] ?? "", "portico-mine.db"].toSorted());
		expect(statSync(join(backups, first)).mode & 0o777).toBe(0o600);
		await process.end("SIGTERM");
		// Without a word as the config has it, and without a server too.
		expect((await portico("db", "backup")).output).toStartWith(`wrote ${join(folder, "data/backups/portico-")}`);
		expect(await portico("db", "backup", "copy.db", "--keep", "2")).toMatchObject({ code: 1 });
		expect(await portico("db", "backup", "copy.db")).toMatchObject({ code: 0 });
		expect(await portico("db", "backup", "copy.db")).toMatchObject({ code: 1 });
	});

	test("by the config's schedule", async () => {
		file = config({ url: "file:data/portico.db", backup: { schedule: "* * * * * *", keep: 1, folder: "copies" } });
		const process = await made();
		await process.says(/there is no folder [^"]*copies, and backups will fail/);
		mkdirSync(join(folder, "copies"));
		await process.says(/"msg":"the database was backed up"/);
		await process.end("SIGTERM");
		expect(readdirSync(join(folder, "copies")).filter((name) => name.endsWith(".db"))).toHaveLength(1);
		file = config({ url: "file:data/portico.db", backup: { schedule: "at night" } });
		expect((await portico("check")).errors).toContain('expected a schedule such as "0 3 * * *", found "at night"');
	});
});

describe("db restore", () => {
	test("after a kill: what the log of the old database holds does not come back", async () => {
		const process = await made("before");
		await portico("db", "backup", "copy.db");
		await portico("token", "create", "--name", "after");
		await process.end("SIGKILL");
		expect(existsSync(`${database()}-wal`)).toBe(true);
		const { code, output } = await portico("db", "restore", "copy.db");
		expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining(`restored ${database()} from`) });
		const aside = /the old database is now (\S+)/.exec(output)?.[1] ?? "";
		expect(await names()).toEqual(["before", "first token"]);
		const again = await startProcess(folder, file);
		expect((await portico("token", "list")).output).not.toContain("after");
		await again.end("SIGTERM");
		// Nothing of the old one is lost.
		expect(await names(aside)).toEqual(["after", "before", "first token"]);
		expect(statSync(database()).mode & 0o777).toBe(0o600);
	});

	test("refused while a server runs, and nothing is changed", async () => {
		const process = await made("one");
		await portico("db", "backup", "copy.db");
		const { code, errors } = await portico("db", "restore", "copy.db");
		expect(code).toBe(1);
		expect(errors).toContain(`is in use by process`);
		expect(errors).toContain(process.address);
		expect(readdirSync(join(folder, "data")).filter((name) => /before-restore|restoring/.test(name))).toEqual([]);
		await process.end("SIGTERM");
	});

	test("a file that is no backup is refused, and nothing is changed", async () => {
		const process = await made();
		await portico("db", "backup", "copy.db");
		await process.end("SIGTERM");
		const before = readFileSync(database());
		writeFileSync(
			join(folder, "words.db"),
			"these are words, and many of them, so that it is long enough to be looked at".repeat(99),
		);
		writeFileSync(join(folder, "empty.db"), "");
		await run(`file:${join(folder, "other.db")}`, "CREATE TABLE t (a)");
		const damaged = readFileSync(join(folder, "copy.db"));
		damaged.fill(7, 4096 * 2, 4096 * 6);
		writeFileSync(join(folder, "damaged.db"), damaged);
		for (const name of ["words.db", "empty.db", "other.db", "damaged.db", "missing.db", "data", "data/portico.db"]) {
			const { code, errors } = await portico("db", "restore", name);
			expect({ name, code, errors }).toMatchObject({
				name,
				code: 1,
				errors: expect.stringMatching(/(no backup|no file|is the database itself).*[nN]othing was changed/),
			});
		}
		expect(readFileSync(database()).equals(before)).toBe(true);
		expect(readdirSync(join(folder, "data")).filter((name) => /before-restore|restoring/.test(name))).toEqual([]);
		expect(await portico("db", "restore")).toMatchObject({
			code: 1,
			errors: expect.stringContaining("portico db restore needs a FILE"),
		});
		expect((await portico("db", "restore", "--keep", "3")).errors).toContain('takes one FILE and no "--keep"');
		expect((await portico("db", "restor", "x")).errors).toContain('did you mean "restore"');
	});

	test("into an empty folder", async () => {
		const process = await made("one");
		await portico("db", "backup", "copy.db");
		await process.end("SIGTERM");
		rmSync(join(folder, "data"), { recursive: true });
		expect(await portico("db", "restore", "copy.db")).toMatchObject({ code: 0 });
		expect(await names()).toEqual(["first token", "one"]);
	});

	test("what a newer Portico wrote is refused by restore and by serve, with words", async () => {
		const process = await made();
		await portico("db", "backup", "copy.db");
		await process.end("SIGTERM");
		const newer = "INSERT INTO portico_migrations VALUES ('ledger', '999-of-tomorrow', 'x', 0)";
		for (const path of [join(folder, "copy.db"), database()]) await run(`file:${path}`, newer);
		const words = "was written by a newer Portico: ledger does not know its migration 999-of-tomorrow";
		expect(await portico("db", "restore", "copy.db")).toMatchObject({
			code: 1,
			errors: expect.stringContaining(words),
		});
		// What was written above may still stand in the log beside the file, which any start puts into it.
		await run(`file:${database()}`, "PRAGMA wal_checkpoint(TRUNCATE)");
		const before = readFileSync(database());
		expect(await portico("serve")).toMatchObject({ code: 1, errors: expect.stringContaining(`the database ${words}`) });
		expect(readFileSync(database()).equals(before)).toBe(true);
	});
});

describe.skipIf(sqldProgram() === undefined)("db export and import", () => {
	test("file to server to file: every row, every sum, and it serves", async () => {
		const process = await made("one", "two");
		const ask = { model: "demo", messages: [{ role: "user", content: "Hello" }] };
		const headers = { authorization: `Bearer ${process.key}`, "content-type": "application/json" };
		for (let count = 0; count < 12; count++)
			await (
				await fetch(`${process.address}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(ask) })
			).text();
		expect(await portico("db", "export", "early.db")).toMatchObject({
			code: 1,
			errors: expect.stringContaining("in use by"),
		});
		await process.end("SIGTERM");
		const lost = await portico("db", "export", "nowhere/out.db");
		expect(lost).toMatchObject({ code: 1, errors: expect.stringMatching(/^there is no folder \S+nowhere: make it/) });
		const exported = await portico("db", "export", "out.db");
		expect(exported).toMatchObject({ code: 0, errors: "", output: expect.stringContaining("sums, all equal") });
		expect(statSync(join(folder, "out.db")).mode & 0o777).toBe(0o600);
		const sqld = await startSqld(sqldProgram() ?? "", folder);
		try {
			const own = file;
			file = config({ url: sqld.url }, "server.yaml");
			expect(await portico("db", "import", "out.db")).toMatchObject({
				code: 0,
				output: expect.stringContaining("all equal"),
			});
			expect(await portico("db", "import", "out.db")).toMatchObject({
				code: 1,
				errors: expect.stringContaining("is not empty"),
			});
			const served = await startProcess(folder, file);
			const answer = await fetch(`${served.address}/v1/chat/completions`, {
				method: "POST",
				headers,
				body: JSON.stringify(ask),
			});
			expect(answer.status).toBe(200);
			await answer.text();
			await served.end("SIGTERM");
			expect(await portico("db", "export", "back.db")).toMatchObject({ code: 0 });
			file = own;
			rmSync(join(folder, "data"), { recursive: true });
			expect(await portico("db", "import", "back.db")).toMatchObject({ code: 0 });
			const sums = "SELECT count(*) AS calls, sum(cost) AS cost FROM ledger";
			const [row] = await run(`file:${database()}`, sums);
			expect(row?.["calls"]).toBe(13n);
			expect(row).toEqual((await run(sqld.url, sums))[0]);
			const list = await portico("token", "list");
			expect(list.output).toContain("two");
			// Triggers came along: callbacks are written by them.
			const triggers = await run(
				`file:${database()}`,
				"SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
			);
			expect(triggers).toEqual(
				await run(
					`file:${join(folder, "out.db")}`,
					"SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
				),
			);
			expect(triggers.length).toBeGreaterThan(0);
		} finally {
			await sqld.close();
		}
	}, 60_000);
});
