import { describe, expect, test } from "bun:test";
import { type PassthroughChanges, parseJson, type StreamEvent } from "#core";
import { capabilitiesOf } from "../../router/service.ts";
import { askFor, bodyWith } from "../fixtures/ask.ts";
import { chatCompletions } from "../protocol.ts";
import { observe, observer } from "./observe.ts";
import { passthroughRequest } from "./request.ts";
import { editor, restore } from "./restore.ts";

const text = (body: string | Uint8Array): string => (typeof body === "string" ? body : new TextDecoder().decode(body));
const sent = (body: unknown, changes: Partial<PassthroughChanges> = {}, path?: string): string =>
	text(passthroughRequest(askFor(body, path), { model: "gpt-4o", capabilities: {}, ...changes }).body);

const chunk = (delta: unknown, more: Record<string, unknown> = {}, finish: string | null = null) =>
	JSON.stringify({
		id: "chatcmpl-1",
		object: "chat.completion.chunk",
		created: 5,
		model: "gpt-4o-2024-08-06",
		choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
		...more,
	});
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const usageChunk = JSON.stringify({
	id: "chatcmpl-1",
	object: "chat.completion.chunk",
	created: 5,
	model: "gpt-4o-2024-08-06",
	choices: [],
	usage,
});

describe("what a vendor refuses of fields that it knows", () => {
	const tool = { type: "function", function: { name: "f", parameters: {} } };
	const named = { type: "function", function: { name: "f" } };
	const schema = { type: "object" };
	const format = { type: "json_schema", json_schema: { name: "a", strict: true, schema } };
	const fitted = (model: string, more: object, vendor?: string) => {
		const made = passthroughRequest(askFor(bodyWith({ tools: [tool], ...more })), {
			model,
			capabilities: capabilitiesOf(model, vendor),
		});
		return { body: JSON.parse(text(made.body)), lost: (made.losses ?? []).map(({ path }) => path) };
	};

	test("a call is forced while the model does not think, where it can be told not to", () => {
		for (const tool_choice of ["required", named])
			for (const model of ["deepseek-v4-pro", "kimi-k2.6"]) {
				const { body, lost } = fitted(model, { tool_choice });
				expect(body).toMatchObject({ tool_choice, thinking: { type: "disabled" } });
				expect(lost).toEqual([]);
				const thinking = fitted(model, { tool_choice, reasoning_effort: "high" });
				expect(thinking.body).toMatchObject({ tool_choice, thinking: { type: "disabled" } });
				expect(thinking.body).not.toHaveProperty("reasoning_effort");
				expect(thinking.lost).toContain("reasoning_effort");
			}
		expect(fitted("deepseek-v4-pro", { tool_choice: "auto" }).body).not.toHaveProperty("thinking");
	});

	test("elsewhere the model is left to choose, or made to call any", () => {
		for (const tool_choice of ["required", named]) {
			const { body, lost } = fitted("kimi-k2.7-code", { tool_choice });
			expect(body).toMatchObject({ tool_choice: "auto" });
			expect(lost).toEqual(["tool_choice"]);
		}
		expect(fitted("kimi-k3", { tool_choice: named })).toMatchObject({
			body: { tool_choice: "required" },
			lost: ["tool_choice"],
		});
		expect(fitted("kimi-k3", { tool_choice: "required" }).lost).toEqual([]);
		expect(fitted("kimi-k2.6", { tool_choice: named }, "groq").body).toMatchObject({ tool_choice: named });
	});

	test("a schema is asked for in words, beside tools or at all", () => {
		const { body, lost } = fitted("deepseek-v4-pro", { response_format: format });
		expect(body.response_format).toEqual({ type: "json_object" });
		expect(body.messages[0]).toEqual({ role: "system", content: expect.stringContaining(JSON.stringify(schema)) });
		expect(lost).toEqual(["response_format.json_schema.strict"]);
		const groq = fitted("llama-4", { response_format: format }, "groq").body;
		expect(groq).not.toHaveProperty("response_format");
		expect(groq.messages[0].role).toBe("system");
		expect(fitted("llama-4", { response_format: format, tools: [] }, "groq").body.response_format).toEqual(format);
	});
});

