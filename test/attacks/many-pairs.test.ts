/**
 * Promise: no two lists of a request, each within the limits, stop everybody else for long when one is looked for in the
 * other: names that a choice allows among the tools, tools that change among those that are offered, results among calls.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { answerWell, askIn } from "../fuzz/gateway.ts";
import type { ProtocolName } from "../support/recordings.ts";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
	world.upstream.answer(answerWell);
});
afterAll(() => world.stop());

/** Most of these took twenty seconds. They take half a second on a machine with nothing else to do. */
const longestMs = 3_000;

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const user = { role: "user", content: "Hi" };
const asked = { role: "user", parts: [{ text: "Hi" }] };
const functions = many(16_000, (at) => ({ type: "function", function: { name: `f${at}` } }));
const named = many(16_000, (at) => ({ type: "function", name: `f${at}` }));
const calls = 62_000;

test.each<[string, ProtocolName, readonly ProtocolName[], object]>([
	[
		"functions, all of them allowed by name",
		"chat-completions",
		["responses", "generate-content"],
		{
			messages: [user],
			tools: functions,
			tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools: functions } },
		},
	],
	[
		"functions of Responses, all of them allowed by name",
		"responses",
		["chat-completions", "generate-content"],
		{ input: "Hi", tools: named, tool_choice: { type: "allowed_tools", mode: "required", tools: named } },
	],
	[
		"functions of Gemini, all of them allowed by name",
		"generate-content",
		["responses", "chat-completions"],
		{
			contents: [asked],
			tools: [{ functionDeclarations: many(40_000, (at) => ({ name: `f${at}` })) }],
			toolConfig: {
				functionCallingConfig: { mode: "ANY", allowedFunctionNames: many(40_000, (at) => `f${at}`) },
			},
		},
	],
	[
		"tools, and as many that come amid the conversation",
		"messages",
		["chat-completions"],
		{
			max_tokens: 16,
			tools: many(26_000, (at) => ({ name: `f${at}` })),
			messages: [
				user,
				{
					role: "system",
					content: many(26_000, (at) => ({
						type: "tool_addition",
						tool: { type: "tool_definition", definition: { name: `g${at}` } },
					})),
				},
				user,
			],
		},
	],
	[
		"calls without ids, answered from the last to the first",
		"generate-content",
		["chat-completions"],
		{
			contents: [
				asked,
				{ role: "model", parts: many(calls, (at) => ({ functionCall: { name: `f${at}` } })) },
				{
					role: "user",
					parts: many(calls, (at) => ({ functionResponse: { name: `f${calls - at - 1}` } })),
				},
			],
		},
	],
	[
		"a schema with two types, each told often",
		"chat-completions",
		["generate-content"],
		{
			messages: [user],
			tools: [
				{
					type: "function",
					function: {
						name: "f",
						parameters: {
							type: "object",
							properties: { a: { type: many(200_000, (at) => (at < 100_000 ? "string" : "null")) } },
						},
					},
				},
			],
		},
	],
])(
	"%s",
	async (_, client, upstreams, body) => {
		const { key } = await world.gateway.token({ quota: 1_000 });
		for (const upstream of upstreams) {
			const { path, fields } = askIn(client, `${upstream}-a`, false);
			const { result, stoppedMs } = await longestStop(() =>
				world.gateway.ask(path, { ...body, ...fields }, { headers: { authorization: `Bearer ${key}` } }),
			);
			expect([result.status, await result.text()]).toEqual([200, expect.stringContaining("word1")]);
			expect(stoppedMs).toBeLessThan(longestMs);
		}
	},
	120_000,
);

test("tools in a namespace of a long name, which each of theirs begins with, are refused", async () => {
	const functions = many(20_000, (at) => ({ type: "function", name: `f${at}` }));
	const tools = [{ type: "namespace", name: "n".repeat(500_000), tools: functions }];
	const found = { type: "tool_search_output", call_id: "c", tools };
	for (const body of [{ input: "Hi", tools }, { input: [user, found] }]) {
		const { result, stoppedMs } = await longestStop(() =>
			world.gateway.ask("/v1/responses", { model: "messages-a", ...body }),
		);
		expect([result.status, await result.json()]).toMatchObject([400, { error: { code: "invalid_value" } }]);
		expect(stoppedMs).toBeLessThan(longestMs);
	}
});
