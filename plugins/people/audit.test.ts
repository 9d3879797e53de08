/** What is written down of deeds that change no row: a reload, a backup. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asList, asRecord } from "#core";
import type { TestGateway } from "#core/testing";
import { joined, startPeopleWorld } from "../../test/support/people-world.ts";

let world: TestGateway;
beforeAll(async () => {
	world = await startPeopleWorld();
});
afterAll(() => world.stop());

const newest = async (limit: number) => (await world.admin("GET", `/admin/audit?limit=${limit}`))["data"];

test("a reload and a backup are told with who asked for them; those that failed are not", async () => {
	const ada = await joined(world, "Ada", { role: "admin" });
	const operator = { id: ada.id, name: "Ada" };
	const file = join(world.folder, "copy.db");
	expect((await ada.ask("POST", "/admin/backup", { file })).status).toBe(200);
	expect((await ada.ask("POST", "/admin/backup", { file })).status).toBe(400);
	expect((await ada.ask("POST", "/admin/reload")).status).toBe(200);
	const config = join(world.folder, "portico.yaml");
	writeFileSync(config, "plugins: [{ use: nobody }]");
	expect((await ada.ask("POST", "/admin/reload")).status).toBe(422);
	expect(await newest(2)).toMatchObject([
		{ operator, verb: "reload", kind: "config", object: config, address: "127.0.0.1" },
		{ operator, verb: "back up", kind: "database", object: file, address: "127.0.0.1" },
	]);
	const [first, second] = asList(await newest(2)).map(asRecord);
	const page = await world.admin("GET", `/admin/audit?limit=1&after=${encodeURIComponent(String(first?.["id"]))}`);
	expect(page["data"]).toEqual([second]);
});
