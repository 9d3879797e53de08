// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the references of config files
import { describe, expect, test } from "bun:test";
import { type TObject, Type as t } from "@sinclair/typebox";
import fc from "fast-check";
import { checkSettings } from "./check.ts";
import { didYouMean, formatComplaint, type Place, whereText } from "./complaint.ts";

const position = { line: 3, column: 5 };
/** Every node at one place, the values under `templates` written as references. */
const at =
	(templates: Record<string, string> = {}): Place =>
	(path) => ({ ...position, key: position, template: templates[path.join(".")], failed: false });

const check = (schema: TObject, value: unknown, templates?: Record<string, string>) => {
	const { value: checked, complaints } = checkSettings(schema, value, { label: "plugins[0] x", place: at(templates) });
	const prefix = "f:3:5 plugins[0] x → ";
	return { value: checked, said: complaints.map((complaint) => formatComplaint("f", complaint).replace(prefix, "")) };
};

const closed = { additionalProperties: false };

describe("what is said", () => {
	test.each([
		[t.Number(), "x", 'expected number, found "x"'],
		[t.Number(), Number.NaN, "expected number, found null"],
		[t.Integer(), 1.5, "expected integer, found 1.5"],
		[t.Integer({ minimum: 1 }), 0, "expected a number of at least 1, found 0"],
		[t.Number({ exclusiveMaximum: 1 }), 1, "expected a number below 1, found 1"],
		[t.Boolean(), "yes", 'expected boolean, found "yes"'],
		[t.String(), 5, "expected string, found 5"],
		[t.String(), null, "expected string, found nothing"],
		[t.String({ minLength: 3 }), "a", 'expected at least 3 characters, found "a"'],
		[t.String({ pattern: "^[a-z]+$" }), "A", 'expected text like ^[a-z]+$, found "A"'],
		[
			t.String({ pattern: "^https?://" }),
			"api.example",
			'expected an address that begins with http:// or https://, found "api.example"',
		],
		[
			t.String({ pattern: "^https?://[^/]+$" }),
			"https://a.example/b",
			'expected an address that begins with http:// or https://, with nothing after the host, found "https://a.example/b"',
		],
		[t.String({ format: "uri" }), "nowhere", 'expected an absolute URL, found "nowhere"'],
		[t.String({ format: "unheard-of" }), "x", undefined],
		[t.Array(t.String()), {}, "expected list, found a mapping"],
		[t.Array(t.String(), { minItems: 1 }), [], "expected a list of at least 1, found a list"],
		[t.Object({}), "x", 'expected mapping, found "x"'],
		[t.Literal("a"), "b", 'expected "a", found "b"'],
		[t.Union([t.Literal("usd"), t.Literal("points")]), "eur", 'expected one of "usd", "points", found "eur"'],
		[
			t.Union([t.Literal("usd"), t.Literal("points")]),
			"point",
			'expected one of "usd", "points", found "point" (did you mean "points"?)',
		],
		[t.Enum({ A: "a", B: 2 }), 3, 'expected one of "a", 2, found 3'],
		[t.Union([t.String(), t.Array(t.String())]), 5, "expected string or list, found 5"],
		[t.Unsafe({ type: ["string", "null"] }), 5, "expected string or nothing, found 5"],
		[t.Unsafe({ type: "string", enum: ["a"] }), "b", 'expected "a", found "b"'],
		[t.String({ secret: true, minLength: 50 }), "sk-mine", "expected at least 50 characters, found a string"],
		[t.Number({ description: "How much." }), "x", 'expected number, found "x" (How much.)'],
	])("%j against %j: %s", (schema, value, complaint) => {
		expect(check(t.Object({ a: schema }), { a: value }).said).toEqual(
			complaint === undefined ? [] : [`a: ${complaint}`],
		);
	});

	test("a key that is no setting is refused, also where the schema does not say so", () => {
		expect(check(t.Object({ reserve: t.Optional(t.Number()) }), { reserv: 1 }).said).toEqual([
			'reserv: not a setting here (did you mean "reserve"?)',
		]);
		expect(check(t.Object({ one: t.Optional(t.Number()), two: t.Optional(t.Number()) }), { other: 1 }).said).toEqual([
			"other: not a setting here (there are: one, two)",
		]);
		expect(check(t.Object({}, { additionalProperties: true }), { other: 1 })).toEqual({
			value: { other: 1 },
			said: [],
		});
	});

	test("every complaint is made at once, deep ones with their whole path", () => {
		const schema = t.Object(
			{ list: t.Array(t.Object({ url: t.String(), key: t.String() }, closed)), n: t.Number() },
			closed,
		);
		expect(check(schema, { list: [{ url: 1, "odd key": 2 }], m: 1 }).said).toEqual([
			"list[0].url: expected string, found 1",
			'list[0]["odd key"]: not a setting here (there are: url, key)',
			"list[0].key: missing, expected string",
			"m: not a setting here (there are: list, n)",
			"n: missing, expected number",
		]);
	});

	test("a value from the environment is never shown", () => {
		expect(check(t.Object({ a: t.Number() }), { a: "hunter2" }, { a: "${PASSWORD}" }).said).toEqual([
			'a: expected number, found the value of "${PASSWORD}"',
		]);
	});

	test("a union of mappings is told apart by its literals", () => {
		const schema = t.Object({
			a: t.Union([
				t.Object({ kind: t.Literal("web"), url: t.String() }, closed),
				t.Object({ kind: t.Literal("file"), path: t.String(), mode: t.Optional(t.Number()) }, closed),
			]),
		});
		expect(check(schema, { a: { kind: "file", path: "x" } }).said).toEqual([]);
		expect(check(schema, { a: { kind: "file", pth: "x", mode: "y" } }).said).toEqual([
			'a.pth: not a setting here (did you mean "path"?)',
			'a.mode: expected number, found "y"',
			"a.path: missing, expected string",
		]);
		expect(check(schema, { a: { kind: "wbe", url: "x" } }).said).toEqual([
			'a.kind: expected one of "web", "file", found "wbe" (did you mean "web"?)',
		]);
		expect(check(schema, { a: 5 }).said).toEqual(["a: expected mapping, found 5"]);
	});
});

