import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDatabaseServer } from "./database-server.ts";

test("one that ends is started again, and says why it ended", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-database-server-"));
	const program = join(folder, "program");
	const serve = "Bun.serve({ hostname: '127.0.0.1', port: process.argv.at(-1), fetch: () => new Response() })";
	// At its first start it cannot go on; it is told the folder, and an address to listen at.
	const lines = [
		"#!/bin/sh",
		`[ -e "$2/tried" ] && exec '${process.execPath}' -e "${serve}" "\${4#*:}"`,
		'touch "$2/tried"',
		'echo "Error: attempt to write a readonly database" >&2',
		'echo "Stack backtrace:" >&2',
		"exit 3",
	];
	writeFileSync(program, lines.join("\n"));
	chmodSync(program, 0o755);
	const ends: unknown[] = [];
	const server = await startDatabaseServer(program, folder, (...end) => void ends.push(end));
	expect(ends).toEqual([[3, "Error: attempt to write a readonly database"]]);
	await server.close();
	rmSync(folder, { recursive: true });
});
