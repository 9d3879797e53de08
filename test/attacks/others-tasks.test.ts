/** Promise: a task does not wait for all the tasks that another token has made before it: their turns come alternately. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";

let world: MediaWorld;
/** What the upstream was asked for and has not answered, in order. */
const open: (() => void)[] = [];
const asked: string[] = [];

beforeAll(async () => {
	world = await startMediaWorld({ image: [{ type: "openai-images", models: ["picture"], concurrency: 2 }] });
	world.upstream.answer(({ json }) => {
		asked.push(String((json as { readonly prompt?: string }).prompt));
		return new Promise((resolve) => {
			open.push(() => resolve(Response.json({ data: [{ url: "https://cdn.example/1.png" }] })));
		});
	});
});
afterAll(async () => {
	for (const answer of open) answer();
	await world.close();
});

const submit = async (key: string, prompt: string): Promise<void> => {
	const init = { headers: { authorization: `Bearer ${key}` } };
	const { status } = await world.json("/v1/tasks", { kind: "image", model: "picture", prompt }, init);
	expect(status).toBe(202);
};

test("however many there are", async () => {
	const [many, few] = [await world.token(), await world.token()];
	for (let count = 0; count < 20; count++) await submit(many.key, "many");
	await until(() => open.length === 2);
	for (let count = 0; count < 3; count++) await submit(few.key, "few");
	for (let turn = 2; turn < 8; turn++) {
		open.shift()?.();
		await until(() => asked.length > turn);
	}
	expect(asked.slice(2)).toEqual(["few", "many", "few", "many", "few", "many"]);
});