describe("the request that passes through", () => {
	test("a developer speaks as the system to models that answer 400 to that role", () => {
		const messages = [
			{ role: "developer", content: "Be brief", name: "d" },
			{ role: "user", content: 'the "developer" says' },
		];
		const rolesFor = (model: string, vendor?: string) =>
			JSON.parse(sent(bodyWith({ messages }), { model, capabilities: capabilitiesOf(model, vendor) })).messages;
		for (const model of ["deepseek-v4-pro", "qwen3-max", "glm-5", "doubao-seed-1-6"])
			expect(rolesFor(model)).toEqual([{ role: "system", content: "Be brief", name: "d" }, messages[1]]);
		for (const model of ["gpt-5.4", "kimi-k2.6", "own"]) expect(rolesFor(model)).toEqual(messages);
	});

	const odd =
		'{ "messages":[ {"content":"\\u00e9\\/", "role":"user"} ],\n "seed":1.0, "x":12345678901234567890, "model":"gpt-4o"}';

	test("is the client's own bytes when nothing must change", () => {
		const ask = askFor(odd);
		expect(passthroughRequest(ask, { model: "gpt-4o", capabilities: {} }).body).toBe(ask.body.bytes);
	});

	test("changes the model alone under an alias", () => {
		expect(sent(odd, { model: "vendor/m-2" })).toBe(odd.replace('"gpt-4o"', '"vendor/m-2"'));
	});

	test("asks for usage only in a stream, and not when the client asked itself", () => {
		expect(sent(bodyWith())).not.toContain("stream_options");
		expect(sent(bodyWith({ stream: false }))).not.toContain("stream_options");
		expect(JSON.parse(sent(bodyWith({ stream: true }))).stream_options).toEqual({ include_usage: true });
		expect(JSON.parse(sent(bodyWith({ stream: true, stream_options: null }))).stream_options).toEqual({
			include_usage: true,
		});
		const shy = bodyWith({ stream: true, stream_options: { include_obfuscation: false } });
		expect(JSON.parse(sent(shy)).stream_options).toEqual({ include_obfuscation: false, include_usage: true });
		for (const stream_options of [
			{ include_usage: false },
			{ include_usage: "true" },
			{ include_usage: 1 },
			"no",
			[],
			0,
		])
			expect(JSON.parse(sent(bodyWith({ stream: true, stream_options }))).stream_options).toEqual({
				include_usage: true,
			});
		const said = bodyWith({ stream: true, stream_options: { include_usage: true } });
		expect(sent(said)).toBe(JSON.stringify(said));
	});

	test("H125 a body without stream is never given stream options", () => {
		expect(sent(bodyWith({ max_tokens: 5 }), { maxOutputTokens: 4 })).not.toContain("stream_options");
	});

	test("lowers the limit that is there and never raises it", () => {
		expect(JSON.parse(sent(bodyWith({ max_tokens: 100 }), { maxOutputTokens: 7 })).max_tokens).toBe(7);
		expect(sent(bodyWith({ max_tokens: 5 }), { maxOutputTokens: 7 })).toBe(JSON.stringify(bodyWith({ max_tokens: 5 })));
		const both = JSON.parse(sent(bodyWith({ max_tokens: 100, max_completion_tokens: 3 }), { maxOutputTokens: 7 }));
		expect([both.max_tokens, both.max_completion_tokens]).toEqual([7, 3]);
	});

	test("gives a limit where there was none, by the name the model knows", () => {
		const given = (model: string) =>
			JSON.parse(
				sent(bodyWith({ max_tokens: null }), { model, maxOutputTokens: 9, capabilities: capabilitiesOf(model) }),
			);
		for (const model of ["gpt-5", "gpt-5.2-mini", "o3", "o4-mini", "openai/o1"])
			expect(given(model).max_completion_tokens).toBe(9);
		for (const model of ["gpt-4o", "deepseek-chat", "openai/gpt-4.1", "omni"]) expect(given(model).max_tokens).toBe(9);
	});

	test("a limit goes by the name that the model reads", () => {
		const limits = (
			model: string,
			given: Readonly<Record<string, unknown>>,
			vendor?: string,
			maxOutputTokens?: number,
		) => {
			const capabilities = capabilitiesOf(model, vendor);
			const changes = { model, capabilities, ...(maxOutputTokens !== undefined && { maxOutputTokens }) };
			const body = JSON.parse(sent(bodyWith(given), changes));
			return [body.max_tokens, body.max_completion_tokens];
		};
		for (const model of ["deepseek-chat", "deepseek-v4-pro", "glm-5.3", "z-ai/glm-4.7"]) {
			expect(limits(model, { max_completion_tokens: 16 })).toEqual([16, undefined]);
			expect(limits(model, { max_completion_tokens: 16, max_tokens: null })).toEqual([16, undefined]);
			expect(limits(model, { max_completion_tokens: 16 }, undefined, 7)).toEqual([7, undefined]);
			expect(limits(model, { max_completion_tokens: 16, max_tokens: 12 })).toEqual([12, 16]);
			expect(limits(model, { max_tokens: 16 })).toEqual([16, undefined]);
		}
		for (const vendor of ["dashscope", "volcengine"])
			for (const model of ["qwen3-max", "deepseek-v4-pro"]) {
				expect(limits(model, { max_completion_tokens: 16 }, vendor)).toEqual([undefined, 16]);
				expect(limits(model, { max_tokens: 16 }, vendor)).toEqual([16, undefined]);
				expect(limits(model, { max_tokens: null }, vendor, 9)).toEqual([9, undefined]);
			}
		expect(limits("glm-4.7", { max_completion_tokens: 16 }, "cerebras")).toEqual([16, undefined]);
		for (const model of ["gpt-4o", "gpt-5", "anything"])
			for (const name of ["max_tokens", "max_completion_tokens"])
				expect(sent(bodyWith({ [name]: 5 }), { model, capabilities: capabilitiesOf(model) })).toBe(
					JSON.stringify({ ...bodyWith({ [name]: 5 }), model }),
				);
	});

	test("lets only harmless headers through", () => {
		const headers = new Headers({
			authorization: "Bearer sk-client",
			cookie: "a=b",
			"x-api-key": "k",
			"openai-organization": "org-1",
			"idempotency-key": "1",
			"openai-beta": "assistants=v2",
			"x-client-request-id": "r-1",
		});
		const ask = askFor(bodyWith(), undefined, headers);
		expect(passthroughRequest(ask, { model: "gpt-4o", capabilities: {} }).headers).toEqual({
			"content-type": "application/json",
			accept: "application/json",
			"openai-beta": "assistants=v2",
			"x-client-request-id": "r-1",
		});
	});

	test("goes to the protocol's own path with the key as a bearer", () => {
		expect(chatCompletions.upstream.path({ operation: "generate", model: "m", stream: true })).toBe(
			"/chat/completions",
		);
		expect(chatCompletions.upstream.headers("k")["authorization"]).toBe("Bearer k");
		expect(chatCompletions.upstream.headers(undefined)).not.toHaveProperty("authorization");
	});
});

