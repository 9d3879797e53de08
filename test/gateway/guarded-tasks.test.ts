/** Tasks under guards: what upstreams are sent, what clients go on seeing, and what is put back in results. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { everyKind, type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";

const card = "4111111111111111";

let world: MediaWorld;
beforeAll(async () => {
	world = await startMediaWorld({
		...everyKind,
		more: [{ use: "guard-patterns", with: { patterns: [{ name: "card", pattern: "4[0-9]{15}" }] } }],
	});
});
afterAll(() => world.close());
beforeEach(() => {
	world.upstream.answer(() => Response.json({ error: { message: "no" } }, { status: 400 }));
});

const submissions: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
	["/v1/tasks", { kind: "image", model: "picture", prompt: `a card ${card}` }],
	["/v1/images/generations", { model: "picture", prompt: `a card ${card}`, async: true }],
	["/v1/images/generations", { model: "picture", prompt: "x", async: true, user: card }],
	["/v1/images/generations", { model: "picture", prompt: "x", async: true, extra: { [card]: { note: Number(card) } } }],
	["/v1/videos", { model: "clip", prompt: "x", seconds: 4, [`of ${card}`]: "y" }],
	["/kling/v1/images/generations", { model_name: "picture", prompt: "x", negative_prompt: card }],
	["/mj/submit/imagine", { prompt: card }],
	["/v1/videos", { model: "clip", prompt: card, seconds: 4 }],
	["/kling/v1/videos/text2video", { model_name: "kling", prompt: card, duration: "4" }],
	["/v1beta/models/clip:predictLongRunning", { instances: [{ prompt: card }], parameters: { durationSeconds: 4 } }],
	["/suno/submit/music", { mv: "song", prompt: card, title: card, tags: card }],
	["/suno/submit/music", { mv: "song", prompt: "x", title: card }],
];

test.each(submissions)("%s sends no card", async (path, body) => {
	const before = world.upstream.received.length;
	const response = await world.ask(path, body);
	expect([response.status, response.ok]).toEqual([response.status, true]);
	await until(() => world.upstream.received.length > before, "the submission");
	const sent = world.upstream.received[before]?.text ?? "";
	expect(sent).toMatch(/"/);
	expect(sent).not.toContain(card);
	if (body["prompt"] !== "x" || body["title"] !== undefined) expect(sent).toContain("[card_1]");
});

test("the client sees its own words, and gets them back in what the upstream says", async () => {
	world.upstream.answer(() => Response.json({ error: { message: "I will not draw [card_1]" } }, { status: 400 }));
	const submitted = (await (
		await world.ask("/v1/tasks", { kind: "image", model: "picture", prompt: `draw ${card}` })
	).json()) as { id: string; prompt: string };
	expect(submitted.prompt).toBe(`draw ${card}`);
	await world.finish(submitted.id);
	const shown = (await (await world.ask(`/v1/tasks/${submitted.id}`)).json()) as {
		status: string;
		prompt: string;
		error: { message: string };
	};
	expect([shown.status, shown.prompt]).toEqual(["FAILURE", `draw ${card}`]);
	expect(shown.error.message).toContain(`I will not draw ${card}`);
});
