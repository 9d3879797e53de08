/** The demo answers for itself alone: who asks for another model gets that model or a refusal, never a placeholder. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createMovedClock, until } from "../support/moved-clock.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

const clock = createMovedClock();
let world: AttackWorld;
let busy: ReturnType<typeof Bun.serve>;
const asked: string[] = [];
beforeAll(async () => {
	busy = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch(request) {
			asked.push(new URL(request.url).pathname);
			return Response.json({ error: { message: "Rate limit reached" } }, { status: 429 });
		},
	});
	const url = `http://127.0.0.1:${busy.port}/v1`;
	const upstreams = [{ name: "pictures", type: "openai-images", url, key: "k", models: ["dall-e-3"] }];
	world = await attackWorld({
		clock,
		plugins: [
			"tasks",
			{ use: "image", with: { upstreams } },
			"video",
			"music",
			{ use: "demo", with: { taskSeconds: 0.1 } },
		],
	});
});
afterAll(async () => {
	await busy.stop(true);
	await world.stop();
});

const send = async (path: string, body: object) => {
	const response = await world.gateway.ask(path, body);
	return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

test.each([
	["/v1/tasks", { kind: "image", prompt: "a cat" }],
	["/v1/tasks", { kind: "image", prompt: "a cat", model: "gpt-image-1" }],
	["/v1/tasks", { kind: "video", prompt: "a cat", model: "sora-2" }],
	["/v1/tasks", { kind: "music", prompt: "a cat", model: "chirp-v4" }],
	["/mj/submit/imagine", { prompt: "a cat" }],
	["/v1/images/generations", { prompt: "a cat", model: "gpt-image-1" }],
	["/v1/videos", { prompt: "a cat" }],
	["/kling/v1/videos/text2video", { prompt: "a cat", model_name: "kling-v1" }],
	["/v1beta/models/veo-3:predictLongRunning", { instances: [{ prompt: "a cat" }] }],
	["/suno/submit/music", { prompt: "a cat" }],
])("%s %j: nobody serves that model, so it does not exist", async (path, body) => {
	expect((await send(path, body)).status).toBe(404);
});

test("a model that is rate-limited upstream fails, and no placeholder takes its place", async () => {
	const { body } = await send("/v1/tasks", { kind: "image", prompt: "a cat", model: "dall-e-3" });
	const shown = async () => (await world.gateway.ask(`/v1/tasks/${body.id}`)).json();
	await until(async () => {
		clock.advance(1_000);
		return ((await shown()) as { status: string }).status === "FAILURE";
	});
	expect(await shown()).toMatchObject({ error: { code: "upstream_busy" } });
	expect(asked).toEqual(Array(4).fill("/v1/images/generations"));
});

test("the demo itself is there", async () => {
	const { body } = await send("/v1/tasks", { kind: "image", prompt: "a cat", model: "demo-image" });
	expect(body).toMatchObject({ status: "NOT_START", model: "demo-image" });
});

test("the shipped configuration names it for nothing but its own name", () => {
	const shipped = readFileSync(resolve(import.meta.dir, "../../config/portico.yaml"), "utf8");
	const lines = shipped.split("\n").filter((line) => /upstream: demo|taskModels/.test(line));
	expect(lines.map((line) => line.trim())).toEqual(["- { name: demo, targets: [{ upstream: demo }] }"]);
});
