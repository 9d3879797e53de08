/** A password that was set anew opens nothing more, though whoever knew it was signing in at that moment. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TestGateway } from "#core/testing";
import { createBrowser, joined, password, secretOf, startPeopleWorld } from "../../test/support/people-world.ts";

let world: TestGateway;
beforeAll(async () => {
	world = await startPeopleWorld();
});
afterAll(() => world.stop());

const next = "another long password";

test("by a link", async () => {
	const { id } = await joined(world, "Robbed");
	const { link } = await world.admin("POST", "/admin/invitations", { person: id });
	const join = createBrowser(world.url).ask("POST", "/v1/session/join", {
		secret: secretOf(link),
		name: "Robbed",
		password: next,
	});
	// Two more at a time than are checked at once, until some are checked when the new password is there.
	const thieves: ReturnType<typeof createBrowser>[] = [];
	const enter = async (): Promise<readonly number[]> => {
		const more = Array.from({ length: 4 }, () => createBrowser(world.url));
		thieves.push(...more);
		const entering = more.map((thief) => thief.ask("POST", "/v1/session", { name: "robbed", password }));
		return (await Promise.all(entering)).map(({ status }) => status);
	};
	let statuses = await enter();
	while (statuses.every((status) => status === 201)) statuses = await enter();
	expect((await join).status).toBe(201);
	expect(statuses).toContain(401);
	for (const thief of thieves) expect((await thief.ask("GET", "/v1/session")).body["signedIn"]).toBe(false);
	const later = createBrowser(world.url);
	expect((await later.ask("POST", "/v1/session", { name: "robbed", password: next })).status).toBe(201);
});

test("by its person: of two who set another one at once, the second is refused and signs nobody out", async () => {
	const browsers = [await joined(world, "Twice"), createBrowser(world.url)] as const;
	await browsers[1].ask("POST", "/v1/session", { name: "twice", password });
	const words = ["one new password", "two new passwords"] as const;
	const set = (at: 0 | 1) => browsers[at].ask("POST", "/v1/session/password", { password, newPassword: words[at] });
	const answers = await Promise.all([set(0), set(1)]);
	expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
	const winner = answers[0].status === 200 ? 0 : 1;
	expect((await browsers[winner].ask("GET", "/v1/session")).body["signedIn"]).toBe(true);
	const signIn = (word: string) =>
		createBrowser(world.url).ask("POST", "/v1/session", { name: "twice", password: word });
	expect((await signIn(words[winner])).status).toBe(201);
	expect((await signIn(words[1 - winner] ?? "")).status).toBe(401);
});
