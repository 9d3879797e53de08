/** Promise: a small body that is dear to read, for it names thousands of fields, is refused before it is read, wherever they stand. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { requestOf } from "../support/upstream-answers.ts";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ plugins: ["tasks", "image", "embeddings"] });
	world.upstream.answer(() => Response.json({ error: { message: "no" } }, { status: 400 }));
});
afterAll(() => world.stop());

const fields = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"${at * 7919}":1`).join(",")}}`;
/** Three megabytes. */
const many = fields(240_000);
const asText = JSON.stringify(many);
const call = (text: string): string =>
	`[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${text}}}]},{"role":"tool","tool_call_id":"c","content":"r"}]`;

const ask = async (
	path: string,
	body: string | FormData,
): Promise<readonly [status: number, text: string, ms: number]> => {
	const type: Record<string, string> = typeof body === "string" ? { "content-type": "application/json" } : {};
	const headers = { authorization: `Bearer ${world.gateway.key}`, ...type };
	const { result, stoppedMs } = await longestStop(async () => {
		const response = await fetch(world.gateway.url + path, { method: "POST", headers, body });
		return [response.status, await response.text()] as const;
	});
	return [...result, stoppedMs];
};

const form = (): FormData => {
	const sent = new FormData();
	for (const [name, text] of Object.entries({ model: "a", prompt: "a", extra: many })) sent.append(name, text);
	return sent;
};

const chat = "/v1/chat/completions";
test.each<readonly [string, string, string | FormData]>([
	["a call", chat, `{"model":"chat-completions-a","messages":[],"logit_bias":${many}}`],
	["an endpoint", "/v1/embeddings", `{"model":"chat-completions-a","input":"a","x":[${many}]}`],
	["a task", "/v1/images/generations", `{"model":"a","prompt":"a","x":${many}}`],
	["a task, as a text", "/v1/images/generations", `{"model":"a","prompt":"a","x":${asText}}`],
	["a task, in a form", "/v1/images/generations", form()],
	["arguments that are translated", chat, `{"model":"messages-a","messages":${call(asText)}}`],
])("%s", async (_what, path, body) => {
	const [status, text, stoppedMs] = await ask(path, body);
	expect([status, text]).toEqual([400, expect.stringMatching(/more than 50000 (?:different fields|values)/)]);
	// Some took most of a second.
	expect(stoppedMs).toBeLessThan(200);
	expect(world.upstream.received).toHaveLength(0);
});

test("arguments that pass as they came, and words that are no arguments, are nobody's to count", async () => {
	await ask(chat, `{"model":"chat-completions-a","messages":${call(asText)}}`);
	const { path, body } = requestOf("messages", { model: "messages-a", prompt: many, stream: false, limit: 10 });
	await ask(path, JSON.stringify(body));
	expect(world.upstream.received.map(({ text }) => text.length > many.length)).toEqual([true, true]);
});
