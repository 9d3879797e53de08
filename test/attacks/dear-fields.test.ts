/**
 * Promise: whatever a request is written like, it pays no less than what is made of it costs the operator, also where an
 * upstream reads names and words in its own careless way, and where it echoes what it was asked for.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asRecord, asText } from "#core";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";

const cheap = { quality: "low", size: "small" };
const prices = {
	picture: {
		perImage: 1,
		variants: [
			{ when: cheap, perImage: 0.1 },
			{ when: { quality: "low", size: "large" }, perImage: 0.2 },
		],
	},
	clip: { perSecond: 0.1, variants: [{ when: { size: "720x1280", resolution: ["720p", null] }, perSecond: 0.01 }] },
	"kling-*": {
		perSecond: 0.1,
		variants: [{ when: { mode: ["std", null], sound: ["off", false, null] }, perSecond: 0.01 }],
	},
	midjourney: {
		perImage: 1,
		variants: [
			{ when: { mode: "relax", action: "*" }, perImage: 0.1 },
			{ when: { mode: ["fast", null] }, perImage: 0.5 },
		],
	},
};

let world: MediaWorld;
/** Whether the upstream of pictures answers with the words that it was asked with. */
let echoes = false;
const b64_json = Buffer.from("picture").toString("base64");

beforeAll(async () => {
	world = await startMediaWorld({
		image: [
			{ type: "openai-images", models: ["picture"] },
			{ type: "midjourney-proxy", models: ["midjourney"] },
		],
		video: [
			{ type: "openai-videos", models: ["clip"], path: "/openai" },
			{ type: "kling", models: ["kling-*"] },
		],
		more: ["quota", { use: "prices", with: { models: prices } }],
	});
	let serial = 0;
	const drawings: string[] = [];
	const video = { url: "https://cdn.example/a.mp4", duration: "10" };
	world.upstream.answer(({ path, json, method }) => {
		if (path.endsWith("list-by-condition"))
			return Response.json(drawings.map((id) => ({ id, status: "SUCCESS", imageUrl: "https://cdn.example/1.png" })));
		if (path.includes("/mj/")) {
			drawings.push(`drawing-${++serial}`);
			return Response.json({ code: 1, result: drawings.at(-1) });
		}
		if (path.endsWith("/images/generations")) {
			const { quality, size } = asRecord(json);
			return Response.json({ data: [{ b64_json }], ...(echoes && { quality, size }) });
		}
		if (path.startsWith("/openai/"))
			return Response.json({
				id: `clip-${++serial}`,
				status: method === "POST" ? "queued" : "completed",
				url: video.url,
			});
		const done = { task_id: "x", task_status: "succeed", task_result: { videos: [video] } };
		return Response.json({ code: 0, data: method === "POST" ? { task_id: `job-${++serial}` } : done });
	});
});
beforeEach(() => {
	echoes = false;
});
afterAll(() => world.close());

/** Submits, and waits for the end: its id, what it cost in dollars, and what went to the upstream first. */
const made = async (path: string, body: unknown, more: Record<string, string> = {}, key = world.key) => {
	const headers = { ...more, authorization: `Bearer ${key}`, prefer: "respond-async" };
	const used = async (): Promise<number> => Number((await world.json("/v1/me", undefined, { headers })).body["used"]);
	const before = await used();
	const seen = world.upstream.received.length;
	const answer = await world.json(path, body, { headers });
	expect(answer.status).toBeLessThan(300);
	const { id, task_id: taskId, result } = answer.body;
	const task = asText(taskId) ?? asText(id) ?? asText(result);
	await until(async () => {
		await world.pass(1000, 500);
		const { status } = (await world.json(`/v1/tasks/${task}`, undefined, { headers })).body;
		return status === "SUCCESS" || status === "FAILURE";
	});
	const cost = Math.round(((await used()) - before) * 1000) / 1000;
	return { id: String(task), cost, asked: world.upstream.received[seen] };
};

