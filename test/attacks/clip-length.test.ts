/** Promise: a clip is charged for the seconds that are made, and at the model that makes it, whichever field says them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";

let world: MediaWorld;
/** What the upstream of `clip` tells of a finished one's length. */
let told: object = { seconds: "12" };
beforeAll(async () => {
	world = await startMediaWorld({
		video: [
			{ type: "openai-videos", models: ["clip"], path: "/openai" },
			{ type: "kling", models: ["kling-*"] },
		],
		image: [{ type: "midjourney-proxy", models: ["midjourney"] }],
		more: ["model-list", { use: "prices", with: { models: { "*": { perSecond: 0.1, perImage: 1 } } } }, "quota"],
	});
	let serial = 0;
	const drawings: string[] = [];
	world.upstream.answer(({ method, path }) => {
		if (path === "/mj/task/list-by-condition")
			return Response.json(
				drawings.map((id) => ({ id, status: "SUCCESS", videoUrls: [{ url: "https://cdn.example/v.mp4" }] })),
			);
		if (path.startsWith("/mj/")) {
			drawings.push(`drawing-${++serial}`);
			return Response.json({ code: 1, result: drawings.at(-1) });
		}
		if (path.startsWith("/openai/"))
			return Response.json(
				method === "POST"
					? { id: `clip-${++serial}`, status: "queued" }
					: { id: path.split("/").at(-1), status: "completed", ...told, url: "https://cdn.example/a.mp4" },
			);
		const videos = [{ id: `made-${serial}`, url: "https://cdn.example/k.mp4", duration: "8" }];
		const done = { task_id: "x", task_status: "succeed", task_result: { videos } };
		return Response.json({ code: 0, data: method === "POST" ? { task_id: `job-${++serial}` } : done });
	});
});
afterAll(() => world.close());

/** Submits and waits for the end: the status, what it used in dollars, and what the upstream was asked first. */
const made = async (key: string, path: string, body: object) => {
	const headers = { authorization: `Bearer ${key}` };
	const used = async (): Promise<number> => Number((await world.json("/v1/me", undefined, { headers })).body.used);
	const before = await used();
	const seen = world.upstream.received.length;
	const answer = await world.json(path, body, { headers });
	const { id, result, task_id: taskId } = answer.body as Record<string, unknown>;
	if (answer.status < 300) {
		const name = String(taskId ?? id ?? result);
		await until(async () => {
			await world.pass(1000, 500);
			const { status } = (await world.json(`/v1/tasks/${name}`, undefined, { headers })).body;
			return status === "SUCCESS" || status === "FAILURE";
		});
	}
	const asked = world.upstream.received[seen];
	const cost = Math.round(((await used()) - before) * 1000) / 1000;
	return { status: answer.status, id: String(taskId ?? id ?? result), cost, path: asked?.path, sent: asked?.json };
};

const keyWith = async (...models: string[]): Promise<string> => (await world.token({ quota: 100, models })).key;

