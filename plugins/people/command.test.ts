import { expect, test } from "bun:test";
import { askedBy } from "../../test/support/asked-by.ts";
import { personCommand } from "./command.ts";

const asked = (words: string) =>
	askedBy(
		personCommand(() => undefined),
		words,
	);

test.each<[string, readonly unknown[]]>([
	["invite --role admin --hours 5", ["POST", "/admin/invitations", { role: "admin", hours: 5 }]],
	["list --json", ["GET", "/admin/people"]],
	["update per_1 --ceiling none", ["PATCH", "/admin/people/per_1", { ceiling: null }]],
	["disable per_1", ["POST", "/admin/people/per_1/disable"]],
])("portico person %s", async (words, ask) => expect(await asked(words)).toEqual([ask]));

test.each([
	["disable per_1 per_2", 'disable takes no "per_2"'],
	["sign-out per_1 per_2", 'sign-out takes no "per_2"'],
	["invite ada", 'invite takes no "ada"'],
	["enable per_1 --role member", "enable takes no --role"],
	["update per_1 --hours 5", "update takes no --hours"],
	["list --role member", "list takes no --role"],
])("portico person %s asks nothing, for it would look as if it had been obeyed", async (words, said) =>
	expect(asked(words)).rejects.toThrow(`portico person ${said}`),
);
