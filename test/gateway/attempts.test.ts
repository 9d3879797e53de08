/** What is kept of each attempt of a call: in its row, in its log line, and that a charge has one figure everywhere. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { asList, asRecord, parseJson } from "#core";
import { createTestClock, type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { answerWith, reports } from "./fixtures/reporting-router/reports.ts";

let broken: ScriptedUpstream;
let sound: ScriptedUpstream;
let gateway: TestGateway;

const path = "/v1/chat/completions";
const body = (model: string) => ({ model, messages: [{ role: "user", content: "hello" }] });
const eventsOf = (event: object): Response =>
	new Response(`data: ${JSON.stringify(event)}\n\n`, { headers: { "content-type": "text/event-stream" } });
const completion = (): Response => Response.json(chatAnswer("hi", { input: 7, output: 3 }));
const emptyAccount = () =>
	Response.json(
		{
			error: {
				type: "invalid_request_error",
				message: "Your credit balance is too low. Key sk-broken-key-0123456789.",
			},
		},
		{ status: 400 },
	);

beforeEach(async () => {
	broken = startUpstream();
	sound = startUpstream();
	broken.answer(emptyAccount);
	sound.answer(completion);
	const upstream = (name: string, url: string, more: object) => ({
		name,
		protocol: "chat-completions",
		url: `${url}/v1`,
		...more,
	});
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			"call-log",
			"metrics",
			"ledger",
			"quota",
			{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
			{
				use: "router",
				with: {
					upstreams: [
						upstream("broken", broken.url, { key: "sk-broken-key-0123456789" }),
						upstream("sound", sound.url, { key: "sk-sound-key-0123456789" }),
						upstream("two-keys", sound.url, { keys: ["sk-first-key-0123456789", "sk-second-key-0123456789"] }),
						upstream("nowhere", "http://127.0.0.1:1", { key: "sk-nowhere-key-0123456789" }),
					],
					models: [
						{
							name: "saved",
							targets: [
								{ upstream: "broken", model: "up" },
								{ upstream: "sound", model: "up" },
							],
						},
						{ name: "lost", targets: [{ upstream: "broken", model: "up" }] },
						{ name: "good", targets: [{ upstream: "sound", model: "up" }] },
						{ name: "keys", targets: [{ upstream: "two-keys", model: "up" }] },
						{ name: "gone", targets: [{ upstream: "nowhere", model: "up" }] },
					],
				},
			},
		],
	});
});
afterEach(async () => {
	await gateway.stop();
	await broken.stop();
	await sound.stop();
});

/** Asks, and gives the row's detail and cost, and the log line. */
const ask = async (model: string) => {
	const response = await gateway.ask(path, body(model));
	const text = await response.text();
	const id = response.headers.get("x-request-id") ?? "";
	await gateway.admin("GET", "/admin/usage");
	const [row] = await gateway.store.all(sql`SELECT cost, ending, detail FROM ledger WHERE id = ${id}`);
	const detail = asRecord(parseJson(String(row?.["detail"])));
	const line = gateway.log.find(({ call_id }) => call_id === id) ?? {};
	return { status: response.status, text, row: asRecord(row), detail, line };
};

