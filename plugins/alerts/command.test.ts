import { expect, test } from "bun:test";
import { alertsCommand } from "./command.ts";

test("a list of no alerts says so", async () => {
	const lines: string[] = [];
	await alertsCommand.run({ words: [], call: async () => ({ data: [] }), print: (line) => lines.push(line) });
	expect(lines).toEqual(["no alerts"]);
});

test.each([
	["tset", 'portico alerts takes no "tset" (did you mean "test"?)\n\nportico alerts [--json]'],
	["test now", 'portico alerts takes no "now"\n\n'],
	["--jsno", 'portico alerts takes no "--jsno" (did you mean "--json"?)\n\n'],
])("portico alerts %s asks nothing", async (words, said) => {
	const call = async () => expect.unreachable();
	expect(alertsCommand.run({ words: words.split(" "), call, print: () => undefined })).rejects.toThrow(said);
});
