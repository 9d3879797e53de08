/**
 * Promise: a sealed value that a client gives back is read in no time, whatever stands in it, and names nothing that an
 * upstream keeps for another token. Clients replay such values unread, and so may write them.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
});
afterAll(() => world.stop());

const usage = { input_tokens: 10, output_tokens: 1, total_tokens: 11 };
beforeEach(() => {
	world.upstream.received.length = 0;
	world.upstream.answer(() =>
		Response.json({
			...{ id: "resp_1", object: "response", status: "completed", model: "responses-a", usage },
			output: [{ type: "message", id: "i", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }],
		}),
	);
});

const said = "Hi";
/** By each protocol that has a place for it. */
const replays: readonly (readonly [string, string, (value: string) => object])[] = [
	[
		"messages",
		"/v1/messages",
		(signature) => ({
			...{ model: "responses-a", max_tokens: 50 },
			messages: [
				{ role: "user", content: said },
				{
					role: "assistant",
					content: [
						{ type: "thinking", thinking: "", signature },
						{ type: "text", text: "a" },
					],
				},
				{ role: "user", content: said },
			],
		}),
	],
	[
		"generate-content",
		"/v1beta/models/responses-a:generateContent",
		(value) => ({
			contents: [
				{ role: "user", parts: [{ text: said }] },
				{ role: "model", parts: [{ text: "b", thought: true, thoughtSignature: btoa(value) }, { text: "a" }] },
				{ role: "user", parts: [{ text: said }] },
			],
		}),
	],
	[
		"chat-completions",
		"/v1/chat/completions",
		(data) => ({
			model: "responses-a",
			messages: [
				{ role: "user", content: said },
				{ role: "assistant", content: "a", reasoning_details: [{ type: "reasoning.encrypted", data }] },
				{ role: "user", content: said },
			],
		}),
	],
];

test.each([...replays])("%s: one of forty characters does not stop everybody", async (_name, path, body) => {
	const value = `portico.responses.responses.;${"0".repeat(28)}-;;`;
	const { result, stoppedMs } = await longestStop(() => world.gateway.ask(path, body(value)));
	expect(result.status).toBe(200);
	expect(world.upstream.received).toHaveLength(1);
	expect(stoppedMs).toBeLessThan(1_000);
});

test.each([...replays])(
	"%s: one without a seal names no reasoning that the upstream keeps",
	async (_name, path, body) => {
		const response = await world.gateway.ask(path, body("portico.responses.responses.rs_of_another;;"));
		expect(response.status).toBe(200);
		expect(world.upstream.received[0]?.text).toContain(said);
		expect(world.upstream.received[0]?.text).not.toContain("rs_of_another");
	},
);

test.each([...replays])("%s: a sealed one comes back as it was", async (_name, path, body) => {
	const response = await world.gateway.ask(path, body("portico.responses.responses.rs_1;;gAAAA"));
	expect(response.status).toBe(200);
	expect(world.upstream.received[0]?.text).toContain('"id":"rs_1"');
	expect(world.upstream.received[0]?.text).toContain('"encrypted_content":"gAAAA"');
});
