/** A client cannot switch off what the bill is made of, and sees no more than it asked for. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { streamOf } from "#core/testing";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
});
afterAll(() => world.stop());

const asked = async (path: string, body: object, headers: Record<string, string> = {}) => {
	const { key } = await world.gateway.token({ quota: 10 });
	const response = await world.gateway.ask(path, body, { headers: { authorization: `Bearer ${key}`, ...headers } });
	const text = await response.text();
	return { status: response.status, text, used: await world.used(key) };
};

describe("chat-completions: 990 reasoning tokens that only usage tells of", () => {
	const billed = 20 * rates.input + 1_000 * rates.output;
	const usage = {
		prompt_tokens: 20,
		completion_tokens: 1_000,
		total_tokens: 1_020,
		completion_tokens_details: { reasoning_tokens: 990 },
	};
	const chunk = (more: object) =>
		`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "chat-completions-a", ...more })}\n\n`;
	const delta = (content: string, finish_reason: string | null) => [{ index: 0, delta: { content }, finish_reason }];
	/** A vendor that counts only when it is asked to, in a chunk of its own or with the last one. */
	const answer = (withLast: boolean) => {
		world.upstream.answer(({ json }) => {
			const { stream_options } = json as { stream_options?: object };
			// As careless readers do: whatever the case, and the last of them.
			const said = Object.entries(stream_options ?? {}).filter(([name]) => /^include_?usage$/i.test(name));
			const counts = said.at(-1)?.[1] === true;
			return streamOf([
				chunk({ choices: delta("Hello", null), ...(counts && { usage: null }) }),
				chunk({ choices: delta(" you", "stop"), ...(counts && withLast && { usage }) }),
				...(counts && !withLast ? [chunk({ choices: [], usage })] : []),
				"data: [DONE]\n\n",
			]);
		});
	};
	const body = (stream_options?: unknown) => ({
		model: "chat-completions-a",
		stream: true,
		max_tokens: 2_000,
		messages: [{ role: "user", content: "Hi" }],
		...(stream_options !== undefined && { stream_options }),
	});
	const unwilling = [
		{ include_usage: true, Include_Usage: false },
		{ include_usage: true, includeUsage: false },
		{ include_usage: false },
		{ include_usage: 0 },
		{ include_usage: "no" },
		"no",
		[],
		5,
		{},
	];

	test.each([[undefined], [null], ...unwilling.map((said) => [said])])(
		"stream_options %j: charged in full, and no usage shown",
		async (...[said]) => {
			answer(false);
			const { status, text, used } = await asked("/v1/chat/completions", body(said));
			expect(status).toBe(200);
			expect(text).toContain("Hello");
			expect(text).toContain("[DONE]");
			expect(text).not.toContain("usage");
			expect(used).toBe(billed);
		},
	);
	test("usage that comes with the last piece is taken out of it for who refuses usage", async () => {
		answer(true);
		const { text, used } = await asked("/v1/chat/completions", body({ include_usage: false }));
		expect(text).toContain(" you");
		expect(text).not.toContain("usage");
		expect(used).toBe(billed);
	});
	test("who asks for usage sees it", async () => {
		answer(false);
		const { text, used } = await asked("/v1/chat/completions", body({ include_usage: true }));
		expect(text).toContain('"reasoning_tokens":990');
		expect(used).toBe(billed);
	});
});

