import { expect, test } from "bun:test";
import { deny, Fault, type Log } from "#core";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { gather } from "./gather.ts";
import { figure } from "./service.ts";

const said: string[] = [];
const log: Log = {
	debug() {},
	info() {},
	warn() {},
	error: (message) => said.push(message),
	of: () => log,
};

test("what cannot be told, or not in time, is left out, and the rest is told", async () => {
	const clock = createMovedClock();
	const [first, last] = [figure("first", "gauge", "First.", 1), figure("last", "counter", "Last.", 2)];
	const told = gather(
		[
			() => [first],
			() => Promise.reject(new Fault(deny("overloaded", "The database is away."))),
			() => {
				throw new Error("a plugin is broken");
			},
			() => new Promise(() => undefined),
			async () => [last],
		],
		clock,
		log,
	);
	clock.advance(1_000);
	expect(await told).toEqual([first, last]);
	expect(said).toEqual(["a plugin's metrics could not be read"]);
	expect(clock.waiting).toBe(0);
});
