/**
 * A stranger's router, and a stranger's chooser among the targets of ours, go by what is said: in every protocol and for endpoints,
 * and the price is that of the model that was chosen.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { startGateway, startUpstream, type TestGateway } from "#core/testing";
import { type Stranger, writeStranger } from "./stranger.ts";

const upstream = `
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const said = (content) => [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
const upstream = {
	name: "within",
	protocols: ["chat-completions"],
	endpoints: { embeddings: "openai" },
	async send({ body }) {
		const { model } = await new Response(body).json();
		return Response.json({ id: "c", object: "chat.completion", created: 1, model, choices: said(model), data: [{ index: 0, embedding: [1] }], usage });
	},
};
const isHard = ({ prompt, token }) => {
	const { messages, tools = [] } = prompt();
	const blocks = messages.flatMap((message) => message.blocks);
	const says = (word) => blocks.some((block) => block.type === "text" && block.text.includes(word));
	if (says("nowhere")) throw new Fault(deny("permission", "That goes nowhere."));
	return token.name === "trusted" || tools.length > 0 || blocks.some(({ type }) => type === "image") || says("prove");
};
const config = t.Object({});
`;

const inPlace = `import { add, definePlugin, deny, Fault, provide, router, t, upstreams } from "#core";
${upstream}
const target = (model) => ({ upstream, model, capabilities: {} });
const info = { name: "auto", createdAt: 0, ownedBy: "us", capabilities: {} };
const plan = (name, _affinity, call) =>
	name === "auto" ? { targets: [target(call && isHard(call) ? "big" : "small")], translation: "lossy" } : undefined;
const models = () => [info];
const model = (name) => (name === "auto" ? info : undefined);
const given = { plan, models, model, mayFollow: () => false, report() {} };
export default definePlugin({
	name: "by-prompt",
	summary: "Goes by what is said.",
	config,
	gives: [router, upstreams],
	setup: () => ({ offers: [add(upstreams, upstream), provide(router, given)] }),
});
`;

const beside = `import { add, definePlugin, deny, Fault, t, upstreams } from "#core";
import { choosers } from "#core/plugins/router";
${upstream}
const choose = (call) => (isHard(call) ? "big" : "small");
export default definePlugin({
	name: "by-prompt",
	summary: "Goes by what is said.",
	config,
	gives: [choosers, upstreams],
	setup: () => ({ offers: [add(upstreams, upstream), add(choosers, { model: "auto", choose })] }),
});
`;

const models = [{ name: "auto", targets: ["small", "big"].map((model) => ({ upstream: "within", model })) }];
const ways = [
	["a router in the place of ours", inPlace, []],
	["a chooser beside ours", beside, [{ use: "router", with: { models } }]],
] as const;

const messages = (content: unknown) => [{ role: "user", content }];
const surfaces: readonly (readonly [path: string, body: (words: string) => object])[] = [
	["/v1/chat/completions", (words) => ({ model: "auto", messages: messages(words) })],
	["/v1/responses", (words) => ({ model: "auto", input: words })],
	["/v1/messages", (words) => ({ model: "auto", max_tokens: 9, messages: messages(words) })],
	["/v1beta/models/auto:generateContent", (words) => ({ contents: [{ parts: [{ text: words }] }] })],
	["/v1/embeddings", (words) => ({ model: "auto", input: words })],
];

describe.each(ways)("%s", (_, plugin, more) => {
	let stranger: Stranger;
	let gateway: TestGateway;
	beforeAll(async () => {
		stranger = writeStranger(plugin);
		const price = (input: number) => ({ input, output: 0 });
		gateway = await startGateway({
			plugins: [
				"tokens",
				...["chat-completions", "responses", "messages", "generate-content", "embeddings"],
				{ use: "prices", with: { models: { small: price(100), big: price(500) } } },
				"quota",
				"ledger",
				{ use: stranger.file },
				...more,
			],
		});
	});
	afterAll(async () => {
		await gateway.stop();
		stranger.remove();
	});

	/** The status, the model that was asked, and what it was charged in micro-dollars. */
	const asked = async (path: string, body: object, settings: Record<string, unknown> = { quota: 100 }) => {
		const { key } = await gateway.token(settings);
		const answer = await gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
		const text = await answer.text();
		const [row] = asList(asRecord(await gateway.admin("GET", "/admin/calls?limit=1"))["data"]);
		return [answer.status, text.includes('"big"') ? "big" : "small", asRecord(row)["cost"]];
	};

	test.each(surfaces)("an easy and a hard word go to two models on %s, each at its price", async (path, body) => {
		expect(await asked(path, body("Say hello."))).toEqual([200, "small", 0.001]);
		expect(await asked(path, body("Now prove it."))).toEqual([200, "big", 0.005]);
	});

	test("tools, a picture and the token's name are seen as well", async () => {
		const path = "/v1/messages";
		const source = { type: "base64", media_type: "image/png", data: "aGk=" };
		const body = { model: "auto", max_tokens: 9, messages: messages("Hello.") };
		const tools = [{ name: "look", input_schema: { type: "object" } }];
		const shown = messages([{ type: "image", source }]);
		expect(await asked(path, body)).toEqual([200, "small", 0.001]);
		expect(await asked(path, { ...body, tools })).toEqual([200, "big", 0.005]);
		expect(await asked(path, { ...body, messages: shown })).toEqual([200, "big", 0.005]);
		expect(await asked(path, body, { quota: 100, name: "trusted" })).toEqual([200, "big", 0.005]);
	});

	test.each(surfaces)("a refusal that the router throws is told in the words of %s", async (path, body) => {
		const answer = await gateway.ask(path, body("That goes nowhere"));
		expect(answer.status).toBe(403);
		expect(await answer.text()).toContain("That goes nowhere.");
	});
});

