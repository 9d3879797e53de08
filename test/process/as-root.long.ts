/** Commands given as root while the server, which runs as another user, is stopped: what they make it can use at its next start. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, launcher, runCommand, startProcess } from "../support/process.ts";
import { sqldProgram } from "../support/sqld.ts";

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "env", "HOME=/tmp", "node"];

let folder: string;
let home: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "portico-root-"));
	chmodSync(home, 0o755);
	folder = join(home, "served");
	mkdirSync(folder);
	const plugins = ["tokens", "prices", "quota", "chat-completions", "router"].map((use) => ({ use }));
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ server: { port: 0 }, plugins }));
	chownSync(folder, nobody, nobody);
});
afterEach(async () => {
	await endProcesses();
	rmSync(home, { recursive: true, force: true });
});
afterAll(endProcesses);

/** What of the data is not the server's user's. */
const foreign = (): readonly string[] =>
	readdirSync(join(folder, "data"), { recursive: true, encoding: "utf8" }).filter(
		(name) => lstatSync(join(folder, "data", name)).uid !== nobody,
	);

const mayRun =
	isRoot && spawnSync(asNobody[0] ?? "", [...asNobody.slice(1), launcher, "version"], { cwd: "/" }).status === 0;
if (!mayRun)
	console.warn("SKIPPED: this is not root, or other users may not read this clone: nobody served beside it.");

const served = async (...words: string[]): Promise<void> => {
	const server = await startProcess(folder, "portico.yaml", {}, words, asNobody);
	expect(await server.end("SIGTERM")).toBe(0);
};

const asRoot = async (...words: string[]): Promise<void> => {
	const { code, errors } = await runCommand(folder, words);
	expect({ words, code, errors }).toMatchObject({ words, code: 0 });
	expect({ words, foreign: foreign() }).toEqual({ words, foreign: [] });
};

test.skipIf(!mayRun)("a database file", async () => {
	await served();
	await asRoot("token", "create", "--name", "by-root");
	await asRoot("db", "export", join(home, "all.db"));
	await asRoot("db", "restore", join(home, "all.db"));
	await served();
	rmSync(join(folder, "data/portico.db"));
	await asRoot("db", "import", join(home, "all.db"));
	await served();
});

test.skipIf(!mayRun || sqldProgram() === undefined)("a database that was taken over for workers", async () => {
	await served("--workers", "2");
	await asRoot("token", "create", "--name", "by-root");
	await asRoot("db", "export", join(home, "all.db"));
	await served("--workers", "2");
});
