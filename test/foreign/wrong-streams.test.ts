/** A protocol in plain JavaScript whose encoders and decoders are wrong: its client is told a failure, and never words that nobody said. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { type StrangerWorld, strangerWorld } from "./stranger.ts";

const root = resolve(import.meta.dir, "../..");
const part = (name: string): string => JSON.stringify(join(root, "templates/telegraph", `${name}.ts`));

/** The telegraph, wrong in the way that a station's name tells of (`encoder promise`). */
const plugin = `import { add, definePlugin, protocols, t } from "#core";
import { client } from ${part("client")};
import { facts } from ${part("facts")};
import { passthrough } from ${part("passing")};
import { upstream } from ${part("upstream")};

const fails = () => {
	throw new Error("no");
};
const encoders = {
	"encoder nothing": () => ({ push: () => undefined }),
	"encoder object": () => ({ push: () => ({}) }),
	"encoder promise": (sound) => ({ push: async (event) => sound.push(event) }),
	"encoder bytes": (sound) => ({ push: (event) => new TextEncoder().encode(sound.push(event)) }),
	"encoder fails": () => ({ push: fails }),
	"encoder fails at the end": (sound) => ({ push: (event) => (event.type === "end" ? fails() : sound.push(event)) }),
};
const decoders = {
	"decoder endless": (sound) => ({ push: (event) => sound.push(event).filter(({ type }) => type !== "end"), end: () => [] }),
	"decoder fails": () => ({ push: fails, end: fails }),
	"decoder fails at the end": (sound) => ({ push: (event) => sound.push(event).filter(({ type }) => type !== "end"), end: fails }),
	"decoder nothing": () => ({ push: () => undefined, end: () => undefined }),
	"decoder strange": () => ({ push: () => [{ type: "said" }], end: () => [] }),
	"decoder time": (sound) => ({
		push: (event) => sound.push(event).map((one) => (one.type === "start" ? { ...one, createdAt: "today" } : one)),
		end: () => sound.end(),
	}),
};
const bodies = { "body none": () => ({}), "body promise": async () => ({ body: {} }), "body fails": fails };
const sound = (made) => made;

const ownClient = {
	...client,
	streamEncoder: (request) => (encoders[request.model] ?? sound)(client.streamEncoder(request)),
	encodeResponse: (response, request) => (bodies[request.model] ?? (() => client.encodeResponse(response, request)))(),
};
const ownUpstream = {
	...upstream,
	streamDecoder: (context) => (decoders[context.request.model] ?? sound)(upstream.streamDecoder(context)),
};

export default definePlugin({
	name: "telegraph",
	summary: "Speaks a protocol of its own.",
	config: t.Object({}),
	gives: [protocols],
	setup: () => ({
		offers: [add(protocols, { name: "telegraph", client: ownClient, upstream: ownUpstream, passthrough, facts })],
	}),
});
`;

const upstreamsAt = (url: string) => [
	{ name: "far", protocol: "telegraph", url },
	{ name: "chat", protocol: "chat-completions", url },
];

let world: StrangerWorld;
beforeAll(async () => {
	const models = [
		{ name: "decoder *", targets: [{ upstream: "far" }] },
		{ name: "*", targets: [{ upstream: "chat" }] },
	];
	world = await strangerWorld(plugin, (file, url) => ({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "prices", with: { models: { "*": { input: 1_000_000, output: 1_000_000 } } } },
			"quota",
			"ledger",
			"metrics",
			{ use: "router", with: { upstreams: upstreamsAt(url), models } },
			{ use: file },
		],
	}));
});
afterAll(() => world?.stop());

beforeEach(() => {
	world.forget();
});

const events = (...told: readonly object[]) =>
	new Response(told.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""), {
		headers: { "content-type": "text/event-stream" },
	});
const choice = (more: object) => ({ id: "1", choices: [{ index: 0, finish_reason: null, ...more }] });
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const chatStream = () =>
	events(choice({ delta: { role: "assistant", content: "Hello" } }), {
		...choice({ delta: {}, finish_reason: "stop" }),
		usage,
	});
