import { describe, expect, test } from "bun:test";
import { type Block, type Message, type ModelCapabilities, type NeutralRequest, wordLosses } from "#core";
import { capabilitiesOf } from "../../router/service.ts";
import { bodyWith, neutralOf, targetOf } from "../fixtures/ask.ts";
import { haveRecordings, schemas } from "../fixtures/recordings.ts";
import { chatCompletions } from "../protocol.ts";

type Body = Readonly<Record<string, unknown>>;
interface Written {
	readonly body: Body;
	readonly losses: readonly string[];
	readonly names: ReadonlyMap<string, string>;
	readonly messages: readonly Body[];
}

/** A request of a client that speaks another protocol. */
const foreign = (more: Partial<NeutralRequest> = {}): NeutralRequest => ({
	protocol: "messages",
	model: "fast",
	stream: false,
	messages: [{ role: "user", blocks: [{ type: "text", text: "Hello" }] }],
	sampling: {},
	raw: {},
	...more,
});

const written = (request: NeutralRequest, model = "gpt-4o", capabilities: ModelCapabilities = {}): Written => {
	const { body, losses, names } = chatCompletions.upstream.encodeRequest(request, targetOf(model, capabilities));
	// What goes out is JSON: undefined members would vanish, and none may be there.
	expect(JSON.parse(JSON.stringify(body))).toStrictEqual(body);
	const made = body as Body;
	return {
		body: made,
		losses: wordLosses(losses, request, "chat-completions").map(({ path }) => path),
		names: names.tools,
		messages: made["messages"] as readonly Body[],
	};
};
const conversation = (...messages: Message[]) => foreign({ messages });
const user = (...blocks: Block[]): Message => ({ role: "user", blocks });
const assistant = (...blocks: Block[]): Message => ({ role: "assistant", blocks });
const text = (said: string): Block => ({ type: "text", text: said });
const call = (id: string, more: Partial<Extract<Block, { type: "tool_call" }>> = {}): Block => ({
	type: "tool_call",
	id,
	name: "f",
	kind: "function",
	arguments: { form: "json", value: {}, text: "{}" },
	...more,
});
const png: Block = { type: "image", media: { by: "bytes", mime: "image/png", base64: "AAAA" } };
const fn = (name: string) => ({ type: "function", name, schema: { type: "object" } }) as const;

