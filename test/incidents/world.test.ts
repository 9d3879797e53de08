/** Incidents beyond a call: one command tells what happened, to whom, since when and what to do; mended, it is told no more. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList } from "#core";
import { type IncidentWorld, startIncidentWorld } from "./world.ts";

let at: IncidentWorld;
beforeAll(async () => {
	at = await startIncidentWorld();
});
afterAll(() => at.stop());

test.each([
	"the used-up budget of a person",
	"a task that failed",
	"a dead callback",
	"a reload that failed",
	"a full disk",
])(
	"%s: told by one command",
	async (what) => {
		// Tasks and callbacks go by the clock of the database, which tests do not move.
		const day = new Date().toISOString().slice(0, 10);
		const { told, says, printed = [], mend } = (await at.incidents[what]?.()) ?? { told: "", says: [] };
		for (const words of [...says, ...printed]) expect(told).toContain(words);
		expect(told).toMatch(new RegExp(`(2026-11-22|${day})T\\d\\d:\\d\\d`));
		expect(told).toContain("what to do: ");
		// While it lasts the rest of what operators look at is answered.
		for (const path of ["people", "tokens", "calls", "usage", "tasks", "deliveries", "upstreams"])
			expect(asList((await at.gateway.admin("GET", `/admin/${path}`))["data"])).toBeArray();
		await mend?.();
		if (mend) expect((await at.gateway.admin("GET", "/admin/troubles"))["data"]).toEqual([]);
	},
	60_000,
);
