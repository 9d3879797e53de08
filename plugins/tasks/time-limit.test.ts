/** An upstream's program that never ends, whatever it is asked, keeps neither its task nor its place. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../test/support/moved-clock.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { idOf, show, stopAll, world } from "../../test/support/scripted-tasks.ts";
import type { TaskWorld } from "../../test/support/task-world.ts";
import { usedOfTokens } from "../../test/support/used-of-tokens.ts";

beforeEach(resetScript);
afterEach(stopAll);

const never = () => new Promise<never>(() => undefined);

const priced = () =>
	world({
		scripted: { concurrency: 1 },
		more: ["quota", { use: "prices", with: { models: { script: { perImage: 0.5 } } } }],
	});

const told = (at: TaskWorld) => at.log.filter(({ task }) => task !== undefined).map(({ msg }) => msg);

const tooLate = { status: "FAILURE", error: { code: "task_timeout", message: "task timeout after 10 minutes" } };

test("a submission that never ends is given up on, stopped where it can be found, and charged", async () => {
	const at = await priced();
	const signals: AbortSignal[] = [];
	scripted.submit = (_job, signal) => {
		signals.push(signal);
		return never();
	};
	scripted.find = async (job) => `up-${job.id}`;
	const id = await idOf(at);
	await at.pass(590_000, 30_000);
	expect((await show(at, id)).status).toBe("NOT_START");
	await at.pass(30_000, 5000);
	expect(await show(at, id)).toMatchObject(tooLate);
	await until(() => scripted.cancelled.length === 1);
	await at.pass(1000);
	expect(scripted.cancelled).toEqual([`up-${id}`]);
	expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
	expect(await usedOfTokens(at)).toEqual([0.5]);
	expect(told(at)).toEqual(["a task could not be submitted"]);

	// Its place is free.
	scripted.submit = async () => ({ outcome: "done", made });
	const next = await idOf(at);
	await at.pass(2000);
	expect((await show(at, next)).status).toBe("SUCCESS");
});

test("a poll that never ends is given up on", async () => {
	const at = await priced();
	scripted.poll = never;
	const id = await idOf(at);
	await at.pass(590_000, 30_000);
	expect((await show(at, id)).status).toBe("NOT_START");
	await at.pass(60_000, 5000);
	expect(await show(at, id)).toMatchObject(tooLate);
	expect(await usedOfTokens(at)).toEqual([0.5]);
	expect(told(at)).toEqual(["an upstream could not be asked after a task"]);
});

test("a look-up that never ends is given up on", async () => {
	const at = await priced();
	scripted.submit = async () => ({ outcome: "unknown" });
	scripted.find = never;
	const id = await idOf(at);
	await at.pass(650_000, 30_000);
	expect(await show(at, id)).toMatchObject({ status: "FAILURE" });
	expect(await usedOfTokens(at)).toEqual([0.5]);
	expect(told(at)).toEqual(["a submission could not be looked up"]);
});

test("a request to stop that never ends is given up on, three times", async () => {
	const at = await priced();
	scripted.cancel = never;
	const id = await idOf(at);
	await at.pass(2000, 500);
	expect((await at.json(`/v1/tasks/${id}/cancel`, {})).status).toBe(200);
	await at.pass(30_000, 500);
	expect(await usedOfTokens(at)).toEqual([0.5]);
	expect(scripted.cancelled).toHaveLength(3);
	expect(told(at)).toEqual(["a job could not be cancelled"]);
});

test("a result that never comes is given up on", async () => {
	const at = await priced();
	scripted.submit = async () => ({
		outcome: "done",
		made: { files: [{ role: "picture", mediaType: "image/png", fetch: never }] },
	});
	const id = await idOf(at);
	await at.pass(660_000, 30_000);
	expect(await show(at, id)).toMatchObject({ status: "FAILURE", error: { code: "result_not_kept" } });
	expect(await usedOfTokens(at)).toEqual([0.5]);
	expect(told(at)).toEqual(["a result could not be fetched"]);
});

test("what is looked at last is not cut off at the deadline", async () => {
	const at = await priced();
	const id = await idOf(at);
	await at.pass(570_000, 30_000);
	await at.pass(24_000, 1000);
	let answer: (state: { state: "done"; made: typeof made }) => void = () => undefined;
	scripted.poll = () => new Promise((resolve) => (answer = resolve));
	scripted.polled.length = 0;
	await at.pass(3000, 500);
	expect(scripted.polled).toHaveLength(1);
	await at.pass(5000, 500);
	answer({ state: "done", made });
	await at.pass(1000, 500);
	expect((await show(at, id)).status).toBe("SUCCESS");
});

test.each([
	["was done", { state: "done", made } as const, "SUCCESS", 0.5],
	["failed", { state: "failed", failure: { code: "upstream_failed", reason: "no" } } as const, "FAILURE", 0],
])("a job that %s while nobody could ask is taken in, though its time is over", async (_, said, status, cost) => {
	const at = await priced();
	const id = await idOf(at);
	await at.pass(2000, 500);
	scripted.poll = async () => said;
	// As after a night in which no node ran.
	at.moved.jump(8 * 3_600_000);
	await at.pass(5000, 500);
	const shown = await show(at, id);
	expect(shown["status"]).toBe(status);
	expect(shown["error"]).toEqual(said.state === "failed" ? { code: "upstream_failed", message: "no" } : null);
	expect(await usedOfTokens(at)).toEqual([cost]);
	expect(scripted.cancelled).toEqual([]);
});

test("a result that cannot be fetched when a task's time is over ends it all the same", async () => {
	const at = await priced();
	const id = await idOf(at);
	await at.pass(2000, 500);
	const fetch = () => Promise.reject(new Error("gone"));
	scripted.poll = async () => ({
		state: "done",
		made: { files: [{ role: "picture", mediaType: "image/png", fetch }] },
	});
	at.moved.jump(8 * 3_600_000);
	await at.pass(5000, 500);
	expect(await show(at, id)).toMatchObject({ status: "FAILURE", error: { code: "task_timeout" } });
	expect(await usedOfTokens(at)).toEqual([0.5]);
	expect(scripted.cancelled).toEqual([`up-${id}`]);
});
