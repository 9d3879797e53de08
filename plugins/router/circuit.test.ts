import { expect, test } from "bun:test";
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

const never = new Promise<never>(() => undefined);
