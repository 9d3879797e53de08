/** The row of a task says where it was asked for from and carries the tags of its call: what a leaked token did is found by both. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { until } from "../support/moved-clock.ts";
import { made, resetScript, scripted } from "../support/scripted-kind.ts";
import { startTaskWorld, type TaskWorld } from "../support/task-world.ts";

let at: TaskWorld;
beforeAll(async () => {
	at = await startTaskWorld({
		more: [
			{ use: "ledger", with: { tags: ["app"] } },
			"quota",
			{ use: "prices", with: { models: { script: { perImage: 0.5 } } } },
		],
	});
});
afterAll(() => at.stop());
beforeEach(resetScript);

const make = async (key: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
	const { body } = await at.json(
		"/v1/tasks",
		{ kind: "scripted", prompt: "x" },
		{ headers: { authorization: `Bearer ${key}`, ...headers } },
	);
	await at.pass(3000, 500);
	const row = () => at.admin("GET", `/admin/calls/${body["id"]}`);
	await until(async () => (await row())["ending"] !== undefined);
	return String(body["id"]);
};

const rows = async (query: string) => asList((await at.admin("GET", `/admin/calls?${query}`))["data"]).map(asRecord);

test("a task's charge counts under the tags of its token and of its request, whatever becomes of it", async () => {
	const { key } = await at.token({ quota: 5, tags: { team: "red" } });
	scripted.poll = async () => ({ state: "done", made });
	const good = await make(key, { "x-portico-tags": "app=web,team=blue" });
	scripted.poll = async () => ({ state: "failed", failure: { code: "upstream_failed", reason: "no" } });
	const bad = await make(key);
	const tagged = { team: "red" };
	expect(await at.admin("GET", `/admin/calls/${good}`)).toMatchObject({ tags: { app: "web", ...tagged }, cost: 0.5 });
	expect(await at.admin("GET", `/admin/calls/${bad}`)).toMatchObject({ tags: tagged, cost: 0 });
	expect((await rows("tag=team=red")).map(({ id }) => id)).toEqual([bad, good]);
	const { data } = await at.admin("GET", "/admin/usage?by=tag:team");
	expect(asList(data)).toMatchObject([{ "tag:team": "red", calls: 2, cost: 0.5 }]);
});

test("rows are found by the address they were asked for from", async () => {
	const { key } = await at.token({ quota: 5 });
	scripted.poll = async () => ({ state: "done", made });
	const id = await make(key);
	const [found] = await rows("address=127.0.0.1&limit=1");
	expect(found).toMatchObject({ id, address: "127.0.0.1", protocol: "tasks" });
	expect((await rows("address=::ffff:127.0.0.1&limit=1")).map((row) => row["id"])).toEqual([id]);
	expect(await rows("address=203.0.113.9")).toEqual([]);
	await expect(rows("address=localhost")).rejects.toThrow("address must be an IP address");
});
