/** Budgets through the front door: what a window lets through, what is told of it, and what the clock does to it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { jobs } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { createMovedClock, type MovedClock, until } from "../support/moved-clock.ts";
import { pricedPlugins } from "../support/priced-plugins.ts";
import { printedBy } from "../support/printed.ts";

interface Shown {
	readonly budgets: readonly {
		readonly per: string;
		readonly amount: number;
		readonly used: number;
		readonly remaining: number;
		readonly resetsAt: string;
	}[];
}

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let clock: MovedClock;

/** Each answer costs 10 * 1 + 99 * 10 = 1000 micro-dollars. */
const answered = (): Response => Response.json(chatAnswer());

beforeAll(async () => {
	upstream = startUpstream(answered);
	clock = createMovedClock(Date.parse("2028-02-29T12:00:00Z"));
	gateway = await startGateway({
		clock,
		plugins: pricedPlugins(upstream.url),
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});
beforeEach(() => {
	upstream.received.length = 0;
	upstream.answer(answered);
});

const to = (instant: string): void => clock.jump(Date.parse(instant) - clock.now());
const ask = (key: string): Promise<Response> =>
	gateway.ask(
		"/v1/chat/completions",
		{ model: "priced", max_tokens: 99, messages: [{ role: "user", content: "Hello" }] },
		{ headers: { authorization: `Bearer ${key}` } },
	);
const shown = async (key: string): Promise<Shown["budgets"]> => {
	const response = await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
	return ((await response.json()) as Shown).budgets;
};
const statuses = async (key: string, count: number): Promise<number[]> => {
	const found: number[] = [];
	for (let call = 0; call < count; call++) found.push((await ask(key)).status);
	return found;
};

describe("a budget", () => {
	test("lets through what the day has, says when it resets, and begins anew with the next day", async () => {
		to("2028-02-29T12:00:00Z");
		const { key } = await gateway.token({ budgets: [{ amount: 0.0021, per: "day" }] });
		expect(await statuses(key, 3)).toEqual([200, 200, 429]);
		const refused = await ask(key);
		const { error } = (await refused.json()) as { error: { message: string; resetsAt: string; code: string } };
		expect(error).toMatchObject({ code: "insufficient_quota", resetsAt: "2028-03-01T00:00:00.000Z" });
		expect(error.message).toContain("2028-03-01T00:00:00.000Z");
		expect(await shown(key)).toMatchObject([
			{ per: "day", amount: 0.0021, used: 0.002, remaining: 0.0001, resetsAt: "2028-03-01T00:00:00.000Z" },
		]);
		to("2028-03-01T00:00:00Z");
		expect((await ask(key)).status).toBe(200);
		expect(await shown(key)).toMatchObject([{ used: 0.001, remaining: 0.0011, resetsAt: "2028-03-02T00:00:00.000Z" }]);
	});

	test("is held beside others: the month refuses though the day would not, and neither is charged", async () => {
		to("2028-06-10T12:00:00Z");
		const { key } = await gateway.token({
			budgets: [
				{ amount: 0.0011, per: "month", zone: "America/New_York" },
				{ amount: 1, per: "day" },
			],
		});
		expect(await statuses(key, 2)).toEqual([200, 429]);
		expect(await shown(key)).toMatchObject([
			{ used: 0.001, resetsAt: "2028-07-01T04:00:00.000Z" },
			{ used: 0.001, remaining: 0.999 },
		]);
		expect(upstream.received.length).toBe(1);
	});

	test("is charged in the window in which its call was let in, whenever that ends", async () => {
		to("2028-07-01T23:59:59Z");
		const gate = Promise.withResolvers<void>();
		upstream.answer(async () => {
			await gate.promise;
			return answered();
		});
		const { key } = await gateway.token({ budgets: [{ amount: 0.0015, per: "day" }] });
		const late = ask(key);
		await until(() => upstream.received.length > 0, "the call", 60_000);
		to("2028-07-02T00:00:01Z");
		gate.resolve();
		expect((await late).status).toBe(200);
		expect(await shown(key)).toMatchObject([{ used: 0, remaining: 0.0015 }]);
		to("2028-07-01T23:59:59Z");
		expect(await shown(key)).toMatchObject([{ used: 0.001 }]);
	});

	test("is granted once, though the clock is set back", async () => {
		to("2028-08-01T12:00:00Z");
		const { key } = await gateway.token({ budgets: [{ amount: 0.001, per: "day" }] });
		expect(await statuses(key, 2)).toEqual([200, 429]);
		to("2028-08-02T12:00:00Z");
		expect(await statuses(key, 2)).toEqual([200, 429]);
		to("2028-08-01T18:00:00Z");
		expect(await statuses(key, 1)).toEqual([429]);
	});

	test("is never overspent by calls at once", async () => {
		to("2028-09-01T12:00:00Z");
		const { key } = await gateway.token({ budgets: [{ amount: 0.0053, per: "week" }] });
		const all = await Promise.all(Array.from({ length: 40 }, () => ask(key)));
		expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(5);
		expect(all.every(({ status }) => status === 200 || status === 429)).toBe(true);
		const [week] = await shown(key);
		expect(week?.used).toBeCloseTo(all.filter(({ status }) => status === 200).length / 1000, 9);
		expect(week?.used).toBeLessThanOrEqual(0.0053);
	});

	test("is raised at once, and by a boost until the window ends", async () => {
		to("2028-10-01T12:00:00Z");
		const { id, key } = await gateway.token({ budgets: [{ amount: 0.001, per: "day" }] });
		expect(await statuses(key, 2)).toEqual([200, 429]);
		const boost = { amount: 0.001, until: "2028-10-02T00:00:00Z" };
		await gateway.admin("PATCH", `/admin/tokens/${id}`, { budgets: [{ amount: 0.001, per: "day", boost }] });
		expect(await statuses(key, 2)).toEqual([200, 429]);
		to("2028-10-02T00:00:00Z");
		expect(await statuses(key, 2)).toEqual([200, 429]);
		await gateway.admin("PATCH", `/admin/tokens/${id}`, { budgets: [{ amount: 0.002, per: "day" }] });
		expect(await statuses(key, 2)).toEqual([200, 429]);
		await gateway.admin("PATCH", `/admin/tokens/${id}`, { budgets: null });
		expect(await statuses(key, 1)).toEqual([200]);
	});

	test.each([
		[[{ amount: 1, per: "year" }]],
		[[{ amount: -1, per: "day" }]],
		[[{ amount: 1, per: "day", zone: "Mars/Olympus" }]],
		[
			[
				{ amount: 1, per: "day" },
				{ amount: 2, per: "day" },
			],
		],
		[[{ amount: 1, per: "day", boost: { amount: 1, until: "soon" } }]],
	])("that makes no sense is refused: %j", async (budgets) => {
		await expect(gateway.admin("POST", "/admin/tokens", { name: "x", budgets })).rejects.toThrow("answered 400");
	});
});

test("windows that ended long ago are forgotten, those that still count are not", async () => {
	const { id, key } = await gateway.token({ budgets: [{ amount: 5, per: "day" }] });
	const now = Date.now();
	const windows = async (): Promise<number[]> => {
		const like = `budget:${id}/%`;
		const rows = await gateway.store.all(
			sql`SELECT ends_at FROM quota_accounts WHERE token LIKE ${like} ORDER BY ends_at`,
		);
		return rows.map((row) => Math.round((now - Number(row["ends_at"])) / 86_400_000));
	};
	for (const daysAgo of [90, 70, 30, 0]) {
		clock.jump(now - daysAgo * 86_400_000 - clock.now());
		expect((await ask(key)).status).toBe(200);
	}
	// Slices that no call needs any more are given back.
	clock.advance(3_000);
	await gateway.admin("GET", "/admin/usage");
	const prune = gateway.portico.generation?.all(jobs).find(({ name }) => name === "quota: old leases and windows");
	const before = await windows();
	expect(before.filter((days) => days > 60)).toHaveLength(2);
	clock.jump(-40 * 86_400_000);
	await prune?.run(new AbortController().signal);
	expect(await windows()).toEqual(before);
	clock.jump(40 * 86_400_000);
	await prune?.run(new AbortController().signal);
	expect(await windows()).toEqual(before.filter((days) => days < 60));
	expect(await shown(key)).toMatchObject([{ used: 0.001 }]);
});

test("the list of tokens on the command line says what is left", async () => {
	to("2028-11-01T12:00:00Z");
	const { key } = await gateway.token({ name: "listed", budgets: [{ amount: 5, per: "day" }] });
	expect((await ask(key)).status).toBe(200);
	const lines = (await printedBy(gateway, "token", "list")).split("\n");
	expect(lines.find((line) => line.startsWith("listed"))).toMatch(/ \$5\.00\/day: \$4\.999 left .* \$0\.001 /);
});
