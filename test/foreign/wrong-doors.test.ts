/** Authenticators and doorkeepers in plain JavaScript that fail, or answer what no type allows: nobody comes in by that, and they are named. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type StrangerWorld, strangerWorld } from "./stranger.ts";

/** What is answered by the end of a key, or by a header. */
const plugin = `import { add, authenticators, definePlugin, deny, doorkeepers, Fault, t } from "#core";

const answers = {
	true: () => true,
	null: () => null,
	text: () => "no",
	error: () => new Error("no"),
	empty: () => ({}),
	token: () => ({ id: "tok_x", name: "x" }),
	loose: () => ({ id: "x", name: "x", settings: { quota: 0 }, compiled: new Map() }),
	refused: () => ({ refused: 1, denial: "no" }),
	boss: () => ({ id: "x", name: "x", role: "boss", scope: "all" }),
	unbound: () => ({ id: "x", name: "x", role: "admin" }),
	promised: async () => true,
	throws: () => {
		throw new Error("boom");
	},
	rejects: () => Promise.reject(new Error("boom")),
	fault: () => {
		throw new Fault(deny("permission", "Not today."));
	},
};

export default definePlugin({
	name: "odd",
	summary: "Answers oddly.",
	config: t.Object({}),
	gives: [authenticators, doorkeepers],
	setup: () => ({
		offers: [
			add(authenticators, { name: "odd-keys", identify: (key) => answers[key.replace("odd-", "")]?.() }),
			add(doorkeepers, { name: "odd-door", admit: ({ request }) => answers[request.headers.get("x-odd")]?.() }),
		],
	}),
});
`;

let world: StrangerWorld;
beforeAll(async () => {
	world = await strangerWorld(plugin, (file) => ({
		plugins: [
			{ use: file },
			"tokens",
			"chat-completions",
			{ use: "demo", with: { wordMs: 0 } },
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
			"quota",
			"prices",
			"ledger",
		],
	}));
});
afterAll(() => world?.stop());

beforeEach(() => {
	world.forget();
});

const question = { model: "demo", messages: [{ role: "user", content: "Hello" }] };
const callWith = (key: string) =>
	world.gateway.ask("/v1/chat/completions", question, { headers: { authorization: `Bearer ${key}` } });
const operate = (odd: string) => fetch(`${world.gateway.url}/admin/plugins`, { headers: { "x-odd": odd } });

test.each(["true", "null", "text", "error", "empty", "token", "loose", "refused", "promised", "throws", "rejects"])(
	"an authenticator's answer of %s lets nobody in",
	async (answer) => {
		const refused = await callWith(`odd-${answer}`);
		expect([refused.status, await refused.json()]).toMatchObject([
			500,
			{ error: { message: expect.stringContaining("Whose key this is could not be found out") } },
		]);
		expect(world.errors()).toMatchObject([
			{ authenticator: "odd-keys", error: expect.stringMatching(/boom|it answered|vouchedToken/) },
		]);
	},
);

test.each(["true", "null", "text", "error", "empty", "boss", "unbound", "promised", "throws", "rejects"])(
	"a doorkeeper's answer of %s lets nobody in",
	async (answer) => {
		const refused = await operate(answer);
		expect([refused.status, await refused.json()]).toMatchObject([
			500,
			{ error: { message: expect.stringContaining("Who stands before this route could not be found out") } },
		]);
		expect(world.errors()).toMatchObject([
			{ doorkeeper: "odd-door", error: expect.stringMatching(/boom|it answered/) },
		]);
	},
);

test("a refusal that is thrown is the answer, and no failure", async () => {
	for (const answered of [await callWith("odd-fault"), await operate("fault")])
		expect([answered.status, await answered.json()]).toMatchObject([403, { error: { message: "Not today." } }]);
	expect(world.errors()).toEqual([]);
});

test("the server's troubles name both, and the calls that were refused so are written down", async () => {
	for (const key of ["odd-throws", "odd-rejects"]) await callWith(key);
	await operate("true");
	const { data } = await world.gateway.admin("GET", "/admin/troubles");
	for (const part of ['The authenticator "odd-keys"', 'The doorkeeper "odd-door"'])
		expect(data).toContainEqual(expect.objectContaining({ message: expect.stringContaining(part) }));
	const calls = await world.gateway.admin("GET", "/admin/calls?status=500");
	expect((calls["data"] as readonly unknown[]).length).toBeGreaterThanOrEqual(1);
});
