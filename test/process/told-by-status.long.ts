/** What happens to files under a running server is told by `portico status`: a certificate that does not fit, a database that is removed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeCertificate } from "../support/own-certificate.ts";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";
import { startSqlServer } from "../support/sql-server.ts";
import { freePort } from "../support/sqld.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-told-"));
});
afterEach(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

const configure = (server: object, url = "file:data/portico.db", more: readonly object[] = []): void => {
	const plugins = [{ use: "tokens" }, { use: "people" }, ...more];
	const database = { url };
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ server: { port: 0, ...server }, database, plugins }));
};

const status = async (): Promise<string> => (await runCommand(folder, ["status"])).output;

test("a certificate that cannot be used: told while it lies there, and a reload is refused for it", async () => {
	for (const name of ["own", "second"]) writeCertificate(folder, name);
	copyFileSync(join(folder, "own.key"), join(folder, "first.key"));
	configure({ tls: { cert: "own.crt", key: "own.key" } });
	const portico = await startProcess(folder, undefined);
	expect(await status()).toContain("The server is well");

	copyFileSync(join(folder, "second.key"), join(folder, "own.key"));
	await portico.says(/the new certificate cannot be used/);
	expect(await status()).toMatch(/^certificate: .*is not the key of.*still shown\.\n {2}since 20.*\n {2}what to do: /);
	const told = "not well: troubles of the server 1, upstreams that fail 0";
	expect(await runCommand(folder, ["status"])).toMatchObject({ code: 1, errors: expect.stringContaining(told) });
	void portico.end("SIGHUP");
	await portico.says(/"complaint":"server\.tls cannot be used: [^"]* is not the key of/);

	copyFileSync(join(folder, "first.key"), join(folder, "own.key"));
	void portico.end("SIGHUP");
	await portico.says(/"reloaded"/);
	// The files are looked at once a second.
	while ((await status()).includes("certificate: "));
	expect(await status()).toContain("The server is well");
	expect(await portico.end("SIGTERM")).toBe(0);
}, 60_000);

test("a database file that is moved away: told within seconds, and it goes on once it is back", async () => {
	configure({});
	const portico = await startProcess(folder, undefined);
	const [file, away] = [join(folder, "data", "portico.db"), join(folder, "away.db")];
	renameSync(file, away);
	await portico.says(/the database file was removed or replaced while it is open/);
	expect(await status()).toMatch(/^database: The database file was removed or replaced[\s\S]*what to do: Put back/);
	expect((await fetch(`${portico.address}/readyz`)).status).toBe(503);
	expect(await runCommand(folder, ["token", "create", "--name", "lost"])).toMatchObject({ code: 1 });
	expect(await runCommand(folder, ["reload"])).toMatchObject({ code: 1 });
	// Nothing is wrong with the file.
	expect(await status()).toMatch(
		/\nconfig: The config file was to be read anew while the database did not work[^\n]*\n.*\n {2}what to do: Once the database works again, reload\.\n/,
	);
	renameSync(away, file);
	await portico.says(/the database file is back in its place/);
	expect(await runCommand(folder, ["reload"])).toMatchObject({ code: 0 });
	expect(await status()).toContain("The server is well");
	expect(await runCommand(folder, ["token", "create", "--name", "kept"])).toMatchObject({ code: 0 });
	expect(await portico.end("SIGTERM")).toBe(0);
}, 60_000);

test("a data folder that is moved away takes the lock along: the server is found by its address, and told of", async () => {
	const port = await freePort();
	configure({ port });
	const portico = await startProcess(folder, undefined);
	renameSync(join(folder, "data"), join(folder, "away"));
	await portico.says(/the database file was removed or replaced/);
	const { code, errors } = await runCommand(folder, ["status"]);
	expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining("put back the very folder") });
	expect(errors).toContain(`the server at ${portico.address} is without its database`);
	renameSync(join(folder, "away"), join(folder, "data"));
	await portico.says(/the database file is back in its place/);
	expect(await status()).toContain("The server is well");

	const other = join(folder, "other.yaml");
	writeFileSync(other, JSON.stringify({ server: { port }, database: { url: "file:none.db" }, plugins: [] }));
	expect(await runCommand(folder, ["token", "list", "--config", other])).toMatchObject({ code: 1 });
	expect((await runCommand(folder, ["status", "--config", other])).errors).toContain(
		`and a server runs at ${portico.address}: name its config with --config FILE, or put its data folder back`,
	);
	expect(await portico.end("SIGTERM")).toBe(0);
}, 60_000);

test("a stop while the database is away says once that charges wait, and the next start writes them", async () => {
	const prices = { use: "prices", with: { models: { demo: { input: 1, output: 10 } } } };
	const router = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
	const others = ["quota", "ledger", "chat-completions", "demo"].map((use) => ({ use }));
	configure({}, undefined, [prices, ...others, router]);
	const portico = await startProcess(folder, undefined);
	const { output } = await runCommand(folder, ["token", "create", "--name", "spender", "--quota", "1", "--json"]);
	const ask = async (): Promise<number> => {
		const body = JSON.stringify({ model: "demo", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] });
		const headers = { authorization: `Bearer ${JSON.parse(output).key}`, "content-type": "application/json" };
		return (await fetch(`${portico.address}/v1/chat/completions`, { method: "POST", headers, body })).status;
	};
	expect(await ask()).toBe(200);
	renameSync(join(folder, "data"), join(folder, "away"));
	await portico.says(/the database file was removed or replaced/);
	expect(await ask()).toBe(200);
	expect(await portico.end("SIGTERM")).toBe(0);
	expect(portico.output().match(/charges could not be written before the stop/g)).toHaveLength(1);
	renameSync(join(folder, "away"), join(folder, "data"));
	const again = await startProcess(folder, undefined);
	expect((await runCommand(folder, ["calls", "--json"])).output.match(/"id":"req_/g)).toHaveLength(2);
	expect(await again.end("SIGTERM")).toBe(0);
}, 60_000);

test("a config file that there is not is no other's: its folder's server is asked only where it was started with that one", async () => {
	configure({});
	const file = join(folder, "portico.yaml");
	const portico = await startProcess(folder, undefined);
	const mistyped = await runCommand(folder, ["token", "create", "--name", "misled", "--config", "protico.yaml"]);
	expect([mistyped.code, mistyped.output]).toEqual([1, ""]);
	expect(mistyped.errors).toContain("protico.yaml: there is no such file");
	expect(mistyped.errors).toEndWith(`that server runs on ${file}: name that file with --config, or the one you mean\n`);
	renameSync(file, `${file}.away`);
	for (const words of [[], ["--config", file]]) {
		const { code, output } = await runCommand(folder, ["token", "list", ...words]);
		expect([code, output.includes("misled")]).toEqual([0, false]);
	}
	expect(await portico.end("SIGTERM")).toBe(0);
}, 60_000);

test.each(["a file", "a server"])(
	"where the database is %s, the node that runs is asked, and where none runs that is told",
	async (kind) => {
		const database = kind === "a server" ? startSqlServer(join(folder, "shared.db")) : undefined;
		configure({ dataFolder: join(folder, "node") }, database?.url);
		const portico = await startProcess(folder, undefined);
		const asked = `asking the server at ${portico.address}`;
		expect(await runCommand(folder, ["status"])).toMatchObject({ code: 0, errors: expect.stringContaining(asked) });
		expect(await runCommand(folder, ["token", "list"])).toMatchObject({
			code: 0,
			errors: expect.stringContaining(asked),
		});
		expect(await portico.end("SIGTERM")).toBe(0);
		expect(await runCommand(folder, ["status"])).toMatchObject({
			code: 1,
			output: "",
			errors: expect.stringContaining("no server runs with this config"),
		});
		expect(await runCommand(folder, ["token", "list"])).toMatchObject({ code: 0 });
		await database?.close();
	},
	60_000,
);
