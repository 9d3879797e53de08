/** What operators see of calls: each one, refusals at the door among them, by the admin routes and the command line's sentences. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { asList, asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { MovingClock } from "../support/moving-clock.ts";
import { printedBy } from "../support/printed.ts";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
const clock = new MovingClock(Date.UTC(2026, 10, 22, 8));

const path = "/v1/chat/completions";
const body = { model: "m", messages: [{ role: "user", content: "hello" }] };
const wellDone = (): Response => Response.json(chatAnswer("hi", { input: 7, output: 3 }));

beforeAll(async () => {
	upstream = startUpstream();
	upstream.answer(wellDone);
	const to = (name: string) => ({
		name,
		protocol: "chat-completions",
		url: `${upstream.url}/${name}`,
		key: `sk-${name}-key-0123456789`,
	});
	gateway = await startGateway({
		clock,
		plugins: [
			"tokens",
			"expiry",
			"chat-completions",
			"ledger",
			"quota",
			{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
			{
				use: "router",
				with: {
					upstreams: [to("first"), to("second")],
					models: [
						{ name: "m", targets: [{ upstream: "first", model: "up" }] },
						{
							name: "two",
							targets: [
								{ upstream: "first", model: "up" },
								{ upstream: "second", model: "up" },
							],
						},
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const calls = async (query: string) =>
	asList((await gateway.admin("GET", `/admin/calls?${query}`))["data"]).map(asRecord);
const ask = async (init: RequestInit = {}, asked: object = body) => {
	const response = await gateway.ask(path, asked, init);
	await response.text();
	return response;
};
/** What a command prints. */
const command = (name: string, ...words: readonly string[]): Promise<string> => printedBy(gateway, name, ...words);

describe("a call", () => {
	test("is found by its id and by the client's request id", async () => {
		const response = await ask({ headers: { "x-request-id": "from-client-1" } });
		expect(response.headers.get("x-request-id")).toBe("from-client-1");
		const found = await gateway.admin("GET", "/admin/calls/from-client-1");
		expect(found).toMatchObject({
			requestId: "from-client-1",
			tokenName: "first token",
			model: "m",
			upstream: "first",
			target: "up",
			ending: "completed",
			status: 200,
			attempts: [{ upstream: "first", model: "up", status: 200 }],
			inputTokens: 7,
			outputTokens: 3,
			cost: 0.000037,
		});
		expect(await gateway.admin("GET", `/admin/calls/${found["id"]}`)).toMatchObject({ requestId: "from-client-1" });
		expect(await calls("id=from-client-1")).toMatchObject([{ requestId: "from-client-1" }]);
	});

	test("that is not there is 404", async () => {
		const response = await fetch(`${gateway.url}/admin/calls/req_none`, {
			headers: { authorization: `Bearer ${gateway.adminToken}` },
		});
		expect(response.status).toBe(404);
	});

	test("that a fallback saved is explained in a few sentences", async () => {
		upstream.answer((request) =>
			request.path.startsWith("/first/")
				? Response.json({ error: { message: "Your credit balance is too low" } }, { status: 400 })
				: wellDone(),
		);
		await clock.move(10);
		const response = await ask({}, { ...body, model: "two" });
		upstream.answer(wellDone);
		const id = response.headers.get("x-request-id") ?? "";
		expect(await gateway.admin("GET", `/admin/calls/${id}`)).toMatchObject({
			attempts: [
				{ upstream: "first", status: 400, message: "Your credit balance is too low" },
				{ upstream: "second", status: 200 },
			],
		});
		const explained = await command("explain", id);
		expect(explained).toContain(`${id}: completed with status 200`);
		expect(explained).toContain("token first token, tok_");
		expect(explained).toMatch(
			/1\. first:up \(first\): failed, status 400, \w+, \d+ ms\n {5}"Your credit balance is too low"/,
		);
		expect(explained).toMatch(/2\. second:up \(next\): answered 200/);
		expect(explained).toContain(
			"what to do: Another attempt answered. Of first, which failed before: The upstream's account has no credit",
		);
		expect(await command("calls", "--limit", "1")).toContain("first 400 > second");
	});
});