const edited = (body: unknown, model: string, events: readonly StreamEvent[]): string => {
	const made = editor(askFor(body), { model, capabilities: {} });
	if (made === undefined) return "untouched";
	return events.map((event) => made.event(event)).join("") + made.end();
};

describe("the stream that passes through", () => {
	test("is left alone when nothing was changed", () => {
		const asked = bodyWith({ stream: true, stream_options: { include_usage: true } });
		expect(edited(asked, "gpt-4o", [])).toBe("untouched");
		expect(edited(bodyWith(), "gpt-4o", [])).toBe("untouched");
	});

	test("loses the usage that the client did not ask for, and nothing else", () => {
		const plain = [chunk({ content: 'say "usage":null' }), chunk({ content: ',"usage":{}' }), chunk({}, {}, "stop")];
		const asked = plain.map((data) => data.replace(/\}$/, ',"usage":null,"obfuscation":"x"}'));
		const kept = plain.map((data) => data.replace(/\}$/, ',"obfuscation":"x"}'));
		const events = [...asked, usageChunk, "[DONE]"].map((data) => ({ data }));
		const want = [...kept, "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
		expect(edited(bodyWith({ stream: true }), "gpt-4o", events)).toBe(want);
	});

	test("loses it from spaced JSON too, wherever it stands", () => {
		const strip = (data: string) => edited(bodyWith({ stream: true }), "gpt-4o", [{ data }]);
		expect(strip('{"id": "1", "choices": [{"index": 0}], "usage": null}')).toBe(
			'data: {"id": "1", "choices": [{"index": 0}]}\n\n',
		);
		expect(strip('{"usage": null, "choices": [{"index": 0}]}')).toBe('data: { "choices": [{"index": 0}]}\n\n');
		expect(strip('{"choices": [ ], "usage": {"prompt_tokens": 1}}')).toBe("");
	});

	test("keeps usage that a vendor sends unasked on a chunk with content", () => {
		const data = chunk({ content: "a" }, { usage });
		expect(edited(bodyWith({ stream: true }), "gpt-4o", [{ data }])).toBe(`data: ${data}\n\n`);
	});

	test("H124 keeps a chunk without choices that tells something else", () => {
		const data = '{"id":"","choices":[],"prompt_filter_results":[]}';
		expect(edited(bodyWith({ stream: true }), "gpt-4o", [{ data }])).toBe(`data: ${data}\n\n`);
	});

	test("names the asked model under an alias and touches nothing else", () => {
		const asked = bodyWith({ model: "fast", stream: true, stream_options: { include_usage: true } });
		const datas = [chunk({ content: '"model":"gpt-4o-2024-08-06"' }), chunk({ content: "b" }), usageChunk, "[DONE]"];
		const want = datas
			.map((data) => `data: ${data.replace('"model":"gpt-4o-2024-08-06"', '"model":"fast"')}\n\n`)
			.join("");
		expect(
			edited(
				asked,
				"gpt-4o",
				datas.map((data) => ({ data })),
			),
		).toBe(want);
	});

	test("follows an upstream that changes its model's name on the way", () => {
		const asked = bodyWith({ model: "fast", stream: true, stream_options: { include_usage: false } });
		const datas = ["a", "b", "a"].map((model) => `{"id":"1","model": "${model}","choices":[]}`);
		expect(
			edited(
				asked,
				"x",
				datas.map((data) => ({ data })),
			),
		).toBe('data: {"id":"1","model": "fast","choices":[]}\n\n'.repeat(3));
	});

	test("keeps the name of an event and passes errors on", () => {
		const asked = bodyWith({ model: "fast", stream: true });
		const data = '{"error":{"message":"m"}}';
		expect(edited(asked, "x", [{ name: "error", data }])).toBe(`event: error\ndata: ${data}\n\n`);
	});
});

