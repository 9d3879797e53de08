import { expect, test } from "bun:test";
import { askedBy } from "../../test/support/asked-by.ts";
import { auditCommand, personCommand } from "./command.ts";

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
	["invitations", ["GET", "/admin/invitations"]],
	["withdraw inv_1", ["DELETE", "/admin/invitations/inv_1"]],
])("portico person %s", async (words, ask) => expect(await asked(words)).toEqual([ask]));

test.each([
	["disable per_1 per_2", 'disable takes no "per_2"'],
	["sign-out per_1 per_2", 'sign-out takes no "per_2"'],
	["invite ada", 'invite takes no "ada"'],
	["invitations ada", 'invitations takes no "ada"'],
	["withdraw inv_1 inv_2", 'withdraw takes no "inv_2"'],
	["enable per_1 --role member", "enable takes no --role"],
	["update per_1 --hours 5", "update takes no --hours"],
	["list --role member", "list takes no --role"],
	["update per_1", "update takes what is to be changed, one or more of --role, --ceiling, --budgets, --limits"],
])("portico person %s asks nothing, for it would look as if it had been obeyed", async (words, said) =>
	expect(asked(words)).rejects.toThrow(`portico person ${said}`),
);

test.each([
	["", "portico person needs a word"],
	["disabel per_1", 'portico person takes no "disabel" (did you mean "disable"?)'],
	["disable", "portico person disable needs the id or the name of a person"],
	["withdraw", "portico person withdraw needs the id of an invitation"],
])("portico person %s says what is wrong before the usage", (words, said) =>
	expect(asked(words)).rejects.toThrow(`${said}\n\nportico person invite`),
);

const printed = async (words: string, answer: object): Promise<readonly string[]> => {
	const lines: string[] = [];
	const print = (line: string) => lines.push(...line.split("\n"));
	await personCommand(() => undefined).run({ words: words.split(" "), call: async () => answer, print });
	return lines;
};

test("a link says what it is good for, and until when", async () => {
	const shown = { link: "http://h/console/join#s", role: "member", expiresAt: Date.UTC(2041, 0, 1) };
	expect(await printed("invite", shown)).toEqual([
		shown.link,
		"(shown this once; it makes one member, once, until 2041-01-01T00:00:00.000Z)",
	]);
	expect((await printed("invite --person per_1", { ...shown, person: "per_1" }))[1]).toBe(
		"(shown this once; it sets another password for per_1, once, until 2041-01-01T00:00:00.000Z)",
	);
});

test("invitations that can still be used are listed by the id that withdraws them", async () => {
	const expiresAt = Date.UTC(2041, 0, 1);
	const data = [
		{ id: "inv_1", role: "admin", expiresAt },
		{ id: "inv_2", role: "member", person: "per_1", expiresAt },
	];
	const [, first, second] = await printed("invitations", { data });
	expect(first).toMatch(/^inv_1 +makes one admin +2041-01-01T00:00:00\.000Z$/);
	expect(second).toMatch(/^inv_2 +sets another password for per_1 +2041/);
	expect(await printed("invitations", { data: [] })).toEqual(["no open invitations"]);
	expect(await printed("withdraw inv_1", { id: "inv_1" })).toEqual(["inv_1 is withdrawn"]);
});

test("a list of nobody says so", async () => expect(await printed("list", { data: [] })).toEqual(["no people"]));

test("an audit without a line says so", async () => {
	const lines: string[] = [];
	const words = ["--object", "tok_nobody_has"];
	await auditCommand.run({ words, call: async () => ({ data: [] }), print: (line) => lines.push(line) });
	expect(lines).toEqual(["no changes"]);
});
