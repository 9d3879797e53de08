/** Reports: sums by hour and day are those of the rows, whatever is written twice; tags, owners, names and CSV. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { asList, asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { insertRows, type LedgerRow } from "./tables.ts";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream(() =>
		Response.json({
			id: "c",
			object: "chat.completion",
			created: 1,
			model: "up",
			choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
			usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
		}),
	);
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "ledger", with: { tags: ["app", "env"] } },
			{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "sk-main-key-0123456789" },
					],
					models: [{ name: "m", targets: [{ upstream: "main", model: "up" }] }],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const usage = async (query: string) =>
	asList((await gateway.admin("GET", `/admin/usage?${query}`))["data"]).map(asRecord);

const row = (id: string, more: Partial<LedgerRow>): LedgerRow => ({
	id,
	at: 0,
	token: "tok_a",
	model: "fast",
	upstream: "main",
	ending: "completed",
	input_tokens: 1,
	cached_tokens: 0,
	output_tokens: 2,
	reasoning_tokens: 0,
	cost: 5,
	excess: 0,
	request: null,
	protocol: "messages",
	status: 200,
	tags: null,
	took_span: null,
	detail: "{}",
	...more,
});

const hour = 3_600_000;
const start = Date.UTC(2030, 1, 27, 20);
const moment = fc.integer({ min: 0, max: 72 * hour }).map((after) => start + after);
const made = fc.record({
	at: moment,
	token: fc.constantFrom("tok_a", "tok_b", null),
	model: fc.constantFrom("fast", null),
	ending: fc.constantFrom("completed", "refused", "lease_lost"),
	cost: fc.option(fc.integer({ min: -50, max: 1000 })),
});
const edge = fc.oneof(
	moment,
	moment.map((at) => at - (at % hour)),
	moment.map((at) => at - (at % (24 * hour))),
);
let serial = 0;

describe("sums", () => {
	test("are those of the rows for any time, and rows that come twice count once", async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(made, { maxLength: 30 }), edge, edge, async (rows, one, other) => {
				const added = rows.map((more) => row(`row_${serial++}`, more));
				await gateway.store.write([...insertRows(added), ...insertRows(added)]);
				const [from, to] = [Math.min(one, other), Math.max(one, other)];
				const [told = {}] = await usage(`by=&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`);
				const [counted = {}] =
					await gateway.store.all(sql`SELECT sum(ending <> 'lease_lost') AS calls, sum(cost) AS cost,
					sum(output_tokens) AS output FROM ledger WHERE at >= ${from} AND at < ${to}`);
				expect([told["calls"] ?? 0, Math.round(Number(told["cost"] ?? 0) * 1e6), told["outputTokens"] ?? 0]).toEqual([
					counted["calls"] ?? 0,
					counted["cost"] ?? 0,
					counted["output"] ?? 0,
				]);
			}),
			{ numRuns: 40 },
		);
	}, 30_000);

	test("are told by hour, protocol and ending, and days add up to what hours do", async () => {
		const query = `from=${new Date(start).toISOString()}&to=2030-03-05T00:00:00Z`;
		const hours = await usage(`by=hour&${query}`);
		expect(hours.length).toBeGreaterThan(10);
		for (const { hour } of hours) expect(String(hour)).toMatch(/^2030-0[23]-\d\dT\d\d:00:00Z$/);
		const sum = (rows: readonly Readonly<Record<string, unknown>>[]) =>
			rows.reduce((all, { calls }) => all + Number(calls), 0);
		expect(sum(hours)).toBe(sum(await usage(`by=day&${query}`)));
		expect((await usage(`by=ending,protocol&${query}`)).map(({ ending }) => ending)).toContain("refused");
	});
});

describe("reports", () => {
	/** Without the rows above, which are of a later year. */
	const now = `from=${new Date().toISOString().slice(0, 10)}&to=2030-01-01`;
	const ask = async (tags: string, key = gateway.key) => {
		const body = { model: "m", messages: [{ role: "user", content: "hello" }] };
		const headers = { authorization: `Bearer ${key}`, "x-portico-tags": tags };
		await (await gateway.ask("/v1/chat/completions", body, { headers })).text();
	};

	test("tell tags that the config allows, and pinned ones before a client's own", async () => {
		await ask("app=web, env=prod, secret=1, =x, app2");
		await ask("app=web");
		const pinned = await gateway.token({ name: "pinned", tags: { app: "batch" } });
		await ask("app=lie,env=prod", pinned.key);
		const told = async (by: string) =>
			(await usage(`by=${by}&${now}`))
				.map((sum) => [sum[by], sum["calls"]])
				.sort((a, b) => String(a).localeCompare(String(b)));
		expect(await told("tag:app")).toEqual([
			["batch", 1],
			["web", 2],
		]);
		expect(await told("tag:env")).toEqual([
			[null, 1],
			["prod", 2],
		]);
		expect(upstream.received.some(({ headers }) => headers.has("x-portico-tags"))).toBe(false);
		const [call] = asList((await gateway.admin("GET", "/admin/calls?limit=1&to=2030-01-01"))["data"]).map(asRecord);
		expect(call?.["tags"]).toEqual({ app: "batch", env: "prod" });
	});

	test("and lists of calls are kept to tags, all of those that are asked for", async () => {
		const calls = async (query: string) =>
			asList((await gateway.admin("GET", `/admin/calls?${query}&${now}`))["data"]).map(
				(call) => asRecord(call)["tags"],
			);
		const both = { app: "batch", env: "prod" };
		expect(await calls("tag=app=batch")).toEqual([both]);
		expect((await calls("tag=env=prod")).map((tags) => asRecord(tags)["app"])).toEqual(["batch", "web"]);
		expect(await calls("tag=app%3Dbatch&tag=env%3Dprod")).toEqual([both]);
		expect(await calls("tag=app=batch&tag=env=test")).toEqual([]);
		expect(await usage(`by=token&tag=app=web&${now}`)).toMatchObject([{ tokenName: "first token", calls: 2 }]);
		for (const wrong of ["app", "=web", "app=", 'a"b=c'])
			for (const path of ["calls", "usage"]) {
				const asked = gateway.admin("GET", `/admin/${path}?tag=${encodeURIComponent(wrong)}`);
				await expect(asked).rejects.toThrow("tag must be a name and a value, such as app=web");
			}
	});

	test("name tokens, and come as CSV", async () => {
		const named = (await usage(`by=token&${now}`)).map(({ tokenName }) => tokenName);
		expect(named.sort()).toEqual(["first token", "pinned"]);
		const answer = await fetch(`${gateway.url}/admin/usage?by=token&format=csv&${now}`, {
			headers: { authorization: `Bearer ${gateway.adminToken}` },
		});
		expect(answer.headers.get("content-type")).toContain("text/csv");
		const lines = (await answer.text()).split("\r\n");
		expect(lines[0]).toStartWith("token,tokenName,calls,completed,");
		expect(
			lines
				.slice(1, 3)
				.map((line) => line.split(",")[1])
				.sort(),
		).toEqual(["first token", "pinned"]);
	});

	test("refuse groups that there are not", () => {
		for (const by of ["weather", "tag:", 'tag:a"b'])
			expect(gateway.admin("GET", `/admin/usage?by=${encodeURIComponent(by)}`)).rejects.toThrow("400");
	});
});