describe("messages for an upstream", () => {
	test("a text alone is a string", () => {
		expect(written(foreign()).messages).toEqual([{ role: "user", content: "Hello" }]);
	});

	test("several texts are a list for OpenAI and a string for vendors that take no list", () => {
		const request = conversation(user(text("a"), text("b")));
		expect(written(request, "gpt-4o").messages[0]?.["content"]).toEqual([
			{ type: "text", text: "a" },
			{ type: "text", text: "b" },
		]);
		expect(written(request, "deepseek-chat").messages[0]?.["content"]).toBe("a\n\nb");
	});

	test("developer is system for models without that role", () => {
		const request = conversation({ role: "developer", blocks: [text("d")] }, user(text("u")));
		const roleFor = (model: string, developerRole?: boolean) =>
			written(request, model, developerRole === undefined ? {} : { developerRole }).messages[0]?.["role"];
		expect([roleFor("gpt-4o"), roleFor("deepseek-chat"), roleFor("gpt-4o", false), roleFor("x", true)]).toEqual([
			"developer",
			"system",
			"system",
			"developer",
		]);
	});

	test("an assistant's calls stand beside its text", () => {
		const { messages } = written(conversation(user(text("u")), assistant(text("a"), text("b"), call("c1"))));
		expect(messages[1]).toEqual({
			role: "assistant",
			content: "ab",
			tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
		});
	});

	test("an assistant that only called has no content", () => {
		expect(written(conversation(user(text("u")), assistant(call("c1")))).messages[1]?.["content"]).toBeNull();
	});

	test("H101 results stand behind the calls, and what they show comes after all of them", () => {
		const results: Message = {
			role: "tool",
			blocks: [
				{ type: "tool_result", callId: "c1", content: [text("one"), png] },
				{ type: "tool_result", callId: "c2", content: [png] },
				text("and I say"),
			],
		};
		const request = conversation(user(text("u")), assistant(call("c1"), call("c2")), results);
		const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
		expect(written(request).messages.slice(2)).toEqual([
			{ role: "tool", tool_call_id: "c1", content: "one" },
			{ role: "tool", tool_call_id: "c2", content: "The result is shown in the next message." },
			{ role: "user", content: [image, image, { type: "text", text: "and I say" }] },
		]);
		expect(written(request, "gpt-4o", { imagesInToolResults: true }).messages[2]).toEqual({
			role: "tool",
			tool_call_id: "c1",
			content: [{ type: "text", text: "one" }, image],
		});
	});

	test("H100 ids that the upstream would refuse are made to fit, calls and results alike", () => {
		const long = `call_${"x".repeat(80)}`;
		const idsFor = (id: string, model: string) => {
			const result: Message = { role: "tool", blocks: [{ type: "tool_result", callId: id, content: [text("r")] }] };
			const { messages } = written(conversation(user(text("u")), assistant(call(id)), result), model);
			const [made] = (messages[1]?.["tool_calls"] ?? []) as readonly Body[];
			expect(messages[2]?.["tool_call_id"]).toBe(made?.["id"]);
			return String(made?.["id"]);
		};
		expect(idsFor("toolu_01A", "gpt-4o")).toBe("toolu_01A");
		expect(idsFor(long, "gpt-4o")).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
		expect(idsFor(long, "gpt-4o")).toBe(idsFor(long, "deepseek-chat"));
		expect(idsFor("a.b:c", "deepseek-chat")).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
		expect(idsFor("toolu_01A", "mistral-large")).toMatch(/^[a-zA-Z0-9]{9}$/);
		expect(idsFor("aB3dE5gH7", "mistral-large")).toBe("aB3dE5gH7");
	});

	test("H121 several texts of a result are one string", () => {
		const result: Message = {
			role: "tool",
			blocks: [{ type: "tool_result", callId: "c", content: [text("a"), text("b")] }],
		};
		expect(written(conversation(user(text("u")), assistant(call("c")), result)).messages[2]?.["content"]).toBe("a\nb");
	});

	test("a result that is one value is its JSON, and a failed one is reported", () => {
		const result: Message = {
			role: "tool",
			blocks: [{ type: "tool_result", callId: "c", content: [], structured: { ok: 1 }, isError: true }],
		};
		const { messages, losses } = written(conversation(assistant(call("c")), result));
		expect(messages[1]?.["content"]).toBe('{"ok":1}');
		expect(losses).toEqual(["tool_result.isError"]);
	});

	test("H119 H103 a stranger's reasoning is neither text nor sent", () => {
		const signature = { value: "S", origin: { protocol: "messages", family: "claude" } };
		const request = conversation(
			assistant({ type: "thinking", text: "secret", form: "full", signature }, text("a")),
			user(text("u")),
		);
		for (const model of ["gpt-4o", "deepseek-chat"]) {
			const { body, losses } = written(request, model);
			expect(JSON.stringify(body)).not.toContain("secret");
			expect(losses).toEqual(["thinking"]);
		}
	});

	test("H119 reasoning goes back to the upstream that gave it, in the field in which it came", () => {
		const thought = (value: string, family = "deepseek"): Block => ({
			type: "thinking",
			text: "hm",
			form: "full",
			signature: { value, origin: { protocol: "chat-completions", family } },
		});
		const sent = (value: string, model: string, family?: string) =>
			written(conversation(assistant(thought(value, family), call("c")), user(text("u"))), model).messages[0];
		expect(sent("reasoning_content", "deepseek-reasoner")).toMatchObject({ reasoning_content: "hm", content: null });
		expect(sent("reasoning", "deepseek-reasoner")).toMatchObject({ reasoning: "hm" });
		expect(sent("thinking", "mistral-x", "mistral")).toMatchObject({
			content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }],
		});
		expect(sent('{"type":"reasoning.text","signature":"S"}', "anthropic/claude-x", "claude")).toMatchObject({
			reasoning_details: [{ type: "reasoning.text", signature: "S", text: "hm" }],
		});
		expect(sent("reasoning_content", "qwen-max")).not.toHaveProperty("reasoning_content");
	});

	test("H68 Gemini behind this protocol gets its signature, or the word for none on the first call", () => {
		const signature = { value: "S", origin: { protocol: "generate-content", family: "gemini" } };
		const callsFor = (model: string, ...blocks: Block[]) =>
			written(conversation(assistant(...blocks), user(text("u"))), model).messages[0]?.["tool_calls"] as Body[];
		const [signed] = callsFor("gemini-3-pro", call("a", { signature }));
		expect(signed).toMatchObject({ extra_content: { google: { thought_signature: "S" } } });
		const [first, second] = callsFor("gemini-3-pro", call("a"), call("b"));
		expect(first).toMatchObject({
			extra_content: { google: { thought_signature: "skip_thought_signature_validator" } },
		});
		expect(second).not.toHaveProperty("extra_content");
		expect(callsFor("gpt-4o", call("a", { signature }))[0]).not.toHaveProperty("extra_content");
	});

	test("H128 documents go as files, as text or not at all", () => {
		const documentOf = (media: Extract<Block, { type: "document" }>["media"], model = "gpt-4o") => {
			const { messages, losses } = written(
				conversation(user({ type: "document", media, title: "T" }, text("u"))),
				model,
			);
			return [(messages[0]?.["content"] as Body[] | string)?.[0], losses];
		};
		const pdf = { by: "bytes", mime: "application/pdf", base64: "JVBERi0=" } as const;
		expect(documentOf(pdf)).toEqual([
			{ type: "file", file: { filename: "T.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
			[],
		]);
		expect(documentOf({ by: "text", mime: "text/plain", text: "body" })).toEqual([
			{ type: "text", text: "T\n\nbody" },
			[],
		]);
		const json = { by: "bytes", mime: "application/json", base64: "eyJhIjoxfQ==" } as const;
		expect(documentOf(json)).toEqual([{ type: "text", text: 'T\n\n{"a":1}' }, []]);
		const sheet = { by: "bytes", mime: "application/vnd.ms-excel", base64: "AAAA" } as const;
		const gap = "[One document of type application/vnd.ms-excel was here that cannot be shown to this model]";
		expect(documentOf(sheet)).toEqual([{ type: "text", text: gap }, ["document"]]);
		expect(documentOf(sheet, "mistral-small")[1]).toEqual([]);
		expect(documentOf({ by: "url", url: "https://a.test/x.pdf" })[1]).toEqual(["document"]);
		const file = { by: "file", id: "file-1", origin: { protocol: "responses", family: "gpt" } } as const;
		expect(documentOf(file)).toEqual([{ type: "file", file: { file_id: "file-1" } }, []]);
		const alien = { by: "file", id: "file_1", origin: { protocol: "messages", family: "claude" } } as const;
		expect(documentOf(alien)[1]).toEqual(["document"]);
	});

	test("sound goes in OpenAI's two formats, film to others than OpenAI", () => {
		const partOf = (block: Block, model: string) => {
			const { messages, losses } = written(conversation(user(block, text("u"))), model);
			const [first] = (messages[0]?.["content"] ?? []) as readonly Body[];
			return [first?.["type"], losses.length];
		};
		const sound = (mime: string): Block => ({ type: "audio", media: { by: "bytes", mime, base64: "AAAA" } });
		expect(partOf(sound("audio/mpeg"), "gpt-4o")).toEqual(["input_audio", 0]);
		expect(partOf(sound("audio/flac"), "gpt-4o")).toEqual(["text", 1]);
		expect(partOf(sound("audio/flac"), "qwen-omni")).toEqual(["input_audio", 0]);
		const linked: Block = { type: "audio", media: { by: "url", url: "https://a.test/x.mp3" } };
		expect(written(conversation(user(linked, text("u"))), "qwen-omni").losses).toEqual(["audio"]);
		const own = { ...conversation(user(linked, text("u"))), protocol: "chat-completions" };
		expect(written(own, "qwen-omni").messages[0]?.["content"]).toEqual([
			{ type: "audio_url", audio_url: { url: "https://a.test/x.mp3" } },
			{ type: "text", text: "u" },
		]);
		const film: Block = { type: "video", media: { by: "url", url: "https://a.test/x.mp4" } };
		expect(partOf(film, "gpt-4o")).toEqual(["text", 1]);
		expect(partOf(film, "qwen-vl")).toEqual(["video_url", 0]);
	});

	test("a refusal stands apart from what was said before it where there is no field for it", () => {
		const refused = conversation(user(text("Hi")), assistant(text("Well."), { type: "refusal", text: "I cannot." }));
		expect(written(refused, "m").messages.at(-1)).toEqual({ role: "assistant", content: "Well.\n\nI cannot." });
		expect(written(refused).messages.at(-1)).toMatchObject({ content: "Well.", refusal: "I cannot." });
	});

	test("search results in a message are text, and that is reported", () => {
		const block: Block = { type: "search_result", source: "https://a.test", title: "A", content: [text("body")] };
		const { messages, losses } = written(conversation(user(block)));
		expect(messages[0]?.["content"]).toBe("A\nhttps://a.test\nbody");
		expect(losses).toEqual(["search_result"]);
	});

	test("what an upstream's own tools did is reported as left behind", () => {
		const { messages, losses } = written(
			conversation(
				assistant({ type: "server_call", id: "s", tool: "web_search", name: "web_search", arguments: {} }, text("a")),
				user(text("u")),
			),
		);
		expect(messages[0]?.["content"]).toBe("a");
		expect(losses).toEqual(["server_call"]);
	});

	test("H108 marks of a cached prefix go to Claude behind this protocol only", () => {
		const request = conversation(user({ type: "text", text: "a", cache: { lifetime: "1h" } }));
		expect(JSON.stringify(written(request, "gpt-4o").body)).not.toContain("cache");
		expect(written(request, "anthropic/claude-x").messages[0]?.["content"]).toEqual([
			{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } },
		]);
	});
});

