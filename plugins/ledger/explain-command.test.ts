import { expect, test } from "bun:test";
import { explainCommand } from "./explain-command.ts";

/** What the command asks of the server. */
const asked = async (...words: string[]): Promise<readonly unknown[]> => {
	const asks: unknown[] = [];
	await explainCommand.run({
		words,
		call: async (...ask) => {
			asks.push(ask);
			return {};
		},
		print: () => {},
	});
	return asks;
};

test.each<[string, readonly unknown[]]>([
	["req_1", ["GET", "/admin/calls/req_1"]],
	["--model fast", ["POST", "/admin/models/explain", { model: "fast" }]],
	["--model fast --token alice", ["POST", "/admin/models/explain", { model: "fast", token: "alice" }]],
])("portico explain %s", async (words, ask) => expect(await asked(...words.split(" "))).toEqual([ask]));

test.each([
	["req_1 req_2", '"req_2" is one word too many.'],
	["req_1 --model fast", '"req_1" is one word too many.'],
	["req_1 --token alice", "takes no --token."],
	["--token alice", "takes the id of a call"],
])("portico explain %s asks nothing, for it would explain other than was said", async (words, message) =>
	expect(asked(...words.split(" "))).rejects.toThrow(message),
);

const chargeOf = async (call: object): Promise<string | undefined> => {
	const lines: string[] = [];
	const print = (line: string) => void lines.push(line);
	await explainCommand.run({ words: ["req_1"], call: async () => ({ requestId: "req_1", ...call }), print });
	return lines.find((line) => /charged|price/.test(line));
};

test("how a charge comes about, and who counted", async () => {
	const parts = [
		{ what: "input", tokens: 20, rate: 1, cost: 0.00002 },
		{ what: "output", tokens: 2001, rate: 2.5, cost: 0.0050025 },
	];
	const sums = "20 input at $1.00, 2001 output at $2.50 a million tokens";
	const call = { cost: 0.005023, arithmetic: { parts, sum: 0.0050225, charged: true } };
	expect(await chargeOf(call)).toBe(`  charged $0.005023: ${sums}`);
	expect(await chargeOf({ ...call, estimated: true })).toMatch(/; Portico counted, for the upstream did not$/);
	const dearer = { ...call, cost: 1, arithmetic: { ...call.arithmetic, charged: false } };
	expect(await chargeOf(dearer)).toBe(`  charged $1.00: ${sums}, $0.005023 at the prices of today`);
	expect(await chargeOf({ cost: 0.04 })).toBe("  charged $0.04");
	expect(await chargeOf({ cost: null })).toBe("  no price is known for it");
});