describe("what comes back", () => {
	test("defaults are filled in at every depth, and the value given is left as it was", () => {
		const inner = t.Object(
			{ n: t.Number({ default: 5 }), l: t.Array(t.String(), { default: ["x"] }) },
			{ ...closed, default: {} },
		);
		const schema = t.Object({ inner, list: t.Array(t.Object({ on: t.Boolean({ default: true }) }, closed)) }, closed);
		const given = { list: [{}] };
		expect(check(schema, given)).toEqual({ value: { inner: { n: 5, l: ["x"] }, list: [{ on: true }] }, said: [] });
		expect(given).toEqual({ list: [{}] });
		expect(check(t.Object({}), undefined)).toEqual({ value: {}, said: [] });
	});

	test("what does not fit is left out where it may be, so that the rest can be used to find more", () => {
		const inner = t.Object({ must: t.String(), may: t.Optional(t.Number()), given: t.Number({ default: 5 }) }, closed);
		const schema = t.Object({ list: t.Array(inner, { default: [] }), one: t.Optional(t.Integer()) }, closed);
		const used = (value: unknown) => {
			const { value: checked, complaints, usable } = checkSettings(schema, value, { label: "x", place: at() });
			return [usable, complaints.length, usable && checked];
		};
		const fits = { list: [{ must: "a", may: 1, given: 2 }], one: 3 };
		expect(used(fits)).toEqual([true, 0, fits]);
		expect(used({ list: [{ must: "a", may: "b", given: "c", more: 1 }] })).toEqual([
			true,
			3,
			{ list: [{ must: "a", given: 5 }] },
		]);
		for (const value of [{ list: [{ must: 1 }] }, { list: [{}] }, { list: 1 }, { one: "a" }, { more: 1 }, []])
			expect(used(value)).toEqual([false, 1, false]);
	});

	test("two readings never share a default", () => {
		const schema = t.Object({ l: t.Array(t.String(), { default: [] }) }, closed);
		const [one, other] = [check(schema, {}).value, check(schema, {}).value];
		expect(one).toEqual(other);
		expect((one as { l: unknown }).l).not.toBe((other as { l: unknown }).l);
	});

	test("a setting that is left empty takes its default", () => {
		expect(check(t.Object({ n: t.Number({ default: 5 }) }), { n: null })).toEqual({ value: { n: 5 }, said: [] });
		const nullable = t.Object({ n: t.Union([t.Null(), t.Number()], { default: 5 }) });
		expect(check(nullable, { n: null })).toEqual({ value: { n: null }, said: [] });
	});

	test("text from the environment becomes what the schema wants, and stays text where text is taken", () => {
		const schema = t.Object({
			n: t.Number(),
			i: t.Integer(),
			b: t.Boolean(),
			five: t.Literal(5),
			either: t.Union([t.Number(), t.String()]),
			any: t.Unknown(),
		});
		const given = { n: "1.5e3", i: "-7", b: "false", five: "5", either: "6", any: "7" };
		const templates = Object.fromEntries(Object.keys(given).map((key) => [key, `\${${key}}`]));
		expect(check(schema, given, templates)).toEqual({
			value: { n: 1500, i: -7, b: false, five: 5, either: "6", any: "7" },
			said: [],
		});
		expect(check(t.Object({ n: t.Number() }), { n: "5" }).said).toEqual(['n: expected number, found "5"']);
		for (const text of ["", " 5", "0x10", "5 apples", "Infinity"]) {
			expect(check(t.Object({ n: t.Number() }), { n: text }, { n: "${N}" }).said).toHaveLength(1);
		}
	});

	test("records, tuples, intersections and schemas that contain themselves are followed", () => {
		const tree = t.Recursive((Self) => t.Object({ name: t.String(), sub: t.Array(Self, { default: [] }) }, closed));
		const schema = t.Object({
			record: t.Record(t.String({ pattern: "^[a-z]+$" }), t.Object({ n: t.Number({ default: 1 }) })),
			pair: t.Tuple([t.String(), t.Number()]),
			both: t.Intersect([t.Object({ a: t.Number({ default: 1 }) }), t.Object({ b: t.String() })]),
			tree,
		});
		const good = { record: { a: {} }, pair: ["x", 1], both: { b: "y" }, tree: { name: "r", sub: [{ name: "s" }] } };
		expect(check(schema, good)).toEqual({
			value: {
				record: { a: { n: 1 } },
				pair: ["x", 1],
				both: { a: 1, b: "y" },
				tree: { name: "r", sub: [{ name: "s", sub: [] }] },
			},
			said: [],
		});
		const bad = { record: { a: { n: "x" } }, pair: [1, 1], both: { b: 1 }, tree: { name: "r", sub: [{}] } };
		expect(check(schema, bad).said).toEqual([
			'record.a.n: expected number, found "x"',
			"pair[0]: expected string, found 1",
			"both.b: expected string, found 1",
			"tree.sub[0].name: missing, expected string",
		]);
	});
});

test("the nearest name is offered when it is near, whatever its case", () => {
	expect(didYouMean("reserv", ["unit", "reserve"])).toBe(' (did you mean "reserve"?)');
	expect(didYouMean("Prot", ["host", "port"])).toBe(' (did you mean "port"?)');
	expect(didYouMean("bananas", ["host", "port"])).toBe("");
});

test("a word is no further from itself than any other, and one changed letter is always found", () => {
	const words = fc.stringMatching(/^[a-z]{4,12}$/);
	fc.assert(
		fc.property(words, fc.nat(11), (word, index) => {
			const changed = `${word.slice(0, index % word.length)}9${word.slice((index % word.length) + 1)}`;
			expect(didYouMean(changed, ["zzzzzzzzzzzzzzzzzzzzzzzz", word])).toBe(` (did you mean "${word}"?)`);
		}),
	);
});

test("a path is written as one would write it", () => {
	expect(whereText("plugins[2] quota", ["upstreams", 0, "key"])).toBe("plugins[2] quota → upstreams[0].key");
	expect(whereText("", ["models", "gpt-*"])).toBe('models["gpt-*"]');
	expect(whereText("plugins[2] quota", [])).toBe("plugins[2] quota");
});