describe("tools for an upstream", () => {
	test("H80 names that do not fit are changed and remembered, here and in the history", () => {
		const long = "x".repeat(80);
		const request = foreign({
			tools: [fn("read file"), fn("read_file"), fn(long)],
			messages: [user(text("u")), assistant(call("c", { name: "read file" })), user(text("v"))],
		});
		const { body, names, messages } = written(request);
		const sent = (body["tools"] as { function: { name: string } }[]).map((tool) => tool.function.name);
		expect(new Set(sent).size).toBe(3);
		expect(sent[1]).toBe("read_file");
		for (const name of sent) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
		expect(sent.map((name) => names.get(name) ?? name)).toEqual(["read file", "read_file", long]);
		expect(messages[1]?.["tool_calls"]).toMatchObject([{ function: { name: sent[0] ?? "" } }]);
	});

	test("H52 H122 a tool in a namespace has one flat name", () => {
		const { body } = written(foreign({ tools: [{ ...fn("send"), namespace: "mail" }] }));
		expect(body["tools"]).toMatchObject([{ function: { name: "mail__send" } }]);
	});

	test("H51 H122 custom tools go as such to models that know them, as functions to others", () => {
		const format = { type: "grammar", syntax: "lark", definition: "start: A" };
		const request = foreign({
			protocol: "responses",
			tools: [{ type: "custom", name: "patch", description: "Patches.", format }],
			toolChoice: { mode: "named", names: ["patch"], force: true, kind: "custom" },
			messages: [
				assistant(call("c", { name: "patch", kind: "custom", arguments: { form: "text", text: "in" } })),
				user(text("u")),
			],
		});
		const native = written(request, "gpt-5");
		expect(native.body["tools"]).toEqual([
			{
				type: "custom",
				custom: {
					name: "patch",
					description: "Patches.",
					format: { type: "grammar", grammar: { syntax: "lark", definition: "start: A" } },
				},
			},
		]);
		expect(native.body["tool_choice"]).toEqual({ type: "custom", custom: { name: "patch" } });
		expect(native.messages[0]?.["tool_calls"]).toEqual([
			{ id: "c", type: "custom", custom: { name: "patch", input: "in" } },
		]);
		const wrapped = written(request, "deepseek-chat");
		expect(wrapped.body["tools"]).toMatchObject([
			{ type: "function", function: { name: "patch", parameters: { required: ["input"] } } },
		]);
		expect(JSON.stringify(wrapped.body["tools"])).toContain("start: A");
		expect(wrapped.body["tool_choice"]).toEqual({ type: "function", function: { name: "patch" } });
		expect(wrapped.messages[0]?.["tool_calls"]).toEqual([
			{ id: "c", type: "function", function: { name: "patch", arguments: '{"input":"in"}' } },
		]);
	});

	test("H122 built-in tools that the upstream lacks are reported, not sent", () => {
		const origin = { protocol: "responses", family: "gpt" };
		const shell = {
			type: "server",
			tool: "shell",
			vendorType: "local_shell",
			name: "shell",
			config: {},
			origin,
		} as const;
		const search = { ...shell, tool: "web_search", vendorType: "web_search", name: "web_search" } as const;
		const { body, losses } = written(foreign({ tools: [fn("f"), shell, search] }));
		expect(body["tools"]).toMatchObject([{ function: { name: "f" } }]);
		expect(losses).toEqual(["server"]);
		const config = { userLocation: { city: "Utrecht" }, contextSize: "high" };
		const searching = written(foreign({ tools: [{ ...search, config }] }), "gpt-4o-search-preview");
		expect(searching.losses).toEqual([]);
		expect(searching.body["web_search_options"]).toEqual({
			search_context_size: "high",
			user_location: { type: "approximate", approximate: { city: "Utrecht" } },
		});
	});

	test("a choice among some tools is said where it can be and made otherwise", () => {
		const request = foreign({
			tools: [fn("a"), fn("b"), fn("c")],
			toolChoice: { mode: "named", names: ["a", "b"], force: true },
		});
		expect(written(request).body["tool_choice"]).toEqual({
			type: "allowed_tools",
			allowed_tools: {
				mode: "required",
				tools: ["a", "b"].map((name) => ({ type: "function", function: { name } })),
			},
		});
		const { body } = written(request, "deepseek-chat");
		expect(body["tool_choice"]).toBe("required");
		expect((body["tools"] as unknown[]).length).toBe(2);
	});

	test("a built-in tool is no choice among those that are sent", () => {
		const origin = { protocol: "responses", family: "gpt" };
		const search = {
			type: "server",
			tool: "web_search",
			vendorType: "web_search_preview",
			name: "web_search",
			config: {},
			origin,
		} as const;
		const choice = (...names: readonly string[]) => {
			const toolChoice = { mode: "named", names, force: false } as const;
			return written(foreign({ tools: [fn("a"), fn("b"), search], toolChoice })).body["tool_choice"];
		};
		const a = { type: "function", function: { name: "a" } };
		for (const word of [search.name, search.vendorType])
			expect(choice("a", word)).toEqual({ type: "allowed_tools", allowed_tools: { mode: "auto", tools: [a] } });
		expect(choice("web_search")).toBe("none");
	});

	test.each(["gpt-5", "deepseek-chat"])("a built-in tool that must be used leaves the others to %s", (model) => {
		const search = {
			type: "server",
			tool: "web_search",
			vendorType: "web_search",
			name: "web_search",
			config: {},
			origin: { protocol: "responses", family: "gpt" },
		} as const;
		const toolChoice = { mode: "named", names: ["web_search"], force: true, kind: "server" } as const;
		const { body, losses } = written(foreign({ tools: [search, fn("a")], toolChoice }), model);
		expect(body).toMatchObject({ tools: [{ function: { name: "a" } }], tool_choice: "auto" });
		expect(losses).toEqual(["server", "toolChoice"]);
	});

	test("without tools nothing is said of them", () => {
		const { body } = written(foreign({ toolChoice: { mode: "auto" }, parallelTools: false }));
		expect(Object.keys(body)).toEqual(["model", "messages"]);
	});
});

