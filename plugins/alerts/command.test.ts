import { expect, test } from "bun:test";
import { alertsCommand } from "./command.ts";

test("a list of no alerts says so", async () => {
	const lines: string[] = [];
	await alertsCommand.run({ words: [], call: async () => ({ data: [] }), print: (line) => lines.push(line) });
	expect(lines).toEqual(["no alerts"]);
});
