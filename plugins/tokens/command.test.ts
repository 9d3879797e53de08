import { describe, expect, test } from "bun:test";
import { type TokenSetting, t } from "#core";
import { tokenCommand } from "./command.ts";
import { makeKey, previewOf } from "./key.ts";

const setting = (key: string, schema: TokenSetting<unknown>["schema"]): [string, TokenSetting<unknown>] => [
	key,
	{ key, schema, compile: (value) => value },
];

const known = new Map([
	setting("quota", t.Number({ description: "In dollars.", unit: "dollars" })),
	setting("expiresAt", t.String({ description: "When it ends." })),
	setting("models", t.Array(t.String())),
	setting("noisy", t.Boolean()),
	setting("limits", t.Object({ perMinute: t.Integer() })),
	[
		"hours",
		{
			key: "hours",
			schema: t.String(),
			compile: (value) => value,
			inWords: () => {
				throw new Error("no words");
			},
		},
	],
]);

const now = Date.UTC(2026, 10, 28);

/** Runs the command against an admin API that answers `answer`; gives what was asked and printed. */
const run = async (words: readonly string[], answer: unknown = { id: "tok_1", name: "n", key: "sk-new" }) => {
	const asked: { method: string; path: string; body?: unknown }[] = [];
	const printed: string[] = [];
	await tokenCommand(
		() => known,
		() => now,
	).run({
		words,
		call: async (method, path, body) => {
			asked.push({ method, path, body });
			return answer;
		},
		print: (line) => printed.push(line),
	});
	return { asked, printed };
};

