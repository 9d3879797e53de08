/** People on two nodes that share a database server: a session holds on each, and a ceiling holds over both together. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asList, asRecord } from "#core";
import type { TestGateway } from "#core/testing";
import { type Browser, createBrowser, joined, peoplePlugins, startPeopleWorld } from "../support/people-world.ts";
import { type SharedDatabase, startSharedDatabase } from "../support/shared-database.ts";

let folder: string;
let server: SharedDatabase;
const nodes: TestGateway[] = [];

const nodeAt = (index: number): TestGateway => {
	const node = nodes[index % nodes.length];
	if (!node) throw new Error("no node runs");
	return node;
};

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-people-nodes-"));
	server = await startSharedDatabase(folder);
	const priced = { use: "prices", with: { models: { demo: { input: 1_000, output: 1_000 } } } };
	const plugins = peoplePlugins.map((plugin) => (plugin === "prices" ? priced : plugin));
	for (let index = 0; index < 2; index++)
		nodes.push(await startPeopleWorld({ plugins, config: { database: { url: server.url } } }));
}, 30_000);
afterAll(async () => {
	for (const node of nodes) await node.stop();
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

/** The same person at another node: a balancer sends them there. */
const at = (node: TestGateway, { cookie }: Browser): Browser => Object.assign(createBrowser(node.url), { cookie });

describe("a session", () => {
	test("that began on one node holds on the other, and ends on both", async () => {
		const here = await joined(nodeAt(0), "Walker");
		const there = at(nodeAt(1), here);
		expect((await there.ask("GET", "/v1/session")).body).toMatchObject({ signedIn: true, name: "Walker" });
		expect((await there.ask("POST", "/admin/tokens", { name: "made there" })).status).toBe(201);
		expect(asList((await here.ask("GET", "/admin/tokens")).body["data"])).toHaveLength(1);
		await there.ask("DELETE", "/v1/session");
		expect((await here.ask("GET", "/admin/tokens")).status).toBe(401);
	});
});

describe("two persons with a ceiling each, and five tokens each", () => {
	test("overspend neither, however many call at once on whichever node", async () => {
		const ceilings = { Ada: 0.5, Bob: 0.3 };
		const people = await Promise.all(
			Object.entries(ceilings).map(async ([name, ceiling]) => await joined(nodeAt(0), name, { ceiling })),
		);
		const keys = await Promise.all(
			Array.from({ length: 10 }, async (_, index) => {
				const answer = await people[index % 2]?.ask("POST", "/admin/tokens", { name: `t${index}` });
				return String(answer?.body["key"]);
			}),
		);
		const statuses = new Map<number, number>();
		const speak = async (node: TestGateway, key: string): Promise<void> => {
			const body = { model: "demo", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] };
			const answer = await node.ask("/v1/chat/completions", body, { headers: { authorization: `Bearer ${key}` } });
			await answer.text();
			statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
		};
		for (let round = 0; round < 4; round++)
			await Promise.all(keys.flatMap((key, index) => [0, 1, 2].map((shift) => speak(nodeAt(index + shift), key))));
		expect([...statuses.keys()].sort()).toEqual([200, 429]);
		for (const node of nodes) await node.admin("GET", "/admin/usage");
		const rows = asList((await nodeAt(0).admin("GET", "/admin/people"))["data"]).map(asRecord);
		const sums = asList((await nodeAt(1).admin("GET", "/admin/usage?by=owner"))["data"]).map(asRecord);
		for (const [index, [name, ceiling]] of Object.entries(ceilings).entries()) {
			const used = Number(rows.find((row) => row["name"] === name)?.["used"]);
			expect(used).toBeGreaterThan(ceiling / 2);
			expect(used).toBeLessThanOrEqual(ceiling);
			expect(Number(sums.find(({ owner }) => owner === people[index]?.id)?.["cost"])).toBeCloseTo(used, 9);
		}
	}, 30_000);
});
