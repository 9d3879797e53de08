/** Sessions that pass their limit again and again, compacted by the upstream or here, inside a call and by a call of its own. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { responsesFaults } from "../../../test/support/grammar/responses.ts";
import { type ChatSent, chatResponse, codewords, remembering } from "../fixtures/rememberer.ts";
import { eventsIn } from "../fixtures/trial.ts";

let native: ScriptedUpstream;
let strict: ScriptedUpstream;
let chat: ScriptedUpstream;
let gateway: TestGateway;

/** About 300 tokens that say nothing. */
const filler = "All of this was said to fill the window. ".repeat(30);
const threshold = 500;
const managed = { context_management: [{ type: "compaction", compact_threshold: threshold }] };

const tokensOf = (text: string) => Math.ceil(text.length / 4);

/** Everything that the chat upstream would have billed. */
let billed = { input: 0, output: 0 };
let longest = 0;

const rememberer = remembering((all, isSummary) => {
	const counts = { input: tokensOf(all), output: 7 };
	billed = { input: billed.input + counts.input, output: billed.output + counts.output };
	if (!isSummary) longest = Math.max(longest, counts.input);
	return counts;
});

const responseOf = (output: readonly object[]) => ({
	id: `resp_${Math.random().toString(36).slice(2)}`,
	object: "response",
	created_at: 1,
	status: "completed",
	model: "m",
	output,
	usage: {
		input_tokens: 10,
		input_tokens_details: { cached_tokens: 0 },
		output_tokens: 5,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: 15,
	},
});
const said = (text: string) => ({
	id: "msg_1",
	type: "message",
	role: "assistant",
	status: "completed",
	content: [{ type: "output_text", text, annotations: [] }],
});
/** An upstream that compacts by itself: its summaries are sealed as far as anybody else is concerned. */
const knows = (input: readonly object[]) =>
	codewords(
		JSON.stringify(
			input.map((item) =>
				"encrypted_content" in item ? Buffer.from(String(item.encrypted_content).slice(7), "base64").toString() : item,
			),
		),
	);
const summaryFor = (words: string) => ({
	id: "cmp_1",
	type: "compaction",
	encrypted_content: `gAAAAAB${Buffer.from(words).toString("base64")}`,
});
const compactor: Parameters<ScriptedUpstream["answer"]>[0] = ({ path, json }) => {
	const { input, stream, context_management } = json as {
		input: readonly object[];
		stream?: boolean;
		context_management?: unknown;
	};
	const words = knows(input);
	if (path.endsWith("/compact"))
		return Response.json({ ...responseOf([summaryFor(words)]), object: "response.compaction" });
	const passes = context_management !== undefined && tokensOf(JSON.stringify(input)) > threshold;
	const response = responseOf([...(passes ? [summaryFor(words)] : []), said(`I know ${words}.`)]);
	if (!stream) return Response.json(response);
	const open = { ...response, status: "in_progress", output: [] };
	return streamOf([
		`event: response.created\ndata: ${JSON.stringify({ type: "response.created", sequence_number: 0, response: open })}\n\n`,
		`event: response.completed\ndata: ${JSON.stringify({ type: "response.completed", sequence_number: 1, response })}\n\n`,
	]);
};

/** One that speaks Responses of before, and says so. */
const unaware: Parameters<ScriptedUpstream["answer"]>[0] = (request) => {
	if (request.path.endsWith("/compact")) return Response.json({ error: { message: "Not Found" } }, { status: 404 });
	const { context_management } = request.json as { context_management?: unknown };
	if (context_management === undefined) {
		const { input } = request.json as { input: readonly { content?: unknown }[] };
		const asked = JSON.stringify(input.at(-1));
		const words = codewords(JSON.stringify(input));
		return Response.json(
			responseOf([said(asked.includes("Write a summary") ? `Summary: ${words}` : `I know ${words}.`)]),
		);
	}
	const message = "Unknown parameter: 'context_management'.";
	return Response.json({ error: { message, type: "invalid_request_error", param: null, code: null } }, { status: 400 });
};

