import { expect, test } from "bun:test";
import { deny, Fault } from "#core";
import { usageCommand } from "./command.ts";

const printed = async (words: readonly string[], data: readonly object[]) => {
	const lines: string[] = [];
	await usageCommand.run({ words, call: async () => ({ data }), print: (line) => lines.push(line) });
	return lines;
};

test("usage is a table with titles, figures under each other, and dollars", async () => {
	const data = [
		{ model: "gpt-5", calls: 120, inputTokens: 9000, cost: 12.5, excess: 0 },
		{ model: null, calls: 3, inputTokens: 80, cost: 0.000123, excess: 0 },
	];
	expect(await printed([], data)).toEqual([
		"MODEL  CALLS  INPUT TOKENS       COST  EXCESS",
		"gpt-5    120          9000     $12.50   $0.00",
		"-          3            80  $0.000123   $0.00",
	]);
	expect(await printed([], [])).toEqual(["no calls"]);
	expect(await printed(["--json"], data)).toEqual([JSON.stringify({ data })]);
});

test("persons are told by their names, and by the ids that --owner takes", async () => {
	const data = [
		{ owner: "per_1", calls: 120, cost: 12.5, p50Ms: null },
		{ owner: null, calls: 3, cost: 0, p50Ms: 950 },
	];
	const said = async (people: () => unknown) => {
		const lines: string[] = [];
		const call = async (_: string, path: string) => (path === "/admin/people" ? people() : { data });
		await usageCommand.run({ words: ["--by", "owner"], call, print: (line) => lines.push(line) });
		return lines;
	};
	expect(await said(() => ({ data: [{ id: "per_1", name: "Ada" }] }))).toEqual([
		"OWNER NAME  CALLS    COST  P50 MS  OWNER",
		"Ada           120  $12.50       -  per_1",
		"-               3   $0.00     950  -",
	]);
	const without = () => {
		throw new Fault(deny("not_found", "GET /admin/people is not served here."));
	};
	expect((await said(without))[1]).toBe("-             120  $12.50       -  per_1");
});