describe("a whole answer under an alias", () => {
	const ask = askFor(bodyWith({ model: "fast" }));
	const restored = (text: string): string => restore(text, ask, { model: "gpt-4o", capabilities: {} }, parseJson(text));

	test("keeps its own layout and numbers", () => {
		const answer = '{\n  "id": "1",\n  "model": "gpt-4o-2024",\n  "n": 1.0\n}\n';
		expect(restored(answer)).toBe(answer.replace("gpt-4o-2024", "fast"));
	});

	test("keeps the names of models that stand deeper down", () => {
		const answer = { moderation: { model: "m" }, model: "m", choices: [] };
		expect(JSON.parse(restored(JSON.stringify(answer)))).toEqual({ ...answer, model: "fast" });
	});

	test("finds its own name, whatever else is called so", () => {
		for (const answer of [
			'{"object":"model","model" : "model","usage":{"model":1}}',
			'{"note":"\\"model\\":\\"m\\"","model":\t"m"}',
			'{"a":{"model":"n"},"model":"m"}',
		])
			expect(restored(answer)).toBe(answer.replace(/("model"\s*:\s*)"(?:m|model)"(?=[,}])/, '$1"fast"'));
		expect(restored('{"model":"caf\\u00e9","n":1.0}')).toBe('{"model":"fast","n":1}');
	});

	test("leaves alone what is not an answer", () => {
		for (const body of ["null", "[]", "not json", '{"a":1}']) expect(restored(body)).toBe(body);
	});
});

const watched = (datas: readonly string[], more: Record<string, unknown> = {}) => {
	const made = observer(askFor(bodyWith({ stream: true, ...more })));
	for (const data of datas) made.event({ data });
	return made;
};

