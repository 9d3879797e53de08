import { describe, expect, test } from "bun:test";
import { asRecord } from "#core";
import { messagesFaults } from "../../../test/support/grammar/messages.ts";
import { createConversations } from "../client/references.ts";
import { askOf, eventsOf, framesOf, type Json } from "../fixtures/exchange.ts";
import { createMessages, messages } from "../protocol.ts";

const plain = { model: "fast", max_tokens: 5000, messages: [{ role: "user", content: "Hi" }] };
const sent = (
	body: unknown,
	changes: { maxOutputTokens?: number; model?: string } = {},
	headers = {},
	path = "/v1/messages",
) => messages.passthrough.request(askOf(body, path, headers), { model: "fast", capabilities: {}, ...changes });
const bodyOf = ({ body }: { readonly body: string | Uint8Array }): Json =>
	asRecord(JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)));

describe("the request", () => {
	test("is the client's own bytes when nothing must change", () => {
		const text =
			'{ "model":"fast",\n"max_tokens":5000, "future":1.0, "messages":[{"role":"user","content":"\\u0048i"}]}';
		const ask = askOf(text);
		expect(messages.passthrough.request(ask, { model: "fast", capabilities: {} }).body).toBe(ask.body.bytes);
	});

	test("has the upstream's model, the rest byte for byte", () => {
		const text = '{"messages":[{"role":"user","content":"model"}], "model" : "fast" ,"max_tokens":1e3}';
		expect(sent(text, { model: "claude-real" }).body).toBe(text.replace('"fast"', '"claude-real"'));
	});

	test("has a limit that was lowered, and a thinking budget below it", () => {
		expect(bodyOf(sent(plain, { maxOutputTokens: 100 }))["max_tokens"]).toBe(100);
		expect(sent(plain, { maxOutputTokens: 9000 }).body).toBeInstanceOf(Uint8Array);
		const thinking = { ...plain, thinking: { type: "enabled", budget_tokens: 4000, display: "omitted" } };
		expect(bodyOf(sent(thinking, { maxOutputTokens: 3000 }))).toMatchObject({
			max_tokens: 3000,
			thinking: { type: "enabled", budget_tokens: 2999, display: "omitted" },
		});
		expect(bodyOf(sent(thinking, { maxOutputTokens: 4500 }))["thinking"]).toEqual(thinking.thinking);
		expect(bodyOf(sent(thinking, { maxOutputTokens: 1024 }))).not.toHaveProperty("thinking");
		expect(bodyOf(sent({ ...plain, thinking: { type: "adaptive" } }, { maxOutputTokens: 10 }))["thinking"]).toEqual({
			type: "adaptive",
		});
	});

	test("goes to the operation's path, with the mark of the beta interface", () => {
		const { max_tokens: _none, ...counted } = plain;
		expect(sent(plain).path).toBe("/v1/messages");
		expect(sent(plain, {}, {}, "/messages?beta=true").path).toBe("/v1/messages?beta=true");
		const count = sent(counted, { maxOutputTokens: 5 }, {}, "/messages/count_tokens");
		expect(count.path).toBe("/v1/messages/count_tokens");
		expect(count.body).toBeInstanceOf(Uint8Array);
	});

	test("tells the upstream the version and the betas, and no other header of the client", () => {
		const client = {
			"x-api-key": "sk-client",
			authorization: "Bearer sk-client",
			cookie: "a=b",
			"x-forwarded-for": "10.0.0.1",
			"anthropic-version": "2026-10-21",
			"anthropic-beta": "files-api-2025-04-14, context-1m-2025-08-07",
		};
		expect(sent(plain, {}, client).headers).toEqual({
			"content-type": "application/json",
			accept: "application/json",
			"anthropic-version": "2026-10-21",
			"anthropic-beta": "files-api-2025-04-14,context-1m-2025-08-07",
		});
		expect(sent(plain).headers["anthropic-version"]).toBe("2023-06-01");
		expect(messages.upstream.headers("sk-up")).toEqual({ "x-api-key": "sk-up" });
	});

	test("without a beta that is not forwarded goes without the fields it brought", () => {
		const some = createMessages({ betas: ["context-1m-*"], conversations: createConversations() });
		const body = {
			...plain,
			context_management: { edits: [] },
			mcp_servers: [],
			output_config: { effort: "high", task_budget: { tokens: 1 } },
		};
		const headers = {
			"anthropic-beta": "context-1m-2025-08-07,context-management-2025-06-27,task-budgets-2026-03-13",
		};
		const message = some.passthrough.request(askOf(body, "/v1/messages", headers), { model: "fast", capabilities: {} });
		expect(message.headers["anthropic-beta"]).toBe("context-1m-2025-08-07");
		expect(bodyOf(message)).toEqual({ ...plain, mcp_servers: [], output_config: { effort: "high" } });
		expect(sent(body, {}, headers).body).toBeInstanceOf(Uint8Array);
	});

	test("leaves out what another protocol's model left in the history", () => {
		const history = [
			{ role: "user", content: "Go" },
			{
				role: "assistant",
				content: [
					{ type: "thinking", thinking: "", signature: "portico.generate-content.gemini.>SIG" },
					{ type: "redacted_thinking", data: "portico.responses.gpt.ENC" },
					{ type: "thinking", thinking: "Hm", signature: btoa("portico.responses.gpt.rs_1;9;ENC") },
					{ type: "server_tool_use", id: "srvtoolu_portico_12345678", name: "web_search", input: {} },
					{ type: "web_search_tool_result", tool_use_id: "srvtoolu_portico_12345678", content: [] },
					{
						type: "text",
						text: "Found",
						citations: [{ type: "web_search_result_location", encrypted_index: "portico.none.none." }],
					},
					{ type: "tool_use", id: "t1", name: "f", input: {} },
				],
			},
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "portico." }] },
		];
		const thinking = { type: "enabled", budget_tokens: 2000 };
		const body = bodyOf(sent({ ...plain, thinking, messages: history }));
		expect(asRecord((body["messages"] as readonly unknown[])[1])["content"]).toEqual([
			{ type: "text", text: "Found" },
			{ type: "tool_use", id: "t1", name: "f", input: {} },
		]);
		expect(body).not.toHaveProperty("thinking");
		const talk = { ...plain, messages: [{ role: "user", content: "What is portico. and srvtoolu_portico?" }] };
		expect(sent(talk).body).toBeInstanceOf(Uint8Array);
	});
});

