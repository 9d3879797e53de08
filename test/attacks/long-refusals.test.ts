/**
 * Promise: a refusal that repeats what a client wrote, as validators' do, does not stop everybody else while it is looked
 * through for what the model takes instead.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
});
afterAll(() => world.stop());

/** As much as is read of a refusal. */
const longest = 60 * 1024;
/** The first took two seconds and more, the next two a third of one; all of them take a twentieth. */
const longestMs = 250;

const filled = (words: string): string => words.repeat(Math.floor(longest / words.length));

test.each(["0", "not have oneOf", "moonshot flavored json schema", "model ", "maximum context length is 0 tokens"])(
	"%j, again and again",
	async (words) => {
		const said = filled(words);
		world.upstream.answer(() =>
			Response.json({ error: { message: `max_tokens: 1 validation error; input: ${said}` } }, { status: 400 }),
		);
		const body = {
			...{ model: "chat-completions-a", max_tokens: 16 },
			messages: [{ role: "user", content: said }],
			tools: [{ name: "f", input_schema: { type: "object" } }],
		};
		// A machine with other work may stop everything now and then, but not each time.
		const stops: number[] = [];
		for (let times = 0; times < 3; times++) {
			const { result, stoppedMs } = await longestStop(() => world.gateway.ask("/v1/messages", body));
			expect(result.status).toBe(400);
			stops.push(stoppedMs);
		}
		expect(Math.min(...stops)).toBeLessThan(longestMs);
	},
);
