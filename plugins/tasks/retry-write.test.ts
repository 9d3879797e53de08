import { expect, test } from "bun:test";
import { createRetryWrite } from "./retry-write.ts";

const full = new Error("the disk is full");

/** A database that refuses so many writes, then takes the rest. */
const refusing = (times: number) => {
	let left = times;
	return async (): Promise<string> => {
		if (left-- > 0) throw full;
		return "written";
	};
};

test("a write that is taken in the end tells once that it was refused, and the next trouble once more", async () => {
	const waits: number[] = [];
	const refusals: unknown[] = [];
	const retryWrite = createRetryWrite(
		async (wait) => void waits.push(wait),
		(error) => refusals.push(error),
	);
	expect(await retryWrite(refusing(3))).toBe("written");
	expect([waits, refusals]).toEqual([[100, 500, 2000], [full]]);
	expect(await retryWrite(refusing(1))).toBe("written");
	expect(refusals).toEqual([full, full]);
});

test("a write that is never taken rejects with its refusal", async () => {
	const refusals: unknown[] = [];
	const retryWrite = createRetryWrite(
		async () => {},
		(error) => refusals.push(error),
	);
	await expect(retryWrite(refusing(9))).rejects.toBe(full);
	expect(refusals).toEqual([full]);
});
