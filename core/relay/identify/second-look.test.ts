import { expect, test } from "bun:test";
import { createTestClock } from "#core/testing";
import type { Identified } from "../../contract/call.ts";
import { type Denial, deny, Fault } from "../../contract/fault.ts";
import { createSecondLook } from "./second-look.ts";

const disabled = deny("authentication", "This API key is disabled.");
const away = new Fault(deny("overloaded", "Portico cannot reach its database."));

/** How often the token of a call was looked up that took so long, and what came of it. */
const looked = async (milliseconds: number, find: () => Denial | Promise<never>) => {
	const clock = createTestClock();
	let times = 0;
	const secondLook = createSecondLook(clock, () => {
		times++;
		return find();
	});
	const call = { startedAt: clock.monotonic() } as unknown as Identified;
	await clock.advance(milliseconds);
	const ended: unknown = await Promise.resolve(secondLook(call)).then(
		() => "goes on",
		(error: unknown) => (error instanceof Fault ? error.denial : error),
	);
	return { times, ended };
};

test("a call that took no time is not looked up again", async () => {
	expect(await looked(2_000, () => disabled)).toEqual({ times: 0, ended: "goes on" });
});

test("one that took its time is refused when its token is by then", async () => {
	expect(await looked(2_001, () => disabled)).toEqual({ times: 1, ended: disabled });
});

test("where the database cannot be asked, what was found at its beginning stands", async () => {
	expect(await looked(2_001, () => Promise.reject(away))).toEqual({ times: 1, ended: "goes on" });
});

test("any other failure is told", async () => {
	const broken = new Error("broken");
	expect(await looked(2_001, () => Promise.reject(broken))).toEqual({ times: 1, ended: broken });
});
