/** A person's ceiling through the front door: all their tokens together, calls and tasks, over two nodes of one database. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { TestGateway } from "#core/testing";
import { joined, peoplePlugins, startPeopleWorld } from "../../test/support/people-world.ts";

let world: TestGateway;
beforeAll(async () => {
	const priced = { use: "prices", with: { models: { demo: { input: 1_000, output: 1_000 } } } };
	const plugins = peoplePlugins.map((plugin) => (plugin === "prices" ? priced : plugin));
	world = await startPeopleWorld({ plugins });
});
afterAll(() => world.stop());

const speak = async (key: string, tokens: number) => {
	const response = await fetch(`${world.url}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ model: "demo", max_tokens: tokens, messages: [{ role: "user", content: "Hello" }] }),
	});
	const body = (await response.json()) as { error?: { message: string; code: string } };
	return { status: response.status, ...body.error };
};

test("ten tokens of two persons, each with one ceiling: called at once, neither is overspent", async () => {
	const people = await Promise.all(
		["Ada", "Bob"].map((name) => joined(world, name, { ceiling: name === "Ada" ? 0.5 : 0.3 })),
	);
	const keys = await Promise.all(
		Array.from({ length: 10 }, async (_, index) => {
			const answer = await people[index % 2]?.ask("POST", "/admin/tokens", { name: `t${index}` });
			return String(answer?.body["key"]);
		}),
	);
	for (let round = 0; round < 6; round++) {
		const answers = await Promise.all(keys.flatMap((key) => [speak(key, 20), speak(key, 20)]));
		expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
	}
	const { data } = (await world.admin("GET", "/admin/people")) as unknown as {
		data: { name: string; used: number; remaining: number; ceiling: number }[];
	};
	const usage = (await world.admin("GET", "/admin/usage?by=token"))["data"] as { token: string; cost: number }[];
	for (const [index, person] of people.entries()) {
		const found = data.find(({ name }) => name === ["Ada", "Bob"][index]);
		const { used = 0, ceiling = 0, remaining = 0 } = found ?? {};
		expect(used).toBeGreaterThan(0);
		expect(used).toBeLessThanOrEqual(ceiling);
		expect(used + remaining).toBeCloseTo(ceiling, 9);
		const { body } = await person.ask("GET", "/admin/tokens");
		const ids = new Set((body["data"] as { id: string }[]).map(({ id }) => id));
		const costs = usage.filter(({ token }) => ids.has(token)).reduce((sum, { cost }) => sum + cost, 0);
		expect(costs).toBeCloseTo(used, 9);
	}
	let refused = await speak(keys[0] ?? "", 20);
	for (let call = 0; call < 100 && refused.status === 200; call++) refused = await speak(keys[0] ?? "", 20);
	expect(refused).toMatchObject({ status: 429, code: "insufficient_quota" });
	expect(refused.message).toContain("ceiling of this token's owner");
}, 30_000);

test("a ceiling that is raised or lowered counts from the next call on, and is seen by its person", async () => {
	const carol = await joined(world, "Carol", { ceiling: 0 });
	const { body } = await carol.ask("POST", "/admin/tokens", { name: "t", quota: 100 });
	const key = String(body["key"]);
	expect((await speak(key, 10)).status).toBe(429);
	await world.admin("PATCH", `/admin/people/${carol.id}`, { ceiling: 10 });
	expect((await speak(key, 10)).status).toBe(200);
	const seen = (await carol.ask("GET", "/v1/session")).body;
	expect(seen).toMatchObject({ ceiling: 10 });
	expect(Number(seen["used"])).toBeGreaterThan(0);
	await world.admin("PATCH", `/admin/people/${carol.id}`, { ceiling: 0 });
	expect((await speak(key, 10)).status).toBe(429);
	await world.admin("PATCH", `/admin/people/${carol.id}`, { ceiling: null });
	expect((await speak(key, 10)).status).toBe(200);
	// What was spent without a ceiling counts once there is one.
	const before = Number((await carol.ask("GET", "/v1/session")).body["used"]);
	await world.admin("PATCH", `/admin/people/${carol.id}`, { ceiling: before });
	expect((await speak(key, 10)).status).toBe(429);
});

test("where nobody keeps ceilings none is taken, and the tokens of a person who has one are refused", async () => {
	const plugins = peoplePlugins.filter((plugin) => plugin !== "quota");
	const without = await startPeopleWorld({ plugins });
	try {
		for (const [method, path] of [
			["POST", "/admin/invitations"],
			["PATCH", `/admin/people/${(await joined(without, "Ada")).id}`],
		] as const)
			await expect(without.admin(method, path, { ceiling: 5 })).rejects.toThrow(
				/answered 400.*Nothing here can keep a ceiling; switch the plugins tokens and quota on/,
			);
		const bob = await joined(without, "Bob", { ceiling: null });
		const { key } = (await bob.ask("POST", "/admin/tokens", { name: "t" })).body;
		const listed = async () =>
			(await without.ask("/v1/models", undefined, { headers: { authorization: `Bearer ${String(key)}` } })).status;
		await without.store.write([sql`UPDATE persons SET ceiling = 5000000 WHERE id = ${bob.id}`]);
		expect(await listed()).toBe(403);
		await without.admin("PATCH", `/admin/people/${bob.id}`, { ceiling: null });
		expect(await listed()).toBe(200);
	} finally {
		await without.stop();
	}
});
