/** A key that was replaced, through the front door: how long it is good, and that nothing brings it back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";
import { createMovedClock } from "../../test/support/moved-clock.ts";

const clock = createMovedClock();
let world: TestGateway;
beforeAll(async () => {
	world = await startGateway({ plugins: ["tokens", "ledger"], clock });
});
afterAll(() => world.stop());

const status = async (key: string) =>
	(await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;

const rotate = async (id: string, graceSeconds?: number) => {
	const body = graceSeconds === undefined ? undefined : { graceSeconds };
	const token = await world.admin("POST", `/admin/tokens/${id}/rotate`, body);
	return { key: String(token["key"]), token };
};

describe("a replaced key", () => {
	test("is refused at once, unless a time is given", async () => {
		const { id, key } = await world.token();
		const next = await rotate(id);
		expect([await status(key), await status(next.key)]).toEqual([401, 200]);
		expect(next.token["previousUntil"]).toBeUndefined();
	});

	test("is good until its time is over, used meanwhile or not", async () => {
		for (const used of [true, false]) {
			const { id, key } = await world.token();
			const next = await rotate(id, 3600);
			expect(next.token["previousUntil"]).toBe(clock.now() + 3_600_000);
			if (used) expect([await status(key), await status(next.key)]).toEqual([200, 200]);
			clock.advance(3_599_000);
			if (used) expect(await status(key)).toBe(200);
			clock.advance(1_000);
			expect([await status(key), await status(next.key)]).toEqual([401, 200]);
		}
	});

	test("goes with its token: disabled, deleted, or rotated once more", async () => {
		const [first, second, third] = [await world.token(), await world.token(), await world.token()];
		for (const { id, key } of [first, second, third]) {
			await rotate(id, 3600);
			expect(await status(key)).toBe(200);
		}
		await world.admin("POST", `/admin/tokens/${first.id}/disable`);
		await world.admin("DELETE", `/admin/tokens/${second.id}`);
		await rotate(third.id);
		for (const { key } of [first, second, third]) expect(await status(key)).toBe(401);
		await world.admin("POST", `/admin/tokens/${first.id}/enable`);
		expect(await status(first.key)).toBe(200);
	});

	test("is the last one only: of two graces the newer counts", async () => {
		const { id, key } = await world.token();
		const second = await rotate(id, 3600);
		const third = await rotate(id, 60);
		expect([await status(key), await status(second.key), await status(third.key)]).toEqual([401, 200, 200]);
		clock.advance(60_000);
		expect([await status(second.key), await status(third.key)]).toEqual([401, 200]);
	});

	test.each([-1, 2_592_001, 1.5, "3600"])("cannot be good for %p seconds", async (graceSeconds) => {
		const { id, key } = await world.token();
		await expect(world.admin("POST", `/admin/tokens/${id}/rotate`, { graceSeconds })).rejects.toThrow("400");
		expect(await status(key)).toBe(200);
	});
});
