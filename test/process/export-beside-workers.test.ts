/** `portico db export` and `import` beside workers at a database server of the operator's: each has locked a folder of its own. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeLock, workerFolder } from "../../core/host/node-files.ts";
import { type FileLock, lockFile } from "../../core/store/lock.ts";
import { runCommand } from "../support/process.ts";

const address = "http://127.0.0.1:8787";
let folder: string;
let worker: FileLock;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-beside-"));
	const lock = lockFile(nodeLock(workerFolder(join(folder, "data"), 2)));
	if ("heldBy" in lock) throw new Error("somebody else has the lock of a new folder");
	lock.describe({ address });
	worker = lock;
	const plugins = ["tokens", "prices", "quota", "chat-completions", "router"].map((use) => ({ use }));
	// Nothing listens there: whoever asks it says so.
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ database: { url: "http://127.0.0.1:9" }, plugins }));
	writeFileSync(join(folder, "all.db"), "");
});
afterEach(() => {
	worker.release();
	rmSync(folder, { recursive: true, force: true });
});

test.each(["export new.db", "import all.db"])("db %s asks for a stop while one of them runs", async (words) => {
	const { code, errors } = await runCommand(folder, ["db", ...words.split(" ")]);
	expect({ code, errors }).toEqual({
		code: 1,
		errors: `the database server 127.0.0.1:9 is in use by process ${process.pid}, which serves at ${address}; stop every node first\n`,
	});
});
