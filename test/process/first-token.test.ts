/** The first token is shown to somebody, or it is not lost: whatever comes between its making and the greeting. */
import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { startGateway, type TestGateway } from "#core/testing";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";

afterAll(endProcesses);

const folders: string[] = [];
afterEach(() => {
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const newFolder = (): string => {
	const folder = mkdtempSync(join(tmpdir(), "portico-first-"));
	folders.push(folder);
	return folder;
};

const plugins = [{ use: "tokens" }, { use: "chat-completions" }, { use: "demo" }, { use: "router" }];

const knows = async (url: string, key: string | undefined): Promise<boolean> =>
	(await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status === 200;

test("a port that is taken burns no token: the next start shows one, where there is no terminal too", async () => {
	const folder = newFolder();
	const config = join(folder, "portico.yaml");
	const taken = createServer();
	await new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening));
	const address = taken.address();
	const port = typeof address === "object" && address ? address.port : 0;
	const database = { url: "file:data/portico.db" };
	writeFileSync(config, JSON.stringify({ server: { port }, database, plugins }));
	const failed = await runCommand(folder, ["serve", "--config", config]);
	taken.close();
	expect({ code: failed.code, output: failed.output }).toEqual({ code: 1, output: "" });
	const lines = failed.errors.trimEnd().split("\n");
	expect(lines[0]).toContain("made the tables of a new database");
	expect(lines.at(-1)).toContain("cannot be listened on");

	writeFileSync(config, JSON.stringify({ server: { port: 0 }, database, plugins }));
	const first = await startProcess(folder, config);
	const { key } = first;
	expect(first.output()).toContain(`  admin token   in ${join(folder, "data/admin-token")}\n`);
	expect(key).toMatch(/^sk-\w{49}$/);
	expect(await knows(first.address, key)).toBe(true);
	await first.end("SIGTERM");

	const second = await startProcess(folder, config);
	expect(second.output()).not.toContain("sk-");
	expect(await knows(second.address, key)).toBe(true);
	await second.end("SIGTERM");
}, 30_000);

test("a start that is given its admin token names the variable, and so do commands that are not given it", async () => {
	const folder = newFolder();
	const config = join(folder, "portico.yaml");
	writeFileSync(config, JSON.stringify({ server: { port: 0 }, plugins }));
	const given = { PORTICO_ADMIN_TOKEN: "admin-token-of-the-greeting-0123456789" };
	const { output, end } = await startProcess(folder, config, given);
	expect(output()).toContain("  admin token   in PORTICO_ADMIN_TOKEN\n");
	const list = ["token", "list", "--config", config];
	const without = await runCommand(folder, list, { PORTICO_ADMIN_TOKEN: "" });
	expect(without).toMatchObject({ code: 1, errors: expect.stringContaining("give this command the same") });
	expect(existsSync(join(folder, "data/admin-token"))).toBe(false);
	expect(await runCommand(folder, list, given)).toMatchObject({ code: 0 });
	await end("SIGTERM");
}, 30_000);

test("a first token whose key was never shown gets another, which is shown", async () => {
	const folder = newFolder();
	const start = (): Promise<TestGateway> =>
		startGateway({ folder, plugins: ["tokens", "chat-completions", "demo", "router"] });
	const first = await start();
	// As a process leaves it that ends between the making and the greeting.
	await first.store.write([sql`UPDATE tokens SET unshown_by = 'node_test'`]);
	await first.stop();

	const second = await start();
	expect(second.key).toMatch(/^sk-/);
	expect([await knows(second.url, second.key), await knows(second.url, first.key)]).toEqual([true, false]);
	expect(await second.admin("GET", "/admin/tokens")).toMatchObject({ data: [{ name: "first token" }] });
	await second.stop();

	const third = await start();
	expect(third.key).toBe("");
	expect(await knows(third.url, second.key)).toBe(true);
	await third.store.write([sql`UPDATE tokens SET unshown_by = 'another_node'`]);
	await third.stop();

	const fourth = await start();
	expect([fourth.key, await knows(fourth.url, second.key)]).toEqual(["", true]);
	await fourth.stop();
}, 30_000);
