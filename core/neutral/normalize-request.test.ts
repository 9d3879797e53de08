import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyConversation } from "../../test/support/neutral-arbitraries.ts";
import type { Block, Message, ToolResultBlock } from "./content.ts";
import { normalizeRequest } from "./normalize-request.ts";
import type { FunctionTool, NeutralRequest } from "./request.ts";

const text = (value: string): Block => ({ type: "text", text: value });
const call = (id: string, name = "f"): Block => ({
	type: "tool_call",
	id,
	name,
	kind: "function",
	arguments: { form: "json", value: {}, text: "{}" },
});
const result = (callId: string, said = "ok"): Block => ({ type: "tool_result", callId, content: [text(said)] });
const user = (...blocks: Block[]): Message => ({ role: "user", blocks });
const assistant = (...blocks: Block[]): Message => ({ role: "assistant", blocks });
const tool = (...blocks: Block[]): Message => ({ role: "tool", blocks });
const named = (block: Block, name = "f"): Block => ({ ...(block as ToolResultBlock), name, kind: "function" });
const request = (messages: readonly Message[], more: Partial<NeutralRequest> = {}): NeutralRequest => ({
	protocol: "messages",
	model: "m",
	stream: false,
	messages,
	sampling: {},
	raw: {},
	...more,
});
const messagesOf = (...messages: Message[]) => normalizeRequest(request(messages)).request.messages;
const fn = (name: string): FunctionTool => ({ type: "function", name, schema: {} });

