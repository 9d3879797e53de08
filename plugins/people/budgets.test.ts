/** Budgets of a person through the front door: all their tokens together, told wherever they are asked for. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord, type CallAdmin, commands } from "#core";
import type { TestGateway } from "#core/testing";
import { createMovedClock, type MovedClock } from "../../test/support/moved-clock.ts";
import { joined, peoplePlugins, startPeopleWorld } from "../../test/support/people-world.ts";

let world: TestGateway;
let clock: MovedClock;
beforeAll(async () => {
	clock = createMovedClock(Date.parse("2028-02-29T12:00:00Z"));
	const priced = { models: { demo: { input: 1_000, output: 1_000 } } };
	const plugins = peoplePlugins.map((plugin) => (plugin === "prices" ? { use: "prices", with: priced } : plugin));
	world = await startPeopleWorld({ clock, plugins });
});
afterAll(() => world.stop());

const to = (instant: string): void => clock.jump(Date.parse(instant) - clock.now());

const ask = async (key: string, path: string, body?: unknown) => {
	const response = await world.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
	const answer = asRecord(await response.json());
	return { status: response.status, answer, error: asRecord(answer["error"]) };
};
const speak = (key: string) =>
	ask(key, "/v1/chat/completions", { model: "demo", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] });

/** Calls until nothing more is let through; gives how many were, and the last refusal. */
const spent = async (keys: readonly string[]) => {
	for (let calls = 0; ; calls++) {
		const found = await speak(keys[calls % keys.length] ?? "");
		if (found.status !== 200) return { calls, ...found };
		if (calls > 100) throw new Error("nothing refuses");
	}
};

const withTokens = async (name: string, terms: object) => {
	const person = await joined(world, name, { ...terms });
	const tokens = await Promise.all(
		["a", "b"].map(async (one) => asRecord((await person.ask("POST", "/admin/tokens", { name: one })).body)),
	);
	return { person, ids: tokens.map(({ id }) => String(id)), keys: tokens.map(({ key }) => String(key)) };
};

const printed = async (...words: readonly string[]): Promise<string> => {
	const lines: string[] = [];
	const call: CallAdmin = (method, path, body) => world.admin(method, path, body);
	const command = world.portico.generation?.all(commands).find(({ name }) => name === "person");
	await command?.run({ words, call, print: (line) => lines.push(line) });
	return lines.join("\n");
};

test("all tokens of a person share the day; the refusal says whose it is and when it resets; the next day begins anew", async () => {
	to("2028-02-29T12:00:00Z");
	const { person, keys, ids } = await withTokens("Ada", { budgets: [{ amount: 0.3, per: "day" }] });
	const refused = await spent(keys);
	expect(refused.calls).toBeGreaterThan(1);
	expect([refused.status, refused.error["code"]]).toEqual([429, "insufficient_quota"]);
	expect(refused.error["resetsAt"]).toBe("2028-03-01T00:00:00.000Z");
	expect(String(refused.error["message"])).toContain("he budget of this token's owner for the day");
	expect((await speak(keys[(refused.calls + 1) % 2] ?? "")).status).toBe(429);

	const told = await Promise.all(keys.map(async (key) => asList((await ask(key, "/v1/me")).answer["budgets"])));
	const [shown] = asList((await world.admin("GET", `/admin/people/${person.id}`))["budgets"]).map(asRecord);
	expect(shown).toMatchObject({ amount: 0.3, per: "day", zone: "UTC", resetsAt: "2028-03-01T00:00:00.000Z" });
	expect(Number(shown?.["used"])).toBeGreaterThan(0.1);
	expect(Number(shown?.["used"]) + Number(shown?.["remaining"])).toBeCloseTo(0.3, 9);
	for (const budgets of told) expect(budgets).toEqual([{ ...shown, owner: person.id }]);
	expect((await person.ask("GET", "/v1/session")).body["budgets"]).toEqual([shown]);
	const costs = await Promise.all(
		ids.map(async (id) => Number((await world.admin("GET", `/admin/tokens/${id}`))["used"])),
	);
	expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(Number(shown?.["used"]), 9);

	to("2028-03-01T00:00:00Z");
	expect((await speak(keys[0] ?? "")).status).toBe(200);
	to("2028-02-29T18:00:00Z");
	expect((await speak(keys[0] ?? "")).status).toBe(429);
});

test("a person's budget is raised, boosted and removed, and a token's own holds beside it", async () => {
	to("2028-04-10T12:00:00Z");
	const { person, keys, ids } = await withTokens("Bob", { budgets: [{ amount: 0, per: "week" }] });
	const change = (budgets: unknown) => world.admin("PATCH", `/admin/people/${person.id}`, { budgets });
	expect((await speak(keys[0] ?? "")).status).toBe(429);
	await change([{ amount: 1, per: "week" }]);
	expect((await speak(keys[0] ?? "")).status).toBe(200);
	const boost = { amount: 5, until: "2028-04-11T00:00:00Z" };
	const [boosted] = asList((await change([{ amount: 0, per: "week", boost }]))["budgets"]).map(asRecord);
	expect(boosted).toMatchObject({ amount: 0, boost });
	expect(Number(boosted?.["remaining"])).toBeGreaterThan(4);
	expect((await speak(keys[0] ?? "")).status).toBe(200);
	to("2028-04-18T12:00:00Z");
	expect((await speak(keys[0] ?? "")).status).toBe(429);
	await change(null);
	expect((await speak(keys[0] ?? "")).status).toBe(200);
	expect(await world.admin("GET", `/admin/people/${person.id}`)).not.toHaveProperty("budgets");
	await change([{ amount: 9, per: "month", zone: "Europe/Berlin" }]);
	await world.admin("PATCH", `/admin/tokens/${ids[0]}`, { budgets: [{ amount: 0, per: "day" }] });
	const own = await speak(keys[0] ?? "");
	expect(String(own.error["message"])).toContain("This token's budget for the day");
	expect((await speak(keys[1] ?? "")).status).toBe(200);
	const me = asList((await ask(keys[0] ?? "", "/v1/me")).answer["budgets"]).map(asRecord);
	expect(me.map(({ per, owner }) => [per, owner])).toEqual([
		["day", undefined],
		["month", person.id],
	]);
});

test("the command line sets them, and says what is left", async () => {
	to("2028-07-01T12:00:00Z");
	const { person } = await withTokens("Dee", {});
	const set = await printed("update", person.id, "--budgets", "5/day,100/month@Europe/Berlin");
	expect(set).toContain("$5.00/day: $5.00 left, $100.00/month@Europe/Berlin: $100.00 left");
	expect((await printed("list")).split("\n").find((line) => line.includes("Dee"))).toContain("$5.00/day: $5.00 left");
	expect(await printed("update", person.id, "--budgets", "none")).not.toContain("/day");
	await expect(printed("update", person.id, "--budgets", "five a day")).rejects.toThrow("is no budget");
});

test.each([
	[[{ amount: 1, per: "year" }]],
	[[{ amount: -1, per: "day" }]],
	[[{ amount: 1, per: "day", zone: "Mars/Olympus" }]],
	[{ amount: 1, per: "day" }],
])("budgets that make no sense are refused, for persons and in invitations: %j", async (budgets) => {
	const { person } = await withTokens(`Wrong ${JSON.stringify(budgets).slice(0, 40)}`, {});
	await expect(world.admin("PATCH", `/admin/people/${person.id}`, { budgets })).rejects.toThrow("answered 400");
	await expect(world.admin("POST", "/admin/invitations", { budgets })).rejects.toThrow("answered 400");
});
