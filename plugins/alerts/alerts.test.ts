/** Alerts through the front door: what happens is told once, signed, to one address, whichever node saw it. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { jobs } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../../test/support/chat-answers.ts";
import { createMovedClock, type MovedClock, until } from "../../test/support/moved-clock.ts";
import { joined } from "../../test/support/people-world.ts";
import { quiet } from "../../test/support/quiet.ts";
import { type Receiver, startReceiver, status } from "../../test/support/receiver.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { alerts } from "./service.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const scriptedKind = new URL("../../test/support/scripted-kind.ts", import.meta.url).pathname;

let upstream: ScriptedUpstream;
let receiver: Receiver;
let callbacks: Receiver;
let gateway: TestGateway;
let clock: MovedClock;
let answers = 200;

/** Costs 1000 micro-dollars. */
const answered = (): Response => Response.json(chatAnswer());

beforeAll(async () => {
	resetScript();
	upstream = startUpstream(answered);
	receiver = await startReceiver((socket, request, index) => status(answers)(socket, request, index));
	callbacks = await startReceiver(status(500));
	clock = createMovedClock(Date.parse("2026-11-22T12:00:00Z"));
	const to = (name: string) => ({
		name,
		protocol: "chat-completions",
		url: `${upstream.url}/v1`,
		key: "sk-up-0123456789",
	});
	const leads = (name: string, to: string, model = "up") => ({
		name,
		targets: [{ upstream: to, model }],
		caps: { maxOutput: 100, thinking: "none" },
	});
	gateway = await startGateway({
		clock,
		plugins: [
			"tokens",
			"expiry",
			"chat-completions",
			{ use: "prices", with: { models: { up: { input: 1, output: 10 }, script: { perImage: 0.6 } } } },
			"quota",
			"ledger",
			"people",
			{ use: "webhooks", with: { allowPrivateNetworks: true } },
			"tasks",
			{ use: scriptedKind },
			{
				use: "alerts",
				with: { url: `${receiver.origin}/alerts`, secret, privateNetwork: true, at: [0.5, 0.8, 1], expiringDays: 7 },
			},
			{
				use: "router",
				with: {
					upstreams: [to("good"), to("flaky"), to("locked")],
					models: [leads("m", "good"), leads("f", "flaky"), leads("l", "locked"), leads("n", "good", "nobody-knows")],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
	await receiver.close();
	await callbacks.close();
});
afterEach(() => {
	receiver.received.length = 0;
	upstream.answer(answered);
	answers = 200;
});

interface Told {
	readonly type: string;
	readonly timestamp: string;
	readonly data: Readonly<Record<string, unknown>>;
}

const ask = async (model: string, key = gateway.key): Promise<number> => {
	const body = { model, max_tokens: 99, messages: [{ role: "user", content: "Hello" }] };
	const response = await gateway.ask("/v1/chat/completions", body, { headers: { authorization: `Bearer ${key}` } });
	await response.text();
	return response.status;
};

/** Lets seconds pass, and what they set going come to rest. */
const pass = async (seconds: number): Promise<void> => {
	for (let second = 0; second < seconds; second++) {
		clock.advance(1_000);
		await quiet(5);
	}
};

/** What has arrived, with its signature checked. */
const told = (): readonly Told[] =>
	receiver.received.map(({ headers, body }) => {
		// The library's own check goes by the clock of the machine.
		const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
		expect(headers["webhook-signature"]).toBe(
			new Webhook(secret).sign(String(headers["webhook-id"]), at, body.toString()),
		);
		return JSON.parse(body.toString()) as Told;
	});

/** Waits for so many alerts, then for whether more come. */
const arrived = async (count: number): Promise<readonly Told[]> => {
	await until(async () => {
		await pass(1);
		return receiver.received.length >= count;
	}, `${count} alerts`);
	await pass(3);
	return told();
};

describe("a budget", () => {
	test("is told of at each line once, in the window it is of, and again in the next", async () => {
		const { id, key } = await gateway.token({ name: "bot", budgets: [{ amount: 0.005, per: "day" }] });
		for (let call = 0; call < 2; call++) expect(await ask("m", key)).toBe(200);
		await pass(3);
		expect(receiver.received).toEqual([]);
		for (let call = 0; call < 2; call++) expect(await ask("m", key)).toBe(200);
		const [half, most, ...more] = await arrived(1).then((first) => (first.length > 1 ? first : [undefined, ...first]));
		expect(more).toEqual([]);
		if (half) expect(half.data["threshold"]).toBe(0.5);
		expect(most).toMatchObject({
			type: "budget.threshold",
			data: {
				token: id,
				tokenName: "bot",
				owner: null,
				per: "day",
				threshold: 0.8,
				used: 0.004,
				amount: 0.005,
				percent: 80,
				resetsAt: "2026-11-23T00:00:00.000Z",
			},
		});
		expect(most?.data["message"]).toBe(
			`The budget of the token bot (${id}) for the day is 80 % used: $0.004 of $0.005. It resets at 2026-11-23T00:00:00.000Z.`,
		);
		receiver.received.length = 0;
		for (let call = 0; call < 4; call++) await ask("m", key);
		expect(await ask("m", key)).toBe(429);
		const [whole, ...rest] = await arrived(1);
		expect([whole?.data["threshold"], rest]).toEqual([1, []]);
		receiver.received.length = 0;
		clock.jump(86_400_000);
		for (let call = 0; call < 4; call++) expect(await ask("m", key)).toBe(200);
		const next = await arrived(1);
		expect(next.at(-1)?.data).toMatchObject({ threshold: 0.8, resetsAt: "2026-11-24T00:00:00.000Z" });
	}, 30_000);

	test("of a person is told of as theirs, whichever of their tokens calls", async () => {
		const { id: owner } = await joined(gateway, "Ada", { budgets: [{ amount: 0.005, per: "week" }] });
		const keys = [await gateway.token({ owner }), await gateway.token({ owner })].map(({ key }) => key);
		for (const key of [...keys, ...keys]) expect(await ask("m", key)).toBe(200);
		const last = (await arrived(1)).at(-1);
		expect(last?.data).toMatchObject({ token: null, owner, per: "week", threshold: 0.8, amount: 0.005 });
		expect(last?.data["message"]).toContain(
			`The budget of the person ${owner} for the week is 80 % used: $0.004 of $0.005.`,
		);
	}, 20_000);

	test("that a refusal shows to be too small is told of as used up", async () => {
		const { id, key } = await gateway.token({ name: "poor", quota: 0.0011 });
		expect(await ask("m", key)).toBe(200);
		expect(await ask("m", key)).toBe(429);
		expect(await ask("m", key)).toBe(429);
		const all = await arrived(2);
		expect(all.map(({ data }) => [data["token"], data["threshold"]])).toEqual([
			[id, 0.8],
			[id, 1],
		]);
		expect(all[1]?.data["message"]).toContain(`The quota of the token poor (${id}) refuses calls:`);
	}, 20_000);

	test("is told of when a task crosses its line", async () => {
		scripted.poll = async () => ({ state: "done", made });
		const { id, key } = await gateway.token({ name: "films", quota: 1 });
		const response = await gateway.ask(
			"/v1/tasks",
			{ kind: "scripted", prompt: "x" },
			{ headers: { authorization: `Bearer ${key}` } },
		);
		expect(response.status).toBeLessThan(300);
		const [one, ...more] = await arrived(1);
		expect(more).toEqual([]);
		expect(one).toMatchObject({ type: "budget.threshold", data: { token: id, threshold: 0.5, used: 0.6, amount: 1 } });
	}, 20_000);
});

test("a circuit is told of when it opens and when it closes, and not again while it flaps", async () => {
	upstream.answer(() => Response.json({ error: { message: "down" } }, { status: 500 }));
	for (let call = 0; call < 8; call++) await ask("f");
	const [opened, ...more] = await arrived(1);
	expect(more).toEqual([]);
	expect(opened).toMatchObject({ type: "circuit.opened", data: { upstream: "flaky", kind: "upstream" } });
	// Calls that another upstream answered have that one's name, so that no list of calls shows what this one did.
	expect(opened).toMatchObject({ data: { message: expect.stringContaining("portico status says") } });
	upstream.answer(answered);
	await pass(6);
	expect(await ask("f")).toBe(200);
	expect((await arrived(2)).map(({ type }) => type)).toEqual(["circuit.opened", "circuit.closed"]);
	receiver.received.length = 0;
	upstream.answer(() => Response.json({ error: { message: "down" } }, { status: 500 }));
	for (let call = 0; call < 8; call++) await ask("f");
	upstream.answer(answered);
	await pass(8);
	expect(await ask("f")).toBe(200);
	await pass(3);
	expect(receiver.received).toEqual([]);
}, 30_000);

test("a key that the upstream refuses is told of once a day, in the vendor's words", async () => {
	upstream.answer(() => Response.json({ error: { message: "Incorrect API key provided" } }, { status: 401 }));
	for (let call = 0; call < 3; call++) await ask("l");
	const [one, ...more] = await arrived(1);
	expect(more).toEqual([]);
	expect(one).toMatchObject({
		type: "key.refused",
		data: { upstream: "locked", key: 1, status: 401, said: "Incorrect API key provided" },
	});
}, 20_000);

test("a model without a price is told of once a day, whether it is used or refused", async () => {
	expect(await ask("n")).toBe(200);
	expect(await ask("n")).toBe(200);
	const { key } = await gateway.token({ name: "careful", quota: 1 });
	expect(await ask("n", key)).toBe(403);
	const all = await arrived(2);
	expect(all.map(({ type, data }) => [type, data["model"], data["upstream"] ?? null])).toEqual([
		["price.unknown", "nobody-knows", "good"],
		["price.unknown", "n", null],
	]);
}, 20_000);

test("a token whose end is near is told of once; one that never had long to live is not", async () => {
	const end = new Date(clock.now() + 8 * 86_400_000).toISOString();
	const { id } = await gateway.token({ name: "guest", expiresAt: end });
	await gateway.token({ name: "hour", expiresAt: new Date(clock.now() + 3_600_000).toISOString() });
	const look = async () => {
		for (const job of gateway.portico.generation?.all(jobs) ?? [])
			if (job.name === "expiry: tell what ends soon") await job.run(new AbortController().signal);
	};
	await look();
	clock.jump(86_400_000 + 1_000);
	await look();
	const [one, ...more] = await arrived(1);
	expect(more).toEqual([]);
	expect(one).toMatchObject({ type: "token.expiring", data: { token: id, tokenName: "guest", expiresAt: end } });
	await look();
	await pass(3);
	expect(receiver.received.length).toBe(1);
}, 20_000);

test("what several nodes see at once is told once, and none of it where the batch fails", async () => {
	const [listener] = gateway.portico.generation?.all(alerts) ?? [];
	const row = sql`SELECT 'door.opened' AS event, 'front' AS about, json_object('door', 'front') AS data`;
	const seen = () => gateway.store.write([listener?.enqueue(row, { quietMs: 60_000 }) ?? sql`SELECT 1`]);
	const failed = gateway.store.write([
		listener?.enqueue(row, { quietMs: 60_000 }) ?? sql`SELECT 1`,
		sql`SELECT nothing`,
	]);
	await expect(failed).rejects.toThrow();
	await Promise.all([seen(), seen(), seen()]);
	expect((await arrived(1)).map(({ type, data }) => [type, data])).toEqual([["door.opened", { door: "front" }]]);
	clock.advance(61_000);
	await seen();
	expect((await arrived(2)).length).toBe(2);
});

test("a dead delivery is told of, once for its receiver; a dead alert tells of nothing and is sent again by hand", async () => {
	resetScript();
	const { id, key } = await gateway.token({ name: "hooks" });
	for (let task = 0; task < 2; task++)
		await gateway.ask(
			"/v1/tasks",
			{ kind: "scripted", prompt: "x", notifyHook: `${callbacks.origin}/hook` },
			{ headers: { authorization: `Bearer ${key}` } },
		);
	answers = 503;
	await pass(120);
	await until(
		async () => (await gateway.admin("GET", "/admin/deliveries?status=dead&token=alerts"))["data"] !== undefined,
	);
	await pass(110);
	const dead = (await gateway.admin("GET", "/admin/deliveries?status=dead&token=alerts"))["data"] as {
		event: string;
	}[];
	expect(dead.map(({ event }) => event)).toEqual(["delivery.dead"]);
	receiver.received.length = 0;
	answers = 200;
	expect(await gateway.admin("POST", "/admin/deliveries/redeliver", { token: "alerts" })).toEqual({ count: 1 });
	const [one, ...more] = await arrived(1);
	expect(more).toEqual([]);
	expect(one).toMatchObject({
		type: "delivery.dead",
		data: { token: id, tokenName: "hooks", receiver: callbacks.origin, error: "http_500" },
	});
}, 60_000);

test("a test alert arrives, and what was told is listed", async () => {
	await gateway.admin("POST", "/admin/alerts/test");
	const [one] = await arrived(1);
	expect(one?.type).toBe("alert.test");
	const { data } = (await gateway.admin("GET", "/admin/alerts?limit=1")) as { data: Told[] };
	expect(data).toMatchObject([{ event: "alert.test", data: one?.data }]);
});

test("a private address must be declared one", async () => {
	const start = startGateway({
		clock,
		plugins: ["tokens", "webhooks", { use: "alerts", with: { url: "http://127.0.0.1:8080/x", secret } }],
	});
	await expect(start).rejects.toThrow("must lead to a public address");
});