describe("generate-content: a mask that leaves usage out", () => {
	const billed = 200 * rates.input + 5_000 * rates.output;
	const usageMetadata = {
		promptTokenCount: 200,
		candidatesTokenCount: 1_000,
		thoughtsTokenCount: 4_000,
		totalTokenCount: 5_200,
	};
	const whole = {
		candidates: [
			{
				content: { role: "model", parts: [{ text: "Hello", thoughtSignature: "c2ln" }] },
				finishReason: "STOP",
				index: 0,
			},
		],
		usageMetadata,
		modelVersion: "generate-content-a",
		responseId: "r",
	};
	/** An upstream that obeys a mask as Google does: what is not asked for is not sent. */
	const answer = () => {
		world.upstream.answer(({ path, headers }) => {
			const query = new URLSearchParams(path.split("?")[1] ?? "");
			query.delete("alt");
			const hides = query.size > 0 || headers.has("x-goog-fieldmask");
			const sent = hides ? { candidates: whole.candidates } : whole;
			if (!path.includes("stream")) return Response.json(sent);
			const { finishReason: _, ...open } = whole.candidates[0] as object & { finishReason: string };
			return streamOf([
				`data: ${JSON.stringify({ ...sent, candidates: [open] })}\n\n`,
				`data: ${JSON.stringify(sent)}\n\n`,
			]);
		});
	};
	const body = {
		contents: [{ role: "user", parts: [{ text: "Hi" }] }],
		generationConfig: { maxOutputTokens: 8_000 },
	};
	const path = "/v1beta/models/generate-content-a";
	const onlyText = [{ content: { parts: [{ text: "Hello" }] } }];
	const masks: readonly [name: string, query: string, headers: Record<string, string>][] = [
		["fields", "fields=candidates/content/parts/text", {}],
		["$fields", "$fields=candidates(content(parts(text)))", {}],
		["fields, with dots and spaces", "fields=candidates.content.parts( text )", {}],
		["fields, given twice", "fields=candidates.content.parts.text&fields=usageMetadata", {}],
		["the header", "", { "X-Goog-FieldMask": "candidates.content.parts.text" }],
		["a star", "fields=candidates/*/parts/text", {}],
	];

	test.each(masks)("%s: charged in full, and the fields asked for are shown", async (_name, query, headers) => {
		answer();
		const { status, text, used } = await asked(`${path}:generateContent?${query}`, body, headers);
		expect(status).toBe(200);
		expect(JSON.parse(text)).toEqual({ candidates: onlyText });
		expect(used).toBe(billed);
	});
	test.each(masks)("%s, streamed as events and as an array", async (_name, query, headers) => {
		answer();
		const events = await asked(`${path}:streamGenerateContent?alt=sse&${query}`, body, headers);
		const shown = events.text.split("\n\n").filter((line) => line !== "");
		expect(shown.map((line) => JSON.parse(line.slice("data: ".length)))).toEqual([
			{ candidates: onlyText },
			{ candidates: onlyText },
		]);
		expect(events.used).toBe(billed);
		const array = await asked(`${path}:streamGenerateContent?${query}`, body, headers);
		expect(JSON.parse(array.text)).toEqual([{ candidates: onlyText }, { candidates: onlyText }]);
		expect(array.used).toBe(billed);
	});
	test.each([
		"Fields=candidates",
		"FIELDS=candidates",
		"%24.xgafv=2&prettyPrint=false",
		"alt=proto",
		"fields=*",
		"fields=",
	])("?%s changes nothing of the bill", async (query) => {
		answer();
		const { text, used } = await asked(`${path}:generateContent?${query}`, body);
		expect(JSON.parse(text)).toEqual(whole);
		expect(used).toBe(billed);
	});
	test("an error in a stream is told, whatever the mask", async () => {
		world.upstream.answer(() => streamOf(['data: {"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}\n\n']));
		const { text } = await asked(`${path}:streamGenerateContent?alt=sse&fields=candidates`, body);
		expect(text).toContain("UNAVAILABLE");
	});
	test("a mask that cannot be read is the client's mistake", async () => {
		const { status, text } = await asked(`${path}:generateContent?fields=candidates((`, body);
		expect(status).toBe(400);
		expect(text).toContain("INVALID_ARGUMENT");
	});
	test("holds for an upstream of another protocol, too", async () => {
		world.upstream.answer(() =>
			Response.json({
				id: "c",
				object: "chat.completion",
				created: 1,
				model: "chat-completions-a",
				choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
				usage: { prompt_tokens: 200, completion_tokens: 5_000, total_tokens: 5_200 },
			}),
		);
		const other = "/v1beta/models/chat-completions-a:generateContent?fields=candidates/content/parts/text";
		const { text, used } = await asked(other, body);
		expect(JSON.parse(text)).toEqual({ candidates: onlyText });
		expect(used).toBe(billed);
	});
});

test("messages: zeros at the end of a stream do not take back the input that its start told", async () => {
	const start = { id: "m", type: "message", role: "assistant", model: "messages-a", content: [], stop_reason: null };
	const events = [
		{ type: "message_start", message: { ...start, usage: { input_tokens: 100, output_tokens: 0 } } },
		{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
		{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
		{ type: "content_block_stop", index: 0 },
		{
			type: "message_delta",
			delta: { stop_reason: "end_turn", stop_sequence: null },
			usage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 },
		},
		{ type: "message_stop" },
	];
	const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
	world.upstream.answer(() => streamOf(text));
	const body = { model: "messages-a", max_tokens: 50, stream: true, messages: [{ role: "user", content: "Hi" }] };
	for (const path of ["/v1/messages", "/v1/chat/completions"])
		expect((await asked(path, body)).used).toBe(100 * rates.input + 5 * rates.output);
});

test("counts that cannot be leave every sum a number", async () => {
	const { key } = await world.gateway.token();
	for (const completion_tokens of [Number.MAX_SAFE_INTEGER, 1e15, 1e300, -5]) {
		const choices = [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }];
		const usage = { prompt_tokens: 9e15, completion_tokens, prompt_tokens_details: { cached_tokens: 9e15 } };
		world.upstream.answer(() => Response.json({ id: "c", object: "chat.completion", created: 1, choices, usage }));
		const body = { model: "chat-completions-a", messages: [{ role: "user", content: "Hi" }] };
		const answer = await world.gateway.ask("/v1/chat/completions", body, {
			headers: { authorization: `Bearer ${key}` },
		});
		expect(answer.status).toBe(200);
		await answer.text();
	}
	expect(await world.used(key)).toBeGreaterThan(0);
	for (const path of ["/admin/usage", "/admin/usage?by=token", "/admin/tokens", "/admin/calls"])
		expect(await world.gateway.admin("GET", path)).toHaveProperty("data");
});
