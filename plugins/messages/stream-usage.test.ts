/** What a translated stream says of the input before the upstream has counted it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asRecord, parseJson } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	const models = [
		{ name: "m", targets: [{ upstream: "chat", model: "gpt-4.1" }] },
		{ name: "demo", targets: [{ upstream: "demo" }] },
	];
	const upstreams = [{ name: "chat", protocol: "chat-completions", url: upstream.url, key: "k" }];
	gateway = await startGateway({
		plugins: ["tokens", "messages", "chat-completions", "demo", { use: "router", with: { upstreams, models } }],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const chunk = (more: object): string =>
	`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...more })}\n\n`;

/** The usage that the first event of an answer tells, and that of its end. */
const toldBy = async (asked: object): Promise<{ readonly start: unknown; readonly end: unknown }> => {
	const response = await gateway.ask("/v1/messages", { ...asked, stream: true });
	const events = (await response.text())
		.split("\n")
		.flatMap((line) => (line.startsWith("data: ") ? [asRecord(parseJson(line.slice(6)))] : []));
	const start = events.find(({ type }) => type === "message_start");
	const end = events.find(({ type }) => type === "message_delta");
	return { start: asRecord(start?.["message"])["usage"], end: end?.["usage"] };
};

test("the input is the estimate of count_tokens at first, and the upstream's count at the end", async () => {
	upstream.answer(() =>
		streamOf([
			chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: null }] }),
			chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
			chunk({ choices: [], usage: { prompt_tokens: 77, completion_tokens: 2, total_tokens: 79 } }),
			"data: [DONE]\n\n",
		]),
	);
	const asked = {
		model: "m",
		system: "You are brief.",
		messages: [{ role: "user", content: "Tell me of the weather in Oslo, in a few words." }],
		tools: [{ name: "f", description: "Tells the weather.", input_schema: { type: "object", properties: {} } }],
	};
	const count = await gateway.ask("/v1/messages/count_tokens", asked);
	const { input_tokens: estimate } = asRecord(await count.json());
	expect(estimate).toBeGreaterThan(10);
	const { start, end } = await toldBy({ ...asked, max_tokens: 99 });
	expect(start).toMatchObject({ input_tokens: estimate, output_tokens: 0 });
	expect(end).toMatchObject({ input_tokens: 77, output_tokens: 2 });
});

test("an answer that was whole before it was streamed tells its output once, at the end", async () => {
	const { start, end } = await toldBy({ model: "demo", max_tokens: 99, messages: [{ role: "user", content: "hi" }] });
	expect(start).toMatchObject({ output_tokens: 0 });
	expect(end).toMatchObject({ output_tokens: 15 });
});
