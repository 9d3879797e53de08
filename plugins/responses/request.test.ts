/** Requests: what clients send, read and checked; what upstreams are sent. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { asList, type Block, type Message, type NeutralRequest } from "#core";
import { withoutShared } from "../../test/support/recordings.ts";
import { loadSchemas } from "../../test/support/schemas.ts";
import { askOf, decoded, encoded, foreign } from "./fixtures/trial.ts";
import { responses } from "./protocol.ts";

const schemas = withoutShared ? undefined : (await loadSchemas()).responses;

/** Writes the request and checks that it is one. */
const sent = (
	request: Partial<NeutralRequest>,
	...context: Parameters<typeof encoded> extends [unknown, ...infer R] ? R : never
) => {
	const result = encoded(foreign(request), ...context);
	expect(schemas?.request(result.body) ?? null).toBeNull();
	return result;
};

const text = (value: string): Block => ({ type: "text", text: value });
const said = (role: Message["role"], ...blocks: (Block | string)[]): Message => ({
	role,
	blocks: blocks.map((block) => (typeof block === "string" ? text(block) : block)),
});
const refused = (body: Record<string, unknown>) => {
	try {
		askOf({ model: "m", input: "x", ...body });
	} catch (error) {
		return error instanceof Error && "denial" in error ? error.denial : error;
	}
	return undefined;
};

describe("what is refused before anything is sent", () => {
	test.each([
		["model", { model: undefined }],
		["model", { model: "" }],
		["input", { input: undefined }],
		["input", { input: 5 }],
		["input[0]", { input: ["x"] }],
		["input[0].role", { input: [{ role: "robot", content: "x" }] }],
		["input[0].content", { input: [{ role: "user", content: null }] }],
		["input[0].type", { input: [{}] }],
		["stream", { stream: "true" }],
		["max_output_tokens", { max_output_tokens: 0 }],
		["max_output_tokens", { max_output_tokens: 1.5 }],
		["temperature", { temperature: 3 }],
		["top_logprobs", { top_logprobs: 21 }],
		["tools", { tools: {} }],
		["text", { text: "json" }],
		["previous_response_id", { previous_response_id: 7 }],
	])("%s: %j", (parameter, body) => {
		expect(refused(body)).toMatchObject({ kind: "invalid_request", parameter });
	});

	test("a call without input may go on from an answer, and what is null is not there", () => {
		expect(refused({ input: undefined, previous_response_id: "resp_1" })).toBeUndefined();
		expect(refused({ temperature: null, max_output_tokens: null, tools: null, stream: null })).toBeUndefined();
	});
});

test("model, limit, stream and cache key are found without decoding", () => {
	const { call } = askOf({ model: "m", input: "x", stream: true, max_output_tokens: 9, prompt_cache_key: "k" });
	expect(call).toEqual({
		operation: "generate",
		name: "m",
		stream: true,
		candidates: 1,
		maxOutputTokens: 9,
		affinity: "k",
	});
	expect(askOf({ model: "m", input: "x", stream: true }, "/responses/input_tokens").call).toMatchObject({
		operation: "count_tokens",
		stream: false,
	});
});

