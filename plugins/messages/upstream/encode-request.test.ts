import { describe, expect, test } from "bun:test";
import { type Block, fold, type HostedTool, type ModelCapabilities, type NeutralRequest, type Tool } from "#core";
import { answered, asked, contextOf, encode, type Json, neutral, understood } from "../fixtures/exchange.ts";
import { messages } from "../protocol.ts";

const words = (text: string): Block => ({ type: "text", text });
const named = (name: string, more: Partial<Extract<Tool, { type: "function" }>> = {}): Tool => ({
	type: "function",
	name,
	schema: { type: "object", properties: {} },
	...more,
});
const toolsOf = ({ sent }: { readonly sent: Json }) => sent["tools"] as readonly Json[];
const turnsOf = ({ sent }: { readonly sent: Json }) =>
	sent["messages"] as readonly { role: string; content: readonly Json[] }[];

/** The upstream's answer to an encoded request, decoded with what the encoder left for the decoder. */
const answerTo = (request: NeutralRequest, content: readonly Json[], stop_reason = "tool_use", capabilities = {}) => {
	const encoded = encode(request, capabilities);
	const context = contextOf(request, encoded);
	const body = { type: "message", id: "msg_1", model: "c", content, stop_reason, usage: {} };
	const whole = answered([], messages.upstream.decodeResponse(body, context));
	const events = understood(
		messages,
		[
			{ type: "message_start", message: { ...body, content: [], stop_reason: null } },
			...content.flatMap((block, index) => {
				const { input, text, ...start } = block;
				const delta =
					text === undefined
						? { type: "input_json_delta", partial_json: JSON.stringify(input) }
						: { type: "text_delta", text };
				return [
					{ type: "content_block_start", index, content_block: { ...start, ...(text !== undefined && { text: "" }) } },
					{ type: "content_block_delta", index, delta },
					{ type: "content_block_stop", index },
				];
			}),
			{ type: "message_delta", delta: { stop_reason }, usage: {} },
			{ type: "message_stop" },
		],
		context,
	);
	return { whole: whole.candidates[0], events };
};

