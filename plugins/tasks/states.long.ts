/** The states a task goes through, and the callbacks for each. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/webhooks`. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../test/support/moved-clock.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { bodies, count, idOf, receiver, show, stopAll, world } from "../../test/support/scripted-tasks.ts";

beforeEach(resetScript);
afterEach(stopAll);

test("23: a jump from queued to done still reports that it ran", async () => {
	const [at, hook] = [await world(), await receiver()];
	const id = await idOf(at, { notifyHook: `${hook.origin}/x` });
	scripted.poll = async () => ({ state: "done", made });
	await at.pass(3000, 100);
	await until(() => hook.received.length === 3);
	expect(bodies(hook)).toEqual([
		{
			id,
			status: "NOT_START",
			prompt: "a cat",
			progress: "0%",
			url: "",
			failReason: "",
			submitTime: 1_790_000_000_000,
			startTime: 0,
			finishTime: 0,
		},
		expect.objectContaining({ status: "IN_PROGRESS", url: "", finishTime: 0 }),
		expect.objectContaining({ status: "SUCCESS", progress: "100%", url: "https://files.example/picture.png" }),
	]);
});

test("20, 22: every state is reported as it was, however fast it passed", async () => {
	const [at, hook] = [await world(), await receiver()];
	scripted.submit = async () => ({ outcome: "done", made });
	await idOf(at, { notifyHook: `${hook.origin}/x` });
	await at.pass(1000, 50);
	await until(() => hook.received.length === 3);
	expect(bodies(hook).map(({ status: word, progress }) => [word, progress])).toEqual([
		["NOT_START", "0%"],
		["IN_PROGRESS", "0%"],
		["SUCCESS", "100%"],
	]);
});

test("progress never falls, is never 100 before the end, and calls nobody back", async () => {
	const [at, hook] = [await world(), await receiver()];
	const percents = [30, 20, 100, 40];
	scripted.poll = async () => ({ state: "running", percent: percents[scripted.polled.length - 1] ?? 0 });
	const id = await idOf(at, { notifyHook: `${hook.origin}/x` });
	const seen: unknown[] = [];
	for (let poll = 1; poll <= 4; poll++) {
		for (let step = 0; step < 60 && scripted.polled.length < poll; step++) await at.pass(100, 100);
		await at.pass(50, 50);
		seen.push((await show(at, id)).progress);
	}
	expect(seen).toEqual([30, 30, 99, 99]);
	expect(hook.received).toHaveLength(2);
});

test("24: two that see the end at once make one end", async () => {
	const [at, hook] = [await world(), await receiver()];
	const id = await idOf(at, { notifyHook: `${hook.origin}/x` });
	await at.pass(200, 100);
	const { createTaskStore } = await import("./task-store.ts");
	const { succeed } = await import("./transitions.ts");
	const taskStore = createTaskStore(at.store);
	const row = await taskStore.work(id);
	if (!row) throw new Error("no task");
	const kind = { callback: () => "{}" } as never;
	const result = { files: [] };
	const now = at.moved.now();
	const ends = [1, 2, 3].map(() => at.store.write(succeed(kind, row.task, result, now, () => []).statements));
	expect((await Promise.allSettled(ends)).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
	expect(await count(at, "deliveries")).toBe(3);
});

test("25: what an upstream says after the end is ignored", async () => {
	const at = await world();
	let answer: (state: { state: "done"; made: typeof made }) => void = () => undefined;
	scripted.poll = () => new Promise((resolve) => (answer = resolve));
	const id = await idOf(at);
	await at.pass(1500, 100);
	await until(() => scripted.polled.length === 1);
	expect((await at.json(`/v1/tasks/${id}/cancel`, {})).body).toMatchObject({
		status: "FAILURE",
		error: { code: "cancelled" },
	});
	answer({ state: "done", made });
	await at.pass(1000, 100);
	expect(await show(at, id)).toMatchObject({
		status: "FAILURE",
		output: null,
		error: { code: "cancelled", message: "cancelled" },
	});
});

test("33: the end is never before the start, whatever the clock does", async () => {
	const [at, hook] = [await world(), await receiver()];
	scripted.poll = async () => ({ state: "running" });
	await idOf(at, { notifyHook: `${hook.origin}/x` });
	await at.pass(2000, 100);
	await until(() => bodies(hook).length === 2);
	scripted.poll = async () => ({ state: "done", made });
	at.moved.jump(-3_600_000);
	await at.pass(3_700_000, 100_000);
	await until(() => bodies(hook).length === 3);
	const last = bodies(hook)[2];
	expect(Number(last?.finishTime)).toBeGreaterThanOrEqual(Number(last?.startTime));
	expect(Number(last?.startTime)).toBeGreaterThanOrEqual(Number(last?.submitTime));
});

test("42: a waiting task is cancelled at once, a running one with its upstream told, an ended one not", async () => {
	const [at, hook] = [await world(), await receiver()];
	const waiting = await idOf(at, { notifyHook: `${hook.origin}/x` });
	await at.pass(200, 100);
	expect((await at.json(`/v1/tasks/${waiting}/cancel`, {})).body).toMatchObject({
		status: "FAILURE",
		error: { code: "cancelled" },
	});
	await at.pass(200, 50);
	await until(() => bodies(hook).length === 2);
	expect(bodies(hook)[1]).toMatchObject({ status: "FAILURE", failReason: "cancelled", startTime: 0 });

	scripted.poll = async () => ({ state: "running" });
	const running = await idOf(at);
	await at.pass(1500, 100);
	expect((await show(at, running)).status).toBe("IN_PROGRESS");
	expect((await at.json(`/v1/tasks/${running}/cancel`, {})).status).toBe(200);
	await until(() => scripted.cancelled.includes(`up-${running}`));

	const again = await at.json(`/v1/tasks/${running}/cancel`, {});
	expect(again.status).toBe(409);
	expect(again.body).toMatchObject({ error: { code: "task_ended" } });
});