describe("a client's conversation", () => {
	test("messages with and without a type, a text or parts, all roles", () => {
		const { messages } = decoded({
			instructions: "Be kind.",
			input: [
				{ role: "developer", content: "Briefly." },
				{ type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
				{ role: "assistant", content: "Hello" },
				{ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "!" }] },
				{ role: "user", content: "Bye" },
			],
		});
		expect(messages).toMatchObject([
			{ role: "system", blocks: [{ text: "Be kind." }] },
			{ role: "developer", blocks: [{ text: "Briefly." }] },
			{ role: "user", blocks: [{ text: "Hi" }] },
			{ role: "assistant", blocks: [{ text: "Hello" }, { text: "!", itemId: "msg_1" }] },
			{ role: "user", blocks: [{ text: "Bye" }] },
		]);
	});

	test("H119 and H73: reasoning and parallel calls belong to one turn of the assistant, results to the next", () => {
		const { messages } = decoded({
			input: [
				{ role: "user", content: "x" },
				{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "blob" },
				{ type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: '{"a":1}' },
				{ type: "function_call", call_id: "c2", name: "g", arguments: "" },
				{ type: "function_call_output", call_id: "c1", output: "one" },
				{ type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "two" }] },
			],
		});
		expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
		expect(messages[1]?.blocks).toMatchObject([
			{ type: "thinking", text: "Hm.", signature: { origin: { protocol: "responses", family: "gpt" } } },
			{ type: "tool_call", id: "c1", arguments: { form: "json", value: { a: 1 } } },
			{ type: "tool_call", id: "c2", arguments: { form: "json", value: {} } },
		]);
		expect(messages[2]?.blocks).toMatchObject([
			{ type: "tool_result", callId: "c1", content: [{ text: "one" }] },
			{ type: "tool_result", callId: "c2", content: [{ text: "two" }] },
		]);
	});

	test("a signature carried before a call stays the call's where the client moved the text between them", () => {
		const carried = "portico.generate-content.gemini.next.SIG";
		const { messages } = decoded({
			input: [
				{ role: "user", content: "Go" },
				{ type: "reasoning", id: "rs_portico_1", summary: [], encrypted_content: carried },
				{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Looking." }] },
				{ type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
			],
		});
		const [said, called] = messages.at(-1)?.blocks ?? [];
		expect(said).not.toHaveProperty("signature");
		expect(called).toMatchObject({
			type: "tool_call",
			signature: { value: "SIG", origin: { protocol: "generate-content", family: "gemini" } },
		});
	});

	test("H121: outputs of custom tools are texts, parts or anything else", () => {
		const output = (value: unknown) =>
			decoded({
				input: [
					{ type: "custom_tool_call", call_id: "c", name: "sql", input: "SELECT" },
					{ type: "custom_tool_call_output", call_id: "c", output: value },
				],
			}).messages[1]?.blocks[0];
		expect(output("done")).toMatchObject({ kind: "custom", content: [{ text: "done" }] });
		expect(output([{ type: "input_image", image_url: "data:image/png;base64,QUJD" }])).toMatchObject({
			content: [{ type: "image", media: { by: "bytes", mime: "image/png", base64: "QUJD" } }],
		});
		expect(output({ rows: 1 })).toMatchObject({ content: [{ text: '{"rows":1}' }] });
	});

	test("images, files and sounds: by address, bytes and id", () => {
		const { messages } = decoded({
			input: [
				{
					role: "user",
					content: [
						{ type: "input_image", image_url: "https://a.example/x.png", detail: "low" },
						{ type: "input_image", file_id: "file-1" },
						{ type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,QUJD" },
						{ type: "input_file", filename: "a.txt", file_data: "QUJD" },
						{ type: "input_file", filename: "a.xml", file_data: "QUJD" },
						{ type: "input_file", file_url: "https://a.example/a.pdf" },
						{ type: "input_audio", input_audio: { data: "QUJD", format: "mp3" } },
					],
				},
			],
		});
		const origin = { protocol: "responses", family: "gpt" };
		expect(messages[0]?.blocks).toEqual([
			{ type: "image", media: { by: "url", url: "https://a.example/x.png" }, detail: "low" },
			{ type: "image", media: { by: "file", id: "file-1", origin } },
			{ type: "document", media: { by: "bytes", base64: "QUJD", mime: "application/pdf" }, filename: "a.pdf" },
			{ type: "document", media: { by: "bytes", base64: "QUJD", mime: "text/plain" }, filename: "a.txt" },
			{ type: "document", media: { by: "bytes", base64: "QUJD", mime: "application/xml" }, filename: "a.xml" },
			{ type: "document", media: { by: "url", url: "https://a.example/a.pdf" } },
			{ type: "audio", media: { by: "bytes", base64: "QUJD", mime: "audio/mpeg" } },
		]);
	});

	test("H127: a data address without base64 is bytes as well", () => {
		const content = [{ type: "input_image", image_url: "data:image/svg+xml,%3Csvg/%3E" }];
		expect(decoded({ input: [{ role: "user", content }] }).messages[0]?.blocks[0]).toMatchObject({
			media: { by: "bytes", mime: "image/svg+xml", base64: Buffer.from("<svg/>").toString("base64") },
		});
	});

	test("a reference that leads nowhere is refused, naming its place", () => {
		for (const item of [{ type: "item_reference", id: "rs_1" }, { id: "rs_1" }])
			expect(() => decoded({ input: [{ role: "user", content: "x" }, item] })).toThrow("Item with id 'rs_1' not found");
	});

	test("H122: tools that agents bring along by default are taken, none makes the call fail", () => {
		const { tools } = decoded({
			input: [
				{ type: "additional_tools", role: "developer", tools: [{ type: "function", name: "extra", parameters: {} }] },
				{ role: "user", content: "x" },
			],
			tools: [
				{ type: "function", name: "shell", parameters: { type: "object" }, strict: false },
				{ type: "custom", name: "apply_patch", format: { type: "grammar", syntax: "lark", definition: "start: X" } },
				{
					type: "namespace",
					name: "crm",
					description: "d",
					tools: [{ type: "function", name: "find", parameters: {} }],
				},
				{ type: "web_search", filters: { allowed_domains: ["a.example"] }, search_context_size: "low" },
				{ type: "local_shell" },
				{ type: "tool_search" },
				{ type: "from_the_future" },
			],
		});
		expect(tools).toMatchObject([
			{ type: "function", name: "shell", strict: false },
			{ type: "custom", name: "apply_patch", format: { type: "grammar" } },
			{ type: "function", name: "crm__find" },
			{ type: "server", tool: "web_search", config: { allowedDomains: ["a.example"], contextSize: "low" } },
			{ type: "function", name: "local_shell" },
			{ type: "server", tool: "tool_search" },
			{ type: "unknown" },
			{ type: "function", name: "extra" },
		]);
	});

	test("a custom tool whose format is null has none", () => {
		expect(decoded({ input: "x", tools: [{ type: "custom", name: "c", format: null }] }).tools).toEqual([
			{ type: "custom", name: "c" },
		]);
	});

	test("a change of settings within the conversation holds for the answer that is asked for", () => {
		const update = (effort: string) => ({ type: "configuration_update", reasoning: { effort } });
		const format = { type: "json_schema", name: "n", schema: { type: "object" } };
		const asked = decoded({
			reasoning: { effort: "low", summary: "auto" },
			input: [
				update("high"),
				{ role: "user", content: "a" },
				update("medium"),
				{ type: "configuration_update", text: { format } },
			],
		});
		expect(asked.reasoning).toEqual({ mode: "on", effort: "medium", summary: "auto", expose: "summary" });
		expect(asked.format).toEqual({ type: "schema", schema: { type: "object" }, name: "n" });
		expect(asked.messages).toHaveLength(1);
		expect(asked.raw).toMatchObject({ reasoning: { effort: "low" } });
		const strange = decoded({
			input: [
				{ role: "user", content: "a" },
				{ ...update("high"), tone: "dry" },
			],
		});
		expect(strange.reasoning).toMatchObject({ effort: "high" });
		expect(strange.messages.at(-1)?.blocks).toMatchObject([{ type: "unknown" }]);
	});

	test("a function that says nothing of strictness is strict where that changes nothing", () => {
		const schema = (required: string[]) => ({ type: "object", properties: { a: { type: "string" } }, required });
		const toolOf = (parameters: unknown) =>
			decoded({ input: "x", tools: [{ type: "function", name: "f", parameters }] }).tools?.[0];
		expect(toolOf(schema(["a"]))).toMatchObject({ strict: true, schema: { additionalProperties: false } });
		const optional = toolOf(schema([]));
		expect(optional).toMatchObject({ schema: schema([]) });
		expect(optional).not.toHaveProperty("strict");
	});

	test.each([
		["auto", { mode: "auto" }],
		["required", { mode: "required" }],
		[
			{ type: "function", name: "f" },
			{ mode: "named", names: ["f"], force: true, kind: "function" },
		],
		[
			{ type: "custom", name: "c" },
			{ mode: "named", names: ["c"], force: true, kind: "custom" },
		],
		[
			{ type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }, { type: "web_search" }] },
			{ mode: "named", names: ["f", "web_search"], force: false },
		],
		[{ type: "web_search_preview" }, { mode: "named", names: ["web_search_preview"], force: true, kind: "server" }],
	])("the choice %j", (choice, expected) => {
		expect(decoded({ input: "x", tool_choice: choice }).toolChoice).toEqual(expected as never);
	});

	test("settings have their neutral places, everything else is kept for this protocol", () => {
		const request = decoded({
			input: "x",
			reasoning: { effort: "high", summary: "auto" },
			include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
			text: { format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true }, verbosity: "low" },
			top_logprobs: 3,
			max_tool_calls: 2,
			parallel_tool_calls: false,
			service_tier: "flex",
			user: "u",
			safety_identifier: "s",
			metadata: { k: "v" },
			prompt_cache_key: "p",
			truncation: "auto",
			context_management: [{ type: "compaction" }],
		});
		expect(request).toMatchObject({
			reasoning: { mode: "on", effort: "high", summary: "auto", expose: "summary", returnOpaque: true },
			format: { type: "schema", name: "n", strict: true },
			verbosity: "low",
			logprobs: { enabled: true, top: 3 },
			maxToolCalls: 2,
			parallelTools: false,
			tier: "flex",
			identity: { user: "u", safetyId: "s", metadata: { k: "v" } },
			cacheKey: "p",
			state: { truncation: "auto" },
			extras: { responses: { context_management: [{ type: "compaction" }] } },
		});
		expect(decoded({ input: "x", reasoning: { effort: "none" } }).reasoning).toEqual({ mode: "off" });
	});
});

