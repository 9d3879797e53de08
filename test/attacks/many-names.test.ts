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

test("models that a pattern passes on, and their upstream does not know", async () => {
	world = await attackWorld({ clock });
	world.upstream.answer(({ text }) =>
		text.includes("chat-completions-real")
			? Response.json({
					id: "c",
					object: "chat.completion",
					created: 1,
					model: "real",
					choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
					usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
				})
			: Response.json({ error: { message: "no such model", code: "model_not_found" } }, { status: 400 }),
	);
	const status = async (model: string) =>
		(await world.gateway.ask("/v1/chat/completions", { model, messages: said })).status;
	for (let number = 0; number < names; number++) expect(await status(`chat-completions-${number}`)).not.toBe(200);
	expect(await status("chat-completions-real")).toBe(200);
	const { data } = (await world.gateway.admin("GET", "/admin/usage?by=model")) as {
		data: { model: string | null; calls: number }[];
	};
	expect(data.map(({ model, calls }) => [model, calls])).toEqual([
		["chat-completions-real", 1],
		[null, names],
	]);
	const found = (await world.gateway.admin("GET", "/admin/calls?model=chat-completions-7")) as {
		data: { id: string; model: string }[];
	};
	expect(found.data.map(({ model }) => model)).toEqual(["chat-completions-7"]);
	expect(await world.gateway.admin("GET", `/admin/calls/${found.data[0]?.id}`)).toMatchObject({
		model: "chat-completions-7",
	});
});
