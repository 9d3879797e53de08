/** Promise: what is made of a task is what was counted, whichever field of whichever upstream would say otherwise. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";

let world: MediaWorld;
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
		more: ["quota", { use: "prices", with: { models: { "*": { perSecond: 0.1, perImage: 1 } } } }],
	});
	const drawings = new Map<string, object>();
	world.upstream.answer(({ path, json }) => {
		const id = `job-${drawings.size}`;
		const { ids = [] } = (json ?? {}) as { readonly ids?: readonly string[] };
		if (path.endsWith("list-by-condition")) return Response.json(ids.map((one) => drawings.get(one)));
		if (path.endsWith("/images/generations")) return Response.json({ data: [{ url: "https://cdn.example/1.png" }] });
		if (path.startsWith("/openai/")) return Response.json({ id, status: "queued" });
		if (path.startsWith("/v1/videos/")) return Response.json({ code: 0, data: { task_id: id } });
		const still = path.endsWith("/imagine");
		drawings.set(id, {
			id,
			status: "SUCCESS",
			...(still ? { imageUrl: "https://cdn.example/a.png" } : { videoUrl: "https://cdn.example/a.mp4" }),
		});
		return Response.json({ code: 1, result: id });
	});
});
afterAll(() => world.close());

const sentBy = async (path: string, body: object): Promise<string> => {
	const seen = world.upstream.received.length;
	expect((await world.json(path, body)).status).toBe(200);
	await world.pass(1000);
	return world.upstream.received.slice(seen).find(({ method }) => method === "POST")?.text ?? "";
};

const amounts = {
	model: "dear-31337",
	model_name: "dear-31337",
	mv: "dear-31337",
	num_images: 31337,
	numberOfImages: 31337,
	max_images: 31337,
	sequential_image_generation: "auto-31337",
	sequential_image_generation_options: { max_images: 31337 },
	n_variants: 31337,
	n_seconds: 31337,
	frames: 31337,
	numFrames: 31337,
	batch_size: 31337,
	batchSize: 31337,
	samples: 31337,
	num_results: 31337,
	numberResults: 31337,
	image_count: 31337,
	count: 31337,
	video_duration: 31337,
	duration_in_seconds: 31337,
	length: 31337,
	frame_num: 31337,
	parameters: { n: 31337, duration: 31337, seconds: "31337", style: "kept" },
	extra: JSON.stringify({ fields: { N: 31337, model: "dear-31337" } }),
	input: { n: 31337, batch_size: 31337 },
	camera_control: { type: "kept", config: { num_frames: 31337 } },
	metadata: {
		parameters: { duration: 31337, sampleCount: 31337, model: "dear-31337", deeper: { seconds: 31337 } },
		nested: JSON.stringify({ prompt: "another", duration: 31337 }),
		n: 31337,
		duration: 31337,
		Seconds: "31337",
		model_name: "dear-31337",
		numFrames: 31337,
		camera: "kept",
	},
};

test.each([
	["/v1/images/generations", { model: "picture", prompt: "x" }],
	["/v1/videos", { model: "clip", prompt: "x", seconds: "5" }],
	["/v1/videos", { model: "clip", prompt: "x", seconds: "5", metadata: JSON.stringify(amounts.metadata) }],
	["/kling/v1/videos/text2video", { model_name: "kling-v1", model: "kling-v1", prompt: "x", duration: "5" }],
	["/v1/video/generations", { model: "kling-v1", prompt: "x", duration: 5 }],
])("%s %j is sent on without what would make more of it", async (path, body) => {
	const sent = await sentBy(path, { ...amounts, ...body });
	expect(sent).not.toContain("31337");
	expect(sent).toContain("kept");
});

test("a text of JSON is still a text without it, and one that says nothing of it is the client's own", async () => {
	const wish = { mood: "kept", camera: { pan: 2 } };
	const untouched = `{ "mood": "kept" }`;
	const body = { style: JSON.stringify({ ...wish, num_images: 31337 }), negative_prompt: untouched };
	const sent = await sentBy("/v1/images/generations", { model: "picture", prompt: "x", ...body });
	expect(JSON.parse(sent)).toMatchObject({ style: JSON.stringify(wish), negative_prompt: untouched });
});

test.each([65, 40_000])("a text of JSON that nests %d deep hides nothing: it is refused", async (depth) => {
	const deep = `{"n":31337,"x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
	const body = { model: "picture", prompt: "x", metadata: deep };
	expect(await world.json("/v1/images/generations", body)).toMatchObject({
		status: 400,
		body: { error: { message: expect.stringContaining("nests deeper than 64") } },
	});
});

test.each(["DESCRIBE", "SHORTEN"])("a film is not free because the task is called %s", async (action) => {
	const used = async () => Number((await world.json("/v1/me")).body.used);
	const picture = (await world.json("/mj/submit/imagine", { prompt: "a cat" })).body.result;
	await world.finish(picture);
	const before = await used();
	const input = { taskId: picture, customId: "MJ::JOB::animate_high::1::abc" };
	const film = await world.json("/v1/tasks", { kind: "image", model: "midjourney", action, prompt: "x", input });
	await world.finish(film.body.id);
	expect((await world.json(`/v1/tasks/${film.body.id}`)).body.status).toBe("SUCCESS");
	expect((await used()) - before).toBe(1);
});