describe("tools", () => {
	test("carry description, schema, strictness and cache mark", () => {
		const tool = named("f", { description: "Does f", strict: true, cache: { lifetime: "1h" } });
		expect(toolsOf(encode(neutral({ tools: [tool, named("g")] })))).toEqual([
			{
				name: "f",
				description: "Does f",
				input_schema: { type: "object", properties: {}, additionalProperties: false },
				strict: true,
				cache_control: { type: "ephemeral", ttl: "1h" },
			},
			{ name: "g", input_schema: { type: "object", properties: {} } },
		]);
		expect(toolsOf(encode(neutral({ tools: [tool] }), { strictTools: false }))[0]).not.toHaveProperty("strict");
	});

	test("have objects for schemas, whatever was given", () => {
		const schemaFor = (schema: unknown) =>
			toolsOf(encode(neutral({ tools: [named("f", { schema })] })))[0]?.["input_schema"];
		expect(schemaFor(undefined)).toEqual({ type: "object", properties: {} });
		expect(schemaFor({ properties: { type: { type: "string" } } })).toEqual({
			type: "object",
			properties: { type: { type: "string" } },
		});
		expect(schemaFor({ $ref: "#/$defs/A", $defs: { A: { type: "object", properties: { a: {} } } } })).toMatchObject({
			type: "object",
			properties: { a: {} },
		});
	});

	test("have names of this alphabet, told apart where they would become one, and given back", () => {
		const request = neutral({ tools: [named("a.b"), named("a/b"), named("a_b")] });
		const sent = toolsOf(encode(request)).map(({ name }) => String(name));
		// The name that needs no change keeps it.
		expect(sent).toEqual(["a_b_2", "a_b_3", "a_b"]);
		const { whole } = answerTo(
			request,
			sent.map((name, at) => ({ type: "tool_use", id: `t${at}`, name, input: {} })),
		);
		expect(whole?.blocks.map((block) => (block.type === "tool_call" ? block.name : ""))).toEqual(["a.b", "a/b", "a_b"]);
	});

	test("of a namespace are flattened and split back; a direct tool of the name goes before", () => {
		const request = neutral({ tools: [named("read", { namespace: "fs" }), named("fs__write")] });
		expect(toolsOf(encode(request)).map(({ name }) => name)).toEqual(["fs__read", "fs__write"]);
		const { whole, events } = answerTo(request, [
			{ type: "tool_use", id: "t1", name: "fs__read", input: { a: 1 } },
			{ type: "tool_use", id: "t2", name: "fs__write", input: {} },
		]);
		expect(whole?.blocks).toMatchObject([
			{ name: "read", namespace: "fs", arguments: { value: { a: 1 } } },
			{ name: "fs__write" },
		]);
		expect(events.find(({ type }) => type === "open")).toMatchObject({ shell: { name: "read", namespace: "fs" } });
	});

	test("with free input take it as one string, and calls of them come back as such", () => {
		const request = neutral({
			tools: [{ type: "custom", name: "patch", format: { type: "grammar", definition: "start: /a+/" } }],
		});
		const [tool] = toolsOf(encode(request));
		expect(tool).toMatchObject({ name: "patch", input_schema: { required: ["input"] } });
		expect(JSON.stringify(tool)).toContain("start: /a+/");
		const { whole, events } = answerTo(request, [
			{ type: "tool_use", id: "t1", name: "patch", input: { input: "*** Begin" } },
		]);
		expect(whole?.blocks).toMatchObject([{ kind: "custom", arguments: { form: "text", text: "*** Begin" } }]);
		expect(events).toContainEqual({ type: "delta", block: 0, delta: { type: "arguments", text: "*** Begin" } });
		const history: Block = {
			type: "tool_call",
			id: "t1",
			name: "patch",
			kind: "custom",
			arguments: { form: "text", text: "x" },
		};
		const again = encode({ ...request, messages: [{ role: "assistant", blocks: [history] }] });
		expect(turnsOf(again)[1]?.content).toEqual([{ type: "tool_use", id: "t1", name: "patch", input: { input: "x" } }]);
	});

	test("keep large integers of arguments as they stood", () => {
		const text = '{"id": 1234567890123456789}';
		const call: Block = {
			type: "tool_call",
			id: "t1",
			name: "f",
			kind: "function",
			arguments: { form: "json", value: JSON.parse(text), text },
		};
		const request = neutral({ tools: [named("f")], messages: [{ role: "assistant", blocks: [call] }] });
		expect(JSON.stringify(turnsOf(encode(request))[1]?.content)).toContain('"input":{"id":1234567890123456789}');
	});

	test("with free input that the limit cut come back as far as they came", () => {
		const request = neutral({ tools: [{ type: "custom", name: "patch" }] });
		const input = '{"input": "*** Begin\\nrm -rf /tm';
		const { whole } = answerTo(request, [{ type: "tool_use", id: "t1", name: "patch", input }]);
		expect(whole?.blocks).toMatchObject([{ arguments: { form: "text", text: "*** Begin\nrm -rf /tm" } }]);
		const events = understood(
			messages,
			[
				{
					type: "content_block_start",
					index: 0,
					content_block: { type: "tool_use", id: "t1", name: "patch", input: {} },
				},
				{ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: input } },
				{ type: "content_block_stop", index: 0 },
			],
			contextOf(request, encode(request)),
		);
		const told = { type: "arguments", text: "*** Begin\nrm -rf /tm" } as const;
		expect(events).toContainEqual({ type: "delta", block: 0, delta: told });
	});

	test("that providers run: web search is known everywhere, others only at home", () => {
		const hosted = (tool: HostedTool["tool"], protocol: string, config = {}): Tool => ({
			type: "server",
			tool,
			vendorType: tool,
			name: tool,
			config,
			origin: { protocol, family: "gpt" },
		});
		const { sent, paths } = encode(
			neutral({
				tools: [
					hosted("web_search", "responses", {
						allowedDomains: ["a.test"],
						userLocation: { type: "approximate", approximate: { city: "Oslo" } },
						contextSize: "high",
					}),
					hosted("file_search", "responses"),
				],
			}),
		);
		expect(sent["tools"]).toEqual([
			{
				type: "web_search_20250305",
				name: "web_search",
				allowed_domains: ["a.test"],
				user_location: { type: "approximate", city: "Oslo" },
			},
		]);
		expect(paths).toEqual(["server.contextSize", "server"]);
		const own = [
			{
				type: "web_search_20260209",
				name: "web_search",
				max_uses: 2,
				blocked_domains: ["b.test"],
				allowed_callers: ["direct"],
			},
			{ type: "code_execution_20260120", name: "code_execution" },
			{ type: "mcp_toolset", mcp_server_name: "x" },
		];
		expect(toolsOf(encode(asked({ tools: own })))).toEqual(own);
	});
});