describe("a refusal at the door", () => {
	test("is a row with the token, where it is known", async () => {
		const late = await gateway.token({ name: "late", expiresAt: new Date(clock.now() + 1000).toISOString() });
		await clock.move(2000);
		const response = await ask({ headers: { authorization: `Bearer ${late.key}`, "x-request-id": "too-late" } });
		expect(response.status).toBe(401);
		expect(await gateway.admin("GET", "/admin/calls/too-late")).toMatchObject({
			token: late.id,
			tokenName: "late",
			ending: "refused",
			status: 401,
			reason: "token_expired",
			attempts: [],
			advice: expect.stringContaining("--expires-at"),
		});
		await gateway.admin("POST", `/admin/tokens/${late.id}/disable`);
		await ask({ headers: { authorization: `Bearer ${late.key}`, "x-request-id": "shut-out" } });
		expect(await gateway.admin("GET", "/admin/calls/shut-out")).toMatchObject({
			token: late.id,
			reason: "token_disabled",
		});
	});

	test("has the beginning of the key's digest, where the key is no token's", async () => {
		const key = "sk-guessed-by-a-stranger-0000000000000000000000000000";
		await ask({ headers: { authorization: `Bearer ${key}`, "x-request-id": "stranger" } });
		const row = await gateway.admin("GET", "/admin/calls/stranger");
		const shown = String(row["key"]);
		expect(row).toMatchObject({
			token: null,
			ending: "refused",
			status: 401,
			key: expect.stringMatching(/^[0-9a-f]{12}$/),
		});
		const digest = new Bun.CryptoHasher("sha256").update(key).digest("hex");
		expect(digest.startsWith(shown)).toBe(true);
		expect(JSON.stringify(row)).not.toContain("by-a-stranger");
		expect(await command("calls", "--ending", "refused")).toContain(`key ${shown}`);
	});

	test.each([
		["GET", "/v1/models", "models"],
		["GET", "/v1/me", "tokens"],
		["POST", path, "chat-completions"],
	])("of %s %s names what was asked: %s", async (method, at, protocol) => {
		const headers = { authorization: `Bearer ${"sk-nobody-has-this".padEnd(52, "0")}` };
		const answer = await fetch(`${gateway.url}${at}`, { method, headers, ...(method === "POST" && { body: "{}" }) });
		await answer.text();
		const row = await gateway.admin("GET", `/admin/calls/${answer.headers.get("x-request-id")}`);
		expect(row).toMatchObject({ ending: "refused", status: 401, protocol });
	});

	test("is counted when there is a flood, not written one by one", async () => {
		await clock.move(61_000);
		const before = (await calls("ending=refused&limit=500")).length;
		const scan = Array.from({ length: 50 }, (_, index) => `sk-scan-${index}-00000000000000000000000000000000000000000`);
		const asked: string[] = [];
		for (const key of scan) {
			const answer = await ask({ headers: { authorization: `Bearer ${key}` } });
			asked.push(answer.headers.get("x-request-id") ?? "");
		}
		// Who tries a dozen routes in a minute finds each of them.
		for (const id of asked.slice(0, 20))
			expect(await gateway.admin("GET", `/admin/calls/${id}`)).toMatchObject({ status: 401 });
		const over = new Date(clock.now()).toISOString();
		await clock.move(61_000);
		const rows = (await calls("ending=refused&limit=500")).slice(0, -before || undefined);
		expect(rows.length).toBeLessThanOrEqual(21);
		expect(rows.reduce((sum, { repeats }) => sum + Number(repeats ?? 1), 0)).toBe(50);
		// The row that stands for many is written a minute later: it tells when the last of them was, and how long that took.
		expect(rows.filter(({ at, durationMs }) => String(at) > over || Number(durationMs) >= 60_000)).toEqual([]);
	});
});