describe("the observer", () => {
	test("counts content, sees usage and the end", () => {
		const datas = [
			chunk({ role: "assistant", content: "", refusal: null }),
			chunk({ content: "héllo" }),
			chunk({ content: ' "quoted\\"' }),
			chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a' } }] }),
			chunk({ reasoning_content: "hm" }),
			chunk({}, {}, "stop"),
			usageChunk,
			"[DONE]",
		];
		const result = watched(datas).result();
		expect(result.finished).toBe(true);
		expect(result.pieces).toBe(4);
		expect(result.contentBytes).toBeGreaterThan(18);
		expect(result.contentBytes).toBeLessThan(28);
		expect(result.usage).toEqual({ input: { total: 3 }, output: { total: 2 } });
		expect(result.error).toBeUndefined();
	});

	test("never counts more pieces than there were chunks with content", () => {
		const data = chunk({ content: "a", reasoning_content: "b" }, { obfuscation: "content" });
		expect(watched([data, data]).result().pieces).toBe(2);
		expect(watched([chunk({}), chunk({ role: "assistant" }), usageChunk]).result().pieces).toBe(0);
	});

	test("counts the text of every answer in a chunk", () => {
		const choices = ["one", "two", "three"].map((content, index) => ({
			index,
			delta: { content },
			finish_reason: null,
		}));
		expect(watched([JSON.stringify({ choices })], { n: 3 }).result().contentBytes).toBe(11);
	});

	test("takes a finish without [DONE] for an end, and neither for none", () => {
		expect(watched([chunk({}, {}, "stop")]).result().finished).toBe(true);
		expect(watched([chunk({ content: "a" })]).result().finished).toBe(false);
		expect(watched(["[DONE]"]).result().finished).toBe(true);
	});

	test("waits for the finish of every choice", () => {
		const end = (index: number) => JSON.stringify({ choices: [{ index, delta: {}, finish_reason: "stop" }] });
		expect(watched([end(0)], { n: 2 }).result().finished).toBe(false);
		expect(watched([end(0), end(0)], { n: 2 }).result().finished).toBe(false);
		expect(watched([end(0), end(1)], { n: 2 }).result().finished).toBe(true);
	});

	test("sees an error in the stream", () => {
		const result = watched([
			chunk({ content: "a" }),
			'{"error":{"message":"Overloaded","code":503}}',
			"[DONE]",
		]).result();
		expect(result.error?.kind).toBe("overloaded");
		expect(result.finished).toBe(false);
	});

	test("is not fooled by content that speaks of errors and usage", () => {
		const result = watched([
			chunk({ content: '"error":{"message":"x"},"usage":{"prompt_tokens":9},"finish_reason":"stop"' }),
		]);
		expect(result.result()).toMatchObject({ finished: false, pieces: 1 });
		expect(result.result().error).toBeUndefined();
		expect(result.result().usage).toBeUndefined();
	});

	test("T20 survives what is not JSON", () => {
		expect(watched(['{"usage":{', "", "null", '"finish_reason":"x"']).result().pieces).toBe(0);
	});

	test("ends a stream at its bound as if the model had reached its limit", () => {
		const cut = watched([chunk({ content: "a" })]).cut();
		const [end, done] = cut.trim().split("\n\n");
		expect(JSON.parse(end?.slice(6) ?? "")).toEqual({
			id: "chatcmpl-1",
			object: "chat.completion.chunk",
			created: 5,
			model: "gpt-4o-2024-08-06",
			choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: "length" }],
		});
		expect(done).toBe("data: [DONE]");
		expect(cut.endsWith("\n\n")).toBe(true);
	});

	test("ends each choice that had not ended, under the asked name when it is an alias", () => {
		const seen = JSON.stringify({
			id: "1",
			created: 2,
			model: "gpt-4o",
			choices: [{ index: 1, delta: {}, finish_reason: "stop" }],
		});
		const made = observer(askFor(bodyWith({ model: "fast", stream: true, n: 2 })));
		made.event({ data: seen });
		const { model, choices } = JSON.parse(made.cut().split("\n\n")[0]?.slice(6) ?? "");
		expect(model).toBe("fast");
		expect(choices.map(({ index }: { index: number }) => index)).toEqual([0]);
	});

	test("can end a stream that never began", () => {
		expect(watched([]).cut()).toContain('"role":"assistant"');
	});
});

describe("a whole answer", () => {
	test("is observed", () => {
		const choices = [
			{ index: 0, message: { role: "assistant", content: "four", refusal: null }, finish_reason: "stop" },
		];
		expect(observe({ choices, usage })).toEqual({
			finished: true,
			pieces: 1,
			contentBytes: 4,
			usage: { input: { total: 3 }, output: { total: 2 } },
		});
	});

	test("that is an error in a 200 is an error", () => {
		expect(observe({ error: { message: "m", code: "context_length_exceeded" } }).error?.kind).toBe("context_length");
	});
});
