/** A task ends once, whoever ends it: its row, its count and its callback are of that end, and so is what it costs. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { until } from "../../test/support/moved-clock.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { bodies, idOf, receiver, show, stopAll, world } from "../../test/support/scripted-tasks.ts";
import type { TaskWorld } from "../../test/support/task-world.ts";
import { usedOfTokens } from "../../test/support/used-of-tokens.ts";
import type { JobState, Submission } from "./service.ts";

beforeEach(resetScript);
afterEach(stopAll);

const priced = () =>
	world({
		more: ["quota", "ledger", "router", "metrics", { use: "prices", with: { models: { script: { perImage: 0.5 } } } }],
	});

const rows = async (at: TaskWorld): Promise<unknown> =>
	await at.store.all(sql`SELECT ending, cost, detail->>'reason' AS reason FROM ledger WHERE protocol = 'tasks'`);

const ends = async (at: TaskWorld): Promise<readonly string[]> => {
	const headers = { authorization: `Bearer ${at.adminToken}` };
	const text = await (await at.ask("/metrics", undefined, { headers })).text();
	return text.split("\n").filter((line) => line.startsWith("portico_tasks_ended_total{"));
};

const oneFailure = ['portico_tasks_ended_total{kind="scripted",outcome="failed"} 1'];

/** A promise with what settles it. */
const held = <T>() => Promise.withResolvers<T>();

test.each([
	["made its picture", { outcome: "done", made }, 0.5],
	["refused it", { outcome: "refused", failure: { code: "upstream_refused", reason: "no" } }, 0],
	["is not to be understood", { outcome: "unknown" }, 0.5],
] as const)("cancelled while it is submitted, and then its upstream %s", async (_name, said, cost) => {
	const [at, hook] = [await priced(), await receiver()];
	const answer = held<Submission>();
	scripted.submit = () => answer.promise;
	const id = await idOf(at, { notifyHook: `${hook.origin}/x` });
	await at.pass(200, 100);
	expect((await at.json(`/v1/tasks/${id}/cancel`, {})).status).toBe(200);
	answer.resolve(said);
	await at.pass(3000, 500);
	expect(await show(at, id)).toMatchObject({ status: "FAILURE", output: null, error: { code: "cancelled" } });
	expect(await usedOfTokens(at)).toEqual([cost]);
	expect(await rows(at)).toEqual([{ ending: "failed", cost: cost * 1e6, reason: "cancelled" }]);
	expect(await ends(at)).toEqual(oneFailure);
	await until(() => hook.received.length === 2);
	expect(bodies(hook).map(({ status }) => status)).toEqual(["NOT_START", "FAILURE"]);
	expect(at.log.filter(({ level }) => level === "error")).toEqual([]);
});

test("cancelled while it is asked after, and then its upstream made its picture", async () => {
	const at = await priced();
	const answer = held<JobState>();
	scripted.poll = () => answer.promise;
	const id = await idOf(at);
	await at.pass(1500, 100);
	expect(scripted.polled).toHaveLength(1);
	expect((await at.json(`/v1/tasks/${id}/cancel`, {})).status).toBe(200);
	answer.resolve({ state: "done", made });
	await at.pass(3000, 500);
	expect(await show(at, id)).toMatchObject({ status: "FAILURE", output: null, error: { code: "cancelled" } });
	expect(await usedOfTokens(at)).toEqual([0.5]);
	expect(await rows(at)).toEqual([{ ending: "failed", cost: 500_000, reason: "cancelled" }]);
	expect(await ends(at)).toEqual(oneFailure);
});

test("cancelled by two at once", async () => {
	const at = await priced();
	const id = await idOf(at);
	await at.pass(1500, 100);
	const cancel = async () => (await at.json(`/v1/tasks/${id}/cancel`, {})).status;
	expect((await Promise.all([cancel(), cancel(), cancel()])).every((status) => status === 200 || status === 409)).toBe(
		true,
	);
	await at.pass(3000, 500);
	expect(await ends(at)).toEqual(oneFailure);
});
