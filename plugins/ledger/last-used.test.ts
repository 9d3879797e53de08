/** When a token was last used, as its lists and its owner are told. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TestGateway } from "#core/testing";
import { peoplePlugins, startPeopleWorld } from "../../test/support/people-world.ts";
import { insertRows } from "./tables.ts";

let world: TestGateway;
beforeAll(async () => {
	world = await startPeopleWorld({ plugins: peoplePlugins.filter((plugin) => plugin !== "people") });
});
afterAll(() => world.stop());

const row = (id: string, token: string, at: number, ending = "completed") => ({
	...{ id, token, at, ending, input_tokens: 0, cached_tokens: 0, output_tokens: 0, reasoning_tokens: 0 },
	...{ cost: 0, excess: 0, detail: "{}" },
});

const shown = async (id: string) => (await world.admin("GET", `/admin/tokens/${id}`))["lastUsedAt"];

test("is the time of its newest call, a refused one too, and none of what a lost node cost", async () => {
	const [used, unused] = [await world.token(), await world.token()];
	await world.store.write(
		insertRows([
			row("a", used.id, 1_790_000_000_000),
			row("b", used.id, 1_790_000_500_000, "refused"),
			row("c", used.id, 1_790_000_900_000, "lease_lost"),
		]),
	);
	expect(await shown(used.id)).toBe(1_790_000_500_000);
	expect(await shown(unused.id)).toBeUndefined();
	const { data } = (await world.admin("GET", "/admin/tokens")) as unknown as {
		data: { id: string; lastUsedAt?: number }[];
	};
	const listed = new Map(data.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
	expect([listed.get(used.id), listed.get(unused.id)]).toEqual([1_790_000_500_000, undefined]);
});

test("is there a moment after a call", async () => {
	const { id, key } = await world.token();
	const before = Date.now();
	const body = { model: "demo", messages: [{ role: "user", content: "Hello" }] };
	await (await world.ask("/v1/chat/completions", body, { headers: { authorization: `Bearer ${key}` } })).text();
	await world.admin("GET", "/admin/usage");
	expect(Number(await shown(id))).toBeGreaterThanOrEqual(before);
});
