/** A clock that was ahead and is set right: tasks that it put off are looked at all the same, and nobody's long pace is lost. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { until } from "../../test/support/moved-clock.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { idOf, show, stopAll, world } from "../../test/support/scripted-tasks.ts";
import { takeUpPutOff } from "./put-off.ts";

beforeEach(resetScript);
afterEach(stopAll);

const hour = 3_600_000;

test("a task goes on when the clock is set back by an hour", async () => {
	const at = await world();
	const id = await idOf(at);
	await until(() => scripted.submitted.length === 1, "the submission");
	await at.pass(1000, 500);
	scripted.poll = async () => ({ state: "done", made });
	at.moved.jump(-hour);
	// The worker looks every second, by the clock of the machine.
	await until(async () => (await show(at, id))["status"] === "SUCCESS", "the result", 10_000);
});

test("what waits no longer than its upstream's own pace is left alone, and what another node alone can do", async () => {
	const at = await world();
	const id = await idOf(at);
	await until(() => scripted.submitted.length === 1, "the submission");
	// Of an upstream that the world's own worker does not know, which looks by itself.
	const [now, later] = [at.moved.now(), at.moved.now() + hour];
	const dueAfter = async (name: string, pace: number): Promise<unknown> => {
		await at.store.write([sql`UPDATE tasks SET due_at = ${later}, upstream = 'slow' WHERE id = ${id}`]);
		await takeUpPutOff(at.store, { upstreams: [{ name, pollDelaysMs: [1000, pace] }] }, () => now)();
		return (await at.store.all(sql`SELECT due_at FROM tasks WHERE id = ${id}`))[0]?.["due_at"];
	};
	expect(await dueAfter("slow", 2000)).toBe(now);
	expect(await dueAfter("slow", hour)).toBe(later);
	expect(await dueAfter("another", 2000)).toBe(later);
});