describe("portico token", () => {
	test("a key is told although a setting's own words for it fail", async () => {
		const answer = { id: "tok_1", name: "n", settings: { hours: "9-17" }, key: "sk-new" };
		const { printed } = await run(["create", "--name", "n"], answer);
		expect(printed.join("\n")).toContain("9-17");
		expect(printed.at(-1)).toBe("key (shown once): sk-new");
	});

	test("create turns options into what the settings' schemas want", async () => {
		const options = [
			"--quota",
			"1.50",
			"--expires-at",
			"2027-01-01T00:00:00Z",
			"--models",
			"gpt-*, fast",
			"--noisy",
			"true",
		];
		const { asked } = await run(["create", "--name", "demo", ...options, "--limits", '{"perMinute":5}']);
		expect(asked).toEqual([
			{
				method: "POST",
				path: "/admin/tokens",
				body: {
					name: "demo",
					quota: 1.5,
					expiresAt: "2027-01-01T00:00:00Z",
					models: ["gpt-*", "fast"],
					noisy: true,
					limits: { perMinute: 5 },
				},
			},
		]);
	});

	test.each([
		["enable tok_1 --quota 5", "enable takes no --quota"],
		["show tok_1 --name b", "show takes no --name"],
		["list --owner per_1", "list takes no --owner"],
		["rotate tok_1 --models a", "rotate takes no --models"],
		["update tok_1 --grace-seconds 5", "update takes no --grace-seconds"],
	])("%s changes nothing, for it would look as if it had been obeyed", async (words, said) =>
		expect(run(words.split(" "))).rejects.toThrow(`portico token ${said}`),
	);

	test.each(["", " ", ","])(
		"a list of no words (%p), as of a variable that is not set, is no rule that allows everything",
		async (words) =>
			expect(run(["update", "tok_1", "--models", words])).rejects.toThrow("--models takes words by commas, or none"),
	);

	test.each([
		["[]", []],
		['["bomb", "a, b"]', ["bomb", "a, b"]],
		["[a-z]*,fast", ["[a-z]*", "fast"]],
		["7", ["7"]],
	])("a list may be JSON: %s", async (words, models) => {
		const { asked } = await run(["create", "--name", "demo", "--models", words]);
		expect(asked[0]?.body).toEqual({ name: "demo", models });
	});

	test("create --json prints one line with id and key", async () => {
		const { printed } = await run(["create", "--name", "demo", "--json"]);
		expect(printed).toHaveLength(1);
		expect(JSON.parse(printed[0] ?? "")).toEqual({ id: "tok_1", name: "n", key: "sk-new" });
	});

	test("update with none removes a setting", async () => {
		const { asked } = await run(["update", "tok_1", "--quota", "none"]);
		expect(asked).toEqual([{ method: "PATCH", path: "/admin/tokens/tok_1", body: { quota: null } }]);
	});

	test.each([
		["show", "GET", "/admin/tokens/tok_1"],
		["delete", "DELETE", "/admin/tokens/tok_1"],
		["disable", "POST", "/admin/tokens/tok_1/disable"],
		["enable", "POST", "/admin/tokens/tok_1/enable"],
		["rotate", "POST", "/admin/tokens/tok_1/rotate"],
	])("%s calls %s %s", async (action, method, path) => {
		expect((await run([action, "tok_1"])).asked).toEqual([{ method, path, body: undefined }]);
	});

	test("rotate says how long the old key is good", async () => {
		const { asked } = await run(["rotate", "tok_1", "--grace-seconds", "3600"]);
		expect(asked).toEqual([{ method: "POST", path: "/admin/tokens/tok_1/rotate", body: { graceSeconds: 3600 } }]);
	});

	test("an id cannot lead to another route", async () => {
		expect((await run(["show", "../plugins?x"])).asked.at(-1)?.path).toBe("/admin/tokens/..%2Fplugins%3Fx");
	});

	test("list goes on while the server has more", async () => {
		const pages = new Map([
			["", { data: [{ id: "tok_1", name: "a" }], hasMore: true }],
			["tok_1", { data: [{ id: "tok_2", name: "b" }], hasMore: false }],
		]);
		const printed: string[] = [];
		await tokenCommand(
			() => known,
			() => now,
		).run({
			words: ["list", "--json"],
			call: async (_method, path) => pages.get(new URL(path, "http://x").searchParams.get("after") ?? "-"),
			print: (line) => printed.push(line),
		});
		expect(JSON.parse(printed.join(""))).toMatchObject({ data: [{ id: "tok_1" }, { id: "tok_2" }] });
	});

	test("list has the newest first, as the console has it, and says when there is none", async () => {
		const data = [
			{ id: "tok_1", name: "old", createdAt: 1 },
			{ id: "tok_2", name: "b", createdAt: 3 },
			{ id: "tok_3", name: "a", createdAt: 3 },
		];
		const { printed } = await run(["list", "--json"], { data });
		expect(JSON.parse(printed[0] ?? "")).toMatchObject({ data: [{ name: "a" }, { name: "b" }, { name: "old" }] });
		expect((await run(["list"], { data: [] })).printed).toEqual(["no tokens"]);
	});

	test("update without a change says what can be changed, and asks nothing", async () => {
		const options = "--name, --owner, --quota, --expires-at, --models, --noisy, --limits, --hours";
		expect(run(["update", "tok_1", "--json"])).rejects.toThrow(
			`portico token update takes what is to be changed, one or more of ${options}; nothing was changed`,
		);
	});

	test("list shows a line for each token", async () => {
		const row = (id: string, settings: object) => ({
			id,
			name: "n",
			preview: "sk-abc…wxyz",
			settings,
			disabled: id === "b",
		});
		const models = ["gpt-*", "fast"];
		const rows = [row("a", { quota: 12.5, models }), row("b", { quota: 1, limits: { perMinute: 5 } })];
		expect((await run(["list"], { data: rows })).printed).toEqual([
			"NAME  KEY          STATE      QUOTA  MODELS      LIMITS           ID",
			"n     sk-abc…wxyz  enabled   $12.50  gpt-*,fast  -                a",
			'n     sk-abc…wxyz  disabled   $1.00  -           {"perMinute":5}  b',
		]);
	});

	test("list says why a token's calls are refused", async () => {
		const ended = { expiresAt: "2026-11-28T00:00:00Z" };
		const budget = (remaining: number, per: string) => ({ amount: 5, per, remaining });
		const rows = [
			[{ settings: { expiresAt: "2026-11-28T00:00:01Z" }, remaining: 0.01 }, "enabled"],
			[{ settings: ended, remaining: 0 }, "expired"],
			[{ settings: ended, disabled: true }, "disabled"],
			[{ settings: ended, unenforced: ["quota"] }, "refused"],
			[{ settings: { quota: 1 }, remaining: 0 }, "spent"],
			[{ settings: {}, budgets: [budget(2, "month"), budget(0, "day")] }, "spent this day"],
		] as const;
		const data = rows.map(([token, word]) => ({ id: "tok_1", name: "n", preview: word, ...token }));
		const { printed } = await run(["list"], { data });
		for (const [at, [, word]] of rows.entries()) expect(printed[at + 1]).toMatch(new RegExp(`^n +${word} +${word} `));
	});

	test.each([
		[["create", "--quota", "much"], "--quota takes a number"],
		[["create", "--noisy", "perhaps"], "--noisy takes true or false"],
		[["create", "--limits", "{"], "--limits takes a JSON object"],
		[["create", "--colour", "red"], "--colour"],
		[["create", "--qouta", "1"], 'there is no option "--qouta" here (did you mean "--quota"?)'],
		[[], "portico token needs a word\n\nportico token create"],
		[["crate"], 'portico token takes no "crate" (did you mean "create"?)'],
		[["burn", "tok_1"], "portico token create"],
		[["show"], "takes the token's id"],
	])("%p is refused in words", async (words, said) => {
		await expect(run(words as string[])).rejects.toThrow(said as string);
	});

	test("its usage names every setting that loaded policies bring", () => {
		const usage = tokenCommand(
			() => known,
			() => now,
		).usage();
		for (const flag of ["--quota", "--expires-at", "--models", "--noisy", "--limits"]) expect(usage).toContain(flag);
		expect(usage).toContain("In dollars.");
	});

	test("a token is named by its name too, where only one has it", async () => {
		const data = [
			{ id: "tok_1", name: "alice" },
			{ id: "tok_2", name: "bob" },
			{ id: "tok_3", name: "bob" },
		];
		const { asked } = await run(["disable", "alice"], { data });
		expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
			"GET /admin/tokens?limit=1000&after=",
			"POST /admin/tokens/tok_1/disable",
		]);
		expect(run(["delete", "bob"], { data })).rejects.toThrow(
			'several tokens are called "bob": say which by its id (tok_2, tok_3)',
		);
		expect((await run(["show", "carol"], { data })).asked.at(-1)?.path).toBe("/admin/tokens/carol");
	});

	test("a leaked key names its token, and is sent nowhere", async () => {
		const key = makeKey();
		const data = [
			{ id: "tok_1", name: "alice", preview: "sk-abc…wxyz" },
			{ id: "tok_2", name: "bob", preview: previewOf(key) },
		];
		for (const words of [key, previewOf(key)]) {
			const { asked } = await run(["disable", words], { data });
			expect(asked.at(-1)?.path).toBe("/admin/tokens/tok_2/disable");
			expect(JSON.stringify(asked)).not.toContain(key);
		}
		const other = makeKey();
		const refused = run(["delete", other], { data });
		expect(refused).rejects.toThrow(`no token has the key ${previewOf(other)}`);
		expect(refused).rejects.not.toThrow(other);
	});

	test("a word that nobody reads is refused", async () => {
		expect(run(["create", "alice"])).rejects.toThrow(
			'portico token create takes no "alice"; its name is given by --name',
		);
		expect(run(["list", "alice"])).rejects.toThrow('portico token list takes no "alice"');
		expect(run(["disable", "tok_1", "tok_2"])).rejects.toThrow('portico token disable takes no "tok_2"');
		expect(run(["disable"])).rejects.toThrow("portico token disable takes the token's id or name");
	});
});
