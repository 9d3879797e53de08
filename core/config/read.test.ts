// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the references of config files
import { describe, expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import fc from "fast-check";
import { checkSettings } from "./check.ts";
import { formatComplaint } from "./complaint.ts";
import { readConfig } from "./read.ts";

const closed = { additionalProperties: false };

const read = (text: string, environment: Record<string, string> = {}, files: Record<string, string> = {}) =>
	readConfig({
		file: "config/portico.yaml",
		text,
		environment,
		readFile(path) {
			const content = files[path];
			if (content === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
			return content;
		},
	});

const lines = (text: string, environment?: Record<string, string>, files?: Record<string, string>) =>
	read(text, environment, files).complaints.map((complaint) => formatComplaint("config/portico.yaml", complaint));

/** The settings of the only plugin. */
const settings = (text: string, environment?: Record<string, string>, files?: Record<string, string>) => {
	const reading = read(`plugins:\n  - use: x\n    with:\n      ${text}\n`, environment, files);
	expect(reading.complaints).toEqual([]);
	return reading.config?.plugins[0]?.with;
};

describe("files that editors and shells of Windows write", () => {
	const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le").toString("utf8");

	test("a byte order mark is no part of a config or of a secret", () => {
		expect(read("\uFEFFplugins: []").complaints).toEqual([]);
		const files = { "config/key": "\uFEFFsk-secret\r\n" };
		expect(settings("key: '${file:key}'", {}, files)).toEqual({ key: "sk-secret" });
	});

	test("UTF-16 is named, and what to do", () => {
		const told = "is UTF-16, or no text: save it as UTF-8";
		expect(lines(utf16("plugins: []"))).toEqual([`config/portico.yaml:1:1 the file ${told}`]);
		const files = { "config/key": utf16("sk-secret") };
		expect(lines("plugins:\n  - use: x\n    with: { key: '${file:key}' }", {}, files)).toEqual([
			expect.stringContaining(`the file key ${told}`),
		]);
	});
});

describe("a file that is right", () => {
	test("the smallest file gets every default", () => {
		const { config, complaints } = read("plugins: []");
		expect(complaints).toEqual([]);
		expect(config?.server).toMatchObject({
			host: "127.0.0.1",
			port: 8787,
			trustedProxies: [],
			bodyLimitBytes: 67108864,
		});
		expect(config?.server.cors).toEqual({ origins: ["*"] });
		expect(config?.admin.allow).toEqual(["127.0.0.0/8", "::1/128"]);
		expect(config?.database).toEqual({ url: "file:data/portico.db", backup: { keep: 7 } });
	});

	test("with a core setting that is wrong the others keep their defaults, so that the rest can be checked", () => {
		const { config, complaints } = read("server: { port: eighty }\nplugins: []");
		expect(complaints).toHaveLength(1);
		expect(config?.server.drainSeconds).toBe(30);
		expect(config?.database.url).toBe("file:data/portico.db");
	});

	test("sections that are left empty count as left out", () => {
		expect(lines("server:\nadmin:\ndatabase:\nplugins:\n")).toEqual([]);
		expect(read("server:\nplugins:\n").config?.server.port).toBe(8787);
	});

	test("an entry knows its names, whether it is enabled, and the place of each of its settings", () => {
		const { config } = read(
			"plugins:\n  - use: quota\n    as: second\n    enabled: false\n    with: { reserve: { amount: 5 } }\n",
		);
		const [entry] = config?.plugins ?? [];
		expect(entry).toMatchObject({ use: "quota", as: "second", enabled: false, with: { reserve: { amount: 5 } } });
		expect(entry?.label).toBe("plugins[0] second");
		expect(entry?.at).toMatchObject({ line: 2, column: 10 });
		expect(entry?.place(["reserve", "amount"])).toMatchObject({ line: 5, column: 32, key: { line: 5, column: 24 } });
		expect(entry?.place(["reserve", "absent", "deeper"])).toMatchObject({ line: 5, column: 22 });
	});

	test("PORTICO_PORT overrides the port of the file and --port overrides both", () => {
		const text = "server: { port: 1 }";
		expect(read(text, { PORTICO_PORT: "2" }).config?.server.port).toBe(2);
		const input = { file: "f", text, environment: { PORTICO_PORT: "2" }, readFile: () => "", port: 3 };
		expect(readConfig(input).config?.server.port).toBe(3);
		expect(read(text, { PORTICO_PORT: "tcp://10.96.3.4:80" }).config?.server.port).toBe(1);
		expect(lines(text, { PORTICO_PORT: "70000" })).toEqual([
			"config/portico.yaml:1:1 PORTICO_PORT: expected a port from 0 to 65535 in the environment",
		]);
	});

	test("PORTICO_HOST overrides the address of the file", () => {
		const text = "server: { host: 127.0.0.2 }";
		expect(read(text, { PORTICO_HOST: "0.0.0.0" }).config?.server.host).toBe("0.0.0.0");
		expect(read(text, { PORTICO_HOST: "" }).config?.server.host).toBe("127.0.0.2");
	});

	test("an alias stands for what its anchor holds", () => {
		expect(settings("a: &one { b: 1 }\n      c: *one")).toEqual({ a: { b: 1 }, c: { b: 1 } });
	});
});

describe("what is wrong", () => {
	test("ten different mistakes are all named, each with its line and column", () => {
		const text = `sever: {}
server:
  host: 127.0.0.1
  port: "x"
  trustedProxies: [10.0.0.0/8, 300.1.1.1]
database: { url: "mysql://db" }
plugins:
  - use: router
    wiht: {}
  - use: quota
    with:
      reserv: 1
      unit: eur
      key: \${MISSING}
      __proto__: 1
      unit: usd
`;
		const reading = read(text);
		const entry = reading.config?.plugins[1];
		if (entry === undefined) throw new Error("the second plugin was not read");
		const schema = t.Object(
			{
				reserve: t.Number({ default: 1, description: "Held back until the real cost is known." }),
				unit: t.Union([t.Literal("usd"), t.Literal("points")]),
				key: t.String(),
				limit: t.Integer({ description: "The most that may be used." }),
			},
			closed,
		);
		const all = [...reading.complaints, ...checkSettings(schema, entry.with, entry).complaints];
		expect(all.map((complaint) => formatComplaint("config/portico.yaml", complaint)).toSorted()).toEqual(
			[
				'config/portico.yaml:1:1 sever: not a setting here (did you mean "server"?)',
				'config/portico.yaml:4:9 server.port: expected integer, found "x" (The port to listen on; 0 picks a free one. PORTICO_PORT and --port override it.)',
				'config/portico.yaml:5:32 server.trustedProxies[1]: expected an address or a network such as 10.0.0.0/8, found "300.1.1.1"',
				'config/portico.yaml:6:18 database.url: expected file:PATH, http(s)://… or libsql://…, found "mysql://db" (A file, relative to the folder of this file (of one in config/: the folder that holds it), or a libSQL server: http(s)://… or libsql://….)',
				'config/portico.yaml:9:5 plugins[0] router → wiht: not a setting here (did you mean "with"?)',
				'config/portico.yaml:12:7 plugins[1] quota → reserv: not a setting here (did you mean "reserve"?)',
				'config/portico.yaml:13:13 plugins[1] quota → unit: expected one of "usd", "points", found "eur"',
				"config/portico.yaml:14:12 plugins[1] quota → key: the variable MISSING is not set: set it before the start, or write ${MISSING:-default}",
				"config/portico.yaml:15:7 plugins[1] quota → __proto__: this key is not allowed",
				"config/portico.yaml:16:7 plugins[1] quota → unit: set a second time, first in line 13",
				"config/portico.yaml:12:7 plugins[1] quota → limit: missing, expected integer (The most that may be used.)",
			].toSorted(),
		);
	});

	test("an entry with a wrong member still has its settings checked", () => {
		const { config, complaints } = read("plugins:\n  - { use: x, as: 5, with: { a: 1 } }");
		expect(complaints).toHaveLength(1);
		expect(config?.plugins[0]).toMatchObject({ use: "x", with: { a: 1 } });
	});

	test("an entry without use, an entry that is no mapping, and a list that is none are complaints", () => {
		expect(lines("plugins:\n  - as: x\n  - tokens\n")).toEqual([
			"config/portico.yaml:2:5 plugins[0] x → use: missing, expected string (A built-in plugin, a path relative to this file (./, ../ or /), or the name of a package.)",
			'config/portico.yaml:3:5 plugins[1]: expected mapping, found "tokens" (One plugin, such as { use: tokens }.)',
		]);
		expect(lines("plugins: { use: tokens }")[0]).toStartWith(
			"config/portico.yaml:1:10 plugins: expected list, found a mapping",
		);
	});

	test.each([
		["", "1:1 the file is empty"],
		["- a", "1:1 expected mapping, found a list"],
		["server: {}\n---\nserver: {}\n", "2:1 a second document begins here: a config file is one document"],
		[
			'{\n// the port\n"server": {}}',
			'2:1 ["// the port \\"server\\""]: not a setting here: a comment begins with "# "',
		],
		["server: { 1: 2 }", "1:11 server: a key must be a text: put it in quotes"],
		["server: { constructor: 2 }", "1:11 server.constructor: this key is not allowed"],
		["server: { port: 1, port: 2 }", "1:20 server.port: set a second time, first in line 1"],
		["server: *nobody", "1:9 server: *nobody has no anchor above it"],
		[
			"server: { port: 1\n",
			"2:1 not YAML: flow map in block collection must be sufficiently indented and end with a }",
		],
		["server: { host: ${HOST}, port: 1 }", '1:18 put "${…}" in quotes here'],
		["server: !host x", "1:9 not YAML: unresolved tag: !host"],
	])("%j: %s", (text, complaint) => {
		expect(lines(text)).toContain(`config/portico.yaml:${complaint}`);
	});

	test("a broken file has no config, a slip that the parser gets over has one", () => {
		expect(read("server: { port: 1\nplugins: [").config).toBeUndefined();
		const slip = read('server: { port: 1, host: "\\q" }\n');
		expect(slip.complaints).toHaveLength(1);
		expect(lines("sever: 1\nserver: { port: 1\nplugins: 5")).toEqual([
			'config/portico.yaml:1:1 sever: not a setting here (did you mean "server"?)',
			expect.stringContaining("config/portico.yaml:3:1 not YAML"),
		]);
		expect(slip.config?.server.port).toBe(1);
	});

	test("aliases of aliases are cut short", () => {
		const bomb = Array.from({ length: 30 }, (_, level) =>
			level === 0 ? "  a0: &a0 [x]" : `  a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`,
		);
		const started = performance.now();
		expect(lines(`server:\n${bomb.join("\n")}\n`)).toContainEqual(
			expect.stringContaining("aliases stand for more than 10000 lists and mappings"),
		);
		expect(lines("server: &s { cors: *s }")).toContain("config/portico.yaml:1:20 nested more than 100 deep");
		expect(performance.now() - started).toBeLessThan(2000);
	});

	test("a file nested without end is refused", () => {
		expect(lines("[".repeat(100_000))).toContainEqual(expect.stringContaining("nested too deep to be read"));
		expect(lines(`plugins: ${"[".repeat(500)}${"]".repeat(500)}`)).toContainEqual(
			expect.stringContaining("nested more than 100 deep"),
		);
	});
});

describe("${…}", () => {
	test("variables, defaults, messages and files are put in, several in one text", () => {
		const environment = { A: "one", EMPTY: "" };
		expect(settings("a: ${A}-${A:-x}-${NO:-two:three}-${NO:-}.", environment)).toEqual({ a: "one-one-two:three-." });
		expect(settings("a: [ '${EMPTY}', '${EMPTY:-x}' ]", environment)).toEqual({ a: ["", "x"] });
		expect(settings("a: ${file:/run/key}", {}, { "/run/key": "secret\n" })).toEqual({ a: "secret" });
		expect(settings("a: ${file:key}", {}, { "config/key": "beside" })).toEqual({ a: "beside" });
	});

	test("$${ is a plain ${, and a lone $ is left alone", () => {
		expect(settings("a: $${A} costs $5", { A: "one" })).toEqual({ a: "${A} costs $5" });
	});

	test("what comes out cannot change the shape of the file, and is not expanded again", () => {
		expect(settings('a: "${A}"', { A: "x, b: 1}\n- ${B}" })).toEqual({ a: "x, b: 1}\n- ${B}" });
		expect(settings("a: ${A}", { A: "[1, 2]" })).toEqual({ a: "[1, 2]" });
	});

	test("what is missing or misspelt is a complaint in its place", () => {
		const text =
			"server:\n  host: ${A:?name the host}\n  cors: { origins: ['${toString}', '${B C}', '${D', '${file:/no}'] }\n";
		expect(lines(text).map((line) => line.split(":").slice(1).join(":"))).toEqual([
			"2:9 server.host: name the host (the variable A)",
			"3:21 server.cors.origins[0]: the variable toString is not set: set it before the start, or write ${toString:-default}",
			expect.stringMatching(/^3:36 server.cors.origins\[1\]: "\$\{B C\}" is not a reference: write/),
			expect.stringMatching(/^3:46 .* is not a reference/),
			"3:53 server.cors.origins[3]: the file /no cannot be read (ENOENT)",
		]);
	});

	test("a setting of the core that is a number takes one from the environment", () => {
		expect(read("server: { port: '${P}' }", { P: "99" }).config?.server.port).toBe(99);
		expect(read("server: { port: '${P:-98}' }").config?.server.port).toBe(98);
		expect(lines("server: { port: '${P}' }", { P: "secret-number" })[0]).toContain('found the value of "${P}"');
	});

	test("what came from the environment and from files is known as secret, a default of the file is not", () => {
		const text = "plugins: [{ use: x, with: { a: 'Bearer ${A}', b: '${file:/f}', c: '${C:-plain}', d: '${D}' } }]";
		const { secrets } = read(text, { A: "one", D: "" }, { "/f": "two" });
		expect(secrets.toSorted()).toEqual(["Bearer one", "one", "two"]);
	});
});

test("whoever does not serve is told of a variable that is not set only where what stands in for it cannot", () => {
	const text = "plugins:\n  - use: x\n    with: { key: '${KEY}', url: '${URL}', pepper: '${PEPPER}' }";
	const { config } = readConfig({ file: "", text, environment: {}, readFile: () => "", withoutSecrets: true });
	const [entry] = config?.plugins ?? [];
	const url = t.String({ pattern: "^https?://" });
	const schema = t.Object({ key: t.String(), url, pepper: t.String({ minLength: 32 }) });
	const { complaints } = checkSettings(schema, entry?.with, entry ?? { label: "", place: () => expect.unreachable() });
	expect(complaints.map(({ where, message }) => `${where}: ${message}`)).toEqual([
		"plugins[0] x → pepper: the variable PEPPER is not set: set it before the start, or write ${PEPPER:-default}",
	]);
});

test("no text whatever makes the reader throw", () => {
	const pieces = fc.constantFrom(
		..."server: |plugins:|- |use: x|{|}|[|]|\n|\n  |\t|\"|'|&a |*a|*b|!t |? |: |, |${A}|${|}|$${|__proto__: 1|#|---\n|...|%YAML 1.1|>|\\|~|<<: *a|\0|\uFEFF|é".split(
			"|",
		),
	);
	const texts = fc.oneof(
		fc.string({ unit: "binary" }),
		fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
	);
	fc.assert(
		fc.property(texts, (text) => {
			const { complaints } = read(text, { A: "a" });
			for (const { line, column } of complaints) {
				expect(line).toBeGreaterThan(0);
				expect(column).toBeGreaterThan(0);
			}
		}),
		{ numRuns: 2000 },
	);
});
