/** Plugins in plain JavaScript that answer what no type allows: nobody passes by that, and the log names who answered. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type StrangerWorld, strangerWorld } from "./stranger.ts";

/** What is answered by the last word of a prompt, or of a path. */
const plugin = `import { add, definePlugin, deny, Fault, guards, policies, routes, sql, store, t, upstreams } from "#core";

const answers = {
	true: () => true,
	false: () => false,
	null: () => null,
	text: () => "no",
	error: () => new Error("no"),
	response: () => new Response("no", { status: 403 }),
	wrapped: () => ({ refuse: deny("permission", "No.") }),
	denial: () => deny("permission", "No."),
	strange: () => deny("forbidden", "No."),
	written: () => ({ kind: "forbidden", message: "No." }),
	refusal: () => ({ refuse: "no" }),
	words: () => ({ replace: "no" }),
	object: (request) => ({ replace: request, restore: { a: "b" } }),
	fault: () => {
		throw new Fault(deny("permission", "Not today."));
	},
	late: () => ({ answer: { window: 0, inspect: () => deny("permission", "No.") } }),
	empty: () => ({}),
	letters: () => ({ headers: { "x-team": "Zoë" } }),
	foreign: () => ({ headers: { "x-team": "Zoë ✓" }, settle: () => void settled++ }),
	lines: () => ({ headers: { "x-team": "a\\nb" }, settle: () => void settled++ }),
	named: () => ({ headers: { "x team": "a" }, settle: () => void settled++ }),
	told: () => deny("permission", "Not for Zoë.", { headers: { "x-team": "✓" } }),
};
let settled = 0;
answers.settled = () => Response.json(settled);
answers.statement = () => database.all(sql\`SELECT * FROM nowhere\`);
let database;
const answer = (call, ...more) => {
	const [kind, name] = call.prompt().messages[0].blocks[0].text.split(" ");
	return kind === more[0] ? answers[name](call.prompt()) : undefined;
};

export default definePlugin({
	name: "odd",
	summary: "Answers oddly.",
	config: t.Object({}),
	needs: { store },
	gives: [policies, guards, routes, upstreams],
	setup: ({ needs }) => ({
		start: () => {
			database = needs.store;
		},
		offers: [
			add(policies, { name: "odd-check", check: (call) => answer(call, "check") }),
			add(policies, { name: "odd-hand", check: (call) => void (call.request.headers.has("x-empties") && call.targets.pop()) }),
			add(policies, { name: "odd-slow-check", check: async (call) => answer(call, "slow") }),
			add(policies, {
				name: "odd-admit",
				admit: ({ request }) => answers[request.headers.get("x-admit") ?? ""]?.(),
			}),
			add(guards, { name: "odd-guard", inspect: (request, call) => answer(call, "guard") }),
			add(upstreams, { name: "odd-upstream", protocols: ["chat-completions"], send: async () => JSON.parse("nonsense") }),
			add(routes, {
				method: "GET",
				path: "/odd/:name",
				access: "token",
				summary: "Answers oddly.",
				handle: ({ params }) => (params.name === "nothing" ? undefined : answers[params.name]()),
			}),
			add(routes, {
				method: "GET",
				path: "/read",
				access: "token",
				summary: "Answers what it has read.",
				async handle() {
					const response = Response.json({});
					await response.json();
					return response;
				},
			}),
		],
	}),
});
`;

let world: StrangerWorld;
beforeAll(async () => {
	world = await strangerWorld(plugin, (file) => ({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "demo", with: { wordMs: 0 } },
			{
				use: "router",
				with: {
					models: [
						{ name: "demo", targets: [{ upstream: "demo" }] },
						{ name: "odd", targets: [{ upstream: "odd-upstream" }] },
					],
				},
			},
			{ use: file },
		],
	}));
});
afterAll(() => world?.stop());

beforeEach(() => {
	world.forget();
});

const ask = (content: string, headers = {}) =>
	world.gateway.ask("/v1/chat/completions", { model: "demo", messages: [{ role: "user", content }] }, { headers });

describe.each(["check", "slow"])("a policy's %s", (kind) => {
	test.each(["true", "false", "null", "text", "error", "response", "wrapped", "written"])(
		"of %s refuses",
		async (name) => {
			expect((await ask(`${kind} ${name}`)).status).toBe(500);
			expect(world.errors()).toMatchObject([
				{
					policy: kind === "slow" ? "odd-slow-check" : "odd-check",
					error: "TypeError: it answered something that deny() does not make; undefined lets a call pass",
				},
			]);
		},
	);
});

test("a refusal of a kind that is none is a failure where it is made, and the log has those that are", async () => {
	for (const asked of [ask("check strange"), ask("guard strange"), world.gateway.ask("/odd/strange")])
		expect((await asked).status).toBe(500);
	const error = expect.stringMatching(
		/a refusal cannot be of the kind "forbidden": there are .*permission, .*rate_limited/,
	);
	expect(world.errors()).toMatchObject([
		{ policy: "odd-check", error },
		{ guard: "odd-guard", error },
		{ route: "/odd/:name", error },
	]);
});