describe("Kling", () => {
	test("is never asked at an address that a client wrote", async () => {
		const key = await keyWith("kling-v1");
		const wish = { model: "kling-v1", prompt: "x", seconds: "5", duration: "5" };
		for (const maker of ["../images/generations?x=", "text2video/OTHERS?x=", "effects"]) {
			const task = { ...wish, kind: "video", input: { maker, seconds: 5 } };
			expect((await made(key, "/v1/tasks", task)).path).toBe("/v1/videos/text2video");
			expect((await made(key, "/v1/videos", { ...wish, maker })).path).toBe("/v1/videos/text2video");
			const unified = { ...wish, maker, metadata: { maker } };
			expect((await made(key, "/v1/video/generations", unified)).path).toBe("/v1/videos/text2video");
		}
	});

	test("effects take the model and the length from within `input`", async () => {
		const effect = {
			effect_scene: "hug",
			duration: "1",
			input: { model_name: "kling-v2-master", mode: "pro", duration: "10", images: ["https://a.example/1.png"] },
		};
		const path = "/kling/v1/videos/effects";
		expect(await made(await keyWith("kling-v1"), path, { ...effect, model_name: "kling-v1" })).toMatchObject({
			status: 404,
			sent: undefined,
		});
		expect(await made(await keyWith("kling-v2-master"), path, { ...effect, model_name: "kling-v1" })).toMatchObject({
			cost: 1,
			sent: { input: { model_name: "kling-v2-master", duration: "10", mode: "pro" } },
		});
	});

	test("an extension is five seconds, moved lips as long as their clip, whatever is asked", async () => {
		const key = await keyWith("kling-v1");
		const { id } = await made(key, "/kling/v1/videos/text2video", { model_name: "kling-v1", prompt: "x" });
		const extension = { model_name: "kling-v1", video_id: id, duration: "1" };
		const extended = await made(key, "/kling/v1/videos/video-extend", extension);
		expect(extended).toMatchObject({ status: 200, cost: 0.5 });
		expect(extended.sent).not.toHaveProperty("duration");
		const lips = { model_name: "kling-v1", duration: "1", input: { video_url: "https://a.example/1.mp4", text: "hi" } };
		expect(await made(key, "/kling/v1/videos/lip-sync", lips)).toMatchObject({ status: 200, cost: 0.8 });
	});

	test("a clip that `omni-video` changes is as long as it was, whatever is asked", async () => {
		const key = await keyWith("kling-v3-omni");
		const wish = { model_name: "kling-v3-omni", prompt: "x", duration: "3" };
		const video = { video_url: "https://a.example/ten-seconds.mp4" };
		for (const video_list of [[{ ...video, refer_type: "base" }], [video], { ...video, refer_type: "base" }]) {
			const changed = await made(key, "/kling/v1/videos/omni-video", { ...wish, video_list });
			expect(changed).toMatchObject({ status: 200, cost: 0.8 });
			expect(changed.sent).not.toHaveProperty("duration");
		}
		const looked = { ...wish, video_list: [{ ...video, refer_type: "feature" }] };
		expect(await made(key, "/kling/v1/videos/omni-video", looked)).toMatchObject({
			cost: 0.3,
			sent: { duration: "3" },
		});
	});
});

test("a remix is as long as its clip", async () => {
	const key = await keyWith("clip");
	const clip = await made(key, "/v1/videos", { model: "clip", prompt: "x", seconds: "12" });
	expect(clip.cost).toBe(1.2);
	for (const length of [{ seconds: "1" }, { duration: 1 }])
		expect(await made(key, `/v1/videos/${clip.id}/remix`, { prompt: "y", ...length })).toMatchObject({ cost: 1.2 });
	const untold = await made(key, "/v1/videos", { model: "clip", prompt: "x" });
	expect(await made(key, `/v1/videos/${untold.id}/remix`, { prompt: "y", seconds: "1" })).toMatchObject({ cost: 1.2 });
});

test.each([
	["nothing", {}, 1],
	["no number", { seconds: "long" }, 1],
	["none", { seconds: "0" }, 1],
	["less than one", { seconds: 0.2 }, 1],
	["less than nothing", { seconds: -5 }, 1],
	["some", { seconds: 6.4 }, 0.6],
] as const)("a clip without a length is not free where its upstream tells %s", async (_name, said, cost) => {
	const usual = told;
	told = said;
	const key = await keyWith("clip");
	const clip = await made(key, "/v1/videos", { model: "clip", prompt: "x" });
	told = usual;
	expect(clip).toMatchObject({ status: 200, cost });
});

test.each(["0.01", 0.999, "0", 3601, "1e-9"])("a clip of %p seconds is refused", async (seconds) => {
	const key = await keyWith("clip");
	const answer = await made(key, "/v1/videos", { model: "clip", prompt: "x", seconds });
	expect(answer).toMatchObject({ status: 400, cost: 0, sent: undefined });
});

test("a clip of Midjourney's without a still picture costs what one picture does", async () => {
	const key = await keyWith("midjourney");
	const clip = { prompt: "x", image: "https://a.example/1.png" };
	expect(await made(key, "/mj/submit/video", clip)).toMatchObject({ status: 200, cost: 1 });
});
