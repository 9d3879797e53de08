/** A chat client's calls through the front door: passthrough, aliases, fallbacks, errors, and what leaves Portico. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

const question = { messages: [{ role: "user", content: "Hello" }] };

const completion = (model = "gpt-4o-mini", content = "Hi there") => ({
	id: "chatcmpl-1",
	object: "chat.completion",
	created: 1_700_000_000,
	model,
	choices: [
		{ index: 0, message: { role: "assistant", content, refusal: null }, logprobs: null, finish_reason: "stop" },
	],
	usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});

const chunk = (delta: object, finish: string | null = null, model = "gpt-4o-mini") =>
	`data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const usageChunk = `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-4o-mini", choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } })}\n\n`;

const wholeStream = [
	chunk({ role: "assistant", content: "" }),
	chunk({ content: "Hi" }),
	chunk({}, "stop"),
	usageChunk,
	"data: [DONE]\n\n",
];

let main: ScriptedUpstream;
let spare: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	main = startUpstream();
	spare = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"model-list",
			"chat-completions",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "main", protocol: "chat-completions", url: `${main.url}/v1`, key: "sk-upstream-secret-1234567890" },
						{ name: "spare", protocol: "chat-completions", url: `${spare.url}/v1/` },
						{ name: "gone", protocol: "chat-completions", url: "http://127.0.0.1:1/v1" },
					],
					models: [
						{ name: "gpt-*", targets: [{ upstream: "main" }] },
						{ name: "fast", targets: [{ upstream: "main", model: "gpt-4o-mini" }] },
						{
							name: "safe",
							targets: [
								{ upstream: "main", model: "gpt-4o" },
								{ upstream: "spare", model: "other" },
							],
						},
						{ name: "far", targets: [{ upstream: "gone" }, { upstream: "spare", model: "other" }] },
						{ name: "nowhere", targets: [{ upstream: "gone" }] },
					],
				},
			},
		],
	});
});

afterAll(async () => {
	await gateway.stop();
	await main.stop();
	await spare.stop();
});

beforeEach(() => {
	main.received.length = 0;
	spare.received.length = 0;
	main.answer(() => Response.json(completion()));
	spare.answer(() => Response.json(completion("other", "from the spare")));
});

const lastRow = async () => {
	await gateway.admin("GET", "/admin/usage");
	const { sql } = await import("drizzle-orm");
	const rows = await gateway.store.all(sql`SELECT * FROM ledger ORDER BY rowid DESC LIMIT 1`);
	const { detail, ...row } = rows[0] ?? {};
	return { ...row, ...JSON.parse(String(detail)) };
};

describe("same protocol on both sides", () => {
	test("the client's bytes reach the upstream unchanged, unknown fields and number spellings included", async () => {
		const body =
			'{ "model":"gpt-4o",  "messages":[{"role":"user","content":"é \\u00e9"}], "temperature":1.0, "x_unknown":{"b":1,"a":2} }';
		const response = await gateway.ask("/v1/chat/completions", body);
		expect(response.status).toBe(200);
		expect(await response.json()).toEqual(completion());
		expect(main.received[0]?.text).toBe(body);
		expect(main.received[0]?.path).toBe("/v1/chat/completions");
	});

	test("an alias is put in place of the model on the way up and back again on the way down", async () => {
		const response = await gateway.ask("/v1/chat/completions", { ...question, model: "fast" });
		expect(await response.json()).toEqual(completion("fast"));
		expect(main.received[0]?.json).toEqual({ ...question, model: "gpt-4o-mini" });
	});

	test("the upstream gets its own key and nothing of the client's", async () => {
		await gateway.ask(
			"/v1/chat/completions",
			{ ...question, model: "gpt-4o" },
			{ headers: { cookie: "a=b", "x-forwarded-for": "1.2.3.4", "x-api-key": gateway.key } },
		);
		const headers = main.received[0]?.headers;
		expect(headers?.get("authorization")).toBe("Bearer sk-upstream-secret-1234567890");
		expect(headers?.get("cookie")).toBeNull();
		expect(headers?.get("x-api-key")).toBeNull();
		expect(headers?.get("x-forwarded-for")).toBeNull();
	});

	test("usage that was asked of the upstream for the ledger is not shown to a client that did not ask", async () => {
		main.answer(() => streamOf(wholeStream));
		const response = await gateway.ask("/v1/chat/completions", { ...question, model: "gpt-4o-mini", stream: true });
		expect(response.headers.get("content-type")).toStartWith("text/event-stream");
		expect(await response.text()).toBe([...wholeStream.slice(0, 3), wholeStream[4]].join(""));
		expect(main.received[0]?.json).toMatchObject({ stream_options: { include_usage: true } });
		expect(await lastRow()).toMatchObject({ ending: "completed", input_tokens: 5, output_tokens: 2, stream: true });
	});

	test("a client that asked for usage gets the very bytes of the upstream", async () => {
		main.answer(() => streamOf(wholeStream));
		const response = await gateway.ask("/v1/chat/completions", {
			...question,
			model: "gpt-4o-mini",
			stream: true,
			stream_options: { include_usage: true },
		});
		expect(await response.text()).toBe(wholeStream.join(""));
	});

	test("paths without /v1 and with it twice lead to the same route", async () => {
		for (const path of ["/chat/completions", "/v1/v1/chat/completions"])
			expect((await gateway.ask(path, { ...question, model: "gpt-4o" })).status).toBe(200);
	});
});

describe("when an upstream fails", () => {
	test.each([500, 502, 503, 529, 429, 408])(
		"status %d leads to the next target before anything was sent",
		async (status) => {
			main.answer(() => Response.json({ error: { message: "no" } }, { status }));
			const response = await gateway.ask("/v1/chat/completions", { ...question, model: "safe" });
			expect(await response.json()).toEqual(completion("safe", "from the spare"));
			expect(spare.received).toHaveLength(1);
		},
	);

	test("an upstream that cannot be reached leads to the next target", async () => {
		const response = await gateway.ask("/v1/chat/completions", { ...question, model: "far" });
		expect(response.status).toBe(200);
	});

	test("an error told as the first event of a stream leads to the next target", async () => {
		main.answer(() => streamOf(['data: {"error":{"message":"The server had an error","type":"server_error"}}\n\n']));
		spare.answer(() => streamOf(wholeStream));
		const response = await gateway.ask("/v1/chat/completions", { ...question, model: "safe", stream: true });
		expect(response.status).toBe(200);
		expect(await response.text()).toContain('"Hi"');
	});

	test("without another target the client gets a clear error in its own shape, and no address or key", async () => {
		const response = await gateway.ask("/v1/chat/completions", { ...question, model: "nowhere" });
		expect(response.status).toBe(502);
		const text = await response.text();
		expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } });
		expect(text).not.toContain("127.0.0.1");
	});

	test.each([401, 403])("an upstream's %d is never the client's own", async (status) => {
		main.answer(() =>
			Response.json({ error: { message: "Incorrect API key provided: sk-upstream-secret-1234567890" } }, { status }),
		);
		const response = await gateway.ask("/v1/chat/completions", { ...question, model: "gpt-4o" });
		expect(response.status).toBe(502);
		expect(await response.text()).not.toContain("sk-upstream");
	});

	test("a 400 speaks of the client's own request and is passed on, keys removed", async () => {
		main.answer(() =>
			Response.json(
				{
					error: {
						message: "bad temperature for sk-abcdefghijkl",
						type: "invalid_request_error",
						param: "temperature",
						code: null,
					},
				},
				{ status: 400 },
			),
		);
		const response = await gateway.ask("/v1/chat/completions", { ...question, model: "gpt-4o" });
		expect(response.status).toBe(400);
		expect(await response.json()).toEqual({
			error: {
				message: "bad temperature for [removed]",
				type: "invalid_request_error",
				param: "temperature",
				code: null,
			},
		});
	});

	test.each([
		[
			{ object: "error", message: "bad temperature", type: "BadRequestError", param: null, code: 400 },
			"bad temperature",
		],
		[{ detail: [{ loc: ["body", "top_k"], msg: "Field required" }] }, "top_k: Field required"],
	])("a refusal in a shape of the vendor's own is told in the protocol's", async (body, message) => {
		main.answer(() => Response.json(body, { status: 422 }));
		const response = await gateway.ask("/v1/chat/completions", { ...question, model: "gpt-4o" });
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({ error: { message, type: "invalid_request_error", param: null } });
	});

	test("a refusal that Google puts into a list is told as OpenAI's clients read it", async () => {
		const error = { code: 400, message: "Unknown field.", status: "INVALID_ARGUMENT" };
		main.answer(() => Response.json([{ error }], { status: 400 }));
		const response = await gateway.ask("/v1/chat/completions", { ...question, model: "gpt-4o" });
		expect([response.status, await response.json()]).toEqual([400, { error }]);
	});

	test("a stream that breaks off ends with an error and not with [DONE]", async () => {
		main.answer(() => streamOf(wholeStream.slice(0, 2)));
		const response = await gateway.ask("/v1/chat/completions", {
			...question,
			model: "gpt-4o",
			stream: true,
			stream_options: { include_usage: true },
		});
		const text = await response.text();
		expect(text).toStartWith(wholeStream.slice(0, 2).join(""));
		expect(text.slice(wholeStream.slice(0, 2).join("").length)).toMatch(/^data: \{"error":\{/);
		expect(text).not.toContain("[DONE]");
		expect(await lastRow()).toMatchObject({ ending: "upstream_failed", estimated: true });
	});

	test("half an event is not sent: the client could not read the error behind it", async () => {
		const half = wholeStream[2]?.slice(0, 30) ?? "";
		expect(half).toStartWith("data: {");
		main.answer(() => streamOf([...wholeStream.slice(0, 2), half]));
		const response = await gateway.ask("/v1/chat/completions", {
			...question,
			model: "gpt-4o",
			stream: true,
			stream_options: { include_usage: true },
		});
		const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
		expect(lines.slice(0, 2)).toEqual(wholeStream.slice(0, 2).map((event) => event.trim()));
		expect(lines).toHaveLength(3);
		expect(JSON.parse(lines[2]?.slice(6) ?? "")).toMatchObject({ error: { message: expect.any(String) } });
	});

	test.each(["fast", "gpt-4o-mini"])(
		"half a count behind the finish is not sent, and the answer to %s stands",
		async (model) => {
			main.answer(() => streamOf([...wholeStream.slice(0, 3), usageChunk.slice(0, -20)]));
			const asked = { ...question, model, stream: true, stream_options: { include_usage: true } };
			const text = await (await gateway.ask("/v1/chat/completions", asked)).text();
			expect(text.replaceAll(`"model":"${model}"`, '"model":"gpt-4o-mini"')).toBe(wholeStream.slice(0, 3).join(""));
		},
	);

	test("HTML with 200 is an upstream's failure", async () => {
		main.answer(() => new Response("<html>hello</html>", { headers: { "content-type": "text/html" } }));
		for (const stream of [false, true]) {
			const response = await gateway.ask("/v1/chat/completions", { ...question, model: "gpt-4o", stream });
			expect(response.status).toBe(502);
			expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
		}
	});

	test("JSON for a stream becomes the stream, a stream for JSON becomes the whole", async () => {
		const streamed = await gateway.ask("/v1/chat/completions", { ...question, model: "gpt-4o", stream: true });
		expect(await streamed.text()).toContain('"content":"Hi there"');
		main.answer(() => streamOf(wholeStream));
		const whole = await gateway.ask("/v1/chat/completions", { ...question, model: "gpt-4o-mini" });
		expect(await whole.json()).toMatchObject({
			object: "chat.completion",
			choices: [{ message: { content: "Hi" }, finish_reason: "stop" }],
		});
	});
});

describe("when the client leaves", () => {
	test("the upstream's work is ended and the call is settled", async () => {
		const left = Promise.withResolvers<void>();
		main.answer(({ signal }) => {
			signal.addEventListener("abort", () => left.resolve());
			const body = new ReadableStream<Uint8Array>({
				start: (controller) => controller.enqueue(new TextEncoder().encode(wholeStream.slice(0, 2).join(""))),
			});
			return new Response(body, { headers: { "content-type": "text/event-stream" } });
		});
		const abort = new AbortController();
		const response = await gateway.ask(
			"/v1/chat/completions",
			{ ...question, model: "gpt-4o", stream: true },
			{ signal: abort.signal },
		);
		await response.body?.getReader().read();
		abort.abort();
		await left.promise;
		expect(await lastRow()).toMatchObject({ ending: "client_left" });
	});
});

describe("models", () => {
	test("lists exact names, and patterns by name", async () => {
		const list = (await (await gateway.ask("/v1/models")).json()) as { data: { id: string }[] };
		expect(list.data.map(({ id }) => id)).toEqual(["fast", "safe", "far", "nowhere"]);
		expect(await (await gateway.ask("/v1/models/gpt-4o")).json()).toMatchObject({ id: "gpt-4o", object: "model" });
		expect((await gateway.ask("/v1/models/claude")).status).toBe(404);
		for (const name of ["%", "%E0%A4%A"]) expect((await gateway.ask(`/v1/models/${name}`)).status).toBe(404);
	});

	test("shows a token only what it may use", async () => {
		const { key } = await gateway.token({ models: ["fast"] });
		const headers = { authorization: `Bearer ${key}` };
		const list = (await (await gateway.ask("/v1/models", undefined, { headers })).json()) as { data: { id: string }[] };
		expect(list.data.map(({ id }) => id)).toEqual(["fast"]);
		const refused = await gateway.ask("/v1/chat/completions", { ...question, model: "gpt-4o" }, { headers });
		expect(refused.status).toBe(404);
		expect(await refused.json()).toMatchObject({ error: { code: "model_not_found" } });
	});
});

describe("an outgoing proxy", () => {
	test("is used when config names one", async () => {
		const proxied: string[] = [];
		const proxy = Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			fetch(request) {
				proxied.push(request.url);
				return Response.json(completion());
			},
		});
		const plugins = [
			"tokens",
			"chat-completions",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "chat-completions", url: "http://provider.example/v1" }],
					models: [{ name: "gpt-*", targets: [{ upstream: "main" }] }],
				},
			},
		];
		const config = { server: { httpProxy: `http://127.0.0.1:${proxy.port}` } };
		const behind = await startGateway({ plugins, config });
		expect((await behind.ask("/v1/chat/completions", { ...question, model: "gpt-4o" })).status).toBe(200);
		expect(proxied).toHaveLength(1);
		await behind.stop();
		await proxy.stop(true);
	});
});
