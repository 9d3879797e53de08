/** A member fills no disk with what they make, and whoever runs the server makes as much as they like. */
import { expect, test } from "bun:test";
import { createTestClock } from "#core/testing";
import { joined, startPeopleWorld } from "../../test/support/people-world.ts";

test("a member's changes have a pace, by person; what is read has none", async () => {
	const clock = createTestClock();
	const world = await startPeopleWorld({ clock });
	const [ada, bob] = [await joined(world, "Ada"), await joined(world, "Bob")];
	const create = async () => (await ada.ask("POST", "/admin/tokens", { name: "t" })).status;
	const times = (count: number) => Promise.all(Array.from({ length: count }, create));
	const count = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length;

	const first = await times(640);
	expect([count(first, 201), count(first, 429)]).toEqual([600, 40]);
	expect(await ada.ask("DELETE", "/admin/tokens/tok_none")).toMatchObject({
		status: 429,
		body: { error: { code: "too_many_changes" } },
	});
	expect((await ada.ask("GET", "/admin/tokens?limit=1")).status).toBe(200);
	expect((await bob.ask("POST", "/admin/tokens", { name: "t" })).status).toBe(201);
	await world.admin("POST", "/admin/tokens", { name: "t" });
	await clock.advance(10_000);
	expect(count(await times(30), 201)).toBe(20);
	await clock.advance(600_000);
	expect(count(await times(610), 201)).toBe(600);
	await world.stop();
}, 60_000);
