/** Operators are told of every open task what it waits for, and of every one that failed why it did and what to do. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { idOf, stopAll, world } from "../../test/support/scripted-tasks.ts";
import type { TaskWorld, TaskWorldOptions } from "../../test/support/task-world.ts";
import type { Submission } from "./service.ts";

beforeEach(resetScript);
afterEach(stopAll);

const begin = async (more: TaskWorldOptions = {}): Promise<TaskWorld> => await world({ more: ["ledger"], ...more });
const told = (at: TaskWorld, id: string) => at.admin("GET", `/admin/tasks/${id}`);
const until = /It fails at 20\S+Z unless it has ended by then\.$/;

test("what no upstream has taken on: sent and not answered, in its turn, sent again later", async () => {
	const at = await begin({ scripted: { concurrency: 1 } });
	const answer = Promise.withResolvers<Submission>();
	scripted.submit = () => answer.promise;
	const first = await idOf(at);
	await at.pass(2000, 500);
	const second = await idOf(at);
	await at.pass(2000, 500);
	expect((await told(at, first))["standing"]).toMatch(/^first was sent it, and has not answered\. It fails/);
	expect((await told(at, second))["standing"]).toMatch(/^It waits for its turn at first, which has as much/);
	scripted.submit = () => Promise.resolve({ outcome: "busy" });
	answer.resolve({ outcome: "busy" });
	await at.pass(1500, 500);
	const { standing } = await told(at, first);
	expect(standing).toMatch(/^Upstreams were too busy or away once\. It is sent to first at 20/);
	expect(standing).toMatch(until);
});

test("what an upstream has, and how often it has told of it", async () => {
	const at = await begin();
	const id = await idOf(at);
	await at.pass(500, 100);
	expect((await told(at, id))["standing"]).toMatch(
		/^first has it, and has not told anything of it; it is asked again at 20/,
	);
	await at.pass(4000, 500);
	expect((await told(at, id))["standing"]).toMatch(
		/^first has it, and has told of it \w+( times)?; it is asked again at 20/,
	);
	scripted.poll = async () => ({ state: "strange", word: "BANANA" });
	await at.pass(4000, 500);
	expect((await told(at, id))["standing"]).toContain(" in a row with a state that is not known; ");
	const { body } = await at.json(`/v1/tasks/${id}`);
	expect(body["standing"]).toBeUndefined();
	await at.json(`/v1/tasks/${id}/cancel`, {});
	const ended = await told(at, id);
	expect([ended["standing"], ended["advice"]]).toEqual([undefined, expect.stringContaining("cancelled it")]);
});

test("a task that nobody took on in its time says so, costs nothing, and portico explain says what to do", async () => {
	const at = await begin({ scripted: { concurrency: 1 } });
	scripted.submit = () => new Promise(() => undefined);
	await idOf(at);
	await at.pass(1000, 500);
	const id = await idOf(at);
	const unknown = await at.admin("GET", `/admin/calls/${id}`).catch((error: Error) => error.message);
	expect(JSON.stringify(unknown)).toContain(`portico tasks ${id}`);
	await at.pass(640_000, 20_000);
	const message = "task timeout after 10 minutes: no upstream had taken it on";
	expect(await told(at, id)).toMatchObject({ status: "FAILURE", error: { code: "task_timeout", message } });
	expect(await at.admin("GET", `/admin/calls/${id}`)).toMatchObject({
		protocol: "tasks",
		upstream: "first",
		reason: "task_timeout",
		advice: expect.stringContaining("as much under way as `concurrency` lets them"),
	});
});
