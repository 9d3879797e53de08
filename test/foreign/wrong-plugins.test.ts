/** Plugins that are wrong in ways that no compiler has told their authors: the config's complaint names them, and says how. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startGateway } from "#core/testing";
import { coreCommands } from "../../core/command-line/core-commands.ts";
import { databaseCommand } from "../../core/command-line/database.ts";
import { reloadCommand } from "../../core/command-line/reload.ts";
import { statusCommand } from "../../core/command-line/status.ts";
import { coreWords } from "../../core/host/offer-faults.ts";

const folder = mkdtempSync(join(tmpdir(), "portico-wrong-"));
writeFileSync(join(folder, "package.json"), '{ "type": "module", "imports": { "#core": "portico" } }');
mkdirSync(join(folder, "node_modules"));
symlinkSync(resolve(import.meta.dir, "../.."), join(folder, "node_modules/portico"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The complaint about a gateway with this plugin, whose members stand in place of what `definePlugin` would want. */
const complaintAbout = async (
	members: string,
	plugins: Parameters<typeof startGateway>[0]["plugins"] = [],
): Promise<string> => {
	const file = join(folder, `wrong-${Bun.hash(members)}.ts`);
	writeFileSync(
		file,
		`import { add, bearer, commands, costs, definePlugin, endpoints, guards, jobs, openAiFailure, policies, protocols, provide, renderOwnDenial, routes, service, t, tables, tracer, upstreams, warnings } from "#core";
		const config = t.Object({}, { additionalProperties: false });
		const own = service("wrong.own");
		export default definePlugin({ name: "wrong", summary: "Is wrong.", config, ${members} });`,
	);
	const router = { use: "router", with: { models: [{ name: "m", targets: [{ upstream: "demo" }] }] } };
	const usual = ["tokens", "chat-completions", "demo", router, ...plugins];
	const error: unknown = await startGateway({ plugins: [...usual, { use: file }] }).then(
		async (gateway) => await gateway.stop(),
		(refused: unknown) => refused,
	);
	return (error instanceof Error ? error.message : "it started").replaceAll(file, "wrong.ts").replace(/^\S+ /gm, "");
};

const offering = (slot: string, value: string): string =>
	`gives: [${slot}], setup: ({ name }) => ({ offers: [add(${slot}, ${value})] })`;
const route = (method: string, path: string, access: string): string =>
	offering(
		"routes",
		`{ method: "${method}", path: "${path}", access: "${access}", summary: "X.", handle: () => new Response() }`,
	);
const endpoint = (path: string): string =>
	offering(
		"endpoints",
		`{ name, usual: "a", defaults: {}, dialects: [{ name: "a", paths: ["${path}", "${path}"], body: "json", renderDenial: renderOwnDenial, path: () => "/x", headers: bearer, decodeError: openAiFailure, observe: () => undefined,
			read: () => ({ model: "m", stream: false, texts: [], bound: { inputTokens: 0, outputTokens: 0 } }) }] }`,
	);
const setting = (key: string): string =>
	offering("policies", `{ name, setting: { key: "${key}", schema: t.Number(), compile: Number } }`);

test("a route that is taken is told of beside what else is wrong", async () => {
	const prices = { use: "prices", with: { upstreams: { "no-such": { m: { input: 1 } } } } };
	const told = await complaintAbout(route("POST", "/v2/rerank", "token"), ["rerank", prices]);
	expect(told).toContain('"rerank" offers the route POST /v2/rerank too');
	expect(told).toContain('has prices of the upstream "no-such", which is not configured');
});

