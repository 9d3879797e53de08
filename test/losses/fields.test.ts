/** Fields that Portico chose for a model of which it knew no better, and several refusals of one request. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord, type WireRecord } from "#core";
import { streamOf } from "#core/testing";
import type { ProtocolName } from "../support/recordings.ts";
import { answers, type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld([["chat-completions", "local"]]);
});
afterAll(() => world.stop());

const error = (message: string, status = 400) => Response.json({ error: { message } }, { status });
const streamed = () =>
	streamOf([
		'data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"ok"},"finish_reason":null}]}\n\n',
		'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
		"data: [DONE]\n\n",
	]);

/** Asks an upstream that judges each request; gives what it got. */
const ask = async (client: ProtocolName, body: WireRecord, judge: (sent: WireRecord) => Response | undefined) => {
	const before = world.upstream.received.length;
	const asked = world.send(client, "chat-completions", body, { model: "local" });
	world.upstream.answer(({ json }) => {
		const sent = asRecord(json);
		return judge(sent) ?? (sent["stream"] === true ? streamed() : Response.json(answers["chat-completions"]));
	});
	const response = await asked;
	const sent = world.upstream.received.slice(before).map(({ json }) => asRecord(json));
	return {
		status: response.status,
		dropped: response.headers.get("x-portico-dropped"),
		text: await response.text(),
		sent,
	};
};

describe("the usage of a stream is not asked for where that is refused", () => {
	test.each([
		"Unrecognized request argument supplied: stream_options",
		"body.stream_options: Extra inputs are not permitted",
		"property 'stream_options' is unsupported",
	])("%s", async (words) => {
		for (const client of ["messages", "chat-completions"] as const) {
			const judge = (body: WireRecord) => ("stream_options" in body ? error(words) : undefined);
			const { status, text, sent } = await ask(client, { stream: true }, judge);
			expect([status, sent.length]).toEqual([200, 2]);
			expect(sent[1]).not.toHaveProperty("stream_options");
			expect(text).toContain("ok");
		}
	});
});

const reasons = (body: WireRecord): Response | undefined => {
	if ("max_tokens" in body)
		return error(
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
		);
	if ("temperature" in body)
		return error(
			"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) is supported.",
		);
	return undefined;
};

describe("a model that reasons, under a name that does not tell it", () => {
	test("gets its limit in the field that it takes, and no sampling", async () => {
		const { status, dropped, sent } = await ask("messages", { max_tokens: 500, temperature: 0.2 }, reasons);
		expect([status, dropped, sent.length]).toEqual([200, "temperature", 3]);
		expect(sent[2]).toMatchObject({ max_completion_tokens: 500 });
		expect(sent[2]).not.toHaveProperty("temperature");
	});

	test("also from a client of its own protocol, which hears of its sampling", async () => {
		const limited = await ask("chat-completions", { max_tokens: 500 }, reasons);
		expect([limited.status, limited.sent[1]?.["max_completion_tokens"]]).toEqual([200, 500]);
		const sampled = await ask("chat-completions", { temperature: 0.2 }, reasons);
		expect([sampled.status, sampled.sent.length]).toEqual([400, 1]);
	});
});

test("Claude under a name that does not tell it gets one of temperature and top_p, from Gemini's CLI as well", async () => {
	const one = (body: WireRecord) =>
		"temperature" in body && "top_p" in body
			? error("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
			: undefined;
	const { status, dropped, sent } = await ask(
		"generate-content",
		{ generationConfig: { temperature: 0.5, topP: 0.95 } },
		one,
	);
	expect([status, dropped, sent.length]).toEqual([200, "topP", 2]);
	expect(sent[1]).toMatchObject({ temperature: 0.5 });
	// A client that speaks as the upstream does is told itself.
	const own = await ask("chat-completions", { temperature: 0.5, top_p: 0.95 }, one);
	expect([own.status, own.sent.length]).toEqual([400, 1]);
});

test.each([
	[400, { error: { message: "invalid params, invalid tool type: (2013)" } }],
	[
		422,
		{
			detail: [{ type: "missing", loc: ["body", "tools", 0, "input_schema"], input: { type: "web_search_20250305" } }],
		},
	],
])(
	"a search that the server of a model behind Messages does not know is left out, and told (%d)",
	async (status, refusal) => {
		const shell = { type: "function", name: "shell", parameters: { type: "object", properties: {} } };
		const before = world.upstream.received.length;
		const asked = world.send("responses", "messages", { tools: [{ type: "web_search" }, shell], input: "Hi" });
		world.upstream.answer(({ text }) =>
			text.includes("web_search") ? Response.json(refusal, { status }) : Response.json(answers.messages),
		);
		const response = await asked;
		expect([response.status, response.headers.get("x-portico-dropped")]).toEqual([200, "tools[0]"]);
		const sent = world.upstream.received.slice(before).map(({ json }) => asList(asRecord(json)["tools"]).length);
		expect(sent).toEqual([2, 1]);
	},
);

test("what Claude Code asks of any model is brought to a small one step by step", async () => {
	const body = {
		max_tokens: 32_000,
		output_config: { effort: "xhigh" },
		thinking: { type: "adaptive" },
		messages: [
			{ role: "user", content: "Hi" },
			{ role: "system", content: "These agents are there." },
		],
	};
	const judge = ({ reasoning_effort: effort, max_tokens: limit, messages }: WireRecord) => {
		if (effort === "xhigh") return error("reasoning_effort: Input should be 'low', 'medium' or 'high'", 422);
		if (limit === 32_000) return error("max_tokens is too large. This model supports at most 8192 completion tokens.");
		if (JSON.stringify(messages).includes('"system"')) return error("System message must be at the beginning.", 500);
		return undefined;
	};
	const { status, sent } = await ask("messages", body, judge);
	expect([status, sent.length]).toEqual([200, 4]);
	expect(sent[3]).toMatchObject({ reasoning_effort: "high", max_tokens: 8192 });
});

test("an upstream that refuses everything is left after five asks", async () => {
	let asks = 0;
	const judge = () => error(`max_tokens is too large. This model supports at most ${9000 - asks++} completion tokens.`);
	const { status, sent } = await ask("messages", { max_tokens: 32_000 }, judge);
	expect([status, sent.length]).toEqual([400, 5]);
});
