/** Several nodes on one database server: what one has claimed no other sends, whoever made it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { startGateway, type TestGateway } from "#core/testing";
import { until } from "../../test/support/moved-clock.ts";
import { type Receiver, startReceiver, status } from "../../test/support/receiver.ts";
import { type SharedDatabase, startSharedDatabase } from "../../test/support/shared-database.ts";

let folder: string;
let server: SharedDatabase;
let hook: Receiver;
let nodes: readonly TestGateway[] = [];
const underWay = new Map<string, number>();
let overlaps = 0;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-nodes-"));
	server = await startSharedDatabase(folder);
	hook = await startReceiver((socket, request, index) => {
		const id = request.headers["x-task-id"] ?? "";
		const running = (underWay.get(id) ?? 0) + 1;
		underWay.set(id, running);
		if (running > 1) overlaps++;
		setTimeout(() => {
			underWay.set(id, (underWay.get(id) ?? 1) - 1);
			status(200)(socket, request, index);
		}, 10);
	});
	const start = (): Promise<TestGateway> =>
		startGateway({
			config: { database: { url: server.url } },
			plugins: [
				"tokens",
				{ use: "webhooks", with: { allowPrivateNetworks: true } },
				"tasks",
				"image",
				{ use: "demo", with: { taskSeconds: 0.2, taskModels: ["midjourney"] } },
			],
		});
	const first = await start();
	nodes = [first, await start(), await start()];
}, 30_000);
afterAll(async () => {
	for (const node of nodes) await node.stop();
	await hook.close();
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

test("three nodes: every change is posted once, one post at a time for each task", async () => {
	const [first] = nodes;
	if (!first) throw new Error("no node");
	const headers = { authorization: `Bearer ${first.key}`, "content-type": "application/json" };
	const count = 60;
	await Promise.all(
		Array.from({ length: count }, async (_, index) => {
			const node = nodes[index % nodes.length] ?? first;
			const body = JSON.stringify({ prompt: `cat ${index}`, notifyHook: `${hook.origin}/x` });
			expect((await fetch(`${node.url}/mj/submit/imagine`, { method: "POST", headers, body })).status).toBe(200);
		}),
	);
	await until(() => hook.received.length >= count * 3, "all callbacks", 20_000);
	// What is delivered is never sent again, so nothing more can come.
	const delivered = async (): Promise<unknown> => {
		const [row] = await first.store.all(
			sql`SELECT count(*) AS deliveries, sum(attempts) AS attempts FROM deliveries WHERE state = 'delivered'`,
		);
		return { ...row };
	};
	const once = { deliveries: count * 3, attempts: count * 3 };
	await until(async () => Bun.deepEquals(await delivered(), once), "every callback delivered at its first attempt");
	expect(hook.received).toHaveLength(count * 3);
	expect(new Set(hook.received.map(({ headers: sent }) => sent["webhook-id"])).size).toBe(count * 3);
	expect(overlaps).toBe(0);
}, 30_000);