describe("is told of", () => {
	test.each([
		[
			"a route of another method",
			route("OPTIONS", "/x", "public"),
			'the route /x has the method "OPTIONS": use GET, HEAD, POST, PUT, PATCH, DELETE',
		],
		[
			"a route of another access",
			route("GET", "/x", "everybody"),
			'the route /x has the access "everybody": use public, token, admin, person',
		],
		[
			"a route without its slash",
			route("GET", "x", "public"),
			'the path of a route must begin with "/", and "x" does not',
		],
		[
			"a route of an endpoint",
			route("POST", "/v1/rerank", "token"),
			'"rerank" offers the route POST /v1/rerank too; switch one of them off',
		],
		[
			"an endpoint at a path that is taken",
			endpoint("/v1/rerank"),
			'"rerank" offers the route POST /v1/rerank too; switch one of them off',
		],
		[
			"an endpoint at a protocol's path",
			endpoint("/v1/chat/completions"),
			'"chat-completions" offers the route POST /v1/chat/completions too; switch one of them off',
		],
		[
			"a dialect without functions",
			offering(
				"endpoints",
				'{ name, dialects: [{ name: "a", paths: ["/x"], body: "json", path: () => "/x", headers: bearer }] }',
			),
			'the dialect "a" of "wrong" lacks the functions read, renderDenial, decodeError, observe',
		],
		[
			"a protocol that is half there",
			offering("protocols", '{ name, client: { paths: ["/x"], read: () => 1 } }'),
			'the protocol "wrong" lacks the functions client.decodeRequest, client.encodeResponse, client.streamEncoder, client.renderDenial, client.renderStreamDenial, client.streamType, upstream.path, upstream.headers, upstream.encodeRequest, upstream.decodeResponse, upstream.streamDecoder, upstream.decodeError, passthrough.request, passthrough.observe, passthrough.restore, passthrough.observer, passthrough.editor, facts.bound, facts.tiers, facts.steering',
		],
		[
			"a protocol without a client",
			offering("protocols", "{ name, upstream: {} }"),
			'the protocol "wrong" lacks its client, the side that answers clients: use upstreamOnly where there is none',
		],
		[
			"a service that it offers twice",
			"gives: [own], setup: () => ({ offers: [provide(own, 1), provide(own, 2)] })",
			'offers the service "wrong.own" twice',
		],
		[
			"a name that nobody could find",
			'name: "a\\nb", setup: () => ({})',
			'what it gave definePlugin is wrong: "name" must be a name that can be seen, in kebab-case such as "office-hours"',
		],
		["an endpoint without dialects", offering("endpoints", "{ name }"), 'the endpoint "wrong" has no dialects'],
		[
			"a dialect without paths",
			offering("endpoints", '{ name, dialects: [{ name: "a" }] }'),
			'the dialect "a" of "wrong" has no paths that begin with "/"',
		],
		[
			"a dialect without a body",
			endpoint("/x").replace('body: "json", ', ""),
			'the dialect "a" of "wrong" has the body "undefined": use json or form',
		],
		[
			"a dialect of another body",
			endpoint("/x").replace('"json"', '"none"'),
			'the dialect "a" of "wrong" has the body "none": use json or form',
		],
		[
			"a dialect that is there twice",
			endpoint("/x").replace(/\[(\{ name: "a".*\})\]/s, "[$1, $1]"),
			'the endpoint "wrong" has two dialects called "a"',
		],
		[
			"an endpoint whose usual dialect is misspelt",
			endpoint("/x").replace('usual: "a"', 'usual: "aa"'),
			'the endpoint "wrong" has no dialect "aa", which usual names (did you mean "a"?)',
		],
		[
			"an endpoint whose dialect for a protocol is none",
			endpoint("/x").replace("defaults: {}", 'defaults: { messages: "vendor" }'),
			'the endpoint "wrong" has no dialect "vendor", which defaults["messages"] names',
		],
		[
			"an endpoint without defaults",
			endpoint("/x").replace(" defaults: {},", ""),
			'the endpoint "wrong" has no defaults: write {} where no protocol brings a dialect',
		],
		[
			"a word of Portico's own",
			offering("commands", '{ name: "serve", summary: "X.", usage: () => "", run: async () => {} }'),
			'the command "serve" is Portico\'s own; choose another word',
		],
		[
			"a setting that is no word",
			setting("my setting!"),
			'the token setting "my setting!" must be a word of letters and digits that begins with a small letter',
		],
		[
			"a check that throws",
			'setup: () => ({ check: () => { throw new TypeError("no"); } })',
			"could not be checked: TypeError: no at wrong.ts:4:119",
		],
		[
			"a service that is not there",
			"gives: [own], setup: () => ({})",
			'names the service "wrong.own" in gives, and does not offer it',
		],
		[
			"a service of its own",
			"needs: { own }, gives: [own], setup: () => ({ offers: [provide(own, 1)] })",
			'needs the service "wrong.own", which it gives itself',
		],
		[
			"no config",
			"config: undefined, setup: () => ({})",
			'what it gave definePlugin is wrong: "config" must be t.Object({ … }), of t.String() and the like',
		],
		[
			"a hand-made object",
			"config: 1, needs: undefined, gives: 1, ...{ needs: 1 }, setup: () => ({})",
			'what it gave definePlugin is wrong: "config" must be t.Object({ … }), of t.String() and the like; "needs" must be { name: service or slot }, as they are imported; "gives" must be [services and slots], as they are imported',
		],
		[
			"another library's schema",
			"config: { parse: () => 1 }, setup: () => ({})",
			'what it gave definePlugin is wrong: "config" must be t.Object({ … }), of t.String() and the like',
		],
		[
			"settings that are words",
			'config: t.Object({ word: "string" }), setup: () => ({})',
			'what it gave definePlugin is wrong: "config" must be t.Object({ … }), of t.String() and the like',
		],
		["no set-up", "gives: []", 'what it gave definePlugin is wrong: "setup" must be a function'],
		[
			"tokens by their names",
			'needs: { store: "store" }, gives: ["policies"], setup: () => ({})',
			'what it gave definePlugin is wrong: "needs" must be { name: service or slot }, as they are imported; "gives" must be [services and slots], as they are imported',
		],
		[
			"a set-up that returns nothing",
			"setup: () => {}",
			"its setup returned nothing: return { offers: [add(…)] }, or {} where it offers nothing",
		],
		[
			"a set-up that returns its offers bare",
			"gives: [policies], setup: ({ name }) => [add(policies, { name, check: () => undefined })]",
			"its setup returned a list: return { offers: [add(…)] }, or {} where it offers nothing",
		],
		[
			"offers that are no list",
			"gives: [policies], setup: ({ name }) => ({ offers: add(policies, { name, check: () => undefined }) })",
			'the "offers" that its setup returned are no list: write [add(…), provide(…)]',
		],
		[
			"an offer without its slot",
			"gives: [policies], setup: ({ name }) => ({ offers: [{ name, check: () => undefined }] })",
			"offers[0] is not made by add or provide",
		],
		["a stop that is a timer", "setup: () => ({ stop: 7 })", 'its "stop" must be a function'],
		[
			"a check that gives one sentence",
			'setup: () => ({ check: () => "no" })',
			"its check must return a list of sentences, at once",
		],
		[
			"a check that others wait for",
			"setup: () => ({ check: async () => [] })",
			"its check must return a list of sentences, at once",
		],
		[
			"a policy that refuses nothing",
			offering("policies", "{ name, inspect: () => undefined }"),
			'the policy "wrong" refuses nothing: give it a setting or one of the functions admit, beforeBody, check, shows',
		],
		[
			"a token setting that is never compiled",
			offering("policies", '{ name, setting: { key: "k", schema: t.Number() } }'),
			'the token setting "k" needs a schema and a compile function',
		],
		[
			"a token setting whose schema is plain JSON",
			offering("policies", '{ name, setting: { key: "k", schema: { type: "array" }, compile: String } }'),
			'the schema of the token setting "k" is not made by t: write t.String(), t.Array(t.String()) or the like',
		],
		[
			"a job without a name",
			offering("jobs", '{ schedule: "* * * * *", run: () => undefined }'),
			'what it offers to the slot "jobs" has no name: give it the name that setup is given, or one of its own',
		],
		[
			"a guard with a policy's function",
			offering("guards", "{ name, check: () => undefined }"),
			'what it offers to the slot "guards" lacks the functions inspect',
		],
		[
			"a policy without a name",
			offering("policies", "{ check: () => undefined }"),
			'what it offers to the slot "policies" has no name: give it the name that setup is given, or one of its own',
		],
		[
			"tables whose statements are one text",
			offering("tables", '{ plugin: name, migrations: [{ name: "0001", statements: "CREATE TABLE x (id TEXT)" }] }'),
			'its migrations[0] is not { name, statements: ["CREATE TABLE …"] }, one statement in each text',
		],
		[
			"tables of nobody",
			offering("tables", "{ migrations: [] }"),
			'its tables have no "plugin": give them the name that setup is given',
		],
		[
			"a warning that is no sentence",
			offering("warnings", "{ url: 1 }"),
			'what it offers to the slot "warnings" is no sentence',
		],
		[
			"a route without its handler",
			offering("routes", '{ method: "GET", path: "/x", access: "public", summary: "X." }'),
			'what it offers to the slot "routes" lacks the functions handle',
		],
	])("%s", async (_, members, complaint) => {
		expect(await complaintAbout(members, ["rerank"])).toBe(`plugins[5] wrong.ts: ${complaint}`);
	});

	test("an upstream whose protocols are one text", async () => {
		const upstream = '{ name, protocols: "chat-completions", send: async () => new Response() }';
		expect(await complaintAbout(offering("upstreams", upstream))).toBe(
			'plugins[3] router: the upstream "wrong" of a plugin has no list of protocols: write protocols: ["chat-completions"]',
		);
	});

	test.each(["name", "owner", "disabled"])("a setting that every token has: %s", async (key) => {
		expect(await complaintAbout(setting(key))).toBe(
			`plugins[0] tokens: the policy "wrong" of a plugin offers the token setting "${key}", which every token has already; rename it`,
		);
	});

	test.each([
		["json", "--json"],
		["graceSeconds", "--grace-seconds"],
	])("a setting that portico token has an option for: %s", async (key, option) => {
		expect(await complaintAbout(setting(key))).toBe(
			`plugins[0] tokens: the policy "wrong" of a plugin offers the token setting "${key}", and "portico token" has an option ${option} of its own; rename it`,
		);
	});

	test.each([
		["config", "--config"],
		["logLevel", "--log-level"],
		["help", "--help"],
	])("a setting that every command has an option for: %s", async (key, option) => {
		expect(await complaintAbout(setting(key))).toBe(
			`plugins[4] wrong.ts: the token setting "${key}" cannot be set: every command takes ${option} for itself; rename it`,
		);
	});

	test.each(["two words", "", "-x"])("a command that nobody could call: %p", async (name) => {
		expect(
			await complaintAbout(offering("commands", `{ name: "${name}", summary: "X.", usage: () => "", run: () => {} }`)),
		).toBe(
			`plugins[4] wrong.ts: the command "${name}" must be one word that begins with no hyphen: nobody could call it`,
		);
	});
});

test.each([
	["costs", "chargeOf"],
	["tracer", "begin, spanId"],
])("is told of a service that Portico asks and that lacks its functions: %s", async (service, functions) => {
	expect(await complaintAbout(`gives: [${service}], setup: () => ({ offers: [provide(${service}, {})] })`)).toBe(
		`plugins[4] wrong.ts: what it offers as the service "${service}" lacks the functions ${functions}`,
	);
});

test("a mistake in its writing is told with its place", async () => {
	expect(await complaintAbout('setup: () => ({}) summary: "Twice."')).toBe(
		'plugins[4] wrong.ts: its module could not be loaded: Expected "}" but found "summary" at wrong.ts:4:96',
	);
});

test("words that are Portico's own are those that its command line takes", () => {
	const words = [...coreCommands, databaseCommand, statusCommand, reloadCommand].map(({ name }) => name);
	expect(coreWords.map(String).toSorted()).toEqual([...words, "bun", "deno"].toSorted());
});