test.each([
	["a promise", "async () => ({ targets: [target] })"],
	["nobody to ask", "() => ({ targets: [] })"],
	["a target without an upstream", '() => ({ targets: [{ model: "m", capabilities: {} }] })'],
])("a plan that is %s fails as the router's", async (_, plan) => {
	const code = inPlace.replace("const given = { plan,", `const given = { plan: ${plan},`);
	const stranger = writeStranger(code);
	const gateway = await startGateway({ plugins: ["tokens", "chat-completions", { use: stranger.file }] });
	try {
		const answer = await gateway.ask("/v1/chat/completions", { model: "auto", messages: messages("Hello.") });
		expect(answer.status).toBe(500);
		expect(gateway.log.filter(({ level }) => level === "error")).toMatchObject([
			{
				error: expect.stringContaining(
					'the router\'s plan for "auto" is not { targets: [{ upstream, model, capabilities }',
				),
			},
		]);
		await answer.body?.cancel();
	} finally {
		await gateway.stop();
		stranger.remove();
	}
});

test("of two upstreams that have the same model one is chosen by its name, and the other follows", async () => {
	const answer = (content: string, status: number) => () =>
		Response.json(
			{ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] },
			{ status },
		);
	const [near, far] = [startUpstream(answer("near", 200)), startUpstream(answer("far", 200))];
	const stranger = writeStranger(beside.replace('? "big" : "small"', '? "far" : undefined'));
	const at = (name: string, url: string) => ({ name, protocol: "chat-completions", url, key: "k" });
	const targets = ["near", "far"].map((upstream) => ({ upstream, model: "twin" }));
	const settings = { upstreams: [at("near", near.url), at("far", far.url)], models: [{ name: "auto", targets }] };
	const gateway = await startGateway({
		plugins: ["tokens", "chat-completions", { use: stranger.file }, { use: "router", with: settings }],
	});
	try {
		const said = async (words: string) =>
			await (await gateway.ask("/v1/chat/completions", { model: "auto", messages: messages(words) })).text();
		expect(await said("Hello.")).toContain('"near"');
		expect(await said("Now prove it.")).toContain('"far"');
		far.answer(answer("away", 503));
		expect(await said("Now prove it.")).toContain('"near"');
	} finally {
		await gateway.stop();
		await near.stop();
		await far.stop();
		stranger.remove();
	}
});

test("a choice that is none of the targets fails, and the log names them", async () => {
	const stranger = writeStranger(beside.replace('? "big" : "small"', '? "bigger" : "small"'));
	const gateway = await startGateway({
		plugins: ["tokens", "chat-completions", { use: stranger.file }, { use: "router", with: { models } }],
	});
	try {
		const answer = await gateway.ask("/v1/chat/completions", { model: "auto", messages: messages("Now prove it.") });
		expect(answer.status).toBe(500);
		expect(gateway.log.filter(({ level }) => level === "error")).toMatchObject([
			{
				error:
					'TypeError: a plugin chose "bigger" among the targets of "auto", which are small at within, big at within',
			},
		]);
		await answer.body?.cancel();
	} finally {
		await gateway.stop();
		stranger.remove();
	}
});

test("a chooser for a model that the config has not is complained of", async () => {
	const stranger = writeStranger(beside.replace('model: "auto", choose', 'model: "autos", choose'));
	const plugins = ["tokens", "chat-completions", { use: stranger.file }, { use: "router", with: { models } }];
	try {
		await expect(startGateway({ plugins })).rejects.toThrow(
			'a plugin chooses among the targets of the model "autos", which is not configured (did you mean "auto"?)',
		);
	} finally {
		stranger.remove();
	}
});
