/** Tasks that one request asks after do not wait for one another. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../test/support/moved-clock.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { idOf, show, stopAll, world } from "../../test/support/scripted-tasks.ts";
import type { TaskWorld } from "../../test/support/task-world.ts";

beforeEach(resetScript);
afterEach(stopAll);

const together = () =>
	world({
		scripted: { together: 50 },
		more: ["quota", { use: "prices", with: { models: { script: { perImage: 0.5 } } } }],
	});

const many = async (at: TaskWorld, count: number): Promise<readonly string[]> =>
	await Promise.all(Array.from({ length: count }, () => idOf(at)));

test("jobs that are not stopped keep none of the others from being stopped", async () => {
	const at = await together();
	await many(at, 20);
	await at.pass(590_000, 30_000);
	const waiting: ((word: "told") => void)[] = [];
	scripted.cancel = () => new Promise((resolve) => waiting.push(resolve));
	at.moved.advance(20_000);
	await until(() => waiting.length === 20, "every job to be stopped at once");
	for (const answer of waiting) answer("told");
});

test("a job that is not stopped keeps none of the others from being asked after", async () => {
	const at = await together();
	const late = await idOf(at);
	await at.pass(300_000, 30_000);
	const early = await idOf(at);
	await at.pass(295_000, 30_000);
	const stopped = Promise.withResolvers<"told">();
	scripted.cancel = () => stopped.promise;
	scripted.poll = async ({ id }) => (id === late ? { state: "waiting" } : { state: "done", made });
	at.moved.advance(10_000);
	await until(() => scripted.cancelled.length === 1);
	await until(async () => (await show(at, early)).status === "SUCCESS", "the other to be asked after");
	expect((await show(at, late)).status).toBe("FAILURE");
	stopped.resolve("told");
});

test("a result that does not come keeps none of the others from being taken in", async () => {
	const at = await together();
	await many(at, 3);
	const bytes = Promise.withResolvers<Uint8Array>();
	const slow = { files: [{ role: "picture", mediaType: "image/png", fetch: () => bytes.promise }] };
	scripted.poll = async ({ id }) => ({ state: "done", made: id === scripted.polled[0] ? slow : made });
	await at.pass(3000, 500);
	const states = async () => {
		const { data } = (await at.json("/v1/tasks")).body as { data: { status: string }[] };
		return data.map(({ status }) => status).sort();
	};
	await until(async () => (await states()).join() === "NOT_START,SUCCESS,SUCCESS", "the others to be taken in");
	bytes.resolve(new Uint8Array([1]));
	await until(async () => (await states()).join() === "SUCCESS,SUCCESS,SUCCESS");
});