test("an attempt that fails in a call of the runtime is told with its upstream, and the place in the plugin", async () => {
	const body = { model: "odd", messages: [{ role: "user", content: "Hello" }] };
	expect((await world.gateway.ask("/v1/chat/completions", body)).status).toBe(502);
	expect(world.errors()).toMatchObject([{ upstream: "odd-upstream", at: expect.stringContaining("odd.js:") }]);
});

test("a refusal that is thrown is the answer, and no failure", async () => {
	const asked = [ask("check fault"), ask("slow fault"), ask("guard fault"), ask("Hello", { "x-admit": "fault" })];
	for (const answered of [...asked, world.gateway.ask("/odd/fault")]) {
		const refused = await answered;
		expect([refused.status, await refused.json()]).toMatchObject([403, { error: { message: "Not today." } }]);
	}
	expect(world.errors()).toEqual([]);
});

test("a statement that the database cannot do is a failure, and the log has its words", async () => {
	const [rule, guard] = ["A rule for this token could not be applied", "A guard could not look at this call"];
	const asked = [ask("slow statement"), ask("guard statement"), ask("Hello", { "x-admit": "statement" })];
	const told = [rule, guard, rule, "the database could not do this"];
	for (const [place, failed] of (await Promise.all([...asked, world.gateway.ask("/odd/statement")])).entries())
		expect([failed.status, await failed.json()]).toMatchObject([
			500,
			{ error: { message: expect.stringContaining(told[place] ?? "") } },
		]);
	const error = "Fault: the database could not do this (SQLITE_ERROR: no such table: nowhere)";
	expect(world.errors().map((line) => line["error"])).toEqual([error, error, error, error]);
});

test("the server's troubles name what fails, with its last words", async () => {
	await ask("check text");
	const { data } = await world.gateway.admin("GET", "/admin/troubles");
	expect(data).toContainEqual(
		expect.objectContaining({
			what: "plugin",
			message: expect.stringMatching(
				/^The policy "odd-check" failed (once|\d+ times, the last time) at 20.*: TypeError: it answered /,
			),
			advice: expect.stringContaining("take it out of the config"),
		}),
	);
});

test("the targets of a model are the same for every call, whatever a policy does to them", async () => {
	expect((await ask("Hello", { "x-empties": "yes" })).status).toBe(500);
	expect(world.errors()).toMatchObject([{ policy: "odd-hand" }]);
	expect((await ask("Hello")).status).toBe(200);
});

test("a permit that holds nothing lets a call pass", async () => {
	for (const kind of ["check", "slow", "guard"]) expect((await ask(`${kind} empty`)).status).toBe(200);
	expect(world.errors()).toEqual([]);
});

describe.each(["check", "slow"])("a header that cannot be sent (%s)", (kind) => {
	test.each(["foreign", "lines", "named"])("is found before anybody is asked: %s", async (name) => {
		const before = Number(await (await world.gateway.ask("/odd/settled")).json());
		expect((await ask(`${kind} ${name}`)).status).toBe(500);
		expect(world.errors()).toMatchObject([
			{ policy: kind === "slow" ? "odd-slow-check" : "odd-check", error: expect.stringContaining("cannot be sent") },
		]);
		expect(await (await world.gateway.ask("/odd/settled")).json()).toBe(before + 1);
	});

	test("is none of Latin-1", async () => {
		const answer = await ask(`${kind} letters`);
		expect([answer.status, answer.headers.get("x-team")]).toEqual([200, "Zoë"]);
		expect(world.errors()).toEqual([]);
	});

	test("of a refusal costs nobody its words", async () => {
		const refused = await ask(`${kind} told`);
		expect([refused.status, await refused.json()]).toMatchObject([403, { error: { message: "Not for Zoë." } }]);
		expect(world.errors()).toMatchObject([{ msg: "a route failed", route: "/v1/chat/completions" }]);
	});
});

test.each(["true", "false", "null", "text", "error", "response"])("a policy's admit of %s refuses", async (name) => {
	expect((await ask("Hello", { "x-admit": name })).status).toBe(500);
	expect(world.errors()).toMatchObject([{ policy: "odd-admit" }]);
});

test.each(["true", "null", "text", "error", "denial", "refusal", "words", "object", "late"])(
	"a guard's verdict of %s refuses",
	async (name) => {
		const refused = await ask(`guard ${name}`);
		expect([refused.status, await refused.json()]).toMatchObject([500, { error: { code: "guard_failed" } }]);
		expect(world.errors()).toMatchObject([{ guard: "odd-guard" }]);
	},
);

test.each(["nothing", "true", "text", "empty"])(
	"a route's answer of %s is a failure that tells of itself",
	async (name) => {
		const failed = await world.gateway.ask(`/odd/${name}`);
		expect([failed.status, await failed.json()]).toMatchObject([
			500,
			{ error: { message: "Something went wrong inside Portico; the log has it under this request's id." } },
		]);
		expect(world.errors()).toMatchObject([
			{ route: "/odd/:name", error: "TypeError: its handler answered no Response" },
		]);
	},
);

test("an answer that its route has read is a failure that tells of itself", async () => {
	const failed = await world.gateway.ask("/read");
	expect([failed.status, await failed.json()]).toMatchObject([500, { error: { code: "internal_error" } }]);
	const error = "TypeError: its handler answered a Response whose body was read already";
	expect(world.errors()).toMatchObject([{ route: "/read", error }]);
});
