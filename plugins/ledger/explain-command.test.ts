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
