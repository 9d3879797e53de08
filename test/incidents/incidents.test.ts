/** Incidents as an operator meets them: one command says what happened, to whom, since when and what to do. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { type CallWorld, callIncidents, startCallWorld } from "./call-world.ts";

let at: CallWorld;
beforeAll(async () => {
	at = await startCallWorld();
});
afterAll(() => at.stop());

test.each(callIncidents)("%s: told by one command", async (what) => {
	const { told, says, printed = [], call, list } = await at.play(what);
	for (const words of [...says, ...printed]) expect(told).toContain(words);
	expect(told).toMatch(/2026-11-22T\d\d:\d\d/);
	expect(told).toContain("what to do: ");
	for (const words of list?.seen ?? []) expect(list?.told).toContain(words);
	if (call === undefined) return;
	// The page has the newest call on top, and opens it by the same route.
	const [newest] = asList((await at.gateway.admin("GET", "/admin/calls?limit=1"))["data"]).map(asRecord);
	expect(newest?.["requestId"]).toBe(call);
	const { advice, at: when, status, attempts } = await at.gateway.admin("GET", `/admin/calls/${call}`);
	expect(told).toContain(`what to do: ${String(advice)}`);
	expect(told).toContain(`at ${String(when)}`);
	expect([newest?.["at"], newest?.["status"]]).toEqual([when, status]);
	for (const { message } of asList(attempts).map(asRecord)) if (message) expect(told).toContain(`"${String(message)}"`);
});

test("an upstream's state is told with its own words, since when and what to do", async () => {
	const states = asList((await at.gateway.admin("GET", "/admin/upstreams"))["data"]).map(asRecord);
	expect(states.find((one) => one["upstream"] === "failing")).toMatchObject({
		circuit: "half-open",
		failures: 5,
		failingSince: expect.stringMatching(/^2026-11-22T03/),
		lastFailure: { kind: "upstream", status: 500, message: "down", advice: expect.stringMatching(/itself fails/) },
	});
	// What it says of a key is not for clients, whom the denial is worded for.
	expect(states.find((one) => one["upstream"] === "main")).toMatchObject({
		lastFailure: { status: 401, message: "Incorrect API key provided" },
	});
});

test("a key scan is counted, and the list tells how many keys were tried, and from where", async () => {
	const rows = asList((await at.gateway.admin("GET", "/admin/calls?ending=refused&limit=21"))["data"]).map(asRecord);
	expect(rows.reduce((sum, row) => sum + Number(row["repeats"] ?? 1), 0)).toBe(30);
	for (const row of rows)
		expect(row).toMatchObject({ reason: "authentication", address: "127.0.0.1", status: 401, token: null });
});