describe("a dry run", () => {
	test("says where a call would go and whether the token would be let through, and asks no upstream", async () => {
		const alice = await gateway.token({ name: "alice", quota: 5 });
		const asked = upstream.received.length;
		const answer = await gateway.admin("GET", "/admin/models/explain?model=two&token=alice");
		expect(answer).toMatchObject({
			model: "two",
			matched: "two",
			targets: [
				{ upstream: "first", model: "up", why: "first", circuit: "closed" },
				{ upstream: "second", model: "up", why: "next", circuit: "closed" },
			],
			token: { id: alice.id, name: "alice", admitted: true, used: 0, remaining: 5 },
		});
		expect(await command("explain", "--model", "two", "--token", "alice")).toContain("token alice: let through");
		// Whoever asks with the name of a model is told how that is asked.
		await expect(command("explain", "two")).rejects.toThrow("portico explain --model NAME");
		const late = await gateway.token({ name: "over", expiresAt: new Date(clock.now() + 1000).toISOString() });
		await clock.move(2000);
		const refused = await gateway.admin("POST", "/admin/models/explain", { model: "m", token: late.id });
		expect(refused["token"]).toMatchObject({ admitted: false });
		expect(await command("explain", "--model", "m", "--token", "over")).toContain("refused by expiry");
		expect(command("explain", "--model", "none")).rejects.toThrow("404");
		expect(upstream.received.length).toBe(asked);
	});

	test("says of a token whose quota is used up that it is refused, as its calls are", async () => {
		const { id, key } = await gateway.token({ name: "spent", quota: 5 });
		await gateway.store.write([sql`UPDATE quota_accounts SET used = 5000000 WHERE token = ${id}`]);
		expect((await ask({ headers: { authorization: `Bearer ${key}` } })).status).toBe(429);
		const said = await command("explain", "--model", "m", "--token", "spent");
		expect(said).toContain("token spent: refused");
		expect(said).toContain("refused by quota: This token's quota is used up.");
	});
});

describe("the list of calls", () => {
	test("goes back page by page and keeps to what is asked for", async () => {
		const seen = new Set<unknown>();
		let after = "";
		for (let pages = 0; pages < 100; pages++) {
			const page = await calls(`limit=7${after === "" ? "" : `&after=${after}`}`);
			for (const { id } of page) {
				expect(seen.has(id)).toBe(false);
				seen.add(id);
			}
			after = String(page.at(-1)?.["id"] ?? "");
			if (page.length < 7) break;
		}
		expect(seen.size).toBe((await calls("limit=500")).length);
		expect((await calls("upstream=second")).map(({ model }) => model)).toEqual(["two"]);
		expect(await calls("model=nothing")).toEqual([]);
		expect((await calls("status=200&ending=completed")).length).toBe(2);
		expect(await calls("status=200&ending=refused")).toEqual([]);
	});

	test("refuses what it does not understand", async () => {
		for (const query of ["limit=0", "limit=501", "status=many", "from=yesterday"])
			expect(gateway.admin("GET", `/admin/calls?${query}`)).rejects.toThrow("400");
	});
});

describe("a call whose answer was stopped", () => {
	test("tells how many were, not how many there are", async () => {
		const stopped = (word: string) => async () => {
			const text = await wellDone().text();
			return new Response(text.replace('"finish_reason":"stop"', `"finish_reason":"${word}"`), {
				headers: { "content-type": "application/json" },
			});
		};
		await clock.move(10);
		for (const finish of ["stop", "length", "content_filter", "length", "stop"]) {
			upstream.answer(stopped(finish));
			await ask({}, body);
		}
		upstream.answer(stopped("length"));
		const id = (await ask({}, body)).headers.get("x-request-id") ?? "";
		upstream.answer(wellDone);
		expect(await gateway.admin("GET", `/admin/calls/${id}`)).toMatchObject({ stopped: "length", alike: { calls: 3 } });
	});
});
