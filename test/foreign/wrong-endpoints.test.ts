/** Endpoints in plain JavaScript that are wrong in what they do: the log tells it of them, the caller is told the truth, and nobody pays for it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type StrangerWorld, strangerWorld } from "./stranger.ts";

/** The query of a call says what its dialect does. */
const plugin = `import { add, bearer, definePlugin, endpoints, jsonOf, openAiFailure, renderOwnDenial, t } from "#core";

const bound = { inputTokens: 5, outputTokens: 0 };
const good = { model: "m", stream: false, texts: ["Hi"], bound };
const reads = {
	"no bound": { ...good, bound: undefined },
	"an empty bound": { ...good, bound: {} },
	"a bound of NaN": { ...good, bound: { ...bound, inputTokens: Number.NaN } },
	"a bound below zero": { ...good, bound: { ...bound, outputTokens: -5 } },
	"a bound in words": { ...good, bound: { ...bound, inputTokens: "five" } },
	"no model": { ...good, model: undefined },
	"no texts": { ...good, texts: undefined },
	nothing: undefined,
	null: null,
	"a text": "m",
	"a promise": Promise.resolve(good),
};
const odd = {
	name: "odd",
	paths: ["/v1/odd"],
	body: "json",
	renderDenial: (denial, id) => (denial.message.includes("nameless") ? undefined : renderOwnDenial(denial, id)),
	read(request) {
		const { model, reads: wrong } = jsonOf(request);
		return wrong === undefined ? { ...good, model } : reads[wrong];
	},
	path: () => "/odd",
	headers: bearer,
	decodeError(status, headers, text) {
		if (text.includes("riddle")) throw new Error("cannot read riddles");
		return openAiFailure(status, headers, text);
	},
	observe: () => ({ input: { total: 3 }, output: { total: 0 } }),
};

export default definePlugin({
	name: "odd",
	summary: "Is odd.",
	config: t.Object({}),
	gives: [endpoints],
	setup: () => ({ offers: [add(endpoints, { name: "odd", usual: "odd", defaults: {}, dialects: [odd] })] }),
});
`;

let world: StrangerWorld;
beforeAll(async () => {
	world = await strangerWorld(plugin, (file, url) => ({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "prices", with: { models: { m: { input: 1_000_000, output: 1 } } } },
			"quota",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "chat-completions", url, key: "up-key", endpoints: ["odd"] }],
					models: [{ name: "m", targets: [{ upstream: "main" }] }],
				},
			},
			{ use: file },
		],
	}));
});
afterAll(() => world?.stop());

beforeEach(() => {
	world.forget();
	world.upstream.answer(() => Response.json({}));
});

/** What one call comes to, and what its token has used after it. */
const ask = async (body: object) => {
	const { key, id } = await world.gateway.token({ quota: 100 });
	const headers = { authorization: `Bearer ${key}` };
	const answer = await world.gateway.ask("/v1/odd", { model: "m", ...body }, { headers });
	const told: unknown = await answer.json();
	const { used } = await world.gateway.admin("GET", `/admin/tokens/${id}`);
	return { status: answer.status, told, used };
};

test("one that is sound is answered and charged", async () => {
	expect(await ask({})).toEqual({ status: 200, told: {}, used: 3 });
	expect(world.errors()).toEqual([]);
});

test.each([
	"no bound",
	"an empty bound",
	"a bound of NaN",
	"a bound below zero",
	"a bound in words",
	"no model",
	"no texts",
	"nothing",
	"null",
	"a text",
	"a promise",
])("one that reads %s fails by its own name", async (reads) => {
	const asked = world.upstream.received.length;
	expect(await ask({ reads })).toMatchObject({ status: 500, told: { error: { code: "internal_error" } }, used: 0 });
	expect(world.upstream.received).toHaveLength(asked);
	expect(world.errors()).toMatchObject([
		{ route: "/v1/odd", error: expect.stringContaining('the dialect "odd" of the endpoint "odd" read no {') },
	]);
});

test("one that cannot tell a refusal is told for in Portico's own shape", async () => {
	expect(await ask({ model: "nameless" })).toMatchObject({
		status: 404,
		told: { error: { code: "model_not_found", message: expect.stringContaining("nameless") } },
	});
	expect(world.errors()).toMatchObject([{ route: "/v1/odd", error: expect.stringContaining("TypeError: ") }]);
});

test("one that cannot read its upstream's refusal charges nothing for it", async () => {
	world.upstream.answer(() => Response.json({ error: { message: "a riddle" } }, { status: 400 }));
	expect(await ask({})).toMatchObject({ status: 502, told: { error: { code: "upstream_error" } }, used: 0 });
	expect(world.errors()).toMatchObject([
		{ error: "Error: cannot read riddles", at: expect.stringContaining("odd.js") },
	]);
});
