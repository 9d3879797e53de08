/** Whoever gives commands knows colleagues by their names: so do the commands. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TestGateway } from "#core/testing";
import { joined, startPeopleWorld } from "../../test/support/people-world.ts";
import { printedBy } from "../../test/support/printed.ts";

let world: TestGateway;
beforeAll(async () => {
	world = await startPeopleWorld();
});
afterAll(() => world.stop());

const command = (name: string, ...words: readonly string[]): Promise<string> => printedBy(world, name, ...words);

test("a colleague is invited, owns tokens, is shown with them, loses the password and goes, all by name", async () => {
	const ben = await joined(world, "Ben Nevis", { role: "member" });
	expect(await command("token", "create", "--name", "bens", "--owner", "ben nevis")).toContain("Ben Nevis");
	expect(await command("token", "list")).toMatch(/OWNER[\s\S]*bens .*enabled +Ben Nevis/);
	expect(await command("person", "invite", "--person", "Ben Nevis")).toContain("it sets another password for per_");
	expect(await command("person", "disable", "ben nevis")).toContain("disabled");
	expect(await command("token", "list")).toMatch(/bens .*owner disabled +Ben Nevis/);
	expect(await command("person", "enable", ben.id)).toContain("enabled");
	expect(await command("audit", "--operator", "Ben Nevis")).toContain("join person");
	await expect(command("person", "disable", "Bea")).rejects.toThrow("There is no person");
	await expect(command("token", "create", "--name", "x", "--owner", "Bea")).rejects.toThrow("There is no person");
});

test("who took another's id for a name is not taken for them", async () => {
	const ada = await joined(world, "Ada", { role: "member" });
	const thief = await joined(world, ada.id, { role: "member" });
	const [shown, other] = await Promise.all(
		[ada.id, thief.id].map((id) => world.admin("GET", `/admin/people/${encodeURIComponent(id)}`)),
	);
	expect([shown?.["name"], other?.["name"]]).toEqual(["Ada", ada.id]);
});

test("nobody is called what the holder of the admin token is written down as", async () => {
	for (const name of ["admin token", " Admin  Token", "admin-token", "ADMIN_TOKEN", "ａｄｍｉｎ token"])
		await expect(joined(world, name)).rejects.toThrow("choose another name");
	expect((await joined(world, "Admin Tokenson")).id).toStartWith("per_");
});
