/** Ends are told truly: a call that cannot be read is a failure, a pause is no end, what is said on the way is not the answer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { type LossWorld, startLossWorld } from "./world.ts";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld();
	upstream = startUpstream(() =>
		Response.json({
			candidates: [{ index: 0, content: {}, finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed: f(" }],
			usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 },
		}),
	);
	const upstreams = [{ name: "g", protocol: "generate-content", url: upstream.url, key: "k" }];
	const models = [{ name: "m", targets: [{ upstream: "g", model: "gemini-2.5-pro" }] }];
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			"generate-content",
			{ use: "router", with: { upstreams, models } },
		],
	});
});
afterAll(async () => {
	await world.stop();
	await gateway.stop();
	await upstream.stop();
});

test.each(["/v1/chat/completions", "/v1/messages"])("%s", async (path) => {
	const messages = [{ role: "user", content: "Call f." }];
	const response = await gateway.ask(path, { model: "m", max_tokens: 9, messages });
	expect(response.status).toBeGreaterThanOrEqual(500);
	expect(await response.text()).toContain("Malformed: f(");
});

describe("an answer that pauses amid the upstream's own tools", () => {
	const answer = {
		id: "msg",
		type: "message",
		role: "assistant",
		model: "m",
		content: [{ type: "text", text: "So far." }],
		stop_reason: "pause_turn",
		usage: { input_tokens: 1, output_tokens: 1 },
	};

	test.each([
		["chat-completions", '"finish_reason":"length"'],
		["responses", '"incomplete_details":{"reason":"max_output_tokens"}'],
		["generate-content", '"finishReason":"MAX_TOKENS"'],
	] as const)("goes on for a client of %s, which is told so", async (client, word) => {
		const response = await world.send(client, "messages", {}, { answer });
		expect(response.headers.get("x-portico-dropped")).toBe("pause_turn");
		expect(await response.text()).toContain(word);
		if (client === "generate-content") return;
		const streamed = await world.send(client, "messages", { stream: true }, { answer });
		expect(await streamed.text()).toContain(word);
	});

	test("is told as it is in its own protocol", async () => {
		const response = await world.send("messages", "messages", {}, { answer });
		expect(response.headers.get("x-portico-dropped")).toBeNull();
		expect(asRecord(await response.json())["stop_reason"]).toBe("pause_turn");
	});
});

describe("what a model says on the way", () => {
	const message = (id: string, phase: string | undefined, text: string) => ({
		type: "message",
		id,
		role: "assistant",
		status: "completed",
		...(phase !== undefined && { phase }),
		content: [{ type: "output_text", text, annotations: [] }],
	});
	const answer = {
		id: "r",
		object: "response",
		created_at: 1,
		status: "completed",
		model: "m",
		output: [message("msg_1", "commentary", "I look."), message("msg_2", "final_answer", "It is 42.")],
	};
	const withoutPhases = [message("msg_1", undefined, "I look."), message("msg_2", undefined, "It is 42.")];
	const searching = {
		id: "msg",
		type: "message",
		role: "assistant",
		model: "m",
		content: [
			{ type: "text", text: "I look." },
			{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "answer" } },
			{ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
			{ type: "text", text: "It is 42." },
		],
		stop_reason: "end_turn",
		usage: { input_tokens: 1, output_tokens: 1 },
	};

	test.each(["chat-completions", "generate-content"] as const)(
		"stands apart from the answer, by %s",
		async (client) => {
			const whole = await (await world.send(client, "responses", {}, { answer })).text();
			expect(whole).toContain("I look.\\n\\nIt is 42.");
		},
	);

	test("and in a stream", async () => {
		const text = await (await world.send("chat-completions", "responses", { stream: true }, { answer })).text();
		const said = [...text.matchAll(/"delta":\{"content":("(?:[^"\\]|\\.)*")/g)].map(([, piece]) =>
			JSON.parse(piece ?? '""'),
		);
		expect(said.join("")).toBe("I look.\n\nIt is 42.");
	});

	test.each([
		["responses", "messages without phases", { ...answer, output: withoutPhases }],
		["messages", "words around a search", searching],
	] as const)("is joined without a gap otherwise: %s, %s", async (upstream, _, told) => {
		const whole = await (await world.send("chat-completions", upstream, {}, { answer: told })).text();
		expect(whole).toContain("I look.It is 42.");
	});

	test("stands apart in the history of the next model", async () => {
		const input = [{ role: "user", content: "Hi" }, ...answer.output, { role: "user", content: "Sure?" }];
		await world.send("responses", "chat-completions", { input });
		expect(world.upstream.received.at(-1)?.text).toContain("I look.\\n\\nIt is 42.");
	});
});

test.each([false, true])(
	"sources that no citation tells stand at the answer, by chat-completions, streamed: %p",
	async (stream) => {
		const answer = {
			candidates: [
				{
					index: 0,
					content: { role: "model", parts: [{ text: "It rains." }] },
					finishReason: "STOP",
					groundingMetadata: {
						webSearchQueries: ["rain"],
						groundingChunks: [{ web: { uri: "https://rain.example/", title: "Rain" } }],
					},
				},
			],
		};
		const text = await (await world.send("chat-completions", "generate-content", { stream }, { answer })).text();
		const cited = { start_index: 0, end_index: 9, url: "https://rain.example/", title: "Rain" };
		expect(text).toContain(`"annotations":${JSON.stringify([{ type: "url_citation", url_citation: cited }])}`);
	},
);
