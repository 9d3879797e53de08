/**
 * Budgets under trouble, on one node and on three: calls at once, upstreams that fail, clients that leave, and a clock that
 * crosses midnight, a week's end and goes back. No window is overspent, and every sum of the same money is the same.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { asList, asNumber, asRecord, asText, type Clock } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { chatAnswer, chatStream } from "../support/chat-answers.ts";
import { randomNumbers } from "../support/chunkings.ts";
import { until } from "../support/moved-clock.ts";
import { joined } from "../support/people-world.ts";
import { pricedPlugins } from "../support/priced-plugins.ts";
import { startSharedDatabase } from "../support/shared-database.ts";

/** The wall shows another time than the machine's; timers and durations are the machine's own. */
let shownAhead = 0;
const clock: Clock = {
	now: () => Date.now() + shownAhead,
	monotonic: () => performance.now(),
	after(milliseconds, action) {
		const timer = setTimeout(action, milliseconds);
		return () => clearTimeout(timer);
	},
};
const showTime = (instant: string): void => {
	shownAhead = Date.parse(instant) - Date.now();
};

interface World {
	readonly nodes: readonly TestGateway[];
	readonly upstream: ScriptedUpstream;
	stop(): Promise<void>;
}

const startWorld = async (count: number, random: () => number): Promise<World> => {
	const folder = mkdtempSync(join(tmpdir(), "portico-budgets-"));
	const shared = () => startSharedDatabase(folder);
	const server = count > 1 ? await shared() : undefined;
	const upstream = startUpstream(async ({ json }) => {
		await new Promise((resolve) => setTimeout(resolve, random() * 20));
		const { stream, max_tokens: most } = asRecord(json);
		if (random() < 0.15) return Response.json({ error: { message: "down" } }, { status: 500 });
		const output = Math.ceil(random() * Math.min(99, asNumber(most) ?? 99));
		const counts = { input: 10, output };
		if (stream !== true) return Response.json(chatAnswer("x", counts));
		return streamOf(chatStream([{ content: "x" }], "stop", counts));
	});
	const nodes: TestGateway[] = [];
	for (let index = 0; index < count; index++)
		nodes.push(
			await startGateway({
				clock,
				...(server && { config: { database: { url: server.url } } }),
				plugins: [...pricedPlugins(upstream.url), "people"],
			}),
		);
	return {
		nodes,
		upstream,
		async stop() {
			for (const node of nodes) await node.stop();
			await upstream.stop();
			await server?.close();
			rmSync(folder, { recursive: true, force: true });
		},
	};
};

let world: World | undefined;
afterEach(async () => {
	await world?.stop();
	world = undefined;
	shownAhead = 0;
});

/** One call, whole or streamed, whose client may leave. Gives its status; 0 where the client left. */
const call = async (node: TestGateway, key: string, random: () => number): Promise<number> => {
	const leaves = random() < 0.15;
	const signal = leaves ? AbortSignal.timeout(Math.ceil(random() * 15)) : undefined;
	const stream = random() < 0.5;
	const body = { model: "priced", stream, max_tokens: 99, messages: [{ role: "user", content: "Hello" }] };
	try {
		const response = await node.ask("/v1/chat/completions", body, {
			headers: { authorization: `Bearer ${key}` },
			...(signal && { signal }),
		});
		await response.text();
		return response.status;
	} catch {
		return 0;
	}
};

/** A person with budgets, and two tokens of theirs that have none. */
const household = async (node: TestGateway, limits: Readonly<Record<string, number>>) => {
	const budgets = Object.entries(limits).map(([per, amount]) => ({ per, amount }));
	const ada = await joined(node, "Ada", { budgets });
	const keys: string[] = [];
	for (const name of ["one", "two"]) keys.push((await node.token({ name, owner: ada.id })).key);
	return { id: ada.id, keys };
};

const column = async (node: TestGateway, query: ReturnType<typeof sql>) =>
	(await node.store.all(query)).map((row) => asNumber(row["n"]) ?? 0);

/** No window of the person's is overspent, and windows, the person's account, their tokens' and the rows are the same money. */
const expectSame = async (
	node: TestGateway,
	person: string,
	limits: Readonly<Record<string, number>>,
): Promise<void> => {
	const [charged = 0] = await column(
		node,
		sql`SELECT used AS n FROM quota_accounts WHERE token = ${`person:${person}`}`,
	);
	expect(charged).toBeGreaterThan(10_000);
	for (const [per, limit] of Object.entries(limits)) {
		const windows = await column(
			node,
			sql`SELECT used AS n FROM quota_accounts WHERE token LIKE ${`budget:person:${person}/${per}/%`}`,
		);
		expect(windows.length).toBeGreaterThan(1);
		expect([per, windows.filter((used) => used > Math.round(limit * 1e6))]).toEqual([per, []]);
		expect([per, windows.reduce((sum, used) => sum + used, 0)]).toEqual([per, charged]);
	}
	const own = sql`(SELECT id FROM tokens WHERE owner = ${person})`;
	expect(await column(node, sql`SELECT sum(used) AS n FROM quota_accounts WHERE token IN ${own}`)).toEqual([charged]);
	expect(await column(node, sql`SELECT sum(cost) AS n FROM ledger WHERE token IN ${own}`)).toEqual([charged]);
};

