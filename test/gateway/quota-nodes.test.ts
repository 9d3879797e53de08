/** One token spent on three nodes at once that share a database server. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { type SharedDatabase, startSharedDatabase } from "../support/shared-database.ts";

let folder: string;
let server: SharedDatabase;
let upstream: ScriptedUpstream;
const nodes: TestGateway[] = [];

const outputOf = (json: unknown): number => {
	const { max_tokens: limit, max_completion_tokens: newer } = json as {
		max_tokens?: number;
		max_completion_tokens?: number;
	};
	return Math.min(100, newer ?? limit ?? 100);
};
let delivered = 0;
/** However slow the machine is: nobody is answered until somebody found the quota held by the others. */
const someHeld = Promise.withResolvers<void>();

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-nodes-"));
	server = await startSharedDatabase(folder);
	upstream = startUpstream(async ({ json }) => {
		await someHeld.promise;
		const output = outputOf(json);
		delivered += 10 + output * 10;
		const usage = { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output };
		const choices = [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "stop" }];
		return Response.json({ id: "c", object: "chat.completion", created: 1, model: "priced", choices, usage });
	});
	for (let index = 0; index < 3; index++)
		nodes.push(
			await startGateway({
				config: { database: { url: server.url } },
				plugins: [
					"tokens",
					"chat-completions",
					"messages",
					"generate-content",
					{
						use: "router",
						with: {
							upstreams: [{ name: "up", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "k" }],
							models: [{ name: "priced", targets: [{ upstream: "up" }] }],
						},
					},
					{ use: "prices", with: { models: { priced: { input: 1, output: 10 } } } },
					"quota",
					"ledger",
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
	readonly headers: IncomingHttpHeaders;
	readonly text: string;
}

/** By `node:http`: the runtime's own `fetch` has 256 places for the whole process, and the nodes of this test need some. */
const post = (url: string, key: string, body: object): Promise<Answer> =>
	new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const asked = request(url, { method: "POST", headers, agent: false }, (answer) => {
			let text = "";
			answer.on("data", (piece) => {
				text += String(piece);
			});
			answer.once("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
		});
		asked.once("error", reject);
		asked.end(JSON.stringify(body));
	});

/** What became of a call. */
const ask = async (node: TestGateway, key: string): Promise<string> => {
	const messages = [{ role: "user", content: "Hello" }];
	const { status, headers, text } = await post(`${node.url}/v1/chat/completions`, key, {
		model: "priced",
		messages,
		max_tokens: 100,
	});
	if (status === 200) return "answered";
	if (status === 429 && headers["retry-after"] === "1" && text.includes("held by its own running calls")) {
		someHeld.resolve();
		return "held";
	}
	if (status === 429 && headers["x-should-retry"] === "false" && text.includes("insufficient_quota")) return "used up";
	return `${status} ${text}`;
};

describe("a burst of 500 calls on three nodes, on a quota worth about 50", () => {
	const perCall = 1_010;
	let token: { id: string; key: string };
	const view = async () =>
		(await nodeOf(1).admin("GET", `/admin/tokens/${token.id}`)) as { used: number; remaining: number };

	test("spends no more than the quota; the rest are told whether to come back", async () => {
		token = await nodeOf(0).token({ quota: (50 * perCall) / 1_000_000 });
		const ends = await Promise.all(Array.from({ length: 500 }, (_, index) => ask(nodeOf(index), token.key)));
		expect(ends).toContain("answered");
		for (const end of ends) expect(["answered", "held", "used up"]).toContain(end);
		await Promise.all(nodes.map((node) => node.admin("GET", "/admin/usage")));
		const { used } = await view();
		expect(used).toBeLessThanOrEqual((50 * perCall) / 1_000_000);
		expect(Math.round(used * 1_000_000)).toBe(delivered);
	}, 30_000);

	test("spends it to within a call when they come back as they were told", async () => {
		const persist = async (index: number): Promise<void> => {
			for (let attempt = 0; attempt < 40 && (await ask(nodeOf(index), token.key)) === "held"; attempt++)
				await pause(50);
		};
		await Promise.all(Array.from({ length: 150 }, (_, index) => persist(index)));
		await Promise.all(nodes.map((node) => node.admin("GET", "/admin/usage")));
		const { used, remaining } = await view();
		expect(Math.round(used * 1_000_000)).toBe(delivered);
		expect(remaining).toBeGreaterThanOrEqual(0);
		expect(remaining).toBeLessThan(perCall / 1_000_000);
		expect(await ask(nodeOf(2), token.key)).toBe("used up");
	}, 30_000);

	test("is recorded to the last micro-dollar, and leaves nothing held", async () => {
		const account = async () =>
			(await nodeOf(0).store.all(sql`SELECT used, leased FROM quota_accounts WHERE token = ${token.id}`))[0];
		// For half a minute a node may keep what is too little for a call. A quota that is set anew calls it back.
		await nodeOf(0).admin("PATCH", `/admin/tokens/${token.id}`, { quota: (60 * perCall) / 1_000_000 });
		await until(async () => (await account())?.["leased"] === 0, "nothing is held", 20_000);
		expect(await account()).toEqual({ used: delivered, leased: 0 });
		await Promise.all(nodes.map((node) => node.admin("GET", "/admin/usage")));
		const { used } = await view();
		const { data } = (await nodeOf(0).admin("GET", `/admin/usage?by=token&token=${token.id}`)) as {
			data: { cost: number }[];
		};
		expect(data[0]?.cost).toBe(used);
	}, 30_000);
});

describe("a quota that is gone is told in each protocol's own words", () => {
	const messages = [{ role: "user", content: "Hello" }];
	test.each<[string, string, object, number, object]>([
		[
			"chat-completions",
			"/v1/chat/completions",
			{ model: "priced", messages },
			429,
			{ error: { code: "insufficient_quota" } },
		],
		[
			"messages",
			"/v1/messages",
			{ model: "priced", messages, max_tokens: 50 },
			402,
			{ type: "error", error: { type: "billing_error" } },
		],
		[
			"generate-content",
			"/v1beta/models/priced:generateContent",
			{ contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
			429,
			{ error: { status: "RESOURCE_EXHAUSTED" } },
		],
	])("%s", async (_name, path, body, status, expected) => {
		const { key } = await nodeOf(0).token({ quota: 0.000001 });
		const response = await nodeOf(1).ask(path, body, { headers: { authorization: `Bearer ${key}` } });
		expect(response.status).toBe(status);
		const text = await response.text();
		expect(JSON.parse(text)).toMatchObject(expected);
		if (path.includes("v1beta")) expect(text).toContain("QuotaFailure");
	});
});