beforeAll(async () => {
	native = startUpstream(compactor);
	strict = startUpstream(unaware);
	chat = startUpstream(rememberer);
	gateway = await startGateway({
		plugins: [
			"tokens",
			"responses",
			"chat-completions",
			{ use: "prices", with: { models: { "*": { input: 1, output: 10 } } } },
			"quota",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "native", protocol: "responses", url: `${native.url}/v1`, key: "k" },
						{ name: "strict", protocol: "responses", url: `${strict.url}/v1`, key: "k" },
						{ name: "chat", protocol: "chat-completions", url: `${chat.url}/v1`, key: "k" },
						{ name: "gone", protocol: "chat-completions", url: "http://127.0.0.1:9/v1", key: "k" },
					],
					models: [
						{ name: "native", targets: [{ upstream: "native" }] },
						{ name: "strict", targets: [{ upstream: "strict" }] },
						{ name: "chat", targets: [{ upstream: "chat" }] },
						{ name: "second", targets: [{ upstream: "gone" }, { upstream: "chat" }] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await Promise.all([native.stop(), strict.stop(), chat.stop()]);
});
beforeEach(() => {
	billed = { input: 0, output: 0 };
	longest = 0;
	chat.answer(rememberer);
	for (const upstream of [native, strict, chat]) upstream.received.length = 0;
});

const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const developer = { type: "message", role: "developer", content: "You are Codex." };
const kinds = (output: readonly unknown[]) => output.map((item) => (item as { type: string }).type);
const spend = async (key: string) => {
	const me = await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
	return ((await me.json()) as { used: number }).used;
};

describe.each(["chat", "native", "strict"])("a session on %s passes its limit again and again", (model) => {
	test("inside its calls, and sends all that it has each time", async () => {
		const history: unknown[] = [developer];
		/** True when the conversation was compacted. */
		const turn = async (number: number): Promise<boolean> => {
			history.push(user(`Remember codeword-${number}. ${filler}`));
			const body = { model, input: history, store: false, stream: true, ...managed };
			const answer = await gateway.ask("/v1/responses", body);
			expect([answer.status, answer.headers.get("x-portico-dropped")]).toEqual([200, null]);
			const text = await answer.text();
			expect(model === "native" ? [] : responsesFaults(text)).toEqual([]);
			const { output = [] } = eventsIn(text).at(-1)?.response ?? {};
			const compacted = kinds(output)[0] === "compaction";
			expect(kinds(output).slice(compacted ? 1 : 0)).toEqual(["message"]);
			expect(answer.headers.get("x-portico-emulated")).toBe(compacted && model !== "native" ? "compaction" : null);
			history.push(...output);
			const all = Array.from({ length: number }, (_, index) => `codeword-${index + 1}`);
			expect(JSON.stringify(output)).toContain(`I know ${all.join(" ")}.`);
			return compacted;
		};
		let compactions = 0;
		for (let number = 1; number <= 7; number++) if (await turn(number)) compactions++;
		expect(compactions).toBeGreaterThanOrEqual(2);
		// Whatever the client sends again, what was summed up is not read again.
		if (model === "chat") expect(longest).toBeLessThan(2 * threshold);
	});

	test("by calls of its own, and keeps the summary alone", async () => {
		let history: unknown[] = [];
		const turn = async (text: string) => {
			history.push(user(text));
			const answer = await gateway.ask("/v1/responses", { model, input: history, store: false });
			const { output } = (await answer.json()) as { output: unknown[] };
			history.push(...output);
			return JSON.stringify(output);
		};
		const compact = async () => {
			const answer = await gateway.ask("/v1/responses/compact", { model, input: history });
			expect(answer.status).toBe(200);
			const { output } = (await answer.json()) as { output: unknown[] };
			expect(kinds(output)).toEqual(["compaction"]);
			history = [...output];
		};
		await turn("codeword-1");
		await compact();
		expect(await turn("codeword-2")).toContain("I know codeword-1 codeword-2.");
		await compact();
		expect(await turn("Well?")).toContain("I know codeword-1 codeword-2.");
	});
});

test("OpenAI's SDK goes on by previous_response_id, and what was summed up is not sent again", async () => {
	let previous: string | undefined;
	for (let turn = 1; turn <= 5; turn++) {
		const answer = await client().responses.create({
			model: "chat",
			input: `codeword-${turn} ${filler}`,
			context_management: [{ type: "compaction", compact_threshold: threshold }],
			...(previous !== undefined && { previous_response_id: previous }),
		});
		previous = answer.id;
		expect(answer.output_text).toContain(`codeword-${turn}`);
		expect(answer.output_text).toContain("codeword-1");
	}
	expect(longest).toBeLessThan(2 * threshold);
});

test("under its threshold nothing is asked before, nothing emulated, nothing dropped", async () => {
	const answer = await gateway.ask("/v1/responses", { model: "chat", input: "codeword-1", ...managed });
	expect(answer.headers.get("x-portico-emulated")).toBeNull();
	expect(answer.headers.get("x-portico-dropped")).toBeNull();
	expect(kinds(((await answer.json()) as { output: unknown[] }).output)).toEqual(["message"]);
	expect(chat.received).toHaveLength(1);
});

test("the client's limit is on the answer, the summary has its own, and both are told and charged", async () => {
	const { key } = await gateway.token({ quota: 1 });
	const answer = await gateway.ask(
		"/v1/responses",
		{ model: "chat", input: [user(filler), user(filler)], max_output_tokens: 50, ...managed },
		{ headers: { authorization: `Bearer ${key}` } },
	);
	const { usage } = (await answer.json()) as { usage: { input_tokens: number; output_tokens: number } };
	expect(usage).toMatchObject({ input_tokens: billed.input, output_tokens: 14 });
	const limits = chat.received.map(({ json }) => {
		const sent = json as ChatSent;
		return sent.max_completion_tokens ?? sent.max_tokens;
	});
	expect(limits).toEqual([8192, 50]);
	expect(await spend(key)).toBeCloseTo((billed.input + billed.output * 10) / 1e6, 6);
});

test("a quota for one such call lets no second begin, and is never overspent", async () => {
	// 2 readings of some 5,300 bytes, a summary of at most 8,192 tokens, and an answer of 50.
	const { key } = await gateway.token({ quota: 0.12 });
	const body = { model: "chat", input: [user(filler), user(filler)], max_output_tokens: 50, ...managed };
	const ask = () => gateway.ask("/v1/responses", body, { headers: { authorization: `Bearer ${key}` } });
	const answers = await Promise.all(Array.from({ length: 20 }, ask));
	const statuses = answers.map(({ status }) => status);
	expect(new Set(statuses)).toEqual(new Set([200, 429]));
	expect(await spend(key)).toBeLessThanOrEqual(0.12);
	const { key: poor } = await gateway.token({ quota: 0.05 });
	const refused = await gateway.ask("/v1/responses", body, { headers: { authorization: `Bearer ${poor}` } });
	expect([402, 429]).toContain(refused.status);
});

test("what failed elsewhere is summed up by the next target; a summary without words is a failure in words", async () => {
	const body = { model: "second", input: [user(`codeword-1 ${filler}`), user(filler)], ...managed };
	const answer = await gateway.ask("/v1/responses", body);
	expect(kinds(((await answer.json()) as { output: unknown[] }).output)).toEqual(["compaction", "message"]);
	chat.answer(({ json }) => chatResponse("", { input: 5, output: 7 }, (json as ChatSent).stream));
	const failed = await gateway.ask("/v1/responses", { ...body, model: "chat" });
	expect(failed.status).toBe(502);
	expect(await failed.json()).toMatchObject({ error: { code: "compaction_failed" } });
});

test("a summary is not asked for twice when only the answer after it failed", async () => {
	let summaries = 0;
	let answers = 0;
	chat.answer((request) => {
		const isSummary = request.text.includes("Write a summary");
		if (isSummary) summaries++;
		else if (++answers === 1) return new Response("", { status: 503 });
		return rememberer(request);
	});
	const two = await startGateway({
		plugins: [
			"tokens",
			"responses",
			"chat-completions",
			{
				use: "router",
				with: {
					upstreams: [1, 2].map((n) => ({
						name: `u${n}`,
						protocol: "chat-completions",
						url: `${chat.url}/v1`,
						key: "k",
					})),
					models: [{ name: "m", targets: [{ upstream: "u1" }, { upstream: "u2" }] }],
				},
			},
		],
	});
	try {
		const answer = await two.ask("/v1/responses", { model: "m", input: [user(filler), user(filler)], ...managed });
		expect(answer.status).toBe(200);
		expect([summaries, answers]).toEqual([1, 2]);
		expect(answer.headers.get("x-portico-emulated")).toBe("compaction");
	} finally {
		await two.stop();
	}
});

test.each([
	["a text", "compaction"],
	["a threshold that is no number", [{ type: "compaction", compact_threshold: "many" }]],
	["an entry that is no object", ["compaction"]],
])("%s is refused with words", async (_what, context_management) => {
	const answer = await gateway.ask("/v1/responses", { model: "chat", input: "x", context_management });
	expect(answer.status).toBe(400);
	expect(await answer.json()).toMatchObject({ error: { param: expect.stringMatching(/^context_management/) } });
});

test("management of another kind is told as left behind", async () => {
	const context_management = [{ type: "pruning" }];
	const answer = await gateway.ask("/v1/responses", { model: "chat", input: "x", context_management });
	expect(answer.headers.get("x-portico-dropped")).toContain("context_management");
});
