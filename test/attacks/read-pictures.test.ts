/** Promise: pictures that a task is sent to change are held for and charged where they have a price, whichever way they come. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asText } from "#core";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture = `data:image/png;base64,${png}`;

let world: MediaWorld;
beforeAll(async () => {
	const price = { perImage: 0.25, perInputImage: 0.0625, variants: [{ when: { quality: "low" }, perImage: 0.02 }] };
	world = await startMediaWorld({
		image: [{ type: "openai-images", models: ["picture"] }],
		more: ["quota", { use: "prices", with: { models: { picture: price } } }],
	});
	world.upstream.answer(() => Response.json({ data: [{ b64_json: png }] }));
});
afterAll(() => world.close());

const ask = async (path: string, body: object, quota: number) => {
	const { key, id } = await world.token({ quota });
	const headers = { authorization: `Bearer ${key}`, prefer: "respond-async" };
	const { status, body: answer } = await world.json(path, body, { headers });
	if (status >= 300) return { status };
	const task = asText(answer["task_id"]) ?? asText(answer["id"]);
	await until(async () => {
		await world.pass(1000, 500);
		return (await world.json(`/v1/tasks/${task}`, undefined, { headers })).body["status"] === "SUCCESS";
	});
	return { status: 200, used: ((await world.admin("GET", `/admin/tokens/${id}`)) as { used: number }).used };
};

const wish = { model: "picture", prompt: "a cat", quality: "low" };
const many = Array.from({ length: 16 }, () => picture);

const task = { kind: "image", model: "picture", prompt: "a cat" };

test.each<[name: string, pictures: number, path: string, body: object]>([
	["none", 0, "/v1/images/generations", wish],
	["one to change", 1, "/v1/images/edits", { ...wish, images: [picture] }],
	["sixteen", 16, "/v1/images/edits", { ...wish, images: many }],
	["a mask too", 17, "/v1/images/edits", { ...wish, image: many, mask: picture }],
	["some that nobody is asked to change", 16, "/v1/images/generations", { ...wish, image: many }],
	["by the uniform route", 16, "/v1/tasks", { ...task, action: "EDIT", input: { quality: "low", images: many } }],
	["and for no edit", 16, "/v1/tasks", { ...task, input: { quality: "low", images: many } }],
])("%s: %i pictures", async (_name, pictures, path, body) => {
	const cost = 0.02 + pictures * 0.0625;
	expect(await ask(path, body, cost)).toEqual({ status: 200, used: cost });
	expect((await ask(path, body, cost - 0.001)).status).toBeGreaterThan(400);
});
