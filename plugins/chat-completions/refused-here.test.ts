/** What an upstream takes only by its other protocol: the request goes there, where the upstream speaks it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

const told = (message: string, status: number): Response =>
	Response.json(
		{ error: { message, type: "invalid_request_error", param: "reasoning_effort", code: null } },
		{ status },
	);

const refusal =
	"Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";

const call = {
	id: "fc_1",
	type: "function_call",
	status: "completed",
	call_id: "call_1",
	name: "now",
	arguments: "{}",
};
const made = { id: "resp_1", object: "response", created_at: 1, model: "gpt-5.6" };
const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 };

const completed = { ...made, status: "completed", output: [call], usage };
const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

const start = async (protocol: readonly string[]): Promise<void> => {
	upstream = startUpstream(({ path, json }) => {
		if (path === "/v1/chat/completions") return told(refusal, 400);
		if ((json as { stream?: boolean }).stream !== true) return Response.json(completed);
		return streamOf([
			event("response.created", { response: made }),
			event("response.output_item.added", { output_index: 0, item: call }),
			event("response.output_item.done", { output_index: 0, item: call }),
			event("response.completed", { response: completed }),
		]);
	});
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"responses",
			"messages",
			{
				use: "router",
				with: {
					upstreams: [{ name: "up", protocol, url: `${upstream.url}/v1` }],
					models: [{ name: "gpt-5.6", targets: [{ upstream: "up" }] }],
				},
			},
		],
	});
};

beforeEach(() => start(["chat-completions", "responses"]));
afterEach(async () => {
	await gateway.stop();
	await upstream.stop();
});

const tools = [{ type: "function", function: { name: "now", parameters: { type: "object", properties: {} } } }];
const messages = [{ role: "user", content: "What time is it?" }];
const body = { model: "gpt-5.6", messages, tools, reasoning_effort: "high" };
const paths = (): readonly string[] => upstream.received.map(({ path }) => path);

test("functions of a model that reasons, whole", async () => {
	const answer = await gateway.ask("/v1/chat/completions", body);
	expect(answer.status).toBe(200);
	expect(await answer.json()).toMatchObject({
		object: "chat.completion",
		choices: [{ message: { tool_calls: [{ id: "call_1", function: { name: "now" } }] }, finish_reason: "tool_calls" }],
		usage: { prompt_tokens: 5, completion_tokens: 7 },
	});
	expect(paths()).toEqual(["/v1/chat/completions", "/v1/responses"]);
	expect(upstream.received[1]?.json).toMatchObject({ reasoning: { effort: "high" }, tools: [{ name: "now" }] });
});

test("as a stream, from a body that is long enough to be let go once it was sent", async () => {
	const long = { ...body, messages: [{ role: "user", content: "time ".repeat(10_000) }], stream: true };
	const answer = await gateway.ask("/v1/chat/completions", long);
	expect(await answer.text()).toContain('"name":"now"');
	expect(upstream.received[1]?.json).toMatchObject({ input: [{ content: "time ".repeat(10_000) }] });
});

test("a client of a third protocol", async () => {
	const asked = {
		model: "gpt-5.6",
		max_tokens: 100,
		messages,
		tools: [{ name: "now", input_schema: { type: "object" } }],
	};
	const answer = await gateway.ask("/v1/messages", asked);
	expect(await answer.json()).toMatchObject({ content: [{ type: "tool_use", name: "now" }], stop_reason: "tool_use" });
});

test("an upstream of one protocol, and every other refusal, keep their word", async () => {
	upstream.answer(() => told("Unsupported value: 'temperature'.", 400));
	expect((await gateway.ask("/v1/chat/completions", body)).status).toBe(400);
	expect(paths()).toEqual(["/v1/chat/completions"]);
	await gateway.stop();
	await upstream.stop();
	await start(["chat-completions"]);
	const answer = await gateway.ask("/v1/chat/completions", body);
	expect(answer.status).toBe(400);
	expect(await answer.text()).toContain("use /v1/responses");
	expect(paths()).toEqual(["/v1/chat/completions"]);
});