const telegraphStream = () => events({ text: "Hello" }, { stop: "end", words: { in: 3, out: 2 } });

/** What a call comes to, and how it is written down; nothing is held for it any more. */
const call = async (path: string, body: object, answer: () => Response) => {
	world.upstream.answer(answer);
	const { key, id } = await world.gateway.token({ quota: 1000 });
	const answered = await world.gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
	const text = await answered.text();
	const { used } = await world.gateway.admin("GET", `/admin/tokens/${id}`);
	const headers = { authorization: `Bearer ${world.gateway.adminToken}` };
	const metrics = await (await fetch(`${world.gateway.url}/metrics`, { headers })).text();
	expect(metrics).toMatch(/^portico_quota_held_dollars 0$/m);
	const { data } = await world.gateway.admin("GET", `/admin/calls?token=${id}`);
	return { status: answered.status, text, used, written: data };
};
const lines = [{ from: "caller", text: "Hi" }];
const telegraph = (station: string, tape = true) =>
	call(
		"/telegraph",
		{ station, lines, tape, most: 50 },
		tape
			? chatStream
			: () => Response.json({ ...choice({ message: { content: "Hi" }, finish_reason: "stop" }), usage }),
	);
const chat = (model: string) =>
	call(
		"/v1/chat/completions",
		{ model, stream: true, max_tokens: 50, messages: [{ role: "user", content: "Hi" }] },
		telegraphStream,
	);

test("one that is sound is answered and charged", async () => {
	expect(await telegraph("sound")).toMatchObject({ status: 200, used: 5, written: [{ ending: "completed" }] });
	expect(world.errors()).toEqual([]);
});

test.each(["nothing", "object", "promise", "bytes", "fails"])("an encoder that makes %s", async (name) => {
	const { status, text, written } = await telegraph(`encoder ${name}`);
	expect([status, JSON.parse(text)]).toMatchObject([
		502,
		{ fault: { text: expect.stringContaining("not be understood") } },
	]);
	expect(written).toMatchObject([{ ending: "upstream_failed" }]);
	expect(world.errors()).toMatchObject([{ error: expect.stringMatching(/no$|something else than text/) }]);
});

test("an encoder that fails at the end: its client is told what went wrong behind the words", async () => {
	const { status, text, written } = await telegraph("encoder fails at the end");
	expect([status, text]).toEqual([
		200,
		expect.stringMatching(/^data: \{"text":"Hello"\}\n\ndata: \{"fault":\{.+\}\}\n\n$/),
	]);
	expect(written).toMatchObject([{ ending: "upstream_failed" }]);
});

test.each(["none", "promise", "fails"])(
	"a whole answer whose body is %s is a failure, and written down as one",
	async (name) => {
		expect(await telegraph(`body ${name}`, false)).toMatchObject({
			status: 502,
			written: [{ ending: "upstream_failed" }],
		});
		expect(world.errors()).toHaveLength(1);
	},
);

test.each(["fails", "nothing", "strange"])("a decoder that answers %s", async (name) => {
	expect(await chat(`decoder ${name}`)).toMatchObject({ status: 502, written: [{ ending: "upstream_failed" }] });
	expect(world.errors()).toHaveLength(1);
});

test.each(["endless", "fails at the end"])(
	"a decoder that is %s: no answer ends well whose end was not told",
	async (name) => {
		const { status, text, written } = await chat(`decoder ${name}`);
		expect([status, text]).toEqual([200, expect.stringMatching(/Hello.*\n\ndata: \{"error":\{/s)]);
		expect(written).toMatchObject([{ ending: "upstream_failed" }]);
	},
);

test("a time that is none is no number of an answer", async () => {
	const { status, text } = await chat("decoder time");
	expect(status).toBe(200);
	for (const [, data = ""] of text.matchAll(/^data: (\{.*)$/gm)) expect(JSON.parse(data)).toBeObject();
});
