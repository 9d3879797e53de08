/** Promise: a file in the alphabet of addresses (`-`, `_`), which is put into the usual one, stops nobody else. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({});
	world.upstream.answer(() =>
		Response.json({
			id: "msg_1",
			type: "message",
			role: "assistant",
			model: "messages-a",
			content: [{ type: "text", text: "Hello" }],
			stop_reason: "end_turn",
			stop_sequence: null,
			usage: { input_tokens: 5, output_tokens: 2 },
		}),
	);
});
afterAll(() => world.stop());

test("eight megabytes of dashes and underscores", async () => {
	const data = "_-".repeat(4_000_000);
	const url = `data:image/png;base64,${data}`;
	const body = {
		model: "messages-a",
		messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
	};
	const stops: number[] = [];
	for (let times = 0; times < 3; times++) {
		const { result, stoppedMs } = await longestStop(async () => {
			const response = await world.gateway.ask("/v1/chat/completions", body);
			return { status: response.status, text: await response.text() };
		});
		expect([result.status, result.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
		stops.push(stoppedMs);
	}
	// It took three tenths of a second, and more the larger the file is.
	expect(Math.min(...stops)).toBeLessThan(200);
	expect(world.upstream.received.at(-1)?.text).toContain(`"${"/+".repeat(4_000_000)}"`);
});
