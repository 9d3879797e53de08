/** Tools that a client runs itself: every model may call them, and the client finds its own form again. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord, parseJson, type WireRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	const protocols = ["chat-completions", "messages", "responses", "generate-content"];
	const upstreams = protocols.map((protocol) => ({ name: protocol, protocol, url: upstream.url, key: "k" }));
	const models = [
		{ name: "gpt", targets: [{ upstream: "chat-completions", model: "gpt-4.1" }], translation: "strict" },
		{ name: "claude", targets: [{ upstream: "messages", model: "claude-sonnet-4-5" }], translation: "strict" },
		{ name: "o", targets: [{ upstream: "responses", model: "gpt-5.1" }] },
		{ name: "gemini", targets: [{ upstream: "generate-content", model: "gemini-2.5-pro" }] },
	];
	gateway = await startGateway({ plugins: ["tokens", ...protocols, { use: "router", with: { upstreams, models } }] });
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const sent = (): WireRecord => asRecord(upstream.received.at(-1)?.json);

const chatCall = (name: string, given: unknown) => ({
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "m",
	choices: [
		{
			index: 0,
			message: {
				role: "assistant",
				content: null,
				tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: JSON.stringify(given) } }],
			},
			finish_reason: "tool_calls",
		},
	],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const claudeCall = (name: string, input: unknown) => ({
	id: "msg_1",
	type: "message",
	role: "assistant",
	model: "m",
	content: [{ type: "tool_use", id: "toolu_1", name, input }],
	stop_reason: "tool_use",
	usage: { input_tokens: 1, output_tokens: 1 },
});

describe("a client of Messages", () => {
	const tools = [
		{ type: "bash_20250124", name: "bash" },
		{ type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
		{ type: "memory_20250818", name: "memory" },
		{ type: "computer_20250124", name: "computer", display_width_px: 800, display_height_px: 600 },
	];

	test("has its tools offered as functions, its history kept, and its call back", async () => {
		upstream.answer(() => Response.json(chatCall("bash", { command: "ls" })));
		const response = await gateway.ask("/v1/messages", {
			model: "gpt",
			max_tokens: 99,
			tools,
			messages: [
				{ role: "user", content: "What is here?" },
				{ role: "assistant", content: [{ type: "tool_use", id: "t1", name: "bash", input: { command: "pwd" } }] },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "/home" }] },
			],
		});
		expect(response.status).toBe(200);
		const offered = asList(sent()["tools"]).map((tool) => asRecord(asRecord(tool)["function"]));
		expect(offered.map(({ name }) => name)).toEqual(["bash", "str_replace_based_edit_tool", "memory", "computer"]);
		for (const { parameters } of offered) expect(asRecord(parameters)["type"]).toBe("object");
		expect(String(offered[3]?.["description"])).toContain("800 by 600");
		expect(JSON.stringify(sent()["messages"])).toContain("pwd");
		expect(asRecord(await response.json())["content"]).toEqual([
			{ type: "tool_use", id: "call_1", name: "bash", input: { command: "ls" } },
		]);
	});

	test("that forces a tool which the upstream has not makes no invalid request", async () => {
		upstream.answer(() =>
			Response.json({ id: "r", object: "response", created_at: 1, status: "completed", model: "m", output: [] }),
		);
		const response = await gateway.ask("/v1/messages", {
			model: "o",
			max_tokens: 99,
			tools: [
				{ type: "web_fetch_20250910", name: "web_fetch" },
				{ name: "f", input_schema: { type: "object", properties: {} } },
			],
			tool_choice: { type: "tool", name: "web_fetch" },
			messages: [{ role: "user", content: "Read it." }],
		});
		expect(response.status).toBe(200);
		expect(sent()["tool_choice"]).toBe("auto");
		expect(response.headers.get("x-portico-dropped")).toBe("tools[0],tool_choice");
	});
});

describe("a client of Responses", () => {
	const tools = [{ type: "shell", environment: { type: "local" } }, { type: "local_shell" }, { type: "apply_patch" }];
	const history = [
		{ role: "user", content: "Go on." },
		{ type: "shell_call", call_id: "s1", action: { commands: ["ls", "pwd"], timeout_ms: 100 }, status: "completed" },
		{
			type: "shell_call_output",
			call_id: "s1",
			output: [{ stdout: "a.txt", stderr: "oops", outcome: { type: "exit", exit_code: 2 } }],
		},
		{ type: "local_shell_call", id: "l", call_id: "l1", action: { type: "exec", command: ["cat", "x"], env: {} } },
		{ type: "local_shell_call_output", id: "l1", output: "text of x" },
		{ type: "apply_patch_call", call_id: "p1", status: "completed", operation: { type: "delete_file", path: "x" } },
		{ type: "apply_patch_call_output", call_id: "p1", status: "completed", output: "gone" },
	];

	test("has its tools offered as functions and its history kept", async () => {
		upstream.answer(() => Response.json(claudeCall("shell", { commands: ["ls"] })));
		const response = await gateway.ask("/v1/responses", { model: "claude", tools, input: history });
		expect(response.status).toBe(200);
		expect(asList(sent()["tools"]).map((tool) => asRecord(tool)["name"])).toEqual([
			"shell",
			"local_shell",
			"apply_patch",
		]);
		const blocks = asList(sent()["messages"]).flatMap((message) => asList(asRecord(message)["content"]).map(asRecord));
		expect(blocks.filter(({ type }) => type === "tool_use").map(({ name, input }) => [name, input])).toEqual([
			["shell", { commands: ["ls", "pwd"], timeout_ms: 100 }],
			["local_shell", { command: ["cat", "x"], env: {} }],
			["apply_patch", { type: "delete_file", path: "x" }],
		]);
		expect(blocks.filter(({ type }) => type === "tool_result").map(({ content }) => content)).toEqual([
			"a.txt\noops\n[exit code 2]",
			"text of x",
			"gone",
		]);
		const [call] = asList(asRecord(await response.json())["output"]).map(asRecord);
		expect(call).toMatchObject({
			type: "shell_call",
			call_id: "toolu_1",
			status: "completed",
			action: { commands: ["ls"] },
		});
	});

	test.each([
		[
			"local_shell",
			{ command: ["ls"] },
			{ type: "local_shell_call", action: { type: "exec", command: ["ls"], env: {} } },
		],
		[
			"apply_patch",
			{ type: "update_file", path: "a", diff: "-a\n+b" },
			{ type: "apply_patch_call", operation: { type: "update_file", path: "a", diff: "-a\n+b" } },
		],
	])("gets a call of %s in its own form", async (name, given, item) => {
		upstream.answer(() => Response.json(claudeCall(name, given)));
		const response = await gateway.ask("/v1/responses", { model: "claude", tools, input: "Go." });
		expect(asList(asRecord(await response.json())["output"])[0]).toMatchObject(item);
	});

	test("gets it streamed as one item that is done when it is whole", async () => {
		const event = (data: WireRecord) => `event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
		const block = { type: "tool_use", id: "toolu_1", name: "apply_patch", input: {} };
		const usage = { input_tokens: 1, output_tokens: 1 };
		const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
		const grow = (partial_json: string) =>
			event({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } });
		upstream.answer(() =>
			streamOf([
				event({ type: "message_start", message }),
				event({ type: "content_block_start", index: 0, content_block: block }),
				grow('{"type":"delete_file",'),
				grow('"path":"a"}'),
				event({ type: "content_block_stop", index: 0 }),
				event({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage }),
				event({ type: "message_stop" }),
			]),
		);
		const response = await gateway.ask("/v1/responses", { model: "claude", tools, input: "Go.", stream: true });
		const events = (await response.text())
			.split("\n")
			.flatMap((line) => (line.startsWith("data: ") ? [asRecord(parseJson(line.slice(6)))] : []));
		const items = events.filter(({ type }) => String(type).startsWith("response.output_item"));
		expect(items.map(({ type, item }) => [type, asRecord(item)["status"]])).toEqual([
			["response.output_item.added", "in_progress"],
			["response.output_item.done", "completed"],
		]);
		const operation = { type: "delete_file", path: "a" };
		expect(asRecord(items[1]?.["item"])["operation"]).toEqual(operation);
		expect(asList(asRecord(events.at(-1)?.["response"])["output"])[0]).toMatchObject({ operation });
	});
});

describe("a client of Responses that searches for tools itself", () => {
	const parameters = { type: "object", properties: { queries: { type: "array", items: { type: "string" } } } };
	const search = { type: "tool_search", execution: "client", description: "Finds more tools.", parameters };
	const inner = { type: "function", name: "rate", description: "The rate of today.", parameters: { type: "object" } };
	const found = [{ type: "namespace", name: "money", description: "Money.", tools: [inner] }];
	const asked = { role: "user", content: "What is a euro worth?" };
	const call = { type: "tool_search_call", call_id: "s1", execution: "client", arguments: { queries: ["rate"] } };
	const output = { type: "tool_search_output", call_id: "s1", execution: "client", status: "completed", tools: found };

	test("offers it as a function and gets its call as the search it is", async () => {
		upstream.answer(() => Response.json(claudeCall("tool_search", { queries: ["rate"] })));
		const response = await gateway.ask("/v1/responses", { model: "claude", tools: [search], input: [asked] });
		expect(response.status).toBe(200);
		expect(sent()["tools"]).toMatchObject([{ name: "tool_search", description: "Finds more tools." }]);
		const [item] = asList(asRecord(await response.json())["output"]).map(asRecord);
		expect(item).toMatchObject({ ...call, call_id: "toolu_1", status: "completed" });
		expect(item?.["id"]).toMatch(/^tsc_/);
	});

	test("tells what it found, and gets a call of it back as it knows it", async () => {
		upstream.answer(() => Response.json(claudeCall("money__rate", { of: "EUR" })));
		const input = [asked, call, output];
		const response = await gateway.ask("/v1/responses", { model: "claude", tools: [search], input });
		expect(response.status).toBe(200);
		expect(asList(sent()["tools"]).map((tool) => asRecord(tool)["name"])).toEqual(["tool_search", "money__rate"]);
		expect(sent()["messages"]).toMatchObject([
			{ role: "user" },
			{ role: "assistant", content: [{ type: "tool_use", name: "tool_search", input: { queries: ["rate"] } }] },
			{
				role: "user",
				content: [{ type: "tool_result", content: expect.stringContaining("- money__rate: The rate of") }],
			},
		]);
		const [item] = asList(asRecord(await response.json())["output"]).map(asRecord);
		expect(item).toMatchObject({ type: "function_call", name: "rate", namespace: "money" });
	});

	test("a search of the provider's own is left out where there is none, and told", async () => {
		upstream.answer(() =>
			Response.json({ candidates: [{ content: { parts: [{ text: "ok" }] }, finishReason: "STOP" }] }),
		);
		const response = await gateway.ask("/v1/responses", {
			model: "gemini",
			tools: [{ type: "tool_search" }],
			input: [asked],
		});
		expect(response.headers.get("x-portico-dropped")).toContain("tools[0]");
	});
});
