/** Limits that three nodes on one database server keep together, and that a node on a file keeps by itself. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { type SharedDatabase, startSharedDatabase } from "../support/shared-database.ts";

let folder: string;
let server: SharedDatabase;
let upstream: ScriptedUpstream;
const nodes: TestGateway[] = [];
/** Calls at the upstream that wait to be let go. */
let held: (() => void)[] = [];
let holding = false;

const answer = (): Response => {
	const usage = { prompt_tokens: 10, completion_tokens: 90, total_tokens: 100 };
	const choices = [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "stop" }];
	return Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage });
};

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-nodes-"));
	server = await startSharedDatabase(folder);
	upstream = startUpstream(async () => {
		if (holding) await new Promise<void>((resolve) => void held.push(resolve));
		return answer();
	});
	const upstreams = [{ name: "up", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "k" }];
	const names = ["m", "slow"].map((name) => ({ name, targets: [{ upstream: "up", model: "m" }] }));
	for (let index = 0; index < 3; index++)
		nodes.push(
			await startGateway({
				config: { database: { url: server.url } },
				plugins: [
					"tokens",
					"chat-completions",
					{ use: "router", with: { upstreams, models: names } },
					{ use: "rate-limit", with: { models: { slow: { requestsPerMinute: 4 } } } },
				],
			}),
		);
});
afterAll(async () => {
	for (const node of nodes) await node.stop();
	await upstream.stop();
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

const nodeOf = (index: number): TestGateway => nodes[index % nodes.length] as TestGateway;

interface Answer {
	readonly status: number;
	readonly text: string;
	readonly remaining: number;
}

/** By `node:http`: the runtime's own `fetch` has 256 places for the whole process, and the nodes of this test need some. */
const ask = (index: number, key: string, model = "m"): Promise<Answer> =>
	new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const options = { method: "POST", headers, agent: false };
		const call = request(`${nodeOf(index).url}/v1/chat/completions`, options, (response) => {
			let text = "";
			response.on("data", (piece) => {
				text += String(piece);
			});
			response.once("end", () => {
				const remaining = Number(response.headers["x-ratelimit-remaining-requests"]);
				resolve({ status: response.statusCode ?? 0, text, remaining });
			});
		});
		call.once("error", reject);
		call.end(JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }));
	});

const statuses = async (count: number, key: string, model?: string): Promise<Record<number, number>> => {
	const answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(index, key, model)));
	const found: Record<number, number> = {};
	for (const { status } of answers) found[status] = (found[status] ?? 0) + 1;
	return found;
};

test("a minute's requests are let through once, whichever nodes they meet", async () => {
	const began = performance.now();
	const { key } = await nodeOf(0).token({ rateLimit: { requestsPerMinute: 60 } });
	const found = await statuses(150, key);
	const filled = Math.ceil((performance.now() - began) / 1000);
	expect(Object.keys(found)).toEqual(["200", "429"]);
	expect(found[200]).toBeGreaterThanOrEqual(60);
	expect(found[200]).toBeLessThanOrEqual(60 + filled);
	const refused = await ask(1, key);
	if (refused.status !== 200) expect(refused.text).toContain("60 requests a minute");
});

test("one request a minute is one, on the others and after a reload too", async () => {
	const { key } = await nodeOf(0).token({ rateLimit: { requestsPerMinute: 1 } });
	expect((await ask(0, key)).status).toBe(200);
	for (let index = 1; index < 7; index++) expect((await ask(index, key)).status).toBe(429);
	await nodeOf(0).admin("POST", "/admin/reload");
	expect((await ask(0, key)).status).toBe(429);
});

test("what is left is told on every node", async () => {
	const { key } = await nodeOf(0).token({ rateLimit: { requestsPerMinute: 30 } });
	const began = performance.now();
	const left: number[] = [];
	for (let index = 0; index < 6; index++) left.push((await ask(index, key)).remaining);
	// A node tells what it knows: at most what others hold too little.
	const filled = Math.ceil((performance.now() - began) / 2_000);
	for (const [index, one] of left.entries()) {
		expect(one).toBeLessThanOrEqual(Math.min(29, 29 - Math.floor(index / 3) + filled));
		expect(one).toBeGreaterThanOrEqual(29 - index - 4);
	}
});

test("calls at once are counted over all nodes, and make room wherever they end", async () => {
	const { key } = await nodeOf(0).token({ rateLimit: { concurrent: 5 } });
	holding = true;
	held = [];
	let refused = 0;
	const calls = Array.from({ length: 15 }, (_, index) => ask(index, key));
	for (const call of calls) void call.then(({ status }) => (refused += status === 429 ? 1 : 0));
	const all = Promise.all(calls);
	await until(() => held.length === 5 && refused === 10, "five calls at the upstream", 60_000);
	holding = false;
	expect((await ask(1, key)).status).toBe(429);
	for (const letGo of held) letGo();
	expect((await all).map(({ status }) => status).toSorted()).toEqual([
		...Array.from({ length: 5 }, () => 200),
		...Array.from({ length: 10 }, () => 429),
	]);
	// One after the other, each on another node.
	for (let index = 0; index < 12; index++) expect((await ask(index, key)).status).toBe(200);
});

test("model tokens are counted over all nodes by what the upstream said", async () => {
	const { key } = await nodeOf(0).token({ rateLimit: { tokensPerMinute: 500 } });
	// Two hundred too many, by calls that were let through together: 27 seconds of the limit.
	holding = true;
	held = [];
	const all = Promise.all(Array.from({ length: 7 }, (_, index) => ask(index, key)));
	await until(() => held.length === 7, "seven calls at the upstream", 60_000);
	holding = false;
	for (const letGo of held) letGo();
	await all;
	await until(
		async () => {
			const [row] = await nodeOf(0).store.all(
				sql`SELECT name FROM rate_buckets b WHERE level < 0 AND (SELECT sum(held) FROM rate_shares WHERE bucket = name) = 0`,
			);
			return row !== undefined;
		},
		"all of it told",
		20_000,
	);
	for (let index = 0; index < 3; index++) expect((await ask(index, key)).status).toBe(429);
});

test("a model's limit holds for all tokens on all nodes", async () => {
	const keys = await Promise.all([0, 1, 2].map(async (index) => (await nodeOf(index).token()).key));
	const answers = await Promise.all(
		Array.from({ length: 12 }, (_, index) => ask(index, keys[index % 3] ?? "", "slow")),
	);
	expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
});

test("nodes that stop give back what they hold, and a node on a file asks the database for nothing", async () => {
	await until(async () => {
		const [row] = await nodeOf(0).store.all(sql`SELECT coalesce(sum(held), 0) AS held FROM rate_shares`);
		return row?.["held"] === 0;
	}, "everything given back");
	const alone = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{
				use: "router",
				with: {
					upstreams: [{ name: "up", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "k" }],
					models: [{ name: "m", targets: [{ upstream: "up" }] }],
				},
			},
			"rate-limit",
		],
	});
	const { key } = await alone.token({ rateLimit: { requestsPerMinute: 3, tokensPerMinute: 100_000, concurrent: 2 } });
	for (let index = 0; index < 4; index++) {
		const { status } = await alone.ask(
			"/v1/chat/completions",
			{ model: "m", messages: [{ role: "user", content: "Hello" }] },
			{ headers: { authorization: `Bearer ${key}` } },
		);
		expect(status).toBe(index < 3 ? 200 : 429);
	}
	expect(await alone.store.all(sql`SELECT * FROM rate_buckets`)).toEqual([]);
	await alone.stop();
});
