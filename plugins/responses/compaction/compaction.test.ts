/** Compaction through the front door: a scripted Codex session on an upstream that cannot compact, and on one that can. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import OpenAI from "openai";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { responsesFaults } from "../../../test/support/grammar/responses.ts";
import { type ChatSent, chatResponse, remembering } from "../fixtures/rememberer.ts";
import { eventsIn } from "../fixtures/trial.ts";
import { createSealedSummaries } from "./sealed-summaries.ts";

let native: ScriptedUpstream;
let old: ScriptedUpstream;
let chat: ScriptedUpstream;
let gateway: TestGateway;

interface Sent extends ChatSent {
	readonly tools?: readonly unknown[];
	readonly tool_choice?: string;
	readonly input: readonly Record<string, unknown>[];
}
const sentTo = (upstream: ScriptedUpstream): Sent => upstream.received.at(-1)?.json as Sent;

const rememberer = remembering(() => ({ input: 50, output: 9 }));

beforeAll(async () => {
	native = startUpstream();
	old = startUpstream();
	chat = startUpstream(rememberer);
	gateway = await startGateway({
		plugins: [
			"tokens",
			"expiry",
			"model-list",
			"ip-whitelist",
			"rate-limit",
			"responses",
			"chat-completions",
			"messages",
			"generate-content",
			{ use: "prices", with: { models: { "*": { input: 1, output: 10 } } } },
			"quota",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "native", protocol: "responses", url: `${native.url}/v1`, key: "up-key" },
						{ name: "old", protocol: "responses", url: `${old.url}/v1`, key: "up-key" },
						{ name: "chat", protocol: "chat-completions", url: `${chat.url}/v1`, key: "up-key" },
						{ name: "anthropic", protocol: "messages", url: chat.url, key: "up-key" },
						{ name: "google", protocol: "generate-content", url: `${chat.url}/v1beta`, key: "up-key" },
					],
					models: [
						{ name: "gpt-5", targets: [{ upstream: "native" }] },
						{ name: "gpt-old", targets: [{ upstream: "old", model: "old-real" }] },
						{ name: "other", targets: [{ upstream: "chat" }] },
						{ name: "either", targets: [{ upstream: "chat" }, { upstream: "native" }] },
						{ name: "claude-sonnet-4-5", targets: [{ upstream: "anthropic" }] },
						{ name: "gemini-2.5-pro", targets: [{ upstream: "google" }] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await Promise.all([native.stop(), old.stop(), chat.stop()]);
});
afterEach(() => {
	chat.answer(rememberer);
	for (const upstream of [native, old, chat]) upstream.received.length = 0;
});

const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
const user = (text: string): OpenAI.Responses.ResponseInputItem => ({
	type: "message",
	role: "user",
	content: [{ type: "input_text", text }],
});
const shell = {
	type: "function",
	name: "shell",
	parameters: { type: "object", properties: {} },
	strict: false,
} as const;
const compactionOf = (output: readonly unknown[]) => {
	const [item] = output as { type: string; encrypted_content: string; id: string }[];
	expect(output).toHaveLength(1);
	expect(item?.type).toBe("compaction");
	if (!item) throw new Error("no item");
	return item;
};

describe("a session on an upstream that cannot compact", () => {
	test("passes its limit twice by /responses/compact and still knows what was said at first", async () => {
		let history: unknown[] = [user("Remember codeword-1.")];
		const turn = async (text: string) => {
			history.push(user(text));
			const body = { model: "other", instructions: "You are Codex.", input: history, tools: [shell], store: false };
			const answer = await gateway.ask("/v1/responses", { ...body, stream: true });
			const events = eventsIn(await answer.text());
			history.push(...(events.at(-1)?.response.output ?? []));
			return JSON.stringify(events.at(-1)?.response.output);
		};
		const compact = async () => {
			const answer = await gateway.ask("/v1/responses/compact", {
				model: "other",
				input: history,
				instructions: "You are Codex.",
				tools: [shell],
				parallel_tool_calls: true,
				reasoning: { effort: "medium" },
			});
			expect(answer.status).toBe(200);
			expect(answer.headers.get("x-portico-emulated")).toContain("compaction");
			const told = (await answer.json()) as { object: string; output: unknown[]; usage: unknown };
			expect(told).toMatchObject({ object: "response.compaction", usage: { input_tokens: 50, output_tokens: 9 } });
			history = [compactionOf(told.output)];
		};
		await turn("Go on.");
		await compact();
		expect(JSON.stringify(history)).not.toContain("codeword");
		expect(await turn("And remember codeword-2.")).toContain("codeword-1 codeword-2");
		await compact();
		expect(await turn("What do you know?")).toContain("codeword-1 codeword-2");
		const first = sentTo(chat).messages.find(({ role }) => role !== "system");
		expect(first).toMatchObject({ role: "user", content: expect.stringContaining("Summary: codeword-1 codeword-2") });
	});

	test("is compacted when its long body comes packed by zstd, as Codex sends it", async () => {
		const body = zstdCompressSync(JSON.stringify({ model: "other", input: [user("codeword-7")] }));
		const answer = await fetch(`${gateway.url}/v1/responses/compact`, {
			method: "POST",
			headers: {
				authorization: `Bearer ${gateway.key}`,
				"content-type": "application/json",
				"content-encoding": "zstd",
			},
			body: new Uint8Array(body),
		});
		expect(answer.status).toBe(200);
		expect(JSON.stringify(sentTo(chat).messages)).toContain("codeword-7");
	});

	test("is compacted by the item compaction_trigger, streamed and not", async () => {
		const input = [user("Remember codeword-3."), { type: "compaction_trigger" }];
		const streamed = await gateway.ask("/v1/responses", { model: "other", input, tools: [shell], stream: true });
		expect(streamed.headers.get("x-portico-emulated")).toContain("compaction");
		const text = await streamed.text();
		expect(responsesFaults(text)).toEqual([]);
		const events = eventsIn(text);
		const { encrypted_content } = compactionOf(events.at(-1)?.response.output ?? []);
		expect(events.map(({ type }) => type)).toEqual([
			"response.created",
			"response.in_progress",
			"response.output_item.added",
			"response.output_item.done",
			"response.completed",
		]);
		const sent = sentTo(chat);
		expect(sent.tool_choice).toBe("none");
		expect(sent.max_completion_tokens ?? sent.max_tokens).toBe(8192);
		const whole = await gateway.ask("/v1/responses", { model: "other", input });
		compactionOf(((await whole.json()) as { output: unknown[] }).output);
		// The trigger that stands before its own summary asks no more.
		const again = [...input, { type: "compaction", encrypted_content }, user("Well?")];
		const answer = await client().responses.create({ model: "other", input: again as never });
		expect(answer.output_text).toBe("I know codeword-3.");
	});

	test("goes on by previous_response_id without what the summary stands for", async () => {
		const developer = { role: "developer", content: "Be brief." } as const;
		const first = await client().responses.create({
			model: "other",
			input: [developer, user("A long story of codeword-4."), { type: "compaction_trigger" } as never],
		});
		compactionOf(first.output);
		const next = { model: "other", previous_response_id: first.id, input: "Well?" };
		expect((await client().responses.create(next)).output_text).toBe("I know codeword-4.");
		const told = JSON.stringify(sentTo(chat).messages);
		expect(told).toContain("Be brief.");
		expect(told).not.toContain("A long story");
	});

	test("is refused with words when somebody else compacted it, and when the sealed summary was changed", async () => {
		const foreign = { type: "compaction", encrypted_content: "gAAAAABoXYZ" };
		const answer = await gateway.ask("/v1/responses", { model: "other", input: [foreign, user("Hi")] });
		expect(answer.status).toBe(400);
		const { error } = (await answer.json()) as { error: { message: string; code: string } };
		expect(error).toMatchObject({ code: "compaction_not_readable", message: expect.stringContaining("compact") });
		const body = { model: "other", input: [user("Hi"), { type: "compaction_trigger" }] };
		const own = compactionOf(
			((await (await gateway.ask("/v1/responses", body)).json()) as { output: unknown[] }).output,
		);
		chat.received.length = 0;
		const changed = { ...own, encrypted_content: `${own.encrypted_content.slice(0, -4)}AAAA` };
		for (const model of ["other", "gpt-5"])
			expect((await gateway.ask("/v1/responses", { model, input: [changed, user("Hi")] })).status).toBe(400);
		expect([chat.received.length, native.received.length]).toEqual([0, 0]);
	});

	test("that another Portico compacted goes only to an upstream that speaks Responses, which may be that Portico", async () => {
		const strange = { type: "compaction", encrypted_content: createSealedSummaries().seal("x", "gpt") };
		const input = [strange, user("Hi")];
		const refused = await gateway.ask("/v1/responses", { model: "other", input });
		expect(refused.status).toBe(400);
		expect(await refused.text()).toContain("another Portico");
		expect(chat.received.length).toBe(0);
		await (await gateway.ask("/v1/responses", { model: "gpt-5", input })).text();
		expect(native.received.map(({ json }) => (json as { input: unknown }).input)).toEqual([input]);
	});

	test("fails in words when the model writes no summary", async () => {
		chat.answer(({ json }) => chatResponse("", { input: 50, output: 9 }, (json as Sent).stream));
		const answer = await gateway.ask("/v1/responses/compact", { model: "other", input: "x" });
		expect(answer.status).toBe(502);
		const stream = await gateway.ask("/v1/responses", {
			model: "other",
			input: [user("x"), { type: "compaction_trigger" }],
			stream: true,
		});
		expect(eventsIn(await stream.text()).at(-1)).toMatchObject({ type: "response.failed" });
	});
});

const compacted = {
	id: "resp_c",
	object: "response.compaction",
	created_at: 1,
	output: [{ id: "cmp_1", type: "compaction", encrypted_content: "gAAAAABnative" }],
	usage: {
		input_tokens: 100,
		input_tokens_details: { cached_tokens: 0 },
		output_tokens: 20,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: 120,
	},
};

describe("an upstream that speaks Responses", () => {
	test("compacts itself, and gets its own item back untouched", async () => {
		native.answer(() => Response.json(compacted));
		const { id, key } = await gateway.token({ quota: 5 });
		const answer = await gateway.ask(
			"/responses/compact",
			{ model: "gpt-5", input: "x", more: 1 },
			{ headers: { authorization: `Bearer ${key}` } },
		);
		expect(await answer.json()).toEqual(compacted);
		expect(answer.headers.get("x-portico-emulated")).toBeNull();
		expect(native.received.at(-1)?.path).toBe("/v1/responses/compact");
		expect(native.received.at(-1)?.json).toEqual({ model: "gpt-5", input: "x", more: 1 });
		const tokens = await gateway.admin("GET", `/admin/tokens/${id}`);
		expect(JSON.stringify(tokens)).toContain("0.0003");
		const whole = { ...compacted, object: "response", status: "completed", model: "gpt-5" };
		native.answer(() => Response.json({ ...whole, output: [] }));
		const body = { model: "gpt-5", input: [...compacted.output, user("Hi")] };
		expect((await gateway.ask("/v1/responses", body)).status).toBe(200);
		expect(native.received.at(-1)?.json).toEqual(body);
		// A trigger and a threshold are its own affair too.
		const more = {
			...body,
			input: [user("x"), { type: "compaction_trigger" }],
			context_management: [{ type: "compaction", compact_threshold: 9 }],
		};
		expect((await gateway.ask("/v1/responses", more)).status).toBe(200);
		expect(native.received.at(-1)?.json).toEqual(more);
	});

	test("but has no such route is asked for a summary, under the client's name for the model", async () => {
		old.answer(({ path, json }) =>
			path.endsWith("/compact")
				? Response.json({ error: { message: "Not Found" } }, { status: 404 })
				: Response.json({
						...compacted,
						object: "response",
						status: "completed",
						model: "old-real",
						output: [
							{
								id: "msg_1",
								type: "message",
								role: "assistant",
								status: "completed",
								content: [{ type: "output_text", text: JSON.stringify((json as Sent).input.length), annotations: [] }],
							},
						],
					}),
		);
		const answer = await client().responses.compact({ model: "gpt-old" as never, input: [user("one"), user("two")] });
		const { encrypted_content } = compactionOf(answer.output);
		expect(old.received.map(({ path }) => path)).toEqual(["/v1/responses/compact", "/v1/responses"]);
		const sent = old.received.at(-1)?.json as Record<string, unknown>;
		expect(sent["model"]).toBe("old-real");
		expect(Object.keys(sent)).not.toContain("compacts");
		await gateway.ask("/v1/responses", { model: "gpt-old", input: [{ type: "compaction", encrypted_content }] });
		expect(JSON.stringify(sentTo(old).input)).toContain("summary:\\n\\n3");
	});
});

test("a session that its provider compacted goes to the target that can read it, whatever its place", async () => {
	native.answer(() => Response.json({ ...compacted, object: "response", status: "completed", output: [] }));
	const answer = await gateway.ask("/v1/responses", { model: "either", input: [...compacted.output, user("Hi")] });
	expect(answer.status).toBe(200);
	expect([chat.received.length, native.received.length]).toEqual([0, 1]);
});

describe("every other protocol is asked for the summary, with calls in the conversation, and nothing is lost:", () => {
	const history = [
		user("List the files."),
		{ type: "function_call", call_id: "call_1", name: "shell", arguments: "{}" },
		{ type: "function_call_output", call_id: "call_1", output: "a.txt" },
	];
	test.each([
		[
			"claude-sonnet-4-5",
			{
				id: "msg_1",
				type: "message",
				role: "assistant",
				model: "claude-sonnet-4-5",
				content: [{ type: "text", text: "There is a.txt." }],
				stop_reason: "end_turn",
				stop_sequence: null,
				usage: { input_tokens: 5, output_tokens: 3 },
			},
			{ tool_choice: { type: "none" }, max_tokens: 8192 },
		],
		[
			"gemini-2.5-pro",
			{
				candidates: [
					{ content: { role: "model", parts: [{ text: "There is a.txt." }] }, finishReason: "STOP", index: 0 },
				],
				usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
			},
			{
				toolConfig: { functionCallingConfig: { mode: "NONE" } },
				generationConfig: expect.objectContaining({ maxOutputTokens: 8192 }),
			},
		],
	])("%s", async (model, told, sent) => {
		chat.answer(() => Response.json(told));
		const body = { model, input: history, tools: [shell], store: false };
		const answer = await gateway.ask("/v1/responses/compact", body);
		expect(answer.status).toBe(200);
		expect(answer.headers.get("x-portico-dropped")).toBeNull();
		const { output } = (await answer.json()) as { output: readonly unknown[] };
		expect(chat.received.at(-1)?.json).toMatchObject(sent);
		await gateway.ask("/v1/responses", { model, input: [compactionOf(output), user("And now?")] });
		expect(chat.received.at(-1)?.text).toContain("There is a.txt.");
	});
});

describe("who may compact:", () => {
	test.each(["/v1/responses/compact", "/responses/compact"])("%s", async (path) => {
		const ask = (key: string, model = "other") =>
			gateway.ask(path, { model, input: "x" }, { headers: { authorization: `Bearer ${key}` } });
		const refused: readonly [Record<string, unknown>, readonly number[]][] = [
			[{ models: ["gpt-5"] }, [403, 404]],
			[{ ips: ["203.0.113.0/24"] }, [403]],
			[{ expiresAt: "2020-01-01T00:00:00Z" }, [401]],
			[{ quota: 0 }, [402, 429]],
		];
		expect((await ask(`sk-${"x".repeat(49)}`)).status).toBe(401);
		expect((await ask(gateway.key, "nothing")).status).toBe(404);
		for (const [settings, statuses] of refused) {
			const answer = await ask((await gateway.token(settings)).key);
			expect(statuses).toContain(answer.status);
			expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/.{10}/) } });
		}
		const { key } = await gateway.token({ rateLimit: { requestsPerMinute: 1 } });
		expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 429]);
		expect(chat.received).toHaveLength(1);
	});

	test("what it costs is held and charged as any answer's, and never exceeds a quota", async () => {
		const { key } = await gateway.token({ quota: 0.1 });
		const ask = () =>
			gateway.ask(
				"/v1/responses/compact",
				{ model: "other", input: "x" },
				{ headers: { authorization: `Bearer ${key}` } },
			);
		expect((await ask()).status).toBe(200);
		const me = await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
		// 50 tokens at $1 and 9 at $10 a million.
		expect(await me.json()).toMatchObject({ used: 0.00014 });
	});
});

describe("a sealed summary", () => {
	const summaries = createSealedSummaries();
	test("gives back any summary, and nothing for any changed character or another secret", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), fc.nat(), (summary, at) => {
				const sealed = summaries.seal(summary, "gpt");
				expect(summaries.open(sealed)).toBe(summary);
				expect(createSealedSummaries().open(sealed)).toBeUndefined();
				const place = "portico.portico.gpt.1.".length + (at % (sealed.length - 22 - 1));
				const other = sealed[place] === "A" ? "B" : "A";
				expect(summaries.open(sealed.slice(0, place) + other + sealed.slice(place + 1))).toBeUndefined();
				expect(summaries.open(sealed.replace(".gpt.", ".claude."))).toBeUndefined();
			}),
		);
	});
});
