/** Policies, guards and upstreams that never answer: what a call holds is let go when its client leaves. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { createTestClock } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { type StrangerWorld, strangerWorld } from "./stranger.ts";

/** Who waits, and what they have let go, is told to the test by the process they share. */
const plugin = `import { add, definePlugin, guards, policies, t, upstreams } from "#core";

const told = (globalThis.neverAnswering = { reached: 0, settled: 0, answer: undefined });
const never = () => {
	told.reached++;
	return new Promise((resolve) => {
		told.answer = resolve;
	});
};
const asked = (request) => request.messages[0].blocks[0].text;
const late = { settle: () => void told.settled++ };

export default definePlugin({
	name: "odd",
	summary: "Takes its time.",
	config: t.Object({}),
	gives: [guards, policies, upstreams],
	setup: () => ({
		offers: [
			add(policies, {
				name: "odd-policy",
				beforeBody: ({ request }) => (request.headers.has("x-early") ? never() : undefined),
				check: (call) => (asked(call.prompt()) === "policy" ? never().then(() => late) : undefined),
			}),
			add(guards, {
				name: "odd-guard",
				inspect(request) {
					if (asked(request) === "guard") return never();
					return asked(request) === "answer" ? { answer: { window: 1, inspect: never } } : undefined;
				},
			}),
			// It does not heed what ends the call.
			add(upstreams, { name: "odd-upstream", protocols: ["chat-completions"], send: never }),
		],
	}),
});
`;

interface Told {
	readonly reached: number;
	readonly settled: number;
	answer(): void;
}

let world: StrangerWorld;
const clock = createTestClock();
beforeAll(async () => {
	world = await strangerWorld(plugin, (file) => ({
		clock,
		config: { server: { maxCallsPerToken: 1 } },
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "prices", with: { models: { "*": { input: 1_000_000, output: 1_000_000 } } } },
			"quota",
			"ledger",
			"metrics",
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

const told = (): Told => Reflect.get(globalThis, "neverAnswering") as Told;
const held = async (): Promise<string> => {
	const headers = { authorization: `Bearer ${world.gateway.adminToken}` };
	const metrics = await (await fetch(`${world.gateway.url}/metrics`, { headers })).text();
	return /^portico_quota_held_dollars (.*)$/m.exec(metrics)?.[1] ?? "";
};

test.each([
	["policy", {}],
	["guard", {}],
	["a rule before the body", { "x-early": "yes" }],
])(
	"a call is let go that its client leaves while this keeps it: %s",
	async (content, headers: Record<string, string>) => {
		const { key } = await world.gateway.token({ quota: 1000 });
		const before = told().reached;
		const leaves = new AbortController();
		const body = { model: "demo", max_tokens: 5, messages: [{ role: "user", content }] };
		const ask = (words: object, more = {}) =>
			world.gateway.ask("/v1/chat/completions", words, {
				headers: { authorization: `Bearer ${key}`, ...more },
				signal: leaves.signal,
			});
		const asked = ask(body, headers).catch(() => "left");
		await until(() => told().reached > before);
		leaves.abort();
		expect(await asked).toBe("left");
		await until(async () => (await held()) === "0");
		// Its place among the token's calls is free again.
		const next = await world.gateway.ask(
			"/v1/chat/completions",
			{ ...body, messages: [{ role: "user", content: "Hello" }] },
			{
				headers: { authorization: `Bearer ${key}` },
			},
		);
		expect(next.status).toBe(200);
		if (content !== "policy") return;
		told().answer();
		await until(() => told().settled === 1);
	},
);

/** The record of the call of a token of that name. */
const recordOf = async (name: string) =>
	asList((await world.gateway.admin("GET", "/admin/calls?limit=50"))["data"])
		.map(asRecord)
		.find(({ tokenName }) => tokenName === name);

test("a client that left while a guard looked is written down as one that left", async () => {
	const leaves = new AbortController();
	const before = told().reached;
	const body = { model: "demo", messages: [{ role: "user", content: "guard" }] };
	const { key } = await world.gateway.token({ name: "leaver" });
	const headers = { authorization: `Bearer ${key}` };
	const asked = world.gateway.ask("/v1/chat/completions", body, { headers, signal: leaves.signal }).catch(() => "left");
	await until(() => told().reached > before);
	leaves.abort();
	await asked;
	await until(async () => {
		await clock.advance(1_000);
		return (await recordOf("leaver")) !== undefined;
	});
	expect(await recordOf("leaver")).toMatchObject({ ending: "client_left", status: 499, attempts: [] });
});

test.each([
	["an upstream", { model: "odd" }],
	["a guard that looks at a whole answer", { model: "demo" }],
	["a guard that looks at a stream", { model: "demo", stream: true }],
])("a call is ended that its client left ten seconds ago: %s", async (_, asked) => {
	const { key, id } = await world.gateway.token({ quota: 1000 });
	const leaves = new AbortController();
	const before = told().reached;
	const body = { ...asked, max_tokens: 5, messages: [{ role: "user", content: "answer" }] };
	const headers = { authorization: `Bearer ${key}` };
	const call = world.gateway.ask("/v1/chat/completions", body, { headers, signal: leaves.signal }).catch(() => "left");
	await until(() => told().reached > before);
	leaves.abort();
	expect(await call).toBe("left");
	// Until then it may be read to its end, to be charged exactly.
	await until(async () => {
		await clock.advance(1_000);
		return (await held()) === "0";
	});
	const { used } = await world.gateway.admin("GET", `/admin/tokens/${id}`);
	expect(used).toBeGreaterThan(0);
	const next = { model: "demo", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] };
	expect((await world.gateway.ask("/v1/chat/completions", next, { headers })).status).toBe(200);
	told().answer();
});
