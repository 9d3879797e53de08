/** Inputs of open tasks: a token fills no more of the disk than its limit, and others are still served. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { joined } from "../support/people-world.ts";
import { startTaskWorld, type TaskWorld } from "../support/task-world.ts";

let world: TaskWorld;
beforeEach(async () => {
	world = await startTaskWorld({ tasks: { inputMegabytesPerToken: 0.1, inputMegabytes: 0.2 }, more: ["people"] });
});
afterEach(() => world.stop());

const submit = async (key: string): Promise<number> =>
	(
		await world.json(
			"/v1/tasks",
			{ kind: "scripted", prompt: "p", extra: "x".repeat(30_000) },
			{ headers: { authorization: `Bearer ${key}` } },
		)
	).status;

test("of many at once no more are taken than find room", async () => {
	const { key } = await world.token();
	const statuses = await Promise.all(Array.from({ length: 20 }, () => submit(key)));
	expect(statuses.filter((status) => status === 202)).toHaveLength(3);
	expect(statuses.filter((status) => status === 429)).toHaveLength(17);
});

test("429 beyond a token's limit, 503 beyond the limit of all; what was kept is no more than that", async () => {
	const [one, two, three] = [await world.token(), await world.token(), await world.token()];
	const statuses: number[] = [];
	for (let round = 0; round < 5; round++) statuses.push(await submit(one.key));
	expect(statuses).toEqual([202, 202, 202, 429, 429]);
	for (let round = 0; round < 3; round++) expect(await submit(two.key)).toBe(202);
	expect(await submit(three.key)).toBe(503);
});

test("429 for a member beyond half of that, by however many tokens, and others are still served", async () => {
	const mallory = await joined(world, "mallory");
	const statuses: number[] = [];
	for (let made = 0; made < 6; made++) {
		const { body } = await mallory.ask("POST", "/admin/tokens", { name: "one of many" });
		statuses.push(await submit(String(body["key"])));
	}
	expect(statuses).toEqual([202, 202, 202, 429, 429, 429]);
	expect(await submit((await world.token()).key)).toBe(202);
});
