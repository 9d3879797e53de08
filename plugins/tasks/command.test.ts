import { expect, test } from "bun:test";
import { tasksCommand } from "./command.ts";

/** What the command asks of the server. */
const asked = async (...words: string[]): Promise<readonly unknown[]> => {
	const asks: unknown[] = [];
	await tasksCommand.run({
		words,
		call: async (...ask) => {
			asks.push(ask);
			return { data: [] };
		},
		print: () => {},
	});
	return asks;
};

test.each([
	["--status FAILURE --token alice --limit 5", "?status=FAILURE&limit=5&token=alice"],
	["task_1", "/task_1"],
	["task_1 --json", "/task_1"],
])("portico tasks %s", async (words, path) =>
	expect(await asked(...words.split(" "))).toEqual([["GET", `/admin/tasks${path}`]]),
);

test.each([
	["task_1 task_2", '"task_2" is one word too many.'],
	["task_1 --status FAILURE", "takes no --status."],
	["task_1 --limit 5", "takes no --limit."],
])("portico tasks %s asks nothing, for it would show other than was said", async (words, message) =>
	expect(asked(...words.split(" "))).rejects.toThrow(message),
);