describe("options for an upstream", () => {
	test("the limit has the name the model knows, and is within what it gives", () => {
		const limit = (model: string, capabilities: ModelCapabilities = {}) => {
			const { body } = written(foreign({ maxOutputTokens: 100 }), model, capabilities);
			return [body["max_tokens"], body["max_completion_tokens"]];
		};
		expect(limit("gpt-4o")).toEqual([100, undefined]);
		expect(limit("gpt-5")).toEqual([undefined, 100]);
		expect(limit("x", { maxTokensField: "max_completion_tokens" })).toEqual([undefined, 100]);
		expect(limit("x", { maxOutput: 40 })).toEqual([40, undefined]);
		expect(limit("x", { maxOutput: 40, maxTokensField: "either" })).toEqual([40, undefined]);
	});

	test("H126 sampling is sent, or reported where the model refuses it", () => {
		const request = foreign({
			sampling: { temperature: 0.7, topP: 0.5, topK: 4, presencePenalty: 1, seed: 3 },
			logprobs: { enabled: true, top: 2 },
			candidates: 2,
		});
		expect(written(request)).toMatchObject({
			body: { temperature: 0.7, top_p: 0.5, presence_penalty: 1, seed: 3, logprobs: true, top_logprobs: 2, n: 2 },
			losses: ["topK"],
		});
		const refused = written(request, "o3", { samplingRefused: true });
		expect(refused.body).not.toHaveProperty("temperature");
		expect(refused.losses.toSorted()).toEqual(["logprobs", "presencePenalty", "temperature", "topK", "topP"]);
		expect(written(request, "x", { temperatureOrTopP: true }).losses).toEqual(["topP", "topK"]);
	});

	test("a model that does not think takes temperature, and never a penalty", () => {
		const sampling = { temperature: 0, topP: 0.5, presencePenalty: 1 };
		const calm = written(foreign({ sampling }), "gpt-5.4");
		expect(calm).toMatchObject({ body: { temperature: 0, top_p: 0.5 }, losses: ["presencePenalty"] });
		const thinking = written(foreign({ sampling, reasoning: { mode: "on", effort: "high" } }), "gpt-5.4");
		expect(thinking.losses.toSorted()).toEqual(["presencePenalty", "temperature", "topP"]);
	});

	test("an end user's long name goes as its hash, the same each time", () => {
		const told = JSON.stringify({ device_id: "d".repeat(64), account_uuid: "", session_id: "s".repeat(36) });
		const userOf = (user: string) => written(foreign({ identity: { user } })).body["user"];
		expect(userOf(told)).toMatch(/^[0-9a-f]{64}$/);
		expect(userOf(told)).toBe(userOf(told));
		expect(userOf(`${told} `)).not.toBe(userOf(told));
		expect(userOf("u-1")).toBe("u-1");
		expect(userOf("")).toBeUndefined();
	});

	test("stop sequences beyond four are reported", () => {
		const { body, losses } = written(foreign({ stop: ["a", "b", "c", "d", "e"] }));
		expect(body["stop"]).toEqual(["a", "b", "c", "d"]);
		expect(losses).toEqual(["stop"]);
	});

	test("stop sequences do not go to a model that refuses them", () => {
		for (const model of ["gpt-5-mini", "gpt-5.4", "o4-mini"]) {
			const { body, losses } = written(foreign({ stop: ["a"] }), model, capabilitiesOf(model));
			expect(body).not.toHaveProperty("stop");
			expect(losses).toContain("stop");
		}
		expect(written(foreign({ stop: ["a"] }), "gpt-5.5", capabilitiesOf("gpt-5.5")).body["stop"]).toEqual(["a"]);
	});

	const efforts: readonly (readonly [NeutralRequest["reasoning"], string, ModelCapabilities, unknown])[] = [
		[{ mode: "on", effort: "high" }, "gpt-5", {}, "high"],
		[{ mode: "on", budget: 500 }, "gpt-5", {}, "minimal"],
		[{ mode: "on", budget: 500 }, "x", {}, "low"],
		[{ mode: "on", budget: 8000 }, "o3", {}, "medium"],
		[{ mode: "on", budget: 60_000 }, "deepseek-x", {}, "xhigh"],
		[{ mode: "on", budget: 60_000 }, "x", {}, "high"],
		[{ mode: "on", effort: "max" }, "gpt-5", { efforts: ["low", "high"] }, "high"],
		[{ mode: "on", effort: "minimal" }, "o3", { efforts: ["low", "high"] }, "low"],
		[{ mode: "on", effort: "high" }, "x", { thinking: "none" }, undefined],
		[{ mode: "on", effort: "high" }, "gpt-4o", {}, undefined],
		[{ mode: "off" }, "gpt-5", {}, "minimal"],
		[{ mode: "off" }, "gpt-5.2", {}, "none"],
		[{ mode: "off" }, "o3", {}, "low"],
		[{ mode: "off" }, "deepseek-x", {}, undefined],
		[{ mode: "off" }, "x", { thinking: "effort", efforts: ["none", "low"] }, "none"],
		[{ mode: "auto" }, "gpt-5", {}, undefined],
		[{ mode: "default" }, "gpt-5", {}, undefined],
	];
	for (const [reasoning, model, capabilities, effort] of efforts)
		test(`${JSON.stringify(reasoning)} is ${effort} for ${model} ${JSON.stringify(capabilities)}`, () => {
			const request = foreign(reasoning === undefined ? {} : { reasoning });
			expect(written(request, model, capabilities).body["reasoning_effort"]).toBe(effort as never);
		});

	test("a model that does not reason is not asked to, and that is reported", () => {
		expect(written(foreign({ reasoning: { mode: "on", effort: "high" } })).losses).toEqual(["reasoning"]);
	});

	test("a schema with optional members is asked for, not enforced, as OpenAI refuses to enforce it", () => {
		const closed = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
		const asked = (schema: object) =>
			written(
				foreign({
					format: { type: "schema", schema, strict: true },
					tools: [{ type: "function", name: "f", schema, strict: true }],
				}),
			);
		const loose = asked(closed);
		expect(loose.body).toMatchObject({ response_format: { json_schema: { schema: closed } } });
		expect(JSON.stringify(loose.body)).not.toContain("strict");
		expect(loose.losses).toEqual(expect.arrayContaining(["formatStrict", "function.strict"]));
		const strict = asked({ ...closed, required: ["a"] });
		expect(strict.body).toMatchObject({
			response_format: { json_schema: { strict: true } },
			tools: [{ function: { strict: true } }],
		});
		expect(strict.losses).toEqual([]);
	});

	test.each(["gpt-4o", "m"])("an answer's schema is closed for %s, so that it can be enforced", (model) => {
		const inner = { type: "object", properties: { a: { type: ["string", "null"] } }, required: ["a"] };
		const asked = (value: object) => {
			const schema = { ...inner, properties: { ...inner.properties, more: value }, required: ["a", "more"] };
			return written(foreign({ format: { type: "schema", schema, strict: true } }), model);
		};
		const { body, losses } = asked({ type: "array", items: inner });
		const closed = { items: { additionalProperties: false }, type: "array" };
		const schema = { additionalProperties: false, properties: { more: closed } };
		expect(body).toMatchObject({ response_format: { json_schema: { strict: true, schema } } });
		expect(losses).toEqual([]);
		expect(asked({ description: "Anything" }).losses).toEqual(["formatStrict"]);
		expect(asked({ type: "array" }).losses).toEqual(["formatStrict"]);
		expect(asked({ type: "string", format: "uuid" }).losses).toEqual([]);
		expect(asked({ type: "string", format: "uri" }).losses).toEqual(["formatStrict"]);
		const width = asked({ type: ["integer", "null"], format: "int32" });
		expect(width.losses).toEqual([]);
		expect(JSON.stringify(width.body)).not.toContain("int32");
		const preset = asked({
			type: "object",
			properties: { default: { type: "integer", default: 3 } },
			required: ["default"],
		});
		expect(preset.losses).toEqual([]);
		expect(preset.body).toMatchObject({
			response_format: {
				json_schema: { schema: { properties: { more: { properties: { default: { type: "integer" } } } } } },
			},
		});
		expect(JSON.stringify(preset.body)).not.toContain('"default":3');
	});

	test("a schema that is no object's is asked of OpenAI in words, and of others as it is", () => {
		const schema = { type: "array", items: { type: "string" } };
		const asked = foreign({ format: { type: "schema", schema, strict: true, description: "Words" } });
		const told = written(asked);
		expect(told.body).not.toHaveProperty("response_format");
		expect(told.messages[0]).toEqual({
			role: "system",
			content: expect.stringContaining(JSON.stringify({ ...schema, description: "Words" })),
		});
		expect(told.losses).toEqual(["formatStrict"]);
		expect(written(asked, "m").body).toMatchObject({ response_format: { json_schema: { schema } } });
	});

	test("a function has an object at its root, and every list its items", () => {
		const kinds = ["a", "b"].map((kind) => ({
			type: "object",
			properties: { kind: { const: kind }, [kind]: { type: "array" } },
			required: ["kind", kind],
		}));
		const { body, losses } = written(
			foreign({
				tools: [
					{ type: "function", name: "f", schema: { anyOf: kinds } },
					{ type: "function", name: "g", schema: { $ref: "#/$defs/G", $defs: { G: kinds[0] } } },
				],
			}),
		);
		expect(losses).toEqual(["function"]);
		expect(body["tools"]).toMatchObject([
			{
				function: {
					parameters: {
						type: "object",
						properties: {
							kind: { anyOf: [{ const: "a" }, { const: "b" }] },
							a: { type: "array", items: {} },
							b: { type: "array", items: {} },
						},
						required: ["kind"],
					},
				},
			},
			{ function: { parameters: { type: "object", properties: { a: { items: {} } } } } },
		]);
		expect(JSON.stringify(body["tools"])).not.toContain('"anyOf":[{"type":"object"');
	});

	test("a reference with words beside it is not enforced, which OpenAI refuses", () => {
		const inner = { type: "object", properties: {}, additionalProperties: false };
		const asked = (reference: object) => {
			const root = { ...inner, properties: { a: reference }, required: ["a"], $defs: { A: inner } };
			return written(foreign({ format: { type: "schema", schema: root, strict: true } })).losses;
		};
		expect(asked({ $ref: "#/$defs/A" })).toEqual([]);
		expect(asked({ $ref: "#/$defs/A", description: "An A" })).toEqual(["formatStrict"]);
	});

	test("settings that say nothing are no loss, and Mistral is told which answer it began", () => {
		const sampling = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 };
		const plain = written(foreign({ sampling }), "o3", { samplingRefused: true });
		expect(plain.losses).toEqual([]);
		expect(plain.body).not.toHaveProperty("temperature");
		const begun = conversation(user(text("Hi")), assistant(text("So")));
		const { messages } = written(begun, "m", { vendor: "mistral", strictFields: true });
		expect(messages.at(-1)).toEqual({ role: "assistant", content: "So", prefix: true });
		expect(written(begun, "m").messages.at(-1)).not.toHaveProperty("prefix");
	});

	test("a call that cannot be forced while the model thinks, or at all", () => {
		const asked = { tools: [fn("f")], toolChoice: { mode: "required" } as const };
		const calm = written(foreign(asked), "m", { forcedCalls: "unthinking", thinkingSwitch: "thinking" });
		expect(calm.body).toMatchObject({ tool_choice: "required", thinking: { type: "disabled" } });
		expect(calm.losses).toEqual([]);
		const free = written(foreign(asked), "m", { forcedCalls: "unthinking" });
		expect(free.body).toMatchObject({ tool_choice: "auto" });
		expect(free.losses).toEqual(["toolChoice"]);
	});

	test("H118 a schema goes with its name, in words where the upstream has none, and JSON is spoken of", () => {
		const schema = { type: "object", additionalProperties: false };
		const format = { type: "schema", schema, strict: true } as const;
		expect(written(foreign({ format })).body["response_format"]).toEqual({
			type: "json_schema",
			json_schema: { name: "answer", schema, strict: true },
		});
		const told = written(foreign({ format }), "deepseek-chat", { nativeSchema: false });
		expect(told.body["response_format"]).toEqual({ type: "json_object" });
		expect(told.messages[0]).toMatchObject({ role: "system" });
		expect(told.losses).toEqual(["formatStrict"]);
		expect(told.messages[0]?.["content"]).toContain('{"type":"object","additionalProperties":false}');
		const json = written(foreign({ format: { type: "json" } }));
		expect(json.body["response_format"]).toEqual({ type: "json_object" });
		expect(JSON.stringify(json.messages)).toMatch(/JSON/);
		const spoken = written(foreign({ format: { type: "json" }, messages: [user(text("Give me json"))] }));
		expect(spoken.messages.length).toBe(1);
		const choice = written(foreign({ format: { type: "enum", values: ["a", "b"] } }));
		expect(choice.messages[0]?.["content"]).toContain("a, b");
		expect(choice.losses).toEqual(["format"]);
	});

	test("an instruction stands behind the system messages that are there", () => {
		const messages: Message[] = [{ role: "system", blocks: [text("s")] }, user(text("u"))];
		const told = written(foreign({ messages, format: { type: "json" } })).messages;
		expect(told.map(({ role }) => role)).toEqual(["system", "system", "user"]);
		expect(told[0]?.["content"]).toBe("s");
	});

	test("H111 whom the call is for: the user, and metadata only where it is kept", () => {
		const identity = { user: "u", safetyId: "s", metadata: { a: "b" } };
		const { body, losses } = written(foreign({ identity }));
		expect(body).toMatchObject({ user: "u", safety_identifier: "s" });
		expect(body).not.toHaveProperty("metadata");
		expect(losses).toEqual(["metadata"]);
		expect(written(foreign({ identity: { safetyId: "s" } }), "deepseek-chat").body).not.toHaveProperty(
			"safety_identifier",
		);
	});

	test("service tiers in OpenAI's words", () => {
		const tier = (word: string, model?: string) => written(foreign({ tier: word }), model).body["service_tier"];
		expect([tier("standard_only"), tier("priority"), tier("batch"), tier("auto", "deepseek-chat")]).toEqual([
			"default",
			"priority",
			undefined,
			undefined,
		]);
		expect(written(foreign({ tier: "batch" })).losses).toEqual(["tier"]);
	});

	test("a stream asks for usage", () => {
		expect(written(foreign({ stream: true })).body).toMatchObject({
			stream: true,
			stream_options: { include_usage: true },
		});
		expect(written(foreign()).body).not.toHaveProperty("stream");
	});

	test("H108 fields of another protocol are never written", () => {
		const extras = { messages: { context_management: {} }, "chat-completions": { prediction: {} } };
		const { body } = written(foreign({ extras }));
		expect(body).not.toHaveProperty("context_management");
		expect(body).toHaveProperty("prediction");
	});

	test("a user who said nothing still stands there, for a conversation cannot be empty", () => {
		for (const messages of [[], [user()]])
			expect(written(foreign({ messages })).body["messages"]).toEqual([{ role: "user", content: "" }]);
	});

	test("what no other protocol's client can have here is reported", () => {
		const { losses } = written(
			foreign({
				safety: [{}],
				maxToolCalls: 3,
				modalities: ["text", "image"],
				verbosity: "low",
				state: { previousId: "r", background: true },
				extras: { messages: { mcp_servers: [{}] } },
			}),
		);
		expect(losses.toSorted()).toEqual([
			"background",
			"maxToolCalls",
			"mcp_servers",
			"modalities",
			"previousId",
			"safety",
			"verbosity",
		]);
	});

	test.skipIf(!haveRecordings)(
		"everything at once is what the published schema takes (needs the shared folder)",
		async () => {
			const { chatRequest, check } = await schemas();
			const full = foreign({
				messages: [
					{ role: "system", blocks: [text("s"), text("t")] },
					user(text("a"), png, { type: "document", media: { by: "bytes", mime: "application/pdf", base64: "AAAA" } }),
					assistant(text("b"), call("c1")),
					{ role: "tool", blocks: [{ type: "tool_result", callId: "c1", content: [text("r"), png] }] },
				],
				tools: [fn("f"), { type: "custom", name: "p" }],
				toolChoice: { mode: "named", names: ["f", "p"], force: false },
				sampling: { temperature: 1, seed: 1, logitBias: { 1: 2 } },
				maxOutputTokens: 9,
				stop: ["x"],
				candidates: 2,
				logprobs: { enabled: true },
				format: { type: "schema", schema: {} },
				tier: "auto",
				stream: true,
			});
			for (const model of ["gpt-4o", "gpt-5", "deepseek-chat"])
				expect(check(chatRequest(), written(full, model).body)).toBeNull();
		},
	);
});

test("a request of this protocol keeps its own words", () => {
	const body = bodyWith({
		top_k: 4,
		metadata: { a: "b" },
		store: true,
		prompt_cache_retention: "24h",
		modalities: ["text", "audio"],
		audio: { voice: "alloy", format: "wav" },
		verbosity: "low",
		prediction: { type: "content", content: "x" },
	});
	expect(written(neutralOf(body)).body).toEqual(body);
});