describe.each([1, 3])("on %p nodes", (count) => {
	test("no window is overspent, and days, rows and charges are the same money", async () => {
		const random = randomNumbers(count * 7919);
		world = await startWorld(count, random);
		const [first] = world.nodes;
		if (!first) throw new Error("there is no node");
		showTime("2028-02-26T23:59:57Z");
		const limits = { day: 0.02, week: 0.045, month: 0.09 };
		const { id, key } = await first.token({
			name: "chaos",
			quota: 0.2,
			budgets: Object.entries(limits).map(([per, amount]) => ({ per, amount, zone: "Europe/Berlin" })),
		});
		const shared = { day: 0.015, week: 0.04 };
		const ada = await household(first, shared);
		const statuses: number[] = [];
		const persons: number[] = [];
		// A Saturday's midnight, a week's end, the leap day, the month's end; back into a day that is spent, and on.
		const times = ["2028-02-27T22:59:59Z", "2028-02-28T12:00:00Z", "2028-02-29T12:00:00Z", "2028-02-29T23:00:00Z"];
		for (const time of [...times, "2028-02-28T12:00:00Z", "2028-03-01T12:00:00Z"]) {
			const calls = Array.from({ length: 36 }, (_, index) => {
				const node = world?.nodes[index % count] ?? first;
				return call(node, key, random);
			});
			const hers = Array.from({ length: 24 }, (_, index) =>
				call(world?.nodes[index % count] ?? first, ada.keys[index % 2] ?? "", random),
			);
			await new Promise((resolve) => setTimeout(resolve, 15));
			showTime(time);
			statuses.push(...(await Promise.all(calls)));
			persons.push(...(await Promise.all(hers)));
			// What these calls held is free again once the database has heard of them: asked for usage, nodes tell it first.
			for (const node of world.nodes) await node.admin("GET", "/admin/usage");
		}
		expect(new Set(statuses).has(200)).toBe(true);
		expect(new Set(statuses).has(429)).toBe(true);
		expect([persons.includes(200), persons.includes(429)]).toEqual([true, true]);
		expect([...statuses, ...persons].filter((status) => ![0, 200, 429, 500, 502, 503].includes(status))).toEqual([]);

		// All that is charged is in the database once no call runs any more, on any node.
		const { nodes } = world;
		await until(() => nodes.every(({ portico }) => portico.openCalls() === 0), "the end of all calls", 60_000);
		await until(
			async () => {
				for (const node of nodes) await node.admin("GET", "/admin/usage");
				const [rows = 0] = await column(first, sql`SELECT count(*) AS n FROM ledger WHERE status = 200`);
				const [cost] = await column(first, sql`SELECT sum(cost) AS n FROM ledger`);
				const [used] = await column(
					first,
					sql`SELECT sum(used) AS n FROM quota_accounts WHERE token = ${id} OR token = ${`person:${ada.id}`}`,
				);
				return rows >= [...statuses, ...persons].filter((status) => status === 200).length && used === cost;
			},
			"all that was charged",
			60_000,
		);
		await expectSame(first, ada.id, shared);
		const windows = await first.store.all(
			sql`SELECT token, quota, used, leased FROM quota_accounts WHERE token LIKE 'budget:tok%'`,
		);
		expect(windows.length).toBeGreaterThan(6);
		for (const window of windows) {
			const [, per = ""] = (asText(window["token"]) ?? "").split("/");
			expect(asNumber(window["quota"])).toBe(Math.round(limits[per as keyof typeof limits] * 1e6));
			expect([per, (asNumber(window["used"]) ?? 0) <= (asNumber(window["quota"]) ?? 0)]).toEqual([per, true]);
		}
		const [charged = 0] = await column(first, sql`SELECT used AS n FROM quota_accounts WHERE token = ${id}`);
		expect(charged).toBeGreaterThan(20_000);
		for (const per of Object.keys(limits))
			expect([
				per,
				...(await column(
					first,
					sql`SELECT sum(used) AS n FROM quota_accounts WHERE token LIKE ${`budget:${id}/${per}/%`}`,
				)),
			]).toEqual([per, charged]);
		expect(await column(first, sql`SELECT sum(cost) AS n FROM ledger WHERE token = ${id}`)).toEqual([charged]);
		expect(await column(first, sql`SELECT sum(cost) AS n FROM ledger_days WHERE token = ${id}`)).toEqual([charged]);
		const byRows = await first.store.all(
			sql`SELECT date(at / 1000, 'unixepoch') AS day, sum(coalesce(cost, 0)) AS cost, count(*) AS calls FROM ledger
				WHERE token = ${id} GROUP BY 1 ORDER BY 1`,
		);
		const usage = asList((await first.admin("GET", `/admin/usage?by=day&token=${id}`))["data"]).map(asRecord);
		expect(
			usage
				.map(({ day, cost, calls }) => ({ day, cost: Math.round((asNumber(cost) ?? 0) * 1e6), calls }))
				.toSorted((a, b) => String(a.day).localeCompare(String(b.day))),
		).toEqual(byRows.map(({ day, cost, calls }) => ({ day, cost: asNumber(cost) ?? 0, calls })));
		const shown = await first.admin("GET", `/admin/tokens/${id}`);
		expect(Math.round((asNumber(shown["used"]) ?? 0) * 1e6)).toBe(charged);
	}, 120_000);
});
