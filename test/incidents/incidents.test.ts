/** Incidents as an operator meets them: one command says what happened, to whom, since when and what to do. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { type Script, type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { until } from "../support/moved-clock.ts";
import { MovingClock } from "../support/moving-clock.ts";
import { printedBy } from "../support/printed.ts";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
const clock = new MovingClock(Date.UTC(2026, 10, 22, 3));

const path = "/v1/chat/completions";
const body = (model: string) => ({ model, messages: [{ role: "user", content: "hello" }] });
const answered = (): Response => Response.json(chatAnswer("hi", { input: 10, output: 9 }));
const refusing =
	(status: number, error: object): Script =>
	() =>
		Response.json({ error }, { status });

beforeAll(async () => {
	upstream = startUpstream();
	const to = (name: string, url: string) => ({ name, protocol: "chat-completions", url, key: `sk-${name}-0123456789` });
	gateway = await startGateway({
		clock,
		plugins: [
			"tokens",
			"expiry",
			"ip-whitelist",
			"model-list",
			"rate-limit",
			"chat-completions",
			"ledger",
			"quota",
			{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
			{
				use: "router",
				with: {
					upstreams: [
						to("main", `${upstream.url}/v1`),
						to("nowhere", "http://127.0.0.1:1"),
						{ ...to("slow", `${upstream.url}/slow`), firstByteSeconds: 20 },
						to("spare", `${upstream.url}/spare`),
						to("failing", `${upstream.url}/failing`),
					],
					models: [
						{ name: "m", targets: [{ upstream: "main", model: "up" }] },
						{ name: "gone", targets: [{ upstream: "nowhere", model: "up" }] },
						{ name: "slow", targets: [{ upstream: "slow", model: "up" }] },
						{
							name: "saved",
							targets: [
								{ upstream: "main", model: "up" },
								{ upstream: "spare", model: "up" },
							],
						},
						{ name: "failing", targets: [{ upstream: "failing", model: "up" }] },
						{ name: "unpriced", targets: [{ upstream: "main", model: "nobody-knows-this" }] },
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

/** What a command of the command line prints. */
const printed = (name: string, ...words: readonly string[]): Promise<string> => printedBy(gateway, name, ...words);

const asked = async (model: string, key = gateway.key): Promise<string> => {
	const response = await gateway.ask(path, body(model), { headers: { authorization: `Bearer ${key}` } });
	await response.text();
	return response.headers.get("x-request-id") ?? "";
};

/** What `portico explain` says of a call with this key, which the page of calls says too. */
const explained = async (model: string, key = gateway.key): Promise<string> => {
	await clock.move(61_000);
	return await toldOf(await asked(model, key));
};

const toldOf = async (id: string): Promise<string> => {
	const told = await printed("explain", id);
	// The page has the newest call on top, and opens it by the same route.
	const [newest] = asList((await gateway.admin("GET", "/admin/calls?limit=1"))["data"]).map(asRecord);
	expect(newest?.["requestId"]).toBe(id);
	const { advice, at, status, attempts } = await gateway.admin("GET", `/admin/calls/${id}`);
	expect(told).toContain(`what to do: ${String(advice)}`);
	expect(told).toContain(`at ${String(at)}`);
	expect([newest?.["at"], newest?.["status"]]).toEqual([at, status]);
	for (const { message } of asList(attempts).map(asRecord)) if (message) expect(told).toContain(`"${String(message)}"`);
	return told;
};