describe("the choice of tools", () => {
	const tools = [named("f"), named("g"), named("h")];
	const choiceFor = (members: Partial<NeutralRequest>) => encode(neutral({ tools, ...members })).sent["tool_choice"];

	test("is said in this protocol's words", () => {
		expect(choiceFor({})).toBeUndefined();
		expect(choiceFor({ toolChoice: { mode: "auto" } })).toEqual({ type: "auto" });
		expect(choiceFor({ toolChoice: { mode: "required" } })).toEqual({ type: "any" });
		expect(choiceFor({ toolChoice: { mode: "none" } })).toEqual({ type: "none" });
		expect(choiceFor({ toolChoice: { mode: "named", names: ["g"], force: true } })).toEqual({
			type: "tool",
			name: "g",
		});
	});

	test("of a tool that only its own provider knows is left to the model, and that is told", () => {
		const origin = { protocol: "responses", family: "gpt" };
		const unknown = { type: "unknown", origin, raw: { type: "programmatic_tool_calling" } } as const;
		const names = ["programmatic_tool_calling"];
		const asked = neutral({ tools: [unknown, named("f")], toolChoice: { mode: "named", names, force: true } });
		const { sent, paths } = encode(asked);
		expect(sent).toMatchObject({ tools: [{ name: "f" }], tool_choice: { type: "auto" } });
		expect(paths).toContain("toolChoice");
	});

	test("is left to a model that cannot be forced, and that is told", () => {
		const forced: readonly NeutralRequest["toolChoice"][] = [
			{ mode: "required" },
			{ mode: "named", names: ["g"], force: true },
		];
		for (const toolChoice of forced) {
			const encoded = encode(neutral({ tools, ...(toolChoice && { toolChoice }) }), { forcedCalls: false });
			expect(encoded.sent["tool_choice"]).toEqual({ type: "auto" });
			expect(encoded.paths).toEqual(["toolChoice"]);
		}
		const format = { type: "schema", schema: { type: "object", properties: {} } } as const;
		const answer = encode(neutral({ format }), { forcedCalls: false, nativeSchema: false });
		expect(answer.sent).not.toHaveProperty("tool_choice");
	});

	test("calls for one call at a time where that was asked", () => {
		expect(choiceFor({ parallelTools: false })).toEqual({ type: "auto", disable_parallel_tool_use: true });
		expect(choiceFor({ parallelTools: false, toolChoice: { mode: "required" } })).toEqual({
			type: "any",
			disable_parallel_tool_use: true,
		});
		expect(choiceFor({ parallelTools: false, toolChoice: { mode: "none" } })).toEqual({ type: "none" });
		expect(choiceFor({ parallelTools: true })).toBeUndefined();
	});

	test("among several narrows the tools", () => {
		const encoded = encode(neutral({ tools, toolChoice: { mode: "named", names: ["f", "h"], force: true } }));
		expect(toolsOf(encoded).map(({ name }) => name)).toEqual(["f", "h"]);
		expect(encoded.sent["tool_choice"]).toEqual({ type: "any" });
	});

	test("is nothing without tools; calls in the history get their tools back", () => {
		const encoded = encode(
			neutral({
				toolChoice: { mode: "required" },
				messages: [
					{
						role: "assistant",
						blocks: [
							{
								type: "tool_call",
								id: "a",
								name: "f",
								kind: "function",
								arguments: { form: "json", value: {}, text: "{}" },
							},
						],
					},
				],
			}),
		);
		expect(encoded.sent).toMatchObject({ tools: [{ name: "f" }], tool_choice: { type: "none" } });
		expect(encode(neutral({ toolChoice: { mode: "auto" } })).sent).not.toHaveProperty("tool_choice");
	});
});

