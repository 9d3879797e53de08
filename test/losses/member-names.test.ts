/** Arguments whose names Anthropic refuses: OpenAI's clients offer them, and are called with them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord, parseJson } from "#core";
import { streamOf } from "#core/testing";
import { type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld();
});
afterAll(() => world.stop());

const long = "settings__continuous__meeting__chat__auto__add__invited__external__users";
const parameters = {
	type: "object",
	properties: {
		"filter[id]": { type: "string" },
		"filter(id)": { type: "string" },
		filter_id_: { type: "string" },
		plain: { type: "array", items: { type: "object", properties: { $top: { type: "integer" } }, required: ["$top"] } },
		[long]: { type: "boolean" },
	},
	required: ["filter[id]", "plain"],
};
const fitting = {
	type: "object",
	properties: {
		filter_id__2: { type: "string" },
		filter_id__3: { type: "string" },
		filter_id_: { type: "string" },
		plain: { type: "array", items: { type: "object", properties: { _top: { type: "integer" } }, required: ["_top"] } },
		settings__continuous__meeting__chat__auto__add__invited__ext: { type: "boolean" },
	},
	required: ["filter_id__2", "plain"],
};
const input = { filter_id__2: "a", filter_id_: "b", plain: [{ _top: 12345678901234567890n }], other: "c" };
const sent = JSON.stringify(input, (_, value: unknown) =>
	typeof value === "bigint" ? JSON.rawJSON(String(value)) : value,
);
const told = '{"filter[id]":"a","filter_id_":"b","plain":[{"$top":12345678901234567890}],"other":"c"}';

const start = {
	id: "msg",
	type: "message",
	role: "assistant",
	model: "m",
	content: [],
	stop_reason: null,
	usage: { input_tokens: 1, output_tokens: 1 },
};
const call = { type: "tool_use", id: "toolu_1", name: "f" };
const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** The answer's call, and the schema that was sent. */
const ask = async (stream: boolean) => {
	const tools = [{ type: "function", function: { name: "f", parameters } }];
	const asked = world.send("chat-completions", "messages", { tools, stream });
	const whole = { ...start, content: [{ ...call, input: 0 }], stop_reason: "tool_use" };
	world.upstream.answer(() =>
		stream
			? streamOf([
					event({ type: "message_start", message: start }),
					event({ type: "content_block_start", index: 0, content_block: { ...call, input: {} } }),
					...(sent.match(/.{1,7}/g) ?? []).map((piece) =>
						event({
							type: "content_block_delta",
							index: 0,
							delta: { type: "input_json_delta", partial_json: piece },
						}),
					),
					event({ type: "content_block_stop", index: 0 }),
					event({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } }),
					event({ type: "message_stop" }),
				])
			: new Response(JSON.stringify(whole).replace('"input":0', `"input":${sent}`), {
					headers: { "content-type": "application/json" },
				}),
	);
	const response = await asked;
	const text = await response.text();
	const tool = asRecord(asList(asRecord(world.upstream.received.at(-1)?.json)["tools"])[0]);
	return { dropped: response.headers.get("x-portico-dropped"), text, schema: tool["input_schema"] };
};

const callIn = (choice: unknown, part: "message" | "delta") =>
	asRecord(asRecord(asList(asRecord(asRecord(choice)[part])["tool_calls"])[0])["function"])["arguments"];

test("they have names that fit, and their own in a call", async () => {
	const { dropped, text, schema } = await ask(false);
	expect(dropped).toBeNull();
	expect(schema).toEqual(fitting);
	expect(callIn(asList(asRecord(parseJson(text))["choices"])[0], "message")).toBe(told);
});

test("streamed too", async () => {
	const { text, schema } = await ask(true);
	expect(schema).toEqual(fitting);
	const pieces = text
		.split("\n\n")
		.map((line) => parseJson(line.slice("data: ".length)))
		.map((chunk) => callIn(asList(asRecord(chunk)["choices"])[0], "delta"));
	expect(pieces.join("")).toBe(told);
});
