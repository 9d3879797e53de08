/** Promise: names that lead to nothing, of which a client has as many as it likes, fill neither the ledger nor its sums, and all are counted. */
import { afterEach, expect, test } from "bun:test";
import { createMovedClock } from "../support/moved-clock.ts";
import { sized } from "./sized.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

const names = sized(40, 2_000);
const clock = createMovedClock();
let world: AttackWorld;
afterEach(async () => {
	const stopping = world.stop();
	clock.advance(10_000);
	await stopping;
});

const said = [{ role: "user", content: "Hello" }];
const ways: readonly [string, (name: string) => readonly [path: string, body: object]][] = [
	["models", (model) => ["/v1/chat/completions", { model, messages: said }]],
	["models of an endpoint", (model) => ["/v1/embeddings", { model, input: "Hello" }]],
	["models of tasks", (model) => ["/v1/tasks", { kind: "image", model, prompt: "the sea" }]],
	[
		"models beside an answer that is not there",
		(model) => ["/v1/responses", { model, input: "Hello", previous_response_id: "resp_01a20256ba494d10" }],
	],
];

test.each(ways)("%s", async (_what, ask) => {
	world = await attackWorld({ clock, plugins: ["tasks", "image", "embeddings"] });
	for (let number = 0; number < names; number++) {
		const response = await world.gateway.ask(...ask(`nothing-${number}`));
		expect(response.status).toBe(404);
	}
	clock.advance(60_000);
	const { data } = (await world.gateway.admin("GET", "/admin/usage?by=model")) as {
		data: { model: string | null; calls: number }[];
	};
	expect(data.length).toBeLessThan(10);
	expect(data.reduce((sum, { calls }) => sum + calls, 0)).toBe(names);
});
