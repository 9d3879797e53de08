/** Lists of tokens and persons ask for what they have used in few questions, and get what is true. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { startGateway, type TestGateway } from "#core/testing";
import { Balances } from "./balances.ts";

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({ plugins: ["tokens", "prices", "quota", "people"] });
	await gateway.store.write([
		sql`INSERT INTO quota_accounts (token, quota, used, leased)
			WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1199)
			SELECT 'account ' || i, iif(i % 2, 5000000, NULL), i, 0 FROM n`,
	]);
});
afterAll(() => gateway.stop());

test("twelve hundred accounts that are asked for in one turn are three questions, each after one flush", async () => {
	let [questions, flushes] = [0, 0];
	const balances = new Balances({
		store: {
			...gateway.store,
			all: (query) => {
				questions++;
				return gateway.store.all(query);
			},
		},
		flush: async () => void flushes++,
	});
	const names = Array.from({ length: 1200 }, (_, index) => `account ${index}`);
	const found = await Promise.all([...names, "nobody's"].map((name) => balances.of(name)));
	expect([questions, flushes]).toEqual([3, 1]);
	expect(found.map(({ used }) => used)).toEqual([...names.keys(), 0]);
	expect(found.slice(0, 3).map(({ quota }) => quota)).toEqual([undefined, 5_000_000, undefined]);
	// Later ones are asked anew.
	await gateway.store.write([sql`UPDATE quota_accounts SET used = 77 WHERE token = 'account 3'`]);
	expect(await balances.of("account 3")).toEqual({ used: 77, quota: 5_000_000 });
	expect([questions, flushes]).toEqual([4, 2]);
});

test("a database that fails says so to everybody who asked, and not to those who ask later", async () => {
	let broken = true;
	const balances = new Balances({
		store: {
			...gateway.store,
			all: (query) => (broken ? Promise.reject(new Error("away")) : gateway.store.all(query)),
		},
		flush: async () => {},
	});
	const asked = await Promise.allSettled(["account 1", "account 2"].map((name) => balances.of(name)));
	expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
	broken = false;
	expect((await balances.of("account 1")).used).toBe(1);
});
