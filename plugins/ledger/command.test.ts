import { expect, test } from "bun:test";
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