describe("normalizeRequest", () => {
	test("it is idempotent, and leaves its input as it was", () => {
		fc.assert(
			fc.property(anyConversation, (messages) => {
				const before = structuredClone(messages);
				const once = normalizeRequest(request(messages)).request;
				expect(messages).toEqual(before);
				const twice = normalizeRequest(once);
				expect(twice.request).toEqual(once);
				expect(twice.losses).toEqual([]);
			}),
		);
	});
	test("every call has one result, directly behind it and in order", () => {
		fc.assert(
			fc.property(anyConversation, (messages) => {
				const made = messagesOf(...messages);
				const ids = made.flatMap(({ blocks }) => blocks.flatMap((b) => (b.type === "tool_call" ? [b.id] : [])));
				expect(new Set(ids).size).toBe(ids.length);
				for (const [at, message] of made.entries()) {
					const calls = message.blocks.flatMap((b) => (b.type === "tool_call" ? [b.id] : []));
					const next = made[at + 1];
					if (calls.length > 0)
						expect(next?.blocks.map((b) => (b.type === "tool_result" ? b.callId : ""))).toEqual(calls);
				}
				const results = made.flatMap(({ blocks }) => blocks.filter((b) => b.type === "tool_result"));
				expect(results).toHaveLength(ids.length);
			}),
		);
	});
	test("a request in good order is left as it is", () => {
		const messages = [user(text("a")), assistant(text("b"), call("c1")), tool(named(result("c1"))), user(text("d"))];
		const { request: made, losses } = normalizeRequest(
			request(messages, { tools: [fn("f")], toolChoice: { mode: "auto" }, parallelTools: false, stop: ["x"] }),
		);
		expect(made).toEqual(
			request(messages, { tools: [fn("f")], toolChoice: { mode: "auto" }, parallelTools: false, stop: ["x"] }),
		);
		expect(losses).toEqual([]);
	});
	test("H95: empty blocks and messages go, signed empty ones stay", () => {
		const signature = { value: "s", origin: { protocol: "messages", family: "claude" } };
		const signed: Block = { type: "thinking", text: "", form: "full", signature };
		expect(messagesOf(user(text("")), user(text(""), text("a")), assistant(signed, text("")))).toEqual([
			user(text("a")),
			assistant(signed),
		]);
	});
	test("H104 and H120: what was said between a call and its result comes after the result", () => {
		expect(messagesOf(assistant(call("c1")), user(text("wait")), user(text("see"), result("c1")))).toEqual([
			assistant(call("c1")),
			tool(named(result("c1"))),
			user(text("wait")),
			user(text("see")),
		]);
	});
	test("H73: parallel calls in messages of their own become one message, with results in order", () => {
		expect(messagesOf(assistant(call("a")), assistant(call("b", "g")), tool(result("b")), tool(result("a")))).toEqual([
			assistant(call("a"), call("b", "g")),
			tool(named(result("a")), named(result("b"), "g")),
		]);
	});
	test("calls that waited for each other's results stay apart", () => {
		const messages = [assistant(call("a")), tool(named(result("a"))), assistant(call("b")), tool(named(result("b")))];
		expect(messagesOf(...messages)).toEqual(messages);
	});
	test("H119: thinking in a message of its own joins what it led to", () => {
		const thought: Block = { type: "thinking", text: "hm", form: "full" };
		expect(messagesOf(user(text("q")), assistant(thought), assistant(call("a")), tool(result("a")))[1]).toEqual(
			assistant(thought, call("a")),
		);
	});
	test("H105: of two results for one call the later stays", () => {
		expect(messagesOf(assistant(call("a")), user(result("a", "old"), result("a", "new")))).toEqual([
			assistant(call("a")),
			tool(named(result("a", "new"))),
		]);
		const lost = (...results: readonly Block[]) =>
			normalizeRequest(request([assistant(call("a")), user(...results)])).losses;
		expect(lost(result("a", "old"), result("a", "new"))).toMatchObject([{ node: named(result("a", "old")) }]);
		expect(lost(result("a", "same"), result("a", "same"))).toEqual([]);
	});
	test("H117: a result without a call goes, and that is told; it stays when the upstream keeps the conversation", () => {
		const orphaned = [user(text("q")), tool(result("zz"))];
		const { request: made, losses } = normalizeRequest(request(orphaned));
		expect(made.messages).toEqual([user(text("q"))]);
		expect(losses).toMatchObject([{ node: result("zz"), reason: 'no tool call has the id "zz"' }]);
		expect(normalizeRequest(request(orphaned, { state: { previousId: "resp_1" } })).request.messages).toEqual(orphaned);
	});
	test("a call without a result gets an error result", () => {
		const [, second] = messagesOf(assistant(call("a")), user(text("never mind")));
		expect(second).toMatchObject({ role: "tool", blocks: [{ type: "tool_result", callId: "a", isError: true }] });
	});
	test("calls that share an id are told apart, and each keeps its result", () => {
		expect(
			messagesOf(assistant(call("a")), user(result("a", "1")), assistant(call("a")), user(result("a", "2"))),
		).toEqual([
			assistant(call("a")),
			tool(named(result("a", "1"))),
			assistant(call("a_2")),
			tool(named(result("a_2", "2"))),
		]);
	});
	test("H22: a call without arguments has an empty object", () => {
		const [first] = messagesOf(assistant({ ...call("a"), arguments: { form: "invalid", text: "" } } as Block));
		expect(first?.blocks[0]).toEqual(call("a"));
	});
	test("H127: image/jpg is image/jpeg", () => {
		const image = (mime: string): Block => ({ type: "image", media: { by: "bytes", base64: "AAAA", mime } });
		expect(messagesOf(user(image("image/jpg")))).toEqual([user(image("image/jpeg"))]);
	});
	test.each([
		["image/jpeg", "\xff\xd8\xff\xe0\x00\x10JFIF"],
		["image/png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"],
		["image/gif", "GIF89a\x01\x00"],
		["image/webp", "RIFF\x24\x01\x00\x00WEBPVP8 "],
		["image/jpeg", "\xff\xd8\xff\xdb"],
	])("a picture is called what it is: %s", (mime, bytes) => {
		const image = (said: string): Block => ({ type: "image", media: { by: "bytes", base64: btoa(bytes), mime: said } });
		expect(messagesOf(user(image("image/png")))).toEqual([user(image(mime))]);
		expect(messagesOf(user(image("application/octet-stream")))).toEqual([user(image(mime))]);
	});
	test("a picture in another format keeps its name", () => {
		const image: Block = { type: "image", media: { by: "bytes", base64: btoa("<svg></svg>"), mime: "image/svg+xml" } };
		expect(messagesOf(user(image))).toEqual([user(image)]);
	});
	test("without tools there is no tool choice", () => {
		const { request: made, losses } = normalizeRequest(
			request([user(text("q"))], { tools: [], toolChoice: { mode: "required" }, parallelTools: true }),
		);
		expect(made).toEqual(request([user(text("q"))]));
		expect(losses.map(({ setting }) => setting)).toEqual(["toolChoice"]);
		expect(normalizeRequest(request([], { toolChoice: { mode: "none" } })).losses).toEqual([]);
	});
	test("a choice of tools that do not exist is narrowed to those that do", () => {
		const choose = (...names: string[]) =>
			normalizeRequest(
				request([user(text("q"))], { tools: [fn("f")], toolChoice: { mode: "named", names, force: true } }),
			);
		expect(choose("f", "g").request.toolChoice).toEqual({ mode: "named", names: ["f"], force: true });
		expect(choose("g").request.toolChoice).toBeUndefined();
		expect(choose("g").losses).toHaveLength(1);
	});
	test("of two tools with one name the first stays", () => {
		const { request: made, losses } = normalizeRequest(request([], { tools: [fn("f"), { ...fn("f"), strict: true }] }));
		expect(made.tools).toEqual([fn("f")]);
		expect(losses).toHaveLength(1);
	});
});
