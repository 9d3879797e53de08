/** Code that an upstream ran itself: every client sees what was run and printed, and no later model forgets it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord, asText, parseJson, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld();
});
afterAll(() => world.stop());

const claude = (name: string, input: WireRecord, type: string, printed: WireRecord) => ({
	id: "msg",
	type: "message",
	role: "assistant",
	model: "m",
	content: [
		{ type: "server_tool_use", id: "srvtoolu_1", name, input },
		{ type: `${name}_tool_result`, tool_use_id: "srvtoolu_1", content: { type, content: [], ...printed } },
		{ type: "text", text: "Done." },
	],
	stop_reason: "end_turn",
	usage: { input_tokens: 1, output_tokens: 1 },
});

const answers = {
	"Claude's Python": [
		"messages",
		claude("code_execution", { code: "print(6*7)" }, "code_execution_result", {
			stdout: "42",
			stderr: "",
			return_code: 0,
		}),
	],
	"Claude's shell": [
		"messages",
		claude("bash_code_execution", { command: "print(6*7)" }, "bash_code_execution_result", {
			stdout: "42",
			stderr: "",
			return_code: 0,
		}),
	],
	"OpenAI's": [
		"responses",
		{
			id: "r",
			object: "response",
			created_at: 1,
			status: "completed",
			model: "m",
			output: [
				{
					type: "code_interpreter_call",
					id: "ci_1",
					status: "completed",
					container_id: "cntr_1",
					code: "print(6*7)",
					outputs: [{ type: "logs", logs: "42" }],
				},
				{ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
			],
		},
	],
	"Gemini's": [
		"generate-content",
		{
			candidates: [
				{
					index: 0,
					content: {
						role: "model",
						parts: [
							{ executableCode: { language: "PYTHON", code: "print(6*7)" } },
							{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "42" } },
							{ text: "Done." },
						],
					},
					finishReason: "STOP",
				},
			],
		},
	],
} as const;

type Maker = keyof typeof answers;
const makers = Object.keys(answers) as Maker[];

const ask = (client: ProtocolName, maker: Maker, body: WireRecord = {}): Promise<Response> =>
	world.send(client, answers[maker][0], body, { answer: answers[maker][1] });

const blocksOf = (list: unknown): readonly WireRecord[] => asList(list).map(asRecord);

const ofMessages = (content: unknown) => {
	const [call, result] = blocksOf(content);
	expect(result?.["tool_use_id"]).toBe(call?.["id"]);
	const input = asRecord(call?.["input"]);
	return { code: input["code"] ?? input["command"], printed: asRecord(result?.["content"])["stdout"] };
};
const ofResponses = (output: unknown) => {
	const [run] = blocksOf(output);
	expect(run?.["type"]).toBe("code_interpreter_call");
	expect(run?.["status"]).toBe("completed");
	return { code: run?.["code"], printed: blocksOf(run?.["outputs"])[0]?.["logs"] };
};
const ofGemini = (parts: unknown) => {
	const [code, result] = blocksOf(parts);
	return {
		code: asRecord(code?.["executableCode"])["code"],
		printed: asRecord(result?.["codeExecutionResult"])["output"],
	};
};

describe.each(makers)("a run of %s", (maker) => {
	const run = { code: "print(6*7)", printed: "42" };

	test("is seen by a Messages client", async () => {
		const { content } = asRecord(await (await ask("messages", maker)).json());
		expect(ofMessages(content)).toEqual(run);
	});

	test("is seen by a Responses client", async () => {
		const { output } = asRecord(await (await ask("responses", maker)).json());
		expect(ofResponses(output)).toEqual(run);
	});

	test("is seen by a Gemini client", async () => {
		const { candidates } = asRecord(await (await ask("generate-content", maker)).json());
		expect(ofGemini(asRecord(blocksOf(candidates)[0]?.["content"])["parts"])).toEqual(run);
	});

	test("is seen by a Responses client that streams", async () => {
		const text = await (await ask("responses", maker, { stream: true })).text();
		const events = text
			.split("\n")
			.flatMap((line) => (line.startsWith("data: ") ? [asRecord(parseJson(line.slice(6)))] : []));
		const done = events.find(({ type }) => type === "response.output_item.done");
		expect(ofResponses([done?.["item"]])).toEqual(run);
		if (answers[maker][0] !== "responses")
			expect(events.find(({ type }) => type === "response.code_interpreter_call_code.done")?.["code"]).toBe(run.code);
		expect(ofResponses(asRecord(events.at(-1)?.["response"])["output"])).toEqual(run);
	});
});

/** What the client sends back of its first answer, with a further word. */
const nextTurn = async (client: ProtocolName, maker: Maker): Promise<WireRecord> => {
	const answer = asRecord(await (await ask(client, maker)).json());
	if (client === "responses")
		return { input: [{ role: "user", content: "Hi" }, ...asList(answer["output"]), { role: "user", content: "So?" }] };
	if (client === "messages") {
		const said = { role: "assistant", content: answer["content"] };
		return { messages: [{ role: "user", content: "Hi" }, said, { role: "user", content: "So?" }] };
	}
	const said = asRecord(blocksOf(answer["candidates"])[0])["content"];
	return { contents: [{ role: "user", parts: [{ text: "Hi" }] }, said, { role: "user", parts: [{ text: "So?" }] }] };
};

const others: readonly (readonly [ProtocolName, Maker, ProtocolName])[] = [
	["messages", "Gemini's", "messages"],
	["messages", "Gemini's", "chat-completions"],
	["messages", "Gemini's", "responses"],
	["messages", "Claude's Python", "generate-content"],
	["responses", "Claude's Python", "responses"],
	["responses", "Claude's Python", "chat-completions"],
	["responses", "Gemini's", "messages"],
	["generate-content", "Claude's shell", "chat-completions"],
	["generate-content", "Gemini's", "messages"],
	["generate-content", "Gemini's", "responses"],
];

describe("in the history", () => {
	test.each(others)("of a client of %s a run of %s is told to the model of %s", async (client, maker, to) => {
		const response = await world.send(client, to, await nextTurn(client, maker));
		expect(response.status).toBe(200);
		const sent = asText(world.upstream.received.at(-1)?.text) ?? "";
		expect(sent).toContain("print(6*7)");
		expect(sent).toContain("42");
		expect(sent).not.toContain("cntr_portico");
	});

	test("a run goes back to its own maker as it was", async () => {
		await world.send("messages", "messages", await nextTurn("messages", "Claude's shell"));
		const { messages } = asRecord(world.upstream.received.at(-1)?.json);
		expect(asRecord(blocksOf(messages)[1])["content"]).toEqual(answers["Claude's shell"][1].content);
	});
});

test("the container that OpenAI wants named is no loss at Gemini's code, one that is said more of is", async () => {
	const asked = (container: WireRecord) => {
		const body = { input: "Hi", tools: [{ type: "code_interpreter", container }] };
		return world.send("responses", "generate-content", body, { strict: true });
	};
	expect((await asked({ type: "auto" })).status).toBe(200);
	expect(asRecord(world.upstream.received.at(-1)?.json)["tools"]).toEqual([{ codeExecution: {} }]);
	expect(await (await asked({ type: "auto", memory_limit: "4g" })).text()).toContain("tools[0].container");
});
