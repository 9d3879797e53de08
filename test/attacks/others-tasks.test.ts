/** Promise: a task does not wait for all the tasks that another has made before it, by however many tokens: their turns come alternately. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";
import { joined } from "../support/people-world.ts";

let world: MediaWorld;
/** What the upstream was asked for and has not answered, in order. */
const open: (() => void)[] = [];
const asked: string[] = [];

beforeAll(async () => {
	world = await startMediaWorld({
		image: [{ type: "openai-images", models: ["picture"], concurrency: 2 }],
		more: ["people"],
	});
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

/** Each of the keys asks in turn; then somebody else. */
const inTurns = async (many: readonly string[]): Promise<readonly string[]> => {
	const few = await world.token();
	asked.length = 0;
	for (let count = 0; count < 20; count++) await submit(many[count % many.length] ?? "", "many");
	await until(() => open.length === 2);
	for (let count = 0; count < 3; count++) await submit(few.key, "few");
	for (let turn = 2; turn < 8; turn++) {
		open.shift()?.();
		await until(() => asked.length > turn);
	}
	const turns = asked.slice(2);
	for (let left = 23; left > 8; left--) {
		open.shift()?.();
		await until(() => asked.length > 23 - left + 8);
	}
	while (open.length > 0) open.shift()?.();
	return turns;
};

const alternately = ["few", "many", "few", "many", "few", "many"];

test("however many there are", async () => {
	expect(await inTurns([(await world.token()).key])).toEqual(alternately);
});

test("by however many tokens of one member", async () => {
	const mallory = await joined(world, "mallory");
	const keys: string[] = [];
	for (let made = 0; made < 20; made++)
		keys.push(String((await mallory.ask("POST", "/admin/tokens", { name: "one of many" })).body["key"]));
	expect(await inTurns(keys)).toEqual(alternately);
});