describe("what an upstream is sent", () => {
	test("is who the end user is in at most 64 characters: a longer name goes as its hash", () => {
		const long = JSON.stringify({ device_id: "d".repeat(64), session_id: "s".repeat(36) });
		const identityOf = (name: string) => sent({ identity: { user: name, safetyId: name } }).body;
		const hash = identityOf(long)["user"];
		expect(hash).toMatch(/^[0-9a-f]{64}$/);
		expect(identityOf(long)).toMatchObject({ user: hash, safety_identifier: hash });
		expect(identityOf("u-1")).toMatchObject({ user: "u-1", safety_identifier: "u-1" });
	});

	test("nothing is kept there, and reasoning comes back encrypted", () => {
		expect(sent({}).body).toEqual({
			model: "gpt-5",
			input: [{ role: "user", content: "Hello" }],
			include: ["reasoning.encrypted_content"],
			store: false,
		});
		expect(sent({}, { model: "gpt-4o" }).body["include"]).toBeUndefined();
	});

	test("one leading system text is the instructions; several keep their borders", () => {
		const hello = said("user", "Hello");
		expect(sent({ messages: [said("system", "Be kind."), hello] }).body["instructions"]).toBe("Be kind.");
		const { body } = sent({ messages: [said("system", "Be kind."), said("system", "Be brief."), hello] });
		expect(body.input.slice(0, 2)).toEqual([
			{ role: "system", content: "Be kind." },
			{ role: "system", content: "Be brief." },
		]);
	});

	test("a system message in the middle stays in the middle", () => {
		const messages = [said("user", "a"), said("assistant", "b"), said("system", "c"), said("user", "d")];
		expect(sent({ messages }).body.input.map(({ role }) => role)).toEqual(["user", "assistant", "system", "user"]);
	});

	test("texts of the assistant keep their borders; one text is written plainly", () => {
		const { body } = sent({ messages: [said("user", "x"), said("assistant", "a", "b"), said("user", "y")] });
		expect(body.input[1]).toMatchObject({ type: "message", content: [{ text: "a" }, { text: "b" }] });
		expect(sent({ messages: [said("user", "x"), said("assistant", "a"), said("user", "y")] }).body.input[1]).toEqual({
			role: "assistant",
			content: "a",
		});
	});

	const turn = (...blocks: Block[]) =>
		sent({ messages: [said("user", "x"), said("assistant", ...blocks, "Yes."), said("user", "y")] });
	const own = { protocol: "responses", family: "gpt" };

	test("H116: reasoning of the same family goes back as it was, though a foreign client carried it", () => {
		const value = "rs_9;4,4;blob";
		const thinking: Block = {
			type: "thinking",
			text: "One.\n\nTwo.",
			form: "summary",
			signature: { value, origin: own },
		};
		expect(turn(thinking).body.input[1]).toEqual({
			type: "reasoning",
			id: "rs_9",
			summary: [
				{ type: "summary_text", text: "One." },
				{ type: "summary_text", text: "Two." },
			],
			encrypted_content: "blob",
		});
	});

	test("reasoning that led to nothing stays away and is told, whatever the client put behind it", () => {
		const thinking = (id: string): Block => ({
			type: "thinking",
			text: "Hm.",
			form: "summary",
			signature: { value: `${id};3;blob`, origin: own },
		});
		const call: Block = {
			type: "tool_call",
			id: "call_1",
			name: "a",
			kind: "function",
			arguments: { form: "json", value: {}, text: "{}" },
		};
		const result: Block = { type: "tool_result", callId: "call_1", content: [text("1")] };
		const { body, losses } = sent({
			messages: [
				said("user", "x"),
				said("assistant", thinking("rs_1"), thinking("rs_2")),
				said("user", "y"),
				said("assistant", thinking("rs_3"), thinking("rs_4"), call, thinking("rs_5")),
				said("tool", result),
				said("assistant", thinking("rs_6"), "Yes."),
				said("user", "z"),
				said("assistant", thinking("rs_7")),
			],
		});
		expect(body.input.map(({ id, role, type }) => id ?? role ?? type)).toEqual([
			...["user", "user", "rs_3", "rs_4", "function_call", "function_call_output", "rs_6", "assistant", "user"],
		]);
		expect(losses).toHaveLength(4);
	});

	test("H115 and H103: reasoning without what seals it, or sealed by others, stays away and is told", () => {
		const foreignSeal = { value: "s", origin: { protocol: "messages", family: "claude" } };
		const blocks: Block[] = [
			{ type: "thinking", text: "Hm.", form: "full" },
			{ type: "thinking", text: "Hm.", form: "full", signature: foreignSeal },
			{ type: "opaque_thinking", data: foreignSeal },
			{ type: "opaque_thinking", data: { value: "b", origin: { protocol: "responses", family: "grok" } } },
		];
		for (const block of blocks) {
			const { body, lost } = turn(block);
			expect(body.input.map((item) => item["type"])).not.toContain("reasoning");
			expect(lost).toContain(block.type);
		}
	});

	test("H100: long or odd ids of calls are shortened, the same for call and result", () => {
		const id = `toolu_${"x".repeat(80)}|1`;
		const messages: Message[] = [
			said("user", "x"),
			{
				role: "assistant",
				blocks: [
					{ type: "tool_call", id, name: "f", kind: "function", arguments: { form: "json", value: {}, text: "{}" } },
				],
			},
			{ role: "tool", blocks: [{ type: "tool_result", callId: id, content: [text("one")] }] },
		];
		const [, call, result] = sent({ messages }).body.input;
		expect(String(call?.["call_id"])).toHaveLength(64);
		expect(result).toEqual({ type: "function_call_output", call_id: call?.["call_id"], output: "one" });
	});

	test("H101: a picture in a result goes along; that the tool failed is told as lost", () => {
		const messages: Message[] = [
			said("user", "x"),
			{
				role: "assistant",
				blocks: [
					{
						type: "tool_call",
						id: "c",
						name: "f",
						kind: "function",
						arguments: { form: "json", value: {}, text: "{}" },
					},
				],
			},
			{
				role: "tool",
				blocks: [
					{
						type: "tool_result",
						callId: "c",
						isError: true,
						content: [text("see"), { type: "image", media: { by: "bytes", base64: "QUJD", mime: "image/png" } }],
					},
				],
			},
		];
		const { body, lost } = sent({ messages });
		expect(body.input[2]?.["output"]).toEqual([
			{ type: "input_text", text: "see" },
			{ type: "input_image", image_url: "data:image/png;base64,QUJD", detail: "auto" },
		]);
		expect(lost).toEqual(["tool_result.isError"]);
	});

	test("a picture that a model made is the user's, and what it drew on the way there is left out", () => {
		const picture = (base64: string, more: object = {}): Block => ({
			type: "image",
			media: { by: "bytes", base64, mime: "image/png" },
			...more,
		});
		const { body, lost } = sent({
			messages: [
				said("user", "Draw."),
				{ role: "assistant", blocks: [picture("RFJBRlQ=", { thought: true }), picture("RklOQUw=")] },
			],
		});
		expect(body.input.slice(1)).toEqual([
			{
				role: "user",
				content: [{ type: "input_image", image_url: "data:image/png;base64,RklOQUw=", detail: "auto" }],
			},
		]);
		expect(lost).toEqual(["image"]);
	});

	test("H128: a document is a file with a name; one that another provider keeps cannot go", () => {
		const { body } = sent({
			messages: [
				said(
					"user",
					"Read.",
					{ type: "document", media: { by: "bytes", base64: "QUJD", mime: "application/pdf" } },
					{ type: "document", media: { by: "text", text: "plain", mime: "text/plain" }, title: "notes.txt" },
					{ type: "document", media: { by: "bytes", base64: "QUJD", mime: "text/csv" }, title: "Sales v1.2" },
				),
			],
		});
		expect(body.input[0]?.["content"]).toEqual([
			{ type: "input_text", text: "Read." },
			{ type: "input_file", filename: "file.pdf", file_data: "data:application/pdf;base64,QUJD" },
			{ type: "input_file", filename: "notes.txt", file_data: "data:text/plain;base64,cGxhaW4=" },
			{ type: "input_file", filename: "Sales v1.2.csv", file_data: "data:text/csv;base64,QUJD" },
		]);
		const kept: Block = {
			type: "document",
			media: { by: "file", id: "f", origin: { protocol: "messages", family: "claude" } },
		};
		expect(sent({ messages: [said("user", "Read.", kept)] }).lost).toEqual(["document"]);
	});

	test("what cannot go leaves a note, so that no turn vanishes", () => {
		const origin = { protocol: "messages", family: "claude" };
		const sound: Block = { type: "audio", media: { by: "bytes", base64: "UklGRg==", mime: "audio/wav" } };
		const film: Block = { type: "video", media: { by: "bytes", base64: "AAAA", mime: "video/mp4" } };
		const alone = sent({ messages: [said("user", sound)] });
		expect(alone.body.input).toEqual([
			{ role: "user", content: "[Left out here: sound, which this model cannot take.]" },
		]);
		expect(alone.lost).toEqual(["audio"]);
		const all = sent({
			messages: [
				said(
					"user",
					"See.",
					film,
					{ ...sound, transcript: "Hello" },
					{ type: "image", media: { by: "file", id: "f", origin } },
					{ type: "document", media: { by: "file", id: "f", origin } },
					{ type: "unknown", origin, raw: { type: "novel" } },
				),
			],
		});
		expect(all.body.input[0]?.["content"]).toEqual([
			{ type: "input_text", text: "See." },
			{ type: "input_text", text: "[Left out here: a film, which this model cannot take.]" },
			{ type: "input_text", text: "Hello" },
			{ type: "input_text", text: "[Left out here: an image kept by another provider, which this model cannot take.]" },
			{ type: "input_text", text: "[Left out here: a file kept by another provider, which this model cannot take.]" },
			{
				type: "input_text",
				text: "[Left out here: content of a kind that only its own maker knows, which this model cannot take.]",
			},
		]);
		expect(all.lost).toEqual(["video", "audio", "image", "document", "unknown"]);
	});

	test("functions are flat, say whether they are strict, and have names that fit", () => {
		const closed = { type: "object", properties: {}, additionalProperties: false };
		const { body, names } = sent({
			tools: [
				{ type: "function", name: "my.tool", schema: { type: "object" } },
				{ type: "function", name: "my_tool", schema: closed, strict: true },
				{
					type: "function",
					name: "g",
					schema: { type: "object", properties: { n: { type: ["integer", "null"] } } },
				},
			],
			toolChoice: { mode: "named", names: ["my.tool"], force: true },
		});
		expect(body.tools).toEqual([
			{ type: "function", name: "my_tool_2", parameters: { type: "object", properties: {} }, strict: false },
			{ type: "function", name: "my_tool", parameters: closed, strict: true },
			{
				type: "function",
				name: "g",
				parameters: { type: "object", properties: { n: { type: ["integer", "null"] } } },
				strict: false,
			},
		]);
		expect(body["tool_choice"]).toEqual({ type: "function", name: "my_tool_2" });
		expect(names.tools.get("my_tool_2")).toBe("my.tool");
	});

	test("a choice among some tools is allowed_tools", () => {
		const fn = (name: string) => ({ type: "function", name, schema: {} }) as const;
		const { body } = sent({
			tools: [fn("a"), fn("b"), fn("c")],
			toolChoice: { mode: "named", names: ["a", "b"], force: true },
		});
		expect(body["tool_choice"]).toEqual({
			type: "allowed_tools",
			mode: "required",
			tools: [
				{ type: "function", name: "a" },
				{ type: "function", name: "b" },
			],
		});
	});

	test("a web search of another protocol is ours; what it cannot take is told", () => {
		const { body, lost } = sent({
			tools: [
				{
					type: "server",
					tool: "web_search",
					vendorType: "web_search_20250305",
					name: "web_search",
					config: { allowedDomains: ["a.example"], maxUses: 3 },
					origin: { protocol: "messages", family: "claude" },
				},
				{
					type: "server",
					tool: "code_execution",
					vendorType: "code_execution_20250522",
					name: "code_execution",
					config: {},
					origin: { protocol: "messages", family: "claude" },
				},
			],
		});
		expect(body.tools).toEqual([{ type: "web_search", filters: { allowed_domains: ["a.example"] } }]);
		expect(lost).toEqual(["server.maxUses", "server"]);
	});

	test("H126: settings that have no place here are told, each by its name", () => {
		const { lost } = sent({
			sampling: { topK: 5, seed: 1, presencePenalty: 1, frequencyPenalty: 1, logitBias: { "1": 2 } },
			stop: ["END"],
			candidates: 2,
			extras: { messages: { context_management: {} } },
		});
		expect(lost.sort()).toEqual(
			[
				"context_management",
				"candidates",
				"frequencyPenalty",
				"logitBias",
				"presencePenalty",
				"seed",
				"stop",
				"topK",
			].sort(),
		);
	});

	test.each([
		[{ mode: "on", budget: 400 }, {}, { effort: "minimal" }],
		[{ mode: "on", budget: 1024 }, {}, { effort: "low" }],
		[{ mode: "on", budget: 8192 }, {}, { effort: "medium" }],
		[{ mode: "on", budget: 20_000 }, {}, { effort: "high" }],
		[{ mode: "on", budget: 60_000 }, {}, { effort: "high" }],
		[{ mode: "on", budget: 60_000 }, { efforts: ["low", "high", "xhigh"] }, { effort: "xhigh" }],
		[{ mode: "on", effort: "max" }, { efforts: ["low", "medium", "high"] }, { effort: "high" }],
		[{ mode: "on", effort: "minimal" }, { efforts: ["low", "medium"] }, { effort: "low" }],
		[{ mode: "on", effort: "low", expose: "full" }, {}, { effort: "low", summary: "auto" }],
		[{ mode: "off" }, {}, { effort: "minimal" }],
		[{ mode: "auto" }, {}, undefined],
	] as const)("reasoning %j for %j is %j", (reasoning, capabilities, expected) => {
		expect(sent({ reasoning }, { capabilities: { ...capabilities } as never }).body["reasoning"]).toEqual(
			expected as never,
		);
	});

	test("a model that does not reason is asked for none, and that is told", () => {
		const { body, lost } = sent({ reasoning: { mode: "on", budget: 2000 } }, { model: "gpt-4o" });
		expect(body["reasoning"]).toBeUndefined();
		expect(lost).toEqual(["reasoning"]);
	});

	test.each([
		["gpt-5.4-nano", undefined, true],
		["gpt-5.4-nano", { mode: "off" }, true],
		["gpt-5.4-nano", { mode: "on", effort: "low" }, false],
		["gpt-5.6-sol", { mode: "off" }, true],
		["gpt-5.6-sol", undefined, false],
		["gpt-5-mini", undefined, false],
	] as const)(
		"temperature for %s with thinking %p is sent, and probabilities asked for: %p",
		(model, reasoning, isSent) => {
			const { body, lost } = sent(
				{
					sampling: { temperature: 0, topP: 0.5 },
					logprobs: { enabled: true, top: 3 },
					...(reasoning && { reasoning }),
				},
				{ model },
			);
			expect("temperature" in body).toBe(isSent);
			expect("top_p" in body).toBe(isSent);
			expect("top_logprobs" in body).toBe(isSent);
			expect(asList(body["include"]).includes("message.output_text.logprobs")).toBe(isSent);
			expect(lost).toEqual(isSent ? [] : ["temperature", "topP", "logprobs"]);
		},
	);

	test("H118: the form of the answer goes along in this protocol's words", () => {
		const schema = { type: "object", properties: {}, additionalProperties: false };
		const format = { type: "schema", schema, strict: true } as const;
		expect(sent({ format }).body["text"]).toEqual({
			format: { type: "json_schema", name: "answer", schema, strict: true },
		});
		const loose = { ...schema, properties: { a: { type: "string" } } };
		const tool = { type: "function", name: "f", schema: loose, strict: true } as const;
		const asked = sent({ format: { ...format, schema: loose }, tools: [tool] });
		expect(asked.body["text"]).toMatchObject({ format: { schema: loose, strict: false } });
		expect(asked.body.tools).toMatchObject([{ parameters: loose, strict: false }]);
		expect(asked.lost).toEqual(expect.arrayContaining(["formatStrict", "function.strict"]));
		const sampling = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 };
		expect(sent({ sampling }, { capabilities: { samplingRefused: true } }).lost).toEqual([]);
		const list = sent({ format: { type: "schema", schema: { type: "array" } } });
		expect(list.body).not.toHaveProperty("text");
		expect(list.body.input.at(-1)).toEqual({ role: "developer", content: expect.stringContaining('{"type":"array"}') });
		const { body } = sent({ format: { type: "json" } });
		expect(body["text"]).toEqual({ format: { type: "json_object" } });
		expect(body.input.at(-1)).toEqual({ role: "developer", content: "Answer in JSON." });
	});

	test("H108 and H123: marks for a provider's cache go only where they are known", () => {
		const marked: Block = { type: "text", text: "Hello", cache: { lifetime: "1h" } };
		const asked = { messages: [said("user", marked)], cacheKey: "k", cacheRetention: "24h" };
		expect(sent(asked).body).toMatchObject({
			input: [{ content: "Hello" }],
			prompt_cache_key: "k",
			prompt_cache_retention: "24h",
		});
		expect(sent(asked, { model: "grok-4", family: "grok" }).body["prompt_cache_retention"]).toBeUndefined();
	});

	test("a limit under the protocol's least is raised to it", () => {
		expect(sent({ maxOutputTokens: 1 }).body["max_output_tokens"]).toBe(16);
		expect(sent({ maxOutputTokens: 100 }, { capabilities: { maxOutput: 50 } }).body["max_output_tokens"]).toBe(50);
	});

	test("a count of tokens is asked with what counts alone", () => {
		const { body } = encoded(foreign({ maxOutputTokens: 50, stream: true }), { operation: "count_tokens" });
		expect(body as unknown).toEqual({ model: "gpt-5", input: [{ role: "user", content: "Hello" }] });
	});
});

test("a request of this protocol keeps its meaning through the neutral form", () => {
	const word = fc.stringMatching(/^[a-z]{1,8}$/);
	const item = fc.oneof(
		fc.record({ role: fc.constantFrom("user", "developer"), content: word }),
		fc.record({
			role: fc.constant("user"),
			content: fc.array(fc.record({ type: fc.constant("input_text"), text: word }), { minLength: 2, maxLength: 3 }),
		}),
	);
	fc.assert(
		fc.property(
			fc.array(item, { minLength: 1, maxLength: 5 }),
			fc.option(word, { nil: undefined }),
			(input, instructions) => {
				const body = { model: "gpt-5", input, ...(instructions !== undefined && { instructions }) };
				const { body: again } = encoded(responses.client.decodeRequest(askOf(body)));
				expect(again["instructions"]).toBe(instructions as never);
				expect(again.input as unknown).toEqual(input);
			},
		),
	);
});
