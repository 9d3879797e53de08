/** A passing stream whose upstream counts nothing: what it said is estimated, however it was told. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream();
	const upstreams = [{ name: "main", protocol: "responses", url: `${upstream.url}/v1`, key: "k" }];
	const models = [{ name: "m", targets: [{ upstream: "main" }] }];
	gateway = await startGateway({
		plugins: ["tokens", "responses", "ledger", { use: "router", with: { upstreams, models } }],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const text = "word ".repeat(80);
const item = {
	id: "msg_1",
	type: "message",
	role: "assistant",
	status: "completed",
	content: [{ type: "output_text", text, annotations: [] }],
};
const call = { id: "fc_1", type: "function_call", call_id: "c", name: "f", arguments: JSON.stringify({ text }) };
const response = { id: "resp_1", object: "response", created_at: 1, model: "m", status: "completed", output: [] };
const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
const created = { type: "response.created", response: { ...response, status: "in_progress" } };
const added = { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } };
const delta = { type: "response.output_text.delta", ...at, delta: text };
const textDone = { type: "response.output_text.done", ...at, text };
const partDone = { type: "response.content_part.done", ...at, part: item.content[0] };
const itemDone = { type: "response.output_item.done", output_index: 0, item };
const completed = (output: readonly object[] = []) => ({
	type: "response.completed",
	response: { ...response, output },
});
const callDone = { type: "response.function_call_arguments.done", output_index: 1, arguments: call.arguments };

const tokens = Math.ceil(text.length / 4);

test.each([
	["pieces", [added, delta, textDone, partDone, itemDone, completed([item])], tokens],
	["the end of the text", [added, textDone, completed()], tokens],
	["the ends of the text, its part and its item", [added, textDone, partDone, itemDone, completed([item])], tokens],
	["the end of the item", [itemDone, completed()], tokens],
	["the end of the answer", [completed([item])], tokens],
	["pieces, and a call by its end", [added, delta, itemDone, callDone, completed([item, call])], 2 * tokens],
])("told by %s", async (_, events, least) => {
	upstream.answer(() =>
		streamOf([created, ...events].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)),
	);
	const answer = await gateway.ask("/v1/responses", { model: "m", input: "hi", stream: true, store: false });
	await answer.text();
	await gateway.admin("GET", "/admin/usage");
	const row = await gateway.admin("GET", `/admin/calls/${answer.headers.get("x-request-id") ?? ""}`);
	expect(row).toMatchObject({ ending: "completed", estimated: true });
	expect(Number(row["outputTokens"])).toBeWithin(least, least + 10);
});
