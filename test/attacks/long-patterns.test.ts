/** Promise: no text, however long and however alike the beginning of what a pattern looks for, stops everybody else. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chatAnswer } from "../support/chat-answers.ts";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	// That of the plugin's README.
	const patterns = [{ name: "mail", pattern: "[\\w.+-]+@[\\w-]+\\.[\\w.-]+" }];
	world = await attackWorld({ plugins: [{ use: "guard-patterns", with: { patterns } }] });
	world.upstream.answer(() => Response.json(chatAnswer("Hello")));
});
afterAll(() => world.stop());

const ask = async (content: string) => {
	const body = { model: "chat-completions-a", messages: [{ role: "user", content }] };
	const asked = async () => {
		const response = await world.gateway.ask("/v1/chat/completions", body);
		return { status: response.status, text: await response.text() };
	};
	return await longestStop(asked);
};

test("a word of three hundred thousand letters before an address", async () => {
	// A machine with other work may stop everything now and then, but not each time.
	const stops: number[] = [];
	for (let times = 0; times < 3; times++) {
		const { result, stoppedMs } = await ask(`${"a".repeat(300_000)} alice@example.org ${"\u{1f600}".repeat(5_000)}`);
		expect(result.status).toBe(200);
		stops.push(stoppedMs);
	}
	// It took seven tenths of a second.
	expect(Math.min(...stops)).toBeLessThan(200);
	const sent = world.upstream.received.at(-1)?.text;
	expect(sent).toContain("a [mail_1] \u{1f600}");
	expect(sent).not.toContain("alice");
});
