/** Guards in plain JavaScript that make of requests and answers what no type allows: nothing passes by them, and they are named. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type StrangerWorld, strangerWorld } from "./stranger.ts";

/** What a guard does is told by the prompt: `request model`, `answer number`. */
const plugin = `import { add, bearer, definePlugin, deny, endpoints, Fault, guards, openAiFailure, renderOwnDenial, t } from "#core";

const message = (...blocks) => ({ role: "user", blocks });
const requests = {
	terms: (q) => ({ replace: { ...q, model: "other", stream: !q.stream, maxOutputTokens: 1e9, candidates: 9 } }),
	less: (q) => ({ replace: { ...q, maxOutputTokens: 7 } }),
	null: (q) => ({ replace: { ...q, messages: [null] } }),
	block: (q) => ({ replace: { ...q, messages: [message(null)] } }),
	number: (q) => ({ replace: { ...q, messages: [message({ type: "text", text: 5 })] } }),
	empty: () => ({ replace: { messages: [] } }),
	stand: () => ({ restore: new Map([["", "x"]]) }),
	own: () => ({ restore: new Map([["Hello", 5]]) }),
	blind: () => ({ answer: { window: 3 } }),
	word: (q) => {
		q.messages[0].blocks[0].text = "masked";
		return { replace: q };
	},
	turn: (q) => void q.messages.push(message({ type: "text", text: "more" })),
};
const answers = {
	number: () => ({ replace: 5 }),
	nothing: () => ({ replace: undefined }),
	promise: () => ({ replace: Promise.resolve("x") }),
	text: () => "no",
	both: () => ({ replace: "x", refuse: deny("permission", "Not this.") }),
	fault: () => {
		throw new Fault(deny("permission", "Not this."));
	},
	changes: (words) => {
		words.text = "changed";
	},
};
const guard = {
	name: "odd-guard",
	inspect(request) {
		const [kind, name] = request.messages[0].blocks[0].text.split(" ");
		if (kind === "request") return requests[name](request);
		return kind === "answer" ? { answer: { window: 3, inspect: answers[name] } } : undefined;
	},
};

/** An endpoint of forms whose path at its upstream is no path. */
const dialect = {
	name: "odd",
	paths: ["/v1/odd"],
	body: "form",
	renderDenial: renderOwnDenial,
	read: () => ({ model: "m", stream: false, texts: ["Hi"], bound: { inputTokens: 10, outputTokens: 10 } }),
	path: () => "odd",
	headers: bearer,
	decodeError: openAiFailure,
	observe: () => undefined,
};

export default definePlugin({
	name: "odd",
	summary: "Is odd.",
	config: t.Object({}),
	gives: [guards, endpoints],
	setup: () => ({
		offers: [add(guards, guard), add(endpoints, { name: "odd", usual: "odd", defaults: {}, dialects: [dialect] })],
	}),
});
`;

let world: StrangerWorld;
beforeAll(async () => {
	world = await strangerWorld(plugin, (file, url) => ({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			{ use: "prices", with: { models: { m: { input: 1_000_000, output: 1_000_000 } } } },
			"quota",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "chat-completions", url, endpoints: ["odd"] }],
					models: [{ name: "m", targets: [{ upstream: "main" }] }],
				},
			},
			{ use: file },
		],
	}));
	const message = { role: "assistant", content: "Hello you" };
	world.upstream.answer(() =>
		Response.json({ id: "1", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] }),
	);
});
afterAll(() => world?.stop());

let asked = 0;
beforeEach(() => {
	world.forget();
	asked = world.upstream.received.length;
});

const ask = (content: string, path = "/v1/chat/completions") =>
	world.gateway.ask(path, { model: "m", max_tokens: 50, messages: [{ role: "user", content }] });

test.each(["/v1/chat/completions", "/v1/messages"])(
	"a guard changes neither whom %s asks, nor how, nor for how much",
	async (path) => {
		const answered = await ask("request terms", path);
		expect([answered.status, await answered.json()]).toMatchObject([200, { model: "m" }]);
		const sent = world.upstream.received.at(-1)?.json;
		expect(sent).toMatchObject({ model: "m", max_tokens: 50 });
		for (const name of ["stream", "n"]) expect(sent).not.toHaveProperty(name);
	},
);

test("a guard may ask for less", async () => {
	expect((await ask("request less")).status).toBe(200);
	expect(world.upstream.received.at(-1)?.json).toMatchObject({ max_tokens: 7 });
});

test.each(["null", "block", "number", "empty", "stand", "own", "blind"])(
	"a guard that makes of a request: %s",
	async (name) => {
		const refused = await ask(`request ${name}`);
		expect([refused.status, await refused.json()]).toMatchObject([500, { error: { code: "guard_failed" } }]);
		expect(world.errors()).toMatchObject([{ guard: "odd-guard", error: expect.stringMatching(/^TypeError: its /) }]);
		expect(world.upstream.received).toHaveLength(asked);
	},
);

test.each(["/v1/chat/completions", "/v1/messages"])(
	"a guard that writes into the request that it is shown has failed, and nothing is sent as it came: %s",
	async (path) => {
		for (const name of ["word", "turn"]) {
			const refused = await ask(`request ${name}`, path);
			expect([refused.status, await refused.text()]).toEqual([500, expect.stringContaining("A guard could not look")]);
		}
		expect(world.errors()).toMatchObject([
			{ guard: "odd-guard", error: expect.stringContaining("readonly"), at: expect.stringContaining("odd.js:") },
			{ guard: "odd-guard", error: expect.stringMatching(/^TypeError/) },
		]);
		expect(world.upstream.received).toHaveLength(asked);
	},
);

test.each(["number", "nothing", "promise", "text"])("a guard that makes of an answer: %s", async (name) => {
	const refused = await ask(`answer ${name}`);
	expect([refused.status, await refused.json()]).toMatchObject([500, { error: { code: "guard_failed" } }]);
	expect(world.errors()).toMatchObject([{ guard: "odd-guard", error: expect.stringContaining("it answered neither") }]);
});

test.each(["both", "fault"])("a guard's refusal of an answer holds and is no failure: %s", async (name) => {
	const refused = await ask(`answer ${name}`);
	expect([refused.status, await refused.json()]).toMatchObject([403, { error: { message: "Not this." } }]);
	expect(world.errors()).toEqual([]);
});

test("what a guard does to the words it is shown changes nothing", async () => {
	expect(await (await ask("answer changes")).text()).toContain("Hello you");
});

test("an endpoint without a path at its upstream sends nothing and costs nothing", async () => {
	const { key, id } = await world.gateway.token({ quota: 100 });
	const form = new FormData();
	form.set("model", "m");
	const headers = { authorization: `Bearer ${key}` };
	const failed = await fetch(`${world.gateway.url}/v1/odd`, { method: "POST", body: form, headers });
	expect(failed.status).toBe(502);
	expect(world.errors()).toMatchObject([{ error: expect.stringContaining('the path of "odd" at an upstream') }]);
	expect(await world.gateway.admin("GET", `/admin/tokens/${id}`)).toMatchObject({ used: 0, remaining: 100 });
});
