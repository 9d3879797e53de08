import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../test/support/moved-clock.ts";
import { type Receiver, startReceiver, status } from "../../test/support/receiver.ts";
import { resetScript } from "../../test/support/scripted-kind.ts";
import { startTaskWorld, type TaskWorld } from "../../test/support/task-world.ts";

let at: TaskWorld;
let hook: Receiver;
let down = true;
let headers: Record<string, string>;
let stranger: Record<string, string>;

beforeAll(async () => {
	resetScript();
	hook = await startReceiver((socket, request, index) => status(down ? 503 : 200)(socket, request, index));
	at = await startTaskWorld();
	headers = { authorization: `Bearer ${at.key}` };
	stranger = { authorization: `Bearer ${(await at.token()).key}` };
});
afterAll(async () => {
	await at.stop();
	await hook.close();
});

const ask = (path: string, body?: unknown, who = headers) => at.json(path, body, { headers: who });
const submit = async (): Promise<string> =>
	String((await ask("/v1/tasks", { kind: "scripted", prompt: "x", notifyHook: `${hook.origin}/x` })).body.id);

describe("deliveries", () => {
	test("are listed by status and task, newest first, in pages; one is shown with its attempts", async () => {
		const first = await submit();
		at.moved.advance(1);
		const second = await submit();
		await at.pass(110_000, 1000);
		const dead = async () => (await ask("/v1/deliveries?status=dead")).body;
		await until(async () => ((await dead()).data as unknown[]).length === 2);
		const page = (await ask("/v1/deliveries?status=dead&limit=1")).body;
		expect(page).toMatchObject({
			object: "list",
			has_more: true,
			first_id: `msg_${second}_1`,
			last_id: `msg_${second}_1`,
		});
		const rest = (await ask(`/v1/deliveries?status=dead&limit=1&after=${page.last_id}`)).body;
		expect(rest).toMatchObject({ has_more: false, first_id: `msg_${first}_1` });
		expect(((await ask(`/v1/deliveries?task=${first}`)).body.data as unknown[]).length).toBe(1);
		const { body } = await ask(`/v1/deliveries/msg_${first}_1`);
		expect(body).toMatchObject({ subject: first, event: "NOT_START", status: "dead", next_attempt_at: null });
		expect(
			(body.attempts as { error: string; status: number; address: string }[]).map((one) => [
				one.error,
				one.status,
				one.address,
			]),
		).toEqual(Array(4).fill(["http_503", 503, "127.0.0.1"]));
	}, 20_000);

	test("of another token do not exist", async () => {
		const { data } = (await ask("/v1/deliveries")).body as { data: { id: string }[] };
		const id = data[0]?.id;
		expect((await ask("/v1/deliveries", undefined, stranger)).body.data).toEqual([]);
		expect((await ask(`/v1/deliveries/${id}`, undefined, stranger)).status).toBe(404);
		expect((await ask(`/v1/deliveries/${id}/redeliver`, {}, stranger)).status).toBe(404);
		expect((await ask("/v1/deliveries/redeliver", {}, stranger)).body).toEqual({ object: "redelivery", count: 0 });
	});

	test("that died are sent again, one or all", async () => {
		down = false;
		const { data } = (await ask("/v1/deliveries?status=dead")).body as { data: { id: string; subject: string }[] };
		const [one, other] = data;
		expect((await ask(`/v1/deliveries/${one?.id}/redeliver`, {})).status).toBe(202);
		await at.pass(100, 20);
		await until(async () => (await ask(`/v1/deliveries/${one?.id}`)).body.status === "delivered");
		expect((await ask("/v1/deliveries/redeliver", { from: "2020-01-01", to: "2021-01-01" })).body.count).toBe(0);
		expect((await ask("/v1/deliveries/redeliver", { from: 0 })).body.count).toBe(1);
		await at.pass(100, 20);
		await until(async () => (await ask(`/v1/deliveries/${other?.id}`)).body.status === "delivered");
	});

	test.each(["/v1/deliveries?status=lost", "/v1/deliveries?limit=0", "/v1/deliveries?limit=x"])(
		"%s is refused",
		async (path) => expect((await ask(path)).status).toBe(400),
	);

	test("a span that is no time is refused", async () => {
		for (const from of ["yesterday", "Nov 26", "2026-11-31"])
			expect((await ask("/v1/deliveries/redeliver", { from })).status).toBe(400);
	});

	test("a span by other names is refused with those there are: unread it would send all", async () => {
		for (const [field, told] of [
			["form", '(did you mean "from"?)'],
			["since", "(there are: from, to)"],
		] as const) {
			const { status, body } = await ask("/v1/deliveries/redeliver", { [field]: "2020-01-01" });
			const message = `"${field}": not a setting here ${told}.`;
			expect({ status, body }).toMatchObject({ status: 400, body: { error: { message } } });
		}
	});
});

describe("the secret", () => {
	test("is shown once, told about without itself, and replaced", async () => {
		expect((await ask("/v1/webhooks/secret")).status).toBe(404);
		expect((await ask("/v1/webhooks/secret/rotate", {})).status).toBe(409);
		const made = await at.ask("/v1/webhooks/secret", {}, { headers });
		expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"]);
		const { secret } = (await made.json()) as { secret: string };
		expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
		expect((await ask("/v1/webhooks/secret", {})).status).toBe(409);
		expect((await ask("/v1/webhooks/secret")).body).toEqual({
			object: "webhook.secret",
			created_at: expect.any(Number) as unknown,
			previous_until: null,
		});
		const rotated = (await ask("/v1/webhooks/secret/rotate", {})).body;
		expect(rotated.secret).not.toBe(secret);
		const state = (await ask("/v1/webhooks/secret")).body;
		expect(Number(state.previous_until) - Number(state.created_at)).toBe(86_400);
		expect((await ask("/v1/webhooks/secret", undefined, stranger)).status).toBe(404);
		expect(JSON.stringify(at.log)).not.toContain(secret.slice(6));
	});
});

test("a test callback that fails says how", async () => {
	down = true;
	expect((await ask("/v1/webhooks/test", { url: `${hook.origin}/t` })).body).toMatchObject({
		delivered: false,
		status: 503,
		error: "http_503",
	});
	expect((await ask("/v1/webhooks/test", {})).status).toBe(400);
});

test("callbacks are sent again by hand so often in a minute, and no more", async () => {
	down = false;
	const { key } = await at.token();
	const own = { authorization: `Bearer ${key}` };
	const task = (await ask("/v1/tasks", { kind: "scripted", prompt: "x", notifyHook: `${hook.origin}/again` }, own))
		.body;
	const id = `msg_${String(task.id)}_1`;
	const came = () => hook.received.filter(({ path }) => path === "/again").length;
	await at.pass(500, 100);
	await until(() => came() === 1);
	const again = async () => {
		const { status: code } = await ask(`/v1/deliveries/${id}/redeliver`, {}, own);
		await at.pass(20, 20);
		return code;
	};
	const codes: number[] = [];
	for (let time = 0; time < 60; time++) codes.push(await again());
	expect(codes.filter((code) => code !== 429).length).toBe(30);
	expect(came()).toBeLessThanOrEqual(31);
	const all = await Promise.all(Array.from({ length: 9 }, () => ask("/v1/deliveries/redeliver", {}, own)));
	expect(all.filter(({ status: code }) => code === 202).length).toBe(6);
	// Another's are another's.
	expect((await ask(`/v1/deliveries/${id}/redeliver`, {}, stranger)).status).toBe(404);
	at.moved.advance(60_000);
	expect([202, 409]).toContain(await again());
});
