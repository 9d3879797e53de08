/** However clients behave, an upstream never bills a token more than its quota, nor more than the token is charged. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sized } from "../attacks/sized.ts";
import { startSharedDatabase } from "../support/shared-database.ts";
import { type Bills, liveOf, startBilling, startNode } from "./hostile.ts";
import { randomFrom } from "./random.ts";

const folder = mkdtempSync(join(tmpdir(), "portico-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Micro-dollars; some hostile clients use theirs up. */
const quota = 400_000;

interface Account {
	readonly mark: string;
	readonly used: number;
	readonly billed: number;
}

/** What is wrong with the books of one token. */
const wrongWith = ({ mark, used, billed }: Account): string[] => [
	...(billed === 0 ? [`${mark} was never billed`] : []),
	...(billed > quota ? [`${mark} was billed ${billed} of ${quota}`] : []),
	...(used < billed ? [`${mark} was charged ${used} and billed ${billed}`] : []),
	...(mark.startsWith("honest") && used !== billed
		? [`${mark} is honest, was charged ${used} and billed ${billed}`]
		: []),
];

const startNodes = async (count: number, upstream: string, database: string | undefined) => {
	const gateways = [await startNode(database, upstream)] as const;
	const others = [];
	for (let index = 1; index < count; index++) others.push(await startNode(database, upstream));
	return [...gateways, ...others] as const;
};

describe.each([1, 3])("on %d node(s)", (count) => {
	test("billed is within the quota and within what is charged, and equal for the honest", async () => {
		const seed = Math.floor(Math.random() * 2 ** 31);
		console.info(`seed ${seed}`);
		const random = randomFrom(seed);
		const bills: Bills = new Map();
		const upstream = startBilling(bills, random);
		const server = count > 1 ? await startSharedDatabase(folder) : undefined;
		const gateways = await startNodes(count, upstream.url, server?.url);
		try {
			const [issuing] = gateways;
			const people = [];
			for (const mark of ["honest1", "honest2", "hostile1", "hostile2", "hostile3", "hostile4"])
				people.push({ mark, ...(await issuing.token({ quota: quota / 1e6 })) });
			const clients = { gateways, random, until: performance.now() + sized(6_000, 60_000) };
			const callers = people.flatMap((one) => Array.from({ length: 3 }, () => one));
			await Promise.all(callers.map(({ mark, key }) => liveOf(clients, key, mark, mark.startsWith("hostile"))));
			// Counts that come last are waited for, and charges are written behind.
			await new Promise((resolve) => setTimeout(resolve, 7_000));
			const wrong: string[] = [];
			for (const { mark, key } of people) {
				const me = await issuing.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
				const used = Math.round(((await me.json()) as { used: number }).used * 1e6);
				wrong.push(...wrongWith({ mark, used, billed: bills.get(mark) ?? 0 }));
			}
			expect(wrong).toEqual([]);
		} finally {
			for (const gateway of gateways) await gateway.stop();
			await upstream.stop();
			await server?.close();
		}
	}, 300_000);
});
