/** A clock that is set: tasks that it put off are looked at all the same, and whoever waits for one goes on waiting. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { startMediaWorld } from "../../test/support/media-world.ts";
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

test("who waits for a picture gets it though the clock is set ahead by an hour", async () => {
	const at = await startMediaWorld({ image: [{ type: "openai-images", models: ["picture"] }] });
	try {
		const drawn = Promise.withResolvers<Response>();
		at.upstream.answer(() => drawn.promise);
		const asked = at.json("/v1/images/generations", { model: "picture", prompt: "a cat" });
		await until(() => at.upstream.received.length === 1, "the submission");
		at.moved.jump(hour);
		await at.pass(2000, 500);
		drawn.resolve(Response.json({ data: [{ url: "https://cdn.example.org/1.png" }] }));
		let answered = false;
		void asked.finally(() => {
			answered = true;
		});
		await until(async () => {
			await at.pass(500, 250);
			return answered;
		}, "the answer");
		expect(await asked).toMatchObject({ status: 200, body: { data: [{ url: "https://cdn.example.org/1.png" }] } });
	} finally {
		await at.close();
	}
});