const start = {
	type: "message_start",
	message: { model: "claude-real", id: "msg_1", content: [], usage: { input_tokens: 10, output_tokens: 1 } },
};
const open = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
const delta = (value: Json) => ({ type: "content_block_delta", index: 0, delta: value });
const say = (text: string) => delta({ type: "text_delta", text });
const stop = { type: "content_block_stop", index: 0 };
const ending = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } };
const last = { type: "message_stop" };
const observed = (...events: readonly unknown[]) => {
	const observer = messages.passthrough.observer(askOf({ ...plain, stream: true }));
	for (const event of eventsOf(events, true)) observer.event(event);
	return observer;
};

describe("the observer", () => {
	test("counts usage, pieces and bytes", () => {
		const seen = observed(
			start,
			open,
			say("Hellö"),
			say(""),
			delta({ type: "input_json_delta", partial_json: '{"a":' }),
			delta({ type: "thinking_delta", thinking: "hm" }),
			delta({ type: "signature_delta", signature: "SIGNATURE" }),
			delta({ type: "citations_delta", citation: { type: "char_location", cited_text: "x" } }),
			{ type: "ping" },
			stop,
			ending,
			last,
		).result();
		expect(seen).toEqual({
			finished: true,
			usage: { input: { total: 10 }, output: { total: 9 } },
			pieces: 3,
			contentBytes: 13,
		});
	});

	test("knows an end that was not announced, and an error", () => {
		expect(observed(start, open, say("x")).result().finished).toBe(false);
		const failed = observed(start, { type: "error", error: { type: "overloaded_error", message: "Busy" } }, last);
		expect(failed.result()).toMatchObject({ finished: false, error: { kind: "overloaded", message: "Busy" } });
	});

	test("knows events by their type where they have no name", () => {
		const observer = messages.passthrough.observer(askOf({ ...plain, stream: true }));
		for (const event of eventsOf([start, open, say("x"), stop, ending, last], false)) observer.event(event);
		expect(observer.result()).toMatchObject({ finished: true, pieces: 1 });
	});

	test.each([
		["nothing yet", []],
		["the start", [start]],
		["a half block", [start, open, say("Hel"), say("lo")]],
		["a whole block", [start, open, say("Hello"), stop]],
	])("ends a stream at its bound after %s as the model would at its limit", (_name, events) => {
		const before = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
		const text =
			before.replace('"id":"msg_1"', '"id":"msg_1","type":"message","role":"assistant","stop_reason":null') +
			observed(...events).cut();
		expect(messagesFaults(text)).toEqual([]);
		expect(framesOf(text).at(-2)).toMatchObject({ type: "message_delta", delta: { stop_reason: "max_tokens" } });
	});

	test("reads whole answers and counts of tokens", () => {
		const body = {
			type: "message",
			content: [
				{ type: "text", text: "Hellö" },
				{ type: "tool_use", input: { a: 1 } },
			],
			usage: { input_tokens: 3, output_tokens: 4 },
		};
		expect(messages.passthrough.observe(body)).toEqual({
			finished: true,
			pieces: 2,
			contentBytes: 13,
			usage: { input: { total: 3 }, output: { total: 4 } },
		});
		expect(messages.passthrough.observe({ input_tokens: 7 })).toEqual({ finished: true, pieces: 0, contentBytes: 0 });
		const failed = messages.passthrough.observe({ type: "error", error: { type: "api_error", message: "x" } });
		expect(failed).toMatchObject({ finished: false, error: { kind: "upstream" } });
	});
});

describe("the name that was asked for", () => {
	const ask = askOf({ ...plain, stream: true });
	const changes = { model: "claude-real", capabilities: {} };

	test("comes back at the start of a stream, the rest as it was", () => {
		const editor = messages.passthrough.editor(ask, changes);
		const events = eventsOf([start, open, say('say "model":"claude-real"'), stop, ending, last], true);
		const text = events.map((event) => editor?.event(event)).join("") + (editor?.end() ?? "");
		expect(text).toContain('"model":"fast","id":"msg_1"');
		expect(text.replace('"model":"fast"', '"model":"claude-real"')).toBe(
			events.map(({ name, data }) => `event: ${name}\ndata: ${data}\n\n`).join(""),
		);
		expect(messages.passthrough.editor(ask, { model: "fast", capabilities: {} })).toBeUndefined();
	});

	test("comes back in a whole answer, byte for byte", () => {
		const text = '{"content":[{"type":"tool_use","input":{"model":"claude-real"}}], "n":1.0, "model": "claude-real"}';
		expect(messages.passthrough.restore(text, ask, changes, JSON.parse(text))).toBe(
			'{"content":[{"type":"tool_use","input":{"model":"claude-real"}}], "n":1.0, "model": "fast"}',
		);
		const counted = { input_tokens: 3 };
		expect(messages.passthrough.restore('{"input_tokens":3}', ask, changes, counted)).toBe('{"input_tokens":3}');
	});
});
