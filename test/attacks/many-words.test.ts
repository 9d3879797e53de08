/** Promise: however much a guard hides of one request, putting it back into the answer stops nobody else for long. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

const mails = 70_000;
let world: AttackWorld;
beforeAll(async () => {
	const patterns = [{ name: "mail", pattern: "[a-z0-9]+@[a-z]+" }];
	world = await attackWorld({ plugins: [{ use: "guard-patterns", with: { patterns } }] });
});
afterAll(() => world.stop());

test("a guard that put tens of thousands of stand-ins into a request", async () => {
	const pieces = Array.from({ length: 3_000 }, (_, at) => `[mail_${at + 1}] `);
	const chunk = (choice: object): string =>
		`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
	const text = pieces.map((content) => chunk({ delta: { content } })).join("");
	const stop = chunk({ delta: {}, finish_reason: "stop" });
	world.upstream.answer(
		() => new Response(`${text}${stop}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } }),
	);
	const content = Array.from({ length: mails }, (_, at) => `u${at}@a`).join(" ");
	const { result, stoppedMs } = await longestStop(async () => {
		const response = await world.gateway.ask("/v1/chat/completions", {
			model: "chat-completions-a",
			stream: true,
			messages: [{ role: "user", content }],
		});
		return [response.status, await response.text()] as const;
	});
	expect(result[0]).toBe(200);
	const told = [...result[1].matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)].map(([, words]) => words).join("");
	expect(told.trim()).toBe(pieces.map((_, at) => `u${at}@a`).join(" "));
	expect(stoppedMs).toBeLessThan(3_000);
}, 120_000);