describe("structured output", () => {
	const schema = {
		$schema: "x",
		type: "object",
		properties: {
			n: { type: "integer", minimum: 3, description: "A number" },
			o: { oneOf: [{ type: "string" }, { type: "null" }] },
			m: { type: ["object", "null"], properties: { a: { type: "string" } } },
		},
		required: ["n"],
	};
	const request = neutral({ format: { type: "schema", schema, name: "answer" } });

	test("is native where the model has it, within the subset that is enforced", () => {
		expect(encode(request).sent["output_config"]).toEqual({
			format: {
				type: "json_schema",
				schema: {
					type: "object",
					properties: {
						n: { type: "integer", description: "A number\n\n{minimum: 3}" },
						o: { anyOf: [{ type: "string" }, { type: "null" }] },
						m: { type: ["object", "null"], properties: { a: { type: "string" } }, additionalProperties: false },
					},
					required: ["n"],
					additionalProperties: false,
				},
			},
		});
	});

	test("objects that must all hold are one closed object, which can be met", () => {
		const part = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
		const both = { description: "Both", allOf: [part("a"), part("b")], properties: { c: { type: "number" } } };
		const { sent } = encode(neutral({ format: { type: "schema", schema: both } }));
		expect(sent["output_config"]).toEqual({
			format: {
				type: "json_schema",
				schema: {
					type: "object",
					description: "Both",
					properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "number" } },
					required: ["a", "b"],
					additionalProperties: false,
				},
			},
		});
	});

	test("a list with a schema for each place holds what any of them allows", () => {
		const pair = { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false };
		const whole = { type: "object", properties: { pair }, required: ["pair"] };
		const { sent } = encode(neutral({ format: { type: "schema", schema: whole } }));
		expect(sent["output_config"]).toMatchObject({
			format: {
				schema: {
					properties: {
						pair: {
							type: "array",
							items: { anyOf: [{ type: "string" }, { type: "number" }] },
							description: expect.stringContaining("prefixItems"),
						},
					},
				},
			},
		});
	});

	test("what the answer is said to be is said in the schema, unless that says so itself", () => {
		const described = (own: object) =>
			encode(
				neutral({
					format: { type: "schema", schema: { ...schema, ...own }, description: "A count" },
				}),
			).sent["output_config"];
		expect(described({})).toMatchObject({ format: { schema: { description: "A count" } } });
		expect(described({ description: "Its own" })).toMatchObject({ format: { schema: { description: "Its own" } } });
	});

	test("is a tool where it is not, whose call is the answer's text", () => {
		const { sent } = encode(request, { nativeSchema: false });
		expect(sent).toMatchObject({
			tools: [{ name: "structured_answer", input_schema: schema }],
			tool_choice: { type: "tool", name: "structured_answer", disable_parallel_tool_use: true },
		});
		const content = [{ type: "tool_use", id: "t", name: "structured_answer", input: { n: 4 } }];
		const { whole, events } = answerTo(request, content, "tool_use", { nativeSchema: false });
		expect(whole).toMatchObject({ blocks: [{ type: "text", text: '{"n":4}' }], finish: { reason: "stop" } });
		expect(events).toContainEqual({ type: "delta", block: 0, delta: { type: "text", text: '{"n":4}' } });
		expect(events.find(({ type }) => type === "finish")).toMatchObject({ finish: { reason: "stop" } });
	});

	const said = ({ whole, events }: ReturnType<typeof answerTo>) => ({
		whole: whole?.blocks.map((block) => (block.type === "text" ? block.text : block.type)),
		streamed: fold(events).candidates[0]?.blocks.map((block) => (block.type === "text" ? block.text : block.type)),
	});

	test("as a tool has names that fit, and the answer has its own", () => {
		const odd = (name: string, inner: string) => ({
			type: "object",
			properties: {
				[name]: { type: "array", items: { type: "object", properties: { [inner]: { type: "integer" } } } },
			},
			required: [name],
		});
		const asking = { ...request, format: { type: "schema" as const, schema: odd("größe", "$n") } };
		const { sent } = encode(asking, { nativeSchema: false });
		expect(sent).toMatchObject({ tools: [{ input_schema: odd("gr__e", "_n") }] });
		const input = { gr__e: [{ _n: JSON.rawJSON("9007199254740993") }], other: 1 };
		const own = '{"größe":[{"$n":9007199254740993}],"other":1}';
		const call = { type: "tool_use", id: "t", name: "structured_answer", input };
		expect(said(answerTo(asking, [call], "tool_use", { nativeSchema: false }))).toEqual({
			whole: [own],
			streamed: [own],
		});
	});

	test("is not forced against the client's tools or thinking", () => {
		const withTools = encode({ ...request, tools: [named("f")] }, { nativeSchema: false });
		expect(withTools.sent["tool_choice"]).toEqual({ type: "any", disable_parallel_tool_use: true });
		const together = encode({ ...request, tools: [named("f")], parallelTools: true }, { nativeSchema: false });
		expect(together.sent["tool_choice"]).toEqual({ type: "any" });
		const thinking = encode(
			{ ...request, reasoning: { mode: "on", effort: "low" }, maxOutputTokens: 9000 },
			{ nativeSchema: false, thinking: "budget" },
		);
		expect(thinking.sent).toMatchObject({ thinking: { type: "enabled" } });
		expect(thinking.sent).not.toHaveProperty("tool_choice");
	});

	const answer = (input: unknown, id = "t") => ({ type: "tool_use", id, name: "structured_answer", input });
	const text = (words: string) => ({ type: "text", text: words });
	test.each([
		[[text("Here you are:"), answer({ a: 1 }), text("Done.")], ['{"a":1}']],
		[[answer({ a: 1 }), answer({ a: 2 }, "u")], ['{"a":1}']],
		[[text("I cannot say.")], ["I cannot say."]],
		[
			[text("Let me look."), { type: "tool_use", id: "c", name: "f", input: {} }],
			["Let me look.", "tool_call"],
		],
		[
			[text("Let me look."), { type: "tool_use", id: "c", name: "f", input: {} }, text("So:"), answer({ a: 1 })],
			["Let me look.", "tool_call", '{"a":1}'],
		],
	])("of %j is the JSON alone, or the words where it never came", (content, want) => {
		const asking = { ...request, tools: [named("f")] };
		expect(said(answerTo(asking, content, "tool_use", { nativeSchema: false }))).toEqual({
			whole: want,
			streamed: want,
		});
	});

	test("streams as it comes, and so do words where the schema is enforced", () => {
		const pieces = (capabilities: object, blocks: readonly Json[]) => {
			const decoder = messages.upstream.streamDecoder(contextOf(request, encode(request, capabilities)));
			return blocks.map((data) => decoder.push({ data: JSON.stringify(data) }).length);
		};
		const json = (partial_json: string) => ({
			type: "content_block_delta",
			index: 1,
			delta: { type: "input_json_delta", partial_json },
		});
		const words = [
			{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
			{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Here" } },
			{ type: "content_block_stop", index: 0 },
		];
		const called = [{ type: "content_block_start", index: 1, content_block: answer({}) }, json('{"a"'), json(":1}")];
		expect(pieces({ nativeSchema: false }, [...words, ...called])).toEqual([0, 0, 0, 1, 1, 1]);
		expect(pieces({}, words)).toEqual([1, 1, 1]);
	});

	const leaf = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
	const holdsItself = { ...leaf, properties: { a: { $ref: "#" } } };
	const open = { ...leaf, properties: { a: { type: "object", additionalProperties: { type: "string" } } } };
	const elsewhere = { ...leaf, properties: { a: { $ref: "https://example.com/schema" } } };
	const members = (count: number, schema: object) =>
		Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, schema]));
	const optional = (count: number) => ({ type: "object", properties: members(count, { type: "string" }) });
	const nullable = (count: number) => ({
		type: "object",
		properties: members(count, { type: ["string", "null"] }),
		required: Object.keys(members(count, {})),
	});
	const refused = [holdsItself, open, elsewhere, optional(25), nullable(17)];

	test("is asked for, and told as not enforced, where the upstream would refuse the schema", () => {
		for (const schema of refused) {
			const { sent, paths } = encode(neutral({ format: { type: "schema", schema, strict: true } }));
			expect(sent).not.toHaveProperty("output_config");
			expect(sent).toMatchObject({ tools: [{ name: "structured_answer", input_schema: schema }] });
			expect(paths).toContain("formatStrict");
		}
		const named = { $ref: "#/$defs/Tree", $defs: { Tree: { ...leaf, properties: { a: { $ref: "#/$defs/Tree" } } } } };
		expect(encode(neutral({ format: { type: "schema", schema: named } })).sent).toMatchObject({
			tools: [{ input_schema: { type: "object", required: ["a"], $defs: named.$defs } }],
		});
		const enforced = [optional(24), nullable(16), { $ref: "#/$defs/A", $defs: { A: leaf } }];
		for (const schema of enforced)
			expect(encode(neutral({ format: { type: "schema", schema, strict: true } })).sent).toHaveProperty(
				"output_config",
			);
	});

	test("of strict tools is enforced as far as one request may, and told where it is not", () => {
		const tool = (at: number, schema: object) => named(`f${at}`, { strict: true, schema });
		const stricts = (tools: readonly Tool[], format?: NeutralRequest["format"]) => {
			const encoded = encode(neutral({ tools, ...(format && { format }) }));
			const enforced = toolsOf(encoded).filter(({ strict }) => strict === true).length;
			return [enforced, encoded.paths.includes("function.strict")];
		};
		const some = (count: number, schema: object) => Array.from({ length: count }, (_, at) => tool(at, schema));
		expect(stricts(some(20, leaf))).toEqual([20, false]);
		expect(stricts(some(25, leaf))).toEqual([20, true]);
		expect(stricts(refused.map((schema, at) => tool(at, schema)))).toEqual([0, true]);
		expect(stricts([tool(1, optional(20)), tool(2, optional(8)), tool(3, optional(4))])).toEqual([2, true]);
		expect(stricts(some(2, nullable(8)), { type: "schema", schema: nullable(8) })).toEqual([1, true]);
		expect(encode(neutral({ tools: some(1, leaf) }), { strictTools: false }).paths).toContain("function.strict");
	});

	test("without a schema is a sentence in the system prompt", () => {
		for (const format of [{ type: "json" as const }, { type: "enum" as const, values: ["yes", "no"] }])
			expect(encode(neutral({ format })).sent["system"]).toHaveLength(1);
	});

	test("of a client of this protocol stays as it wrote it", () => {
		const format = { type: "json_schema", schema: { type: "object", properties: {}, maxProperties: 3 } };
		const { sent } = encode(asked({ output_config: { format, effort: "low", task_budget: { tokens: 5 } } }), {
			thinking: "adaptive",
		});
		expect(sent["output_config"]).toEqual({ format, effort: "low", task_budget: { tokens: 5 } });
		expect(sent).not.toHaveProperty("thinking");
	});
});

