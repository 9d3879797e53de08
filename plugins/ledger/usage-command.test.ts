import { expect, test } from "bun:test";
import { deny, Fault } from "#core";
import { callsCommand } from "./calls-command.ts";
import { explainCommand } from "./explain-command.ts";
import { usageCommand } from "./usage-command.ts";

const printed = async (words: readonly string[], data: readonly object[]) => {
	const lines: string[] = [];
	await usageCommand.run({ words, call: async () => ({ data }), print: (line) => lines.push(line) });
	return lines;
};

test("usage is a table with titles, figures under each other, and dollars", async () => {
	const data = [
		{ model: "gpt-5", calls: 120, inputTokens: 9000, cost: 12.5, excess: 0, saved: 0.1 + 0.2 },
		{ model: null, calls: 3, inputTokens: 80, cost: 0.000123, excess: 0, saved: 0 },
	];
	expect(await printed([], data)).toEqual([
		"MODEL  CALLS  INPUT TOKENS       COST  EXCESS  SAVED",
		"gpt-5    120         9,000     $12.50   $0.00  $0.30",
		"-          3            80  $0.000123   $0.00  $0.00",
	]);
	expect(await printed([], [])).toEqual(["no calls"]);
	expect(await printed(["--json"], data)).toEqual([JSON.stringify({ data })]);
	expect(printed(["--json", "--csv"], data)).rejects.toThrow("takes --csv or --json, not both");
});

test("every tag is asked for, by usage and by calls", async () => {
	const asked: string[] = [];
	const call = async (_method: string, path: string) => {
		asked.push(path);
		return { data: [] };
	};
	for (const command of [usageCommand, callsCommand])
		await command.run({
			words: ["--tag", "app=web", "--tag", "env=a b", "--model", "m"],
			call,
			print: () => undefined,
		});
	const query = "model=m&tag=app%3Dweb&tag=env%3Da+b";
	expect(asked).toEqual([`/admin/usage?${query}`, `/admin/calls?${query}`]);
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

test("what is known of a call that died with its node is told, and no more", async () => {
	const lines: string[] = [];
	const row = { requestId: "req_1", at: "2041-01-01T00:00:00.000Z", ending: "crash", token: "tok_1", tokenName: "bot" };
	const call = async () => ({ ...row, model: "fast", protocol: null, cost: 0.5 });
	await explainCommand.run({ words: ["req_1"], call, print: (line) => lines.push(...line.split("\n")) });
	expect(lines).toEqual([
		"req_1: crash",
		"  at 2041-01-01T00:00:00.000Z, token bot, tok_1",
		"  asked for fast",
		"  charged $0.50",
	]);
});
