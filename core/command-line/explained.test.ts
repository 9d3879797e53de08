/** What `--help` shows fits a terminal of 80 columns. */
import { expect, test } from "bun:test";
import { builtInCommands } from "./built-in-commands.ts";
import { coreCommands } from "./core-commands.ts";
import { databaseCommand } from "./database.ts";
import { explained, inColumns } from "./explained.ts";
import { reloadCommand } from "./reload.ts";
import { statusCommand } from "./status.ts";

test("a long line goes on below its explanation, or below the first of the words in brackets", () => {
	const text = [
		"portico person invite [--role admin|member] [--ceiling DOLLARS] [--ips IP or NET] [--hours N] [--json]",
		"",
		"  --role      admin does everything, member sees and changes only what is their own; member unless said",
		"Nothing is lost on the way from one line to the next, wherever they are broken in two.",
	].join("\n");
	expect(inColumns(text)).toBe(
		[
			"portico person invite [--role admin|member] [--ceiling DOLLARS]",
			"                      [--ips IP or NET] [--hours N] [--json]",
			"",
			"  --role      admin does everything, member sees and changes only what is their",
			"              own; member unless said",
			"Nothing is lost on the way from one line to the next, wherever they are broken",
			"in two.",
		].join("\n"),
	);
});

test("no line of any built-in command's help is wider than 80 columns", async () => {
	const added = [databaseCommand, statusCommand, reloadCommand, ...(await builtInCommands())];
	const all = [...coreCommands, ...added.map(({ name, summary, usage }) => ({ name, summary, usage: usage() }))];
	expect(all.length).toBeGreaterThan(18);
	const wide = all.flatMap((command) =>
		explained(command)
			.split("\n")
			.filter((line) => line.length > 80),
	);
	expect(wide).toEqual([]);
});
