/** Budgets and tasks: held when the task is taken on, charged in the window of that moment, given back when nothing was made. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { createMovedClock } from "../support/moved-clock.ts";
import { joined } from "../support/people-world.ts";
import { made, resetScript, scripted } from "../support/scripted-kind.ts";
import { startTaskWorld, type TaskWorld } from "../support/task-world.ts";

let at: TaskWorld;
beforeAll(async () => {
	at = await startTaskWorld({
		clock: createMovedClock(Date.parse("2028-02-29T23:59:00Z")),
		more: ["ledger", "people", "quota", { use: "prices", with: { models: { script: { perImage: 0.5 } } } }],
	});
});
afterAll(() => at.stop());
beforeEach(resetScript);

const submit = async (key: string) => {
	const { status, body } = await at.json(
		"/v1/tasks",
		{ kind: "scripted", prompt: "x" },
		{ headers: { authorization: `Bearer ${key}` } },
	);
	return { status, id: String(body["id"]), error: asRecord(body["error"]) };
};
const ended = async (key: string, id: string): Promise<string> => {
	for (;;) {
		const { body } = await at.json(`/v1/tasks/${id}`, undefined, { headers: { authorization: `Bearer ${key}` } });
		if (body["status"] === "SUCCESS" || body["status"] === "FAILURE") return String(body["status"]);
		await at.pass(500, 250);
	}
};
const budget = async (key: string) => {
	const { body } = await at.json("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
	const { used, remaining, resetsAt } = asRecord(asList(body["budgets"])[0]);
	return { used, remaining, resetsAt };
};

test("what tasks may cost is held; a third is refused until the day is over, and the first two stay in their day", async () => {
	const { key } = await at.token({ budgets: [{ amount: 1.2, per: "day" }] });
	const [one, two, three] = [await submit(key), await submit(key), await submit(key)];
	expect([one.status, two.status, three.status]).toEqual([202, 202, 429]);
	expect(three.error).toMatchObject({ code: "quota_held" });
	at.moved.jump(120_000);
	const next = await submit(key);
	expect(next.status).toBe(202);
	scripted.poll = async () => ({ state: "done", made });
	for (const { id } of [one, two, next]) expect(await ended(key, id)).toBe("SUCCESS");
	expect(await budget(key)).toEqual({ used: 0.5, remaining: 0.7, resetsAt: "2028-03-02T00:00:00.000Z" });
	at.moved.jump(-120_000 - (at.moved.now() - Date.parse("2028-03-01T00:01:00Z")));
	expect(await budget(key)).toMatchObject({ used: 1, resetsAt: "2028-03-01T00:00:00.000Z" });
	const late = await submit(key);
	expect(late.status).toBe(429);
	expect(late.error).toMatchObject({ code: "insufficient_quota", resetsAt: "2028-03-01T00:00:00.000Z" });
}, 20_000);

test("a task that makes nothing gives its part of the window back", async () => {
	const { key } = await at.token({ budgets: [{ amount: 0.5, per: "week" }] });
	scripted.poll = async () => ({ state: "failed", failure: { code: "upstream_failed", reason: "no" } });
	const first = await submit(key);
	expect([first.status, (await submit(key)).status]).toEqual([202, 429]);
	expect(await ended(key, first.id)).toBe("FAILURE");
	expect(await budget(key)).toMatchObject({ used: 0, remaining: 0.5 });
	expect((await submit(key)).status).toBe(202);
}, 20_000);

test("a person's budget holds back what tasks of any of their tokens may cost", async () => {
	const { id: owner } = await joined(at, "Ada", { budgets: [{ amount: 0.4, per: "day" }] });
	const [one, two] = [await at.token({ owner }), await at.token({ owner })];
	const refused = await submit(one.key);
	expect([refused.status, refused.error["code"]]).toEqual([429, "insufficient_quota"]);
	expect(String(refused.error["message"])).toContain("The budget of this token's owner for the day");
	expect(refused.error["resetsAt"]).toBe(
		new Date(Math.floor(at.moved.now() / 86_400_000 + 1) * 86_400_000).toISOString(),
	);
	await at.admin("PATCH", `/admin/people/${owner}`, { budgets: [{ amount: 0.6, per: "day" }] });
	const first = await submit(one.key);
	expect([first.status, (await submit(two.key)).status]).toEqual([202, 429]);
	scripted.poll = async () => ({ state: "done", made });
	expect(await ended(one.key, first.id)).toBe("SUCCESS");
	expect(await budget(two.key)).toMatchObject({ used: 0.5, remaining: 0.1 });
}, 20_000);