describe("a picture asked for as the cheapest, and as more in another way", () => {
	const wish = { model: "picture", prompt: "a cat", ...cheap };
	const path = "/v1/images/generations";
	const ways: readonly object[] = [
		{ quality: "HIGH" },
		{ quality: " high" },
		{ quality: "hd" },
		{ quality: ["low", "high"] },
		{ quality: { value: "high" } },
		{ quality: 1000 },
		{ quality: true },
		{ quality: "" },
		{ quality: "Low", Quality: "high" },
		{ Quality: "high" },
		{ QUALITY: "high" },
		{ image_quality: "high" },
		{ imageQuality: "high" },
		{ hd: true },
		{ upscale: "true" },
		{ width: 2048, height: 2048 },
		{ resolution: "1080p" },
		{ imageSize: "large" },
		{ aspect_ratio: "large" },
		{ metadata: { quality: "high" } },
		{ metadata: JSON.stringify({ hd: true }) },
		{ options: { output: { quality: "high" } } },
		{ parameters: JSON.stringify([{ size: "large" }]) },
		JSON.parse('{"__proto__": {"quality": "high"}}'),
		{ constructor: "high" },
		{ action: "upscale" },
	];
	test.each(ways)("%j", async (way) => {
		for (const echo of [false, true]) {
			echoes = echo;
			expect((await made(path, { ...wish, ...way })).cost).toBe(1);
		}
	});

	test("without any trick costs what it is", async () => {
		expect((await made(path, wish)).cost).toBe(0.1);
		expect((await made(path, { ...wish, seed: 7, user: "high", background: "opaque" })).cost).toBe(0.1);
	});

	test("what is left out costs the dearest", async () => {
		const { size: _size, ...open } = wish;
		expect((await made(path, open)).cost).toBe(1);
		expect((await made(path, { ...wish, quality: null })).cost).toBe(1);
	});

	test("the same field twice in a form is neither word", async () => {
		const form = { "content-type": "application/x-www-form-urlencoded" };
		const plain = new URLSearchParams(wish);
		expect((await made(path, plain.toString(), form)).cost).toBe(0.1);
		expect((await made(path, `${plain}&quality=high`, form)).cost).toBe(1);
		expect((await made(path, `${plain}&quality[value]=high`, form)).cost).toBe(1);
		expect((await made(path, `${plain}&Quality=high`, form)).cost).toBe(1);
	});

	test("the uniform route reads `input`, and what stands beside it is not made", async () => {
		const task = { kind: "image", model: "picture", prompt: "a cat" };
		expect((await made("/v1/tasks", { ...task, ...cheap })).cost).toBe(1);
		const both = await made("/v1/tasks", { ...task, input: cheap, metadata: { quality: "high" } });
		expect(asRecord(both.asked?.json)).toMatchObject(cheap);
		expect(both.cost).toBe(0.1);
		expect((await made("/v1/tasks", { ...task, input: { ...cheap, hd: true } })).cost).toBe(1);
	});

	test("a parameter in the prompt may be read", async () => {
		expect((await made(path, { ...wish, prompt: "a cat --quality high" })).cost).toBe(1);
		expect((await made(path, { ...wish, prompt: "a cat \u2014hd" })).cost).toBe(1);
	});
});

describe("a clip", () => {
	const clip = { model: "clip", prompt: "a cat", seconds: "10", size: "720x1280" };
	test.each([
		[{}, 0.1],
		[{ resolution: "720p" }, 0.1],
		[{ size: 720 }, 1],
		[{ resolution: "1080p" }, 1],
		[{ resolution: 720 }, 1],
		[{ Size: "1080x1920" }, 1],
		[{ size: undefined, video_size: "720x1280" }, 1],
		[{ hd: "true" }, 1],
		[{ aspect_ratio: "9:16" }, 1],
	])("of %j costs %p", async (way, dollars) => {
		expect((await made("/v1/videos", { ...clip, ...way })).cost).toBe(dollars);
	});

	test("by the uniform and new-api's routes costs what is sent on", async () => {
		const { size, seconds: _seconds, ...wish } = clip;
		const task = { kind: "video", ...wish, seconds: 10 };
		expect((await made("/v1/tasks", { ...task, size })).cost).toBe(0.1);
		expect((await made("/v1/tasks", { ...task, size: "1080x1920", input: { size } })).cost).toBe(0.1);
		expect((await made("/v1/tasks", { ...task, size, input: { size: "1080x1920" } })).cost).toBe(1);
		const sides = { ...wish, duration: 10, width: 1080, height: 1920 };
		expect((await made("/v1/video/generations", sides)).cost).toBe(1);
		expect((await made("/v1/video/generations", { ...sides, size })).cost).toBe(1);
		const over = { ...wish, duration: 10, size, metadata: { resolution: "1080p" } };
		expect((await made("/v1/video/generations", over)).cost).toBe(1);
	});

	test("that is remixed is made like the one before, whatever is said", async () => {
		const large = await made("/v1/videos", { ...clip, size: "1080x1920" });
		const remix = { prompt: "again", size: "720x1280" };
		expect((await made(`/v1/videos/${large.id}/remix`, remix)).cost).toBe(1);
		const small = await made("/v1/videos", clip);
		expect((await made(`/v1/videos/${small.id}/remix`, { prompt: "again" })).cost).toBe(0.1);
	});
});