describe("thinking", () => {
	const on = (members: Partial<NeutralRequest["reasoning"] & {}>): NeutralRequest =>
		neutral({ reasoning: { mode: "on", ...members }, maxOutputTokens: 40_000 });

	test("by effort takes the nearest level the model has", () => {
		const effortFor = (
			effort: "minimal" | "xhigh" | "max",
			efforts?: readonly ("minimal" | "low" | "medium" | "high" | "max")[],
		) => encode(on({ effort }), { thinking: "adaptive", ...(efforts && { efforts }) }).sent["output_config"];
		expect(effortFor("minimal")).toEqual({ effort: "low" });
		expect(effortFor("minimal", ["minimal", "low", "high"])).toEqual({ effort: "low" });
		expect(effortFor("xhigh", ["low", "medium", "high", "max"])).toEqual({ effort: "high" });
		expect(effortFor("max", ["low", "high"])).toEqual({ effort: "high" });
	});

	test("by budget becomes effort where the model knows only that", () => {
		const effortFor = (budget: number) => encode(on({ budget }), { thinking: "adaptive" }).sent["output_config"];
		expect([1000, 5000, 20_000, 30_000].map(effortFor)).toEqual([
			{ effort: "low" },
			{ effort: "medium" },
			{ effort: "high" },
			{ effort: "xhigh" },
		]);
	});

	test("that nobody signed goes back to models that sign none, and stands beside each of their calls", () => {
		const call = {
			type: "tool_call",
			id: "c",
			name: "f",
			kind: "function",
			arguments: { form: "json", value: {}, text: "{}" },
		} as const;
		const historyFor = (
			blocks: readonly Block[],
			capabilities: ModelCapabilities,
			more: Partial<NeutralRequest> = {},
		) => {
			const messages: NeutralRequest["messages"] = [
				{ role: "user", blocks: [{ type: "text", text: "Hi" }] },
				{ role: "assistant", blocks },
				{ role: "tool", blocks: [{ type: "tool_result", callId: "c", content: [] }] },
			];
			const turns = turnsOf(encode(neutral({ messages, ...more }), capabilities));
			return (turns[1]?.content ?? []).map(({ thinking }) => thinking ?? "");
		};
		const thought: Block = { type: "thinking", text: "hm", form: "full" };
		const insisting: ModelCapabilities = { thinking: "effort", reasoningWithCalls: true };
		expect(historyFor([thought, call], insisting)).toEqual(["hm", ""]);
		expect(historyFor([call], insisting)).toEqual(["(The reasoning of this step is not at hand.)", ""]);
		const others = { value: "s", origin: { protocol: "responses", family: "gpt" } };
		expect(historyFor([{ ...thought, signature: others }, call], insisting)).toEqual([
			expect.stringContaining("not at hand"),
			"",
		]);
		expect(historyFor([call], insisting, { reasoning: { mode: "off" } })).toEqual([""]);
		expect(historyFor([thought, call], { thinking: "adaptive" })).toEqual([""]);
	});

	test("says how much of it is to be seen", () => {
		const displayFor = (expose: "none" | "summary" | "full") =>
			encode(on({ expose, effort: "low" }), { thinking: "adaptive" }).sent["thinking"];
		expect(displayFor("none")).toEqual({ type: "adaptive", display: "omitted" });
		expect(displayFor("summary")).toEqual({ type: "adaptive", display: "summarized" });
		expect(displayFor("full")).toEqual({ type: "adaptive", display: "summarized" });
		const own = asked({ thinking: { type: "adaptive" } });
		expect(encode(own, { thinking: "adaptive" }).sent["thinking"]).toEqual({ type: "adaptive" });
	});

	test("is switched off where it can be, and asked for little where not", () => {
		const off = neutral({ reasoning: { mode: "off" } });
		expect(encode(off, { thinking: "adaptive" }).sent["thinking"]).toEqual({ type: "disabled" });
		expect(encode(off, { thinking: "none" }).sent).not.toHaveProperty("thinking");
		const always = encode(off, { thinking: "always" });
		expect(always.sent["output_config"]).toEqual({ effort: "low" });
		expect(always.paths).toEqual(["reasoning"]);
		const between = encode(neutral({ reasoning: { mode: "off", effort: "max" } }), {
			thinking: "always",
			betweenTools: true,
			boundThinking: true,
		});
		expect(between.sent).toMatchObject({ thinking: { type: "between_tools" }, output_config: { effort: "high" } });
		expect(between.paths).toEqual([]);
	});

	test("left to the model is adaptive, or the usual budget", () => {
		const auto = neutral({ reasoning: { mode: "auto" } });
		expect(encode(auto, { thinking: "adaptive" }).sent["thinking"]).toEqual({ type: "adaptive" });
		expect(encode(auto, { thinking: "budget", maxOutput: 64_000 }).sent["thinking"]).toEqual({
			type: "enabled",
			budget_tokens: 8192,
		});
	});

	test("without a limit of the client's makes room for itself", () => {
		expect(encode(neutral({ reasoning: { mode: "on", budget: 20_000 } })).sent).toMatchObject({
			max_tokens: 28_192,
			thinking: { budget_tokens: 20_000 },
		});
	});

	test("pauses amid tool calls that began without it", () => {
		const call: Block = {
			type: "tool_call",
			id: "a",
			name: "f",
			kind: "function",
			arguments: { form: "json", value: {}, text: "{}" },
		};
		const result: Block = { type: "tool_result", callId: "a", content: [words("1")] };
		const thought: Block = {
			type: "thinking",
			text: "hm",
			form: "full",
			signature: { value: "S", origin: { protocol: "messages", family: "claude" } },
		};
		const loop = (...blocks: readonly Block[]) =>
			encode({
				...on({ effort: "low" }),
				tools: [named("f")],
				messages: [
					{ role: "user", blocks: [words("Go")] },
					{ role: "assistant", blocks },
					{ role: "tool", blocks: [result] },
				],
			});
		expect(loop(call).sent).not.toHaveProperty("thinking");
		expect(loop(call).paths).toEqual(["reasoning"]);
		expect(loop(thought, call).sent).toHaveProperty("thinking");
	});

	test("of a model that binds it to the conversation may be left out when that has changed", () => {
		const origin = { protocol: "messages", family: "claude" };
		const thought: Block = { type: "thinking", text: "hm", form: "full", signature: { value: "S", origin } };
		const said = (...blocks: readonly Block[]) =>
			neutral({
				messages: [
					{ role: "user", blocks: [words("Go")] },
					{ role: "assistant", blocks: [...blocks, words("Gone")] },
					{ role: "user", blocks: [words("On")] },
				],
			});
		const bound = encode(said(thought), { thinking: "always", boundThinking: true });
		expect(bound.sent["thinking"]).toEqual({
			type: "adaptive",
			block_binding: { prefix_mismatch_behavior: "drop_block" },
		});
		expect(bound.headers?.["anthropic-beta"]).toBe("thinking-binding-controls-2026-08-01");
		expect(encode(said(), { thinking: "always", boundThinking: true }).sent).not.toHaveProperty("thinking");
		expect(encode(said(thought), { thinking: "always" }).sent).not.toHaveProperty("thinking");
		const off = { ...said(thought), reasoning: { mode: "off" } as const };
		expect(encode(off, { thinking: "adaptive", boundThinking: true }).sent["thinking"]).toEqual({ type: "disabled" });
	});

	test("keeps sampling within what it allows", () => {
		const { sent, paths } = encode({ ...on({ effort: "low" }), sampling: { temperature: 0.2, topP: 0.97, topK: 4 } });
		expect(sent).not.toHaveProperty("temperature");
		expect(sent["top_p"]).toBe(0.97);
		expect(paths).toEqual(["temperature", "topK"]);
	});
});