describe("the attempts of a call", () => {
	test("that a fallback saved are in its row, with the vendor's own words", async () => {
		const { status, row, detail, line } = await ask("saved");
		expect(status).toBe(200);
		expect(detail["attempts"]).toMatchObject([
			{
				upstream: "broken",
				model: "up",
				why: "first",
				status: 400,
				code: "invalid_request_error",
				message: "Your credit balance is too low. Key [removed].",
			},
			{ upstream: "sound", model: "up", why: "next", status: 200 },
		]);
		expect(asRecord(asList(detail["attempts"])[1])["code"]).toBeUndefined();
		expect(line["attempt_list"]).toMatch(/^broken:up 400 invalid_request_error \d+ms > sound:up 200 \d+ms$/);
		expect([row["cost"], line["cost"]]).toEqual([37, 37]);
		const metrics = await fetch(`${gateway.url}/metrics`, {
			headers: { authorization: `Bearer ${gateway.adminToken}` },
		});
		expect(await metrics.text()).toMatch(/portico_cost_dollars_total\{[^}]*upstream="sound"[^}]*\} 0\.000037\n/);
	});

	test("that failed tell operators what the client is not told", async () => {
		const { text, detail } = await ask("lost");
		expect(text).not.toContain("credit balance");
		expect(detail["attempts"]).toMatchObject([
			{ upstream: "broken", why: "only", status: 400, message: "Your credit balance is too low. Key [removed]." },
		]);
	});

	test.each([
		["an answer that is none", false, (error: object) => Response.json({ error, choices: [{ message: "not kept" }] })],
		["the first event of a stream", true, (error: object) => eventsOf({ error })],
	] as const)("tell what the upstream says of an empty account in %s", async (_, stream, answer) => {
		const error = { message: "Billing hard limit reached. Key sk-broken-key-0123456789.", code: "billing_hard_limit" };
		broken.answer(() => answer(error));
		for (const url of [path, "/v1/messages"]) {
			const response = await gateway.ask(url, { ...body("lost"), max_tokens: 9, stream });
			expect(await response.text()).not.toMatch(/billing/i);
			expect(response.status).toBe(502);
			const told = await gateway.admin("GET", `/admin/calls/${response.headers.get("x-request-id")}`);
			expect(told).toMatchObject({
				attempts: [{ status: 200, code: "billing_hard_limit", message: "Billing hard limit reached. Key [removed]." }],
				advice: "The upstream's account has no credit: pay, or send its models elsewhere.",
			});
			expect(JSON.stringify(told)).not.toContain("not kept");
		}
	});

	test("are only counted where the first one was good", async () => {
		const { detail, line } = await ask("good");
		expect(detail["attempts"]).toBe(1);
		expect(line["attempt_list"]).toBeUndefined();
	});

	test("name the system's word where nothing was reached, and send no operator to the operator", async () => {
		const { detail } = await ask("gone");
		expect(detail["attempts"]).toMatchObject([
			{ upstream: "nowhere", message: 'The upstream "nowhere" could not be reached. (ECONNREFUSED)' },
		]);
	});

	test("tell one key from the next, and that it rests afterwards", async () => {
		sound.answer((request) =>
			request.headers.get("authorization")?.includes("first")
				? Response.json({ error: { message: "Incorrect API key provided", code: "invalid_api_key" } }, { status: 401 })
				: completion(),
		);
		expect((await ask("keys")).detail["attempts"]).toMatchObject([
			{ upstream: "two-keys", key: 1, status: 401, code: "invalid_api_key", message: "Incorrect API key provided" },
			{ upstream: "two-keys", key: 2, why: "next key", status: 200 },
		]);
		expect((await ask("keys")).detail["attempts"]).toMatchObject([
			{ key: 2, status: 200, skipped: [{ upstream: "two-keys", reason: "key 1 rests after it was refused" }] },
		]);
	});

	test("name what was passed over because it had failed too often", async () => {
		broken.answer(() => new Response("<html><title>Bad gateway</title>down</html>", { status: 502 }));
		for (let call = 0; call < 5; call++) await ask("saved");
		const { detail } = await ask("saved");
		expect(detail["attempts"]).toMatchObject([
			{
				upstream: "sound",
				skipped: [
					{ upstream: "broken", model: "up", reason: expect.stringMatching(/^its circuit is open for \d s more$/) },
				],
			},
		]);
	});
});

test("a router hears how long an attempt took to its first byte, not those before it", async () => {
	const clock = createTestClock();
	answerWith(async (upstream) => {
		await clock.advance(upstream === "first" ? 900 : 40);
		return upstream === "first" ? new Response("{}", { status: 500 }) : completion();
	});
	const router = join(import.meta.dir, "fixtures/reporting-router");
	const plugins = ["tokens", "chat-completions", { use: router }];
	const other = await startGateway({ plugins, clock });
	try {
		expect((await other.ask(path, body("m"))).status).toBe(200);
		expect(reports).toEqual([
			{ upstream: "first", failed: true, firstByteMs: undefined },
			{ upstream: "second", failed: false, firstByteMs: 40 },
		]);
	} finally {
		await other.stop();
	}
});