describe("Kling's clip", () => {
	const clip = { model_name: "kling-v2-6", prompt: "a cat", duration: "10" };
	test.each([
		[{}, 0.1],
		[{ mode: "std", sound: "off", cfg_scale: 0.5, aspect_ratio: "16:9" }, 0.1],
		[{ mode: "pro" }, 1],
		[{ mode: "PRO" }, 1],
		[{ sound: "on" }, 1],
		[{ sound: true }, 1],
		[{ sound: "false" }, 1],
		[{ generate_audio: true }, 1],
		[{ mode: "std", Mode: "pro" }, 1],
		[{ voice_list: [{ voice_id: "a_b" }] }, 1],
	])("of %j costs %p", async (way, dollars) => {
		expect((await made("/kling/v1/videos/text2video", { ...clip, ...way })).cost).toBe(dollars);
	});
	test("whose fields stand within `input` costs the dearest", async () => {
		const input = { model_name: "kling-v2-6", mode: "pro", duration: "10", images: ["https://a.example/1.png"] };
		const effect = { model_name: "kling-v2-6", effect_scene: "hug", mode: "std", input };
		expect((await made("/kling/v1/videos/effects", effect)).cost).toBe(1);
	});
});

describe("Midjourney's mode", () => {
	test.each([
		["/mj-relax/mj/submit/imagine", {}, 0.1, "/mj-relax/mj/"],
		["/mj/submit/imagine", {}, 0.5, "/mj/"],
		["/mj-turbo/mj/submit/imagine", {}, 1, "/mj-turbo/mj/"],
		["/mj-turbo/mj/submit/imagine", { mode: "relax" }, 1, "/mj-turbo/mj/"],
		["/mj/submit/imagine", { mode: "relax" }, 0.1, "/mj-relax/mj/"],
		["/mj/submit/imagine", { mode: "RELAX" }, 1, "/mj/"],
		["/mj-relax/mj/submit/imagine", { accountFilter: { modes: ["TURBO"] } }, 1, "/mj-relax/mj/"],
		["/v1/images/generations", { mode: "relax" }, 0.1, "/mj-relax/mj/"],
		["/v1/images/generations", { mode: "relax/../mj-turbo" }, 1, "/mj/"],
		["/v1/tasks", { kind: "image", input: { mode: "turbo" } }, 1, "/mj-turbo/mj/"],
	] as const)("%s %j costs %p", async (path, way, dollars, at) => {
		const { cost, asked } = await made(path, { model: "midjourney", prompt: "a cat --ar 16:9", ...way });
		expect(cost).toBe(dollars);
		expect(asked?.path.startsWith(at)).toBe(true);
	});
	test("is not a parameter of the prompt", async () => {
		const wish = { prompt: "a cat --ar 16:9 --turbo" };
		expect((await made("/mj-relax/mj/submit/imagine", wish)).cost).toBe(1);
	});
	test("of a change is not the one that its picture had", async () => {
		const picture = await made("/mj-turbo/mj/submit/imagine", { prompt: "a cat" });
		const change = { taskId: picture.id, action: "UPSCALE", index: 1 };
		expect((await made("/mj-relax/mj/submit/change", change)).cost).toBe(1);
		const slow = await made("/mj-relax/mj/submit/imagine", { prompt: "a cat" });
		expect((await made("/mj-relax/mj/submit/change", { ...change, taskId: slow.id })).cost).toBe(0.1);
		const button = { taskId: slow.id, customId: "MJ::JOB::upsample::1::x" };
		expect((await made("/mj-relax/mj/submit/action", button)).cost).toBe(1);
	});
});

test("a task that is given up costs the dearest that it may have been", async () => {
	const { key } = await world.token({ quota: 100 });
	const headers = { authorization: `Bearer ${key}` };
	const clip = { model_name: "kling-v2-6", prompt: "a cat", duration: "10" };
	const used = async () => Number((await world.json("/v1/me", undefined, { headers })).body["used"]);
	const costs: number[] = [];
	for (const way of [{ mode: "std" }, { mode: "PRO" }]) {
		const before = await used();
		const { body } = await world.json("/kling/v1/videos/text2video", { ...clip, ...way }, { headers });
		await world.pass(300, 50);
		await world.ask(`/v1/tasks/${body["id"]}/cancel`, {}, { headers });
		await world.pass(4000, 500);
		costs.push(Math.round(((await used()) - before) * 1000) / 1000);
	}
	expect(costs).toEqual([0.1, 1]);
});
