/** Searches are counted as the upstream bills them, whatever of them are items. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { observe } from "./passthrough/observe-whole.ts";
import { encodeUsage, usageFor } from "./usage.ts";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	const upstreams = [{ name: "openai", protocol: "responses", url: `${upstream.url}/v1`, key: "sk-operator" }];
	const models = [{ name: "gpt-5", targets: [{ upstream: "openai" }] }];
	gateway = await startGateway({
		plugins: ["tokens", "responses", "messages", { use: "router", with: { upstreams, models } }],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "a" } };
const message = {
	type: "message",
	id: "msg_1",
	role: "assistant",
	status: "completed",
	content: [{ type: "output_text", text: "Found.", annotations: [] }],
};
const answer = (requests: number | undefined) => ({
	id: "resp_1",
	object: "response",
	created_at: 1,
	model: "gpt-5",
	status: "completed",
	output: [search, message],
	usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
	...(requests !== undefined && { tool_usage: { web_search: { num_requests: requests } } }),
});
const asked = { model: "gpt-5", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] };

test.each([
	[3, 3],
	[0, 1],
	[undefined, 1],
])("%p requests are told as %p searches", async (requests, searches) => {
	upstream.answer(() => Response.json(answer(requests)));
	const whole = await gateway.ask("/v1/messages", asked);
	expect(await whole.json()).toMatchObject({ usage: { server_tool_use: { web_search_requests: searches } } });

	const ended = { type: "response.completed", sequence_number: 0, response: answer(requests) };
	upstream.answer(() => streamOf([`event: response.completed\ndata: ${JSON.stringify(ended)}\n\n`]));
	const streamed = await gateway.ask("/v1/messages", { ...asked, stream: true });
	expect(await streamed.text()).toContain(`"web_search_requests":${searches}`);

	expect(observe(answer(requests), false).usage?.serverTools).toEqual({ web_search: searches });
});

test("a vendor's own counts are told this protocol's clients alone", () => {
	const usage = {
		input_tokens: 3,
		output_tokens: 2,
		total_tokens: 5,
		cost_in_usd_ticks: 9,
		context_details: { input_tokens: 3 },
	};
	const own = usageFor("responses", { usage }, []);
	expect(own && encodeUsage(own)).toMatchObject(usage);
	expect(usageFor("messages", { usage }, [])?.extras).toBeUndefined();
});
