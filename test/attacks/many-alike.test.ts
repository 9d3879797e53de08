/**
 * Promise: no request that is within the limits stops everybody else for long, whatever of it is alike: names of tools and of
 * their arguments that have to be told apart, schemas, ids of calls, turns that are put together, arguments that nest, citations.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
	world.upstream.answer(({ path }) => {
		if (path.includes("messages"))
			return Response.json({
				...{ id: "m", type: "message", role: "assistant", model: "a", stop_reason: "end_turn" },
				content: [{ type: "text", text: "Hello" }],
				usage: { input_tokens: 1, output_tokens: 1 },
			});
		if (path.includes("responses")) {
			const content = [{ type: "output_text", text: "Hello", annotations: [] }];
			const output = [{ type: "message", id: "m", role: "assistant", status: "completed", content }];
			const usage = { input_tokens: 1, output_tokens: 1 };
			return Response.json({ id: "r", object: "response", status: "completed", output, usage });
		}
		const message = { content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP", index: 0 };
		return Response.json({ candidates: [message], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } });
	});
});
afterAll(() => world.stop());

/** Most of these took five seconds and more. They take a tenth of one on a machine with nothing else to do. */
const longestMs = 4_000;

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const user = { role: "user", content: "Hi" };
const call = (id: string, text = "{}") => ({ id, type: "function", function: { name: "f", arguments: text } });
const tool = (name: string, properties: object = {}) => ({
	type: "function",
	function: { name, parameters: { type: "object", properties } },
});
const cited = (count: number) => ({
	...{ role: "assistant", content: "" },
	annotations: many(count, () => ({
		type: "url_citation",
		url_citation: { url: "a", start_index: 1e6, end_index: 1e6 },
	})),
});
const long = "a".repeat(100);
const itself = { $ref: "#/$defs/itself" };
const rooted = (anyOf: readonly object[], $defs: object = {}) => ({
	type: "function",
	function: { name: "f", parameters: { anyOf, $defs } },
});

test.each<[string, object]>([
	["tools whose names begin alike", { tools: many(6_000, (at) => tool(`${long}${at}`)), messages: [user] }],
	[
		"tools whose names have nothing that fits",
		{ tools: many(6_000, (at) => tool(String.fromCodePoint(0x4e00 + at))), messages: [user] },
	],
	[
		"arguments whose names begin alike",
		{ tools: [tool("f", Object.fromEntries(many(6_000, (at) => [`${long}${at}`, {}])))], messages: [user] },
	],
	[
		"a schema that names itself several times",
		{
			tools: [
				rooted(
					many(6, () => itself),
					{ itself: { anyOf: many(6, () => itself) } },
				),
			],
			messages: [user],
		},
	],
	[
		"alternatives that tell one member otherwise each",
		{ tools: [rooted(many(16_000, (at) => ({ properties: { kind: { const: at } } })))], messages: [user] },
	],
	[
		"alternatives that demand many members",
		{ tools: [rooted(many(2, () => ({ required: many(100_000, (at) => `k${at}`) })))], messages: [user] },
	],
	[
		"calls of one id, each with its result",
		{
			messages: many(19_000, (at) =>
				at % 2 ? { role: "tool", tool_call_id: "c", content: "r" } : { role: "assistant", tool_calls: [call("c")] },
			),
		},
	],
	[
		"calls in a row",
		{ messages: [user, ...many(19_000, (at) => ({ role: "assistant", tool_calls: [call(`c${at}`)] }))] },
	],
	[
		"arguments that nest deep",
		{
			messages: [
				user,
				{ role: "assistant", tool_calls: [call("c", "[".repeat(500_000) + "]".repeat(500_000))] },
				{ role: "tool", tool_call_id: "c", content: "r" },
			],
		},
	],
	[
		"results that nest deep",
		{
			messages: [
				user,
				{ role: "assistant", tool_calls: [call("c")] },
				{ role: "tool", tool_call_id: "c", content: `${'{"a":'.repeat(800_000)}1${"}".repeat(800_000)}` },
			],
		},
	],
	[
		"citations behind characters of two units",
		{ messages: [user, { ...cited(30_000), content: "😀".repeat(500_000) }, user] },
	],
	[
		"citations of many parts",
		{ messages: [user, { ...cited(30_000), content: many(80_000, () => ({ type: "text", text: "a" })) }, user] },
	],
])(
	"%s",
	async (_, body) => {
		const { key } = await world.gateway.token({ quota: 1_000 });
		for (const model of ["messages-a", "generate-content-a", "responses-a"]) {
			const { result, stoppedMs } = await longestStop(() =>
				world.gateway.ask(
					"/v1/chat/completions",
					{ model, max_tokens: 16, ...body },
					{ headers: { authorization: `Bearer ${key}` } },
				),
			);
			expect([result.status, await result.text()]).toEqual([200, expect.stringContaining("Hello")]);
			expect(stoppedMs).toBeLessThan(longestMs);
		}
	},
	60_000,
);