const incidents: readonly {
	readonly what: string;
	readonly answer?: Script;
	readonly model?: string;
	readonly settings?: () => Readonly<Record<string, unknown>>;
	/** Done to the token before it calls. */
	readonly prepare?: (token: { readonly id: string; readonly key: string }) => Promise<unknown>;
	readonly key?: string;
	readonly says: readonly string[];
}[] = [
	{
		what: "a dead key",
		answer: refusing(401, { message: "Incorrect API key provided", code: "invalid_api_key" }),
		says: ["main:up", "status 401", '"Incorrect API key provided"', "set another for it"],
	},
	{
		what: "an empty account",
		answer: refusing(400, { message: "Your credit balance is too low" }),
		says: ["main:up", "status 400", '"Your credit balance is too low"', "has no credit"],
	},
	{
		what: "an overloaded upstream",
		answer: refusing(529, { message: "Overloaded" }),
		says: ["main:up", "status 529", '"Overloaded"', "itself fails"],
	},
	{
		what: "an upstream's limit",
		answer: refusing(429, { message: "Rate limit reached for requests" }),
		says: ["status 429", "Rate limit reached", "add a key or a target"],
	},
	{
		what: "a target's wrong name",
		answer: refusing(404, { message: "The model `up` does not exist", code: "model_not_found" }),
		says: ["status 404", "does not exist", "correct the target's model"],
	},
	{ what: "an upstream that is not there", model: "gone", says: ["nowhere:up", "ECONNREFUSED", "correct its url"] },
	{ what: "a wrong alias", model: "fasst", says: ["asked for fasst", "model_not_found", "--model NAME"] },
	{
		what: "an expired token",
		settings: () => ({ name: "late", expiresAt: new Date(clock.now() + 1_000).toISOString() }),
		says: ["token late", "token_expired", "--expires-at"],
	},
	{
		what: "a call from a foreign address",
		settings: () => ({ name: "office", ips: ["203.0.113.0/24"] }),
		says: ["token office", "from 127.0.0.1", "ip_not_allowed", "Add the address"],
	},
	{
		what: "a used-up quota",
		settings: () => ({ name: "poor", quota: 0 }),
		says: ["token poor", "quota_exhausted", "--quota"],
	},
	{
		what: "a model without a price under a quota",
		model: "unpriced",
		settings: () => ({ name: "careful", quota: 1 }),
		says: ["token careful", "model_not_priced", "prices"],
	},
	{
		what: "a disabled token",
		settings: () => ({ name: "gone-home" }),
		prepare: ({ id }) => gateway.admin("PATCH", `/admin/tokens/${id}`, { disabled: true }),
		says: ["token gone-home", "token_disabled", "portico token enable"],
	},
	{
		what: "a used-up budget of the day",
		settings: () => ({ name: "daily", budgets: [{ amount: 0, per: "day" }] }),
		says: ["token daily", "quota_exhausted", "budget for the day is used up", "resets at 2026-11-2", "--budgets"],
	},
	{
		what: "a page of a proxy where an answer should be",
		answer: () => new Response("<html><body>Please log in</body></html>", { headers: { "content-type": "text/html" } }),
		says: ["main:up", "something other than JSON", "correct its url"],
	},
	{
		what: "a call that a fallback saved",
		model: "saved",
		answer: ({ path }) =>
			path.startsWith("/spare") ? answered() : Response.json({ error: { message: "Overloaded" } }, { status: 529 }),
		says: ["completed with status 200", "1. main:up", "status 529", '"Overloaded"', "2. spare:up", "itself fails"],
	},
	{
		what: "a key that is no token's",
		key: "sk-tried-by-somebody-000000000000000000000000000000000",
		says: ["token key ", "from 127.0.0.1", "No token has this key"],
	},
];

for (const { what, answer, model = "m", settings, prepare, key, says } of incidents)
	test(`${what}: told by one command`, async () => {
		if (answer) upstream.answer(answer);
		const token = settings && (await gateway.token(settings()));
		if (token) await prepare?.(token);
		const used = token?.key ?? key ?? gateway.key;
		const told = await explained(model, used);
		for (const words of says) expect(told).toContain(words);
		expect(told).toMatch(/at 2026-11-2\d/);
		expect(told).toContain("what to do: ");
	});

test("the same trouble again tells since when", async () => {
	upstream.answer(refusing(401, { message: "Incorrect API key provided" }));
	await explained("m");
	expect(await explained("m")).toMatch(/the same since 2026-11-22T\d\d:\d\d:\d\d\.\d{3}Z: \d+ calls/);
});

test("a caller that asks too fast: told by one command", async () => {
	await clock.move(61_000);
	const { key } = await gateway.token({ name: "eager", rateLimit: { requestsPerMinute: 1 } });
	await asked("m", key);
	// Calls of one instant have no order.
	await clock.move(1_000);
	const told = await toldOf(await asked("m", key));
	for (const words of ["token eager", "rate_limited", "Ask more slowly"]) expect(told).toContain(words);
});

test("a slow upstream: told by one command", async () => {
	upstream.answer(() => new Promise<Response>(() => undefined));
	upstream.received.length = 0;
	const call = asked("slow");
	await until(() => upstream.received.length > 0, "the call", 60_000);
	await clock.move(21_000);
	const told = await toldOf(await call);
	for (const words of ["slow:up", "upstream_timeout", "raise firstByteSeconds"]) expect(told).toContain(words);
});

test("a circuit that is open: told by one command and by the page of upstreams", async () => {
	upstream.answer(refusing(500, { message: "down" }));
	for (let call = 0; call < 5; call++) await asked("failing");
	const told = await printed("explain", "--model", "failing");
	for (const words of ["failing: one target", "1. failing:up (only), circuit open"]) expect(told).toContain(words);
	const states = asList((await gateway.admin("GET", "/admin/upstreams"))["data"]).map(asRecord);
	expect(states.find((one) => one["upstream"] === "failing")).toMatchObject({
		circuit: "open",
		failures: 5,
		lastFailure: { kind: "upstream" },
	});
});

test("a key scan: told by one command, with how many there were and from where", async () => {
	await clock.move(61_000);
	for (let call = 0; call < 30; call++) await asked("m", `sk-guess-${call}`.padEnd(52, "0"));
	await clock.move(61_000);
	const told = await printed("calls", "--ending", "refused", "--limit", "10");
	expect(told).toContain("authentication");
	const rows = asList((await gateway.admin("GET", "/admin/calls?ending=refused&limit=10"))["data"]).map(asRecord);
	const scan = rows.filter((row) => row["reason"] === "authentication").slice(0, 6);
	expect(scan.reduce((sum, row) => sum + Number(row["repeats"] ?? 1), 0)).toBe(30);
	for (const row of scan) expect(row).toMatchObject({ address: "127.0.0.1", status: 401, token: null });
});
