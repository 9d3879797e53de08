/** Attempts that were made are written once, whatever becomes of what is told about them. */
import { expect, test } from "bun:test";
import type { Log, Store } from "#core";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { quiet } from "../../test/support/quiet.ts";
import type { Outcomes } from "./outcomes.ts";
import { type Ended, leaseMs, type Queue } from "./queue.ts";
import { AttemptRecorder } from "./recorder.ts";

const ended = {} as unknown as Ended;

const recorderWith = (write: () => Promise<unknown>, note: () => void) => {
	const clock = createMovedClock();
	const said: unknown[] = [];
	const say = (message: string, fields: unknown) => void said.push([message, fields]);
	const log: Log = { debug: say, info: say, warn: say, error: say, of: () => log };
	const recorder = new AttemptRecorder({
		store: { write } as unknown as Store,
		queue: { record: () => [] } as unknown as Queue,
		clock,
		log,
		outcomes: { note } as unknown as Outcomes,
	});
	return { clock, said, recorder };
};

test("a fault in what is counted of attempts does not write them again, and is told", async () => {
	let writes = 0;
	const { said, recorder } = recorderWith(
		async () => {
			writes++;
			return [{ rows: [] }, { rows: [] }];
		},
		() => {
			throw new RangeError("no such state");
		},
	);
	await recorder.add(ended);
	expect(writes).toBe(1);
	expect(said).toEqual([
		["what became of attempts could not be noted", { deliveries: 1, error: "RangeError: no such state" }],
	]);
});

test("attempts that are given up are told with what the database said", async () => {
	const { clock, said, recorder } = recorderWith(
		() => Promise.reject(new Error("the disk is full")),
		() => {},
	);
	const over = recorder.add(ended);
	while (said.length === 0) {
		await quiet(3);
		clock.advance(leaseMs);
	}
	await over;
	expect(said).toEqual([
		[
			"attempts could not be recorded; their deliveries will be sent again",
			{ deliveries: 1, error: "Error: the disk is full" },
		],
	]);
});
