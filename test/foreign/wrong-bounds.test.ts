/** A protocol in plain JavaScript that cannot say what a call costs at most: that is its own failure, and no outage of the database. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { type StrangerWorld, strangerWorld } from "./stranger.ts";

const root = resolve(import.meta.dir, "../..");
const part = (name: string): string => JSON.stringify(join(root, "templates/telegraph", `${name}.ts`));

/** The telegraph, with a bound of its own. */
const plugin = `import { add, definePlugin, protocols, t } from "#core";
import { client } from ${part("client")};
import { facts } from ${part("facts")};
import { passthrough } from ${part("passing")};
import { upstream } from ${part("upstream")};

const bounds = {
	throws: () => {
		throw new Error("cannot count");
	},
	nan: (bound) => ({ ...bound, tokens: Number.NaN }),
	negative: (bound) => ({ ...bound, tokens: -1_000_000 }),
	empty: () => ({}),
	nothing: () => undefined,
};
const bound = (body) => bounds[body.value.bound](facts.bound(body));

export default definePlugin({
	name: "telegraph",
	summary: "Speaks a protocol of its own.",
	config: t.Object({}),
	gives: [protocols],
	setup: () => ({ offers: [add(protocols, { name: "telegraph", client, upstream, passthrough, facts: { ...facts, bound } })] }),
});
`;

let world: StrangerWorld;
beforeAll(async () => {
	world = await strangerWorld(plugin, (file, url) => ({
		plugins: [
			"tokens",
			{ use: "prices", with: { models: { m: { input: 1, output: 1 } } } },
			"quota",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "telegraph", url }],
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
});

test.each([
	["throws", "Error: cannot count"],
	["nan", 'TypeError: what it costs at most is no amount: "telegraph" gives a wrong bound, or "m" a wrong price'],
	["negative", 'TypeError: what it costs at most is no amount: "telegraph" gives a wrong bound, or "m" a wrong price'],
	["empty", 'TypeError: what it costs at most is no amount: "telegraph" gives a wrong bound, or "m" a wrong price'],
	["nothing", "TypeError: "],
])("a bound that %s refuses the call as a rule that failed, and is told", async (bound, error) => {
	const { key, id } = await world.gateway.token({ quota: 1 });
	const headers = { authorization: `Bearer ${key}` };
	const body = { station: "m", lines: [{ from: "us", words: "Hi" }], most: 5, bound };
	const refused = await world.gateway.ask("/telegraph", body, { headers });
	expect([refused.status, await refused.json()]).toMatchObject([
		500,
		{ fault: { text: expect.stringContaining("A rule for this token could not be applied") } },
	]);
	expect(world.errors()).toMatchObject([{ policy: "quota", error: expect.stringContaining(error) }]);
	expect(world.upstream.received).toEqual([]);
	expect(await world.gateway.admin("GET", `/admin/tokens/${id}`)).toMatchObject({ used: 0, remaining: 1 });
});