describe("the rest of a request", () => {
	test("temperature is at most 1 here", () => {
		const { sent, paths } = encode(neutral({ sampling: { temperature: 1.7 } }));
		expect(sent["temperature"]).toBe(1);
		expect(paths).toEqual(["temperature"]);
	});

	test("at most four cache marks, the last ones", () => {
		const marked = Array.from(
			{ length: 6 },
			(_, at): Block => ({ type: "text", text: `${at}`, cache: { lifetime: "30m" } }),
		);
		const content = turnsOf(encode(neutral({ messages: [{ role: "user", blocks: marked }] })))[0]?.content ?? [];
		expect(content.map((block) => block["cache_control"])).toEqual([
			undefined,
			undefined,
			...Array(4).fill({ type: "ephemeral", ttl: "1h" }),
		]);
	});

	test("tiers have this protocol's words", () => {
		const tierFor = (tier: string) => encode(neutral({ tier })).sent["service_tier"];
		expect(["auto", "default", "priority", "flex"].map(tierFor)).toEqual(["auto", "standard_only", "auto", undefined]);
		expect(encode(neutral({ tier: "flex" })).paths).toEqual(["tier"]);
	});

	test("a count of tokens is asked of the prompt alone", () => {
		const encoded = messages.upstream.encodeRequest(
			neutral({ maxOutputTokens: 5, sampling: { temperature: 1 }, stop: ["x"], stream: true, tools: [named("f")] }),
			{ model: "claude", family: "claude", capabilities: {}, operation: "count_tokens" },
		);
		expect(Object.keys(encoded.body as Json).sort()).toEqual(["messages", "model", "tools"]);
		expect(messages.upstream.decodeTokenCount?.({ input_tokens: 12 })).toBe(12);
		expect(messages.upstream.decodeTokenCount?.({})).toBeUndefined();
	});

	test("a file of this provider's goes with the beta it needs", () => {
		const content = [
			{ type: "document", source: { type: "file", file_id: "file_1" }, title: "T", citations: { enabled: true } },
			{ type: "document", source: { type: "content", content: [{ type: "text", text: "a" }] } },
			{ type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "x" }] },
		];
		const encoded = encode(asked({ messages: [{ role: "user", content }] }));
		expect(turnsOf(encoded)[0]?.content).toEqual(content);
		expect(encoded.headers).toEqual({
			"anthropic-version": "2023-06-01",
			"anthropic-beta": "files-api-2025-04-14",
		});
	});

	test("sound and films are told in words", () => {
		const audio: Block = { type: "audio", media: { by: "bytes", base64: "QQ==", mime: "audio/wav" } };
		const { sent, paths } = encode(
			neutral({ messages: [{ role: "user", blocks: [audio, { ...audio, transcript: "Hello" } as Block] }] }),
		);
		expect(turnsOf({ sent })[0]?.content.map(({ type }) => type)).toEqual(["text", "text"]);
		expect(turnsOf({ sent })[0]?.content[1]?.["text"]).toBe("Hello");
		expect(paths).toEqual(["audio"]);
	});
});
