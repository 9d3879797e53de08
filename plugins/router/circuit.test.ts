import { describe, expect, test } from "bun:test";
import { deny } from "#core";
import { createTestClock } from "#core/testing";
import { Circuit } from "./circuit.ts";

test("it is tried for a second caller too: the try of the first may take for ever", async () => {
	const clock = createTestClock();
	const circuit = new Circuit(clock, () => 0);
	const target = { upstream: { name: "a", protocols: ["messages"], send: () => never }, model: "m", capabilities: {} };
	for (let failed = 0; failed < 5; failed++) circuit.report({ target, error: deny("upstream", "It failed.") });
	expect(circuit.admits("one")).toBe(false);
	await clock.advance(5000);
	const tried = ["one", "one", "other", "other", "third"].map((caller) => circuit.admits(caller));
	expect(tried).toEqual([true, false, true, false, false]);
	// The tries were not heard of again.
	await clock.advance(5000);
	expect(circuit.admits("third")).toBe(true);
});

test("a machine without a socket to reach it by counts neither for it nor against it", () => {
	const circuit = new Circuit(createTestClock(), () => 0);
	const target = { upstream: { name: "a", protocols: ["messages"], send: () => never }, model: "m", capabilities: {} };
	const error = deny("upstream", "It failed.");
	for (let failed = 0; failed < 4; failed++) circuit.report({ target, error });
	for (let failed = 0; failed < 5; failed++) circuit.report({ target, error, said: { code: "EMFILE" } });
	expect([circuit.state, circuit.trouble.failures]).toEqual(["closed", 4]);
	circuit.report({ target, error, said: { code: "ECONNREFUSED" } });
	expect(circuit.state).toBe("open");
});

describe("attempts that were given up with nothing sent", () => {
	const target = { upstream: { name: "a", protocols: ["messages"], send: () => never }, model: "m", capabilities: {} };
	const error = deny("upstream_timeout", "It had sent nothing.", { code: "no_answer_yet" });

	test("open it where nobody was answered meanwhile, and count as failures in a row", async () => {
		const clock = createTestClock();
		const circuit = new Circuit(clock, () => 0);
		circuit.report({ target });
		for (let given = 0; given < 4; given++) {
			const begunAt = clock.monotonic();
			await clock.advance(30_000);
			expect(circuit.report({ target, error, begunAt })).toBeUndefined();
		}
		expect(circuit.trouble).toMatchObject({ failures: 4, lastFailure: { message: "It had sent nothing." } });
		expect(circuit.report({ target, error, begunAt: 90_000 })).toBe("opened");
		expect(circuit.report({ target })).toBe("closed");
	});

	test.each([
		["a good answer", {}],
		["a refusal", { error: deny("invalid_request", "It is wrong."), said: { status: 400 } }],
		["a failure that it told itself", { error: deny("upstream", "It failed."), said: { status: 500 } }],
	])("%s to anybody since they began clears them", async (_, answer) => {
		const clock = createTestClock();
		const circuit = new Circuit(clock, () => 0);
		await clock.advance(60_000);
		circuit.report({ target, ...answer });
		const { failures } = circuit.trouble;
		for (let given = 0; given < 9; given++) circuit.report({ target, error, begunAt: 59_000 });
		expect([circuit.state, circuit.trouble.failures]).toEqual(["closed", failures]);
	});
});

const never = new Promise<never>(() => undefined);
