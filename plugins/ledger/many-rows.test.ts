/** A ledger of more rows than are summed or removed at a time. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { startGateway, type TestGateway } from "#core/testing";
import { sumRows } from "./sums.ts";
import { pruneRows } from "./tables.ts";

let gateway: TestGateway;

/** Twelve thousand rows, one a second, the last six thousand all of one time. */
beforeAll(async () => {
	gateway = await startGateway({ plugins: ["tokens", "ledger"] });
	await gateway.store.write([
		sql`INSERT INTO ledger (id, at, token, model, upstream, ending, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, excess, detail)
			WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 11999)
			SELECT 'req_' || i, min(i, 6000) * 1000, 'tok_' || (i % 3), iif(i = 11999, 'rare', 'common'), 'main', 'completed', 2, 0, 3, 0, 1000000, 0, '{}' FROM n`,
	]);
});
afterAll(() => gateway.stop());

const usage = async (query: string) => (await gateway.admin("GET", `/admin/usage?${query}`))["data"];

describe("a long ledger", () => {
	test("is summed whole, piece by piece", async () => {
		expect(await usage("by=")).toMatchObject([
			{ calls: 12_000, completed: 12_000, inputTokens: 24_000, outputTokens: 36_000, cost: 12_000 },
		]);
	});

	test("has each group once, the dearest first", async () => {
		expect(await usage("by=model")).toMatchObject([
			{ model: "common", calls: 11_999 },
			{ model: "rare", calls: 1 },
		]);
		expect(await usage("by=token,day")).toMatchObject(
			["tok_0", "tok_1", "tok_2"].map((token) => ({ token, day: "1970-01-01", calls: 4_000 })),
		);
	});

	test("is kept to one token and a time, wherever a piece ends", async () => {
		expect(await usage("by=&token=tok_1")).toMatchObject([{ calls: 4_000 }]);
		expect(await usage("by=&from=1970-01-01T00:00:01Z&to=1970-01-01T01:40:00Z")).toMatchObject([{ calls: 5_999 }]);
		expect(await usage("by=&from=1970-01-01T01:40:00Z")).toMatchObject([{ calls: 6_000 }]);
	});

	test("lets others have their turn while it is summed", async () => {
		let turns = 0;
		const count = (): void => {
			turns++;
			next = setImmediate(count);
		};
		let next = setImmediate(count);
		// Not whole hours, so that the rows themselves are read.
		await sumRows(gateway.store, { by: [], from: 1, to: 3_599_999, zone: "UTC", only: new Map() });
		await sumRows(gateway.store, { by: [], from: 3_600_001, to: 7_199_999, zone: "UTC", only: new Map() });
		clearImmediate(next);
		expect(turns).toBeGreaterThanOrEqual(3);
	});

	test("is searched for each who asks one time after the other, however often they ask at once", async () => {
		const { store } = gateway;
		const all = store.all.bind(store);
		let [underWay, most] = [0, 0];
		const counted: typeof store.all = async (query) => {
			most = Math.max(most, ++underWay);
			try {
				// As it is on a machine that has other work.
				await new Promise((resolve) => setImmediate(resolve));
				return await all(query);
			} finally {
				underWay--;
			}
		};
		Object.assign(store, { all: counted });
		const search = () => gateway.admin("GET", "/admin/calls?address=192.0.2.1");
		const found = await Promise.all(Array.from({ length: 12 }, search));
		Object.assign(store, { all });
		expect(found.every(({ data }) => (data as readonly unknown[]).length === 0)).toBe(true);
		expect(most).toBe(1);
	});

	test("loses what is older than it is kept for, and nothing else", async () => {
		await pruneRows(gateway.store, 5_500_000, new AbortController().signal);
		const [left] = await gateway.store.all(sql`SELECT count(*) AS calls FROM ledger`);
		expect(left).toEqual({ calls: 6_500 });
		expect(await usage("by=")).toMatchObject([{ calls: 12_000 }]);
	});
});
