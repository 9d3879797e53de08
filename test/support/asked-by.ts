/** What a command of Portico's asks of the server for some words; the server answers an empty list. */
import type { Command } from "#core";

export const askedBy = async (command: Command, words: string): Promise<readonly unknown[]> => {
	const asks: unknown[] = [];
	await command.run({
		words: words.split(" "),
		call: async (...ask) => {
			asks.push(ask);
			return { data: [] };
		},
		print: () => {},
	});
	return asks;
};
