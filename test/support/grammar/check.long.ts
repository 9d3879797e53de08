import { describe, expect, test } from "bun:test";
import { recordings } from "../recordings.ts";
import { streamFaults } from "./check.ts";

const data = (...events: unknown[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const named = (...events: { type: string }[]) =>
	events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

describe("the grammar of Chat Completions", () => {
	const chunk = (delta: unknown, finish_reason: string | null = null) => ({
		id: "c1",
		object: "chat.completion.chunk",
		created: 1,
		model: "m",
		choices: [{ index: 0, delta, finish_reason }],
	});
	const call = (index: number, id?: string) => ({
		tool_calls: [
			{ index, ...(id && { id, type: "function" }), function: { ...(id && { name: "f" }), arguments: "{}" } },
		],
	});
	const role = chunk({ role: "assistant", content: "" });
	const done = "data: [DONE]\n\n";

	test("takes a good stream", () => {
		const text = `${data(role, chunk(call(0, "a")), chunk(call(0)), chunk({}, "tool_calls"))}${done}`;
		expect(streamFaults("chat-completions", text)).toEqual([]);
	});
	test.each([
		["no terminator", data(role, chunk({}, "stop"))],
		["no finish", `${data(role)}${done}`],
		["no role", `${data(chunk({ content: "x" }, "stop"))}${done}`],
		["a hole in the tool numbers", `${data(role, chunk(call(1, "a")), chunk({}, "tool_calls"))}${done}`],
		["a finish that denies the call", `${data(role, chunk(call(0, "a")), chunk({}, "stop"))}${done}`],
		["an event name", `event: x\n${data(role, chunk({}, "stop"))}${done}`],
		["an id line", `id: 1\n${data(role, chunk({}, "stop"))}${done}`],
		["content after the finish", `${data(role, chunk({}, "stop"), chunk({ content: "x" }))}${done}`],
	])("refuses %s", (_, text) => expect(streamFaults("chat-completions", text)).not.toEqual([]));
	test("counts usage chunks when told what was asked", () => {
		const text = `${data(role, chunk({}, "stop"))}${done}`;
		expect(streamFaults("chat-completions", text, { usage: true })).toEqual(["end: 0 usage chunks"]);
	});
});

describe("the grammar of Messages", () => {
	const usage = { input_tokens: 1, output_tokens: 1 };
	const start = {
		type: "message_start",
		message: { id: "m1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage },
	};
	const open = (index: number) => ({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
	const text = (index: number) => ({ type: "content_block_delta", index, delta: { type: "text_delta", text: "x" } });
	const stop = (index: number) => ({ type: "content_block_stop", index });
	const finish = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } };
	const end = { type: "message_stop" };

	test("takes a good stream, and one that ends with an error", () => {
		expect(streamFaults("messages", named(start, open(0), text(0), stop(0), finish, end))).toEqual([]);
		const error = { type: "error", error: { type: "api_error", message: "gone" } };
		expect(streamFaults("messages", named(start, open(0), text(0), error))).toEqual([]);
	});
	test.each([
		["two open blocks", named(start, open(0), open(1), stop(0), stop(1), finish, end)],
		["a first index that is not 0", named(start, open(1), text(1), stop(1), finish, end)],
		["a delta of another type", named(start, open(0), { ...text(0), delta: { type: "thinking_delta" } } as never)],
		["no message_stop", named(start, open(0), text(0), stop(0), finish)],
		["two message_delta", named(start, finish, finish, end)],
		["events without names", data(start, finish, end)],
	])("refuses %s", (_, stream) => expect(streamFaults("messages", stream)).not.toEqual([]));
});

describe("the grammar of generateContent", () => {
	const chunk = (parts: unknown[], finishReason?: string) => ({
		candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason && { finishReason }) }],
		responseId: "r",
		modelVersion: "m",
	});
	const error = { error: { code: 503, message: "busy", status: "UNAVAILABLE" } };

	test("takes a good stream, its array form, and an error told twice", () => {
		const chunks = [chunk([{ text: "x" }]), chunk([{ text: "", thoughtSignature: "s" }], "STOP")];
		expect(streamFaults("generate-content", data(...chunks))).toEqual([]);
		expect(streamFaults("generate-content", JSON.stringify(chunks), { array: true })).toEqual([]);
		expect(streamFaults("generate-content", `${data(error)}${JSON.stringify(error)}\n`)).toEqual([]);
	});
	test.each([
		["[DONE]", `${data(chunk([{ text: "x" }], "STOP"))}data: [DONE]\n\n`],
		["a comment", `: ping\n\n${data(chunk([{ text: "x" }], "STOP"))}`],
		["an empty text", data(chunk([{ text: "" }], "STOP"))],
		["no finishReason", data(chunk([{ text: "x" }]))],
		["a part with two contents", data(chunk([{ text: "x", functionCall: { name: "f" } }], "STOP"))],
		["an error told once", data(error)],
	])("refuses %s", (_, text) => expect(streamFaults("generate-content", text)).not.toEqual([]));
});

describe("the grammar of Responses", () => {
	const response = (status: string, output: unknown[] = []) => ({ id: "resp_1", status, output });
	const item = (status: string, content: unknown[] = []) => ({ id: "msg_1", type: "message", status, content });
	const part = (text: string) => ({ type: "output_text", text, annotations: [] });
	const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
	const good = [
		{ type: "response.created", response: response("in_progress") },
		{ type: "response.output_item.added", output_index: 0, item: item("in_progress") },
		{ type: "response.content_part.added", ...at, part: part("") },
		{ type: "response.output_text.delta", ...at, delta: "x" },
		{ type: "response.output_text.done", ...at, text: "x" },
		{ type: "response.content_part.done", ...at, part: part("x") },
		{ type: "response.output_item.done", output_index: 0, item: item("completed", [part("x")]) },
		{ type: "response.completed", response: response("completed", [item("completed", [part("x")])]) },
	];
	const numbered = (events: readonly { type: string }[]) =>
		named(...events.map((event, sequence_number) => ({ ...event, sequence_number })));

	test("takes a good stream", () => expect(streamFaults("responses", numbered(good))).toEqual([]));
	test.each([...good.keys()])("refuses the stream without its event %d", (missing) =>
		expect(streamFaults("responses", numbered(good.filter((_, at) => at !== missing)))).not.toEqual([]),
	);
	test("refuses a gap in the sequence numbers", () =>
		expect(streamFaults("responses", named(...good))).not.toEqual([]));
});

test("the grammars take what the providers' own streams are made of", () => {
	const official = recordings().filter(
		({ official, answer, status, protocol }) =>
			official && answer.form === "events" && status < 400 && protocol !== "generate-content",
	);
	const kept = official.filter(
		({ protocol, answer }) =>
			answer.form === "events" && streamFaults(protocol, answer.text.replaceAll("\r\n", "\n")).length === 0,
	);
	// the rest are cut fixtures, several turns in one file, and encrypted content that differs between two events
	expect(kept.length).toBeGreaterThan(official.length * 0.88);
});
