/**
 * Promise: a task's request names nothing in an upstream's account but what its own token made there. What it names besides
 * is 404 in the shape of the route and reaches no upstream, unless the account is one client's alone.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";

const json = (value: unknown): Response => Response.json(value);

/** Kling, Suno and Midjourney at once: `clip-…` and `job-…` are their own names for what they made. */
const script = ({ upstream }: MediaWorld): void => {
	let serial = 0;
	const titles = new Map<string, unknown>();
	upstream.answer(({ method, path, json: body }) => {
		if (path.startsWith("/v1/videos/")) {
			if (method === "POST") return json({ code: 0, data: { task_id: `job-${++serial}`, task_status: "submitted" } });
			const id = path.split("/").at(-1);
			const videos = [{ id: `clip-of-${id}`, url: "https://cdn.example/v.mp4", duration: "5" }];
			return json({ code: 0, data: { task_id: id, task_status: "succeed", task_result: { videos } } });
		}
		if (path.startsWith("/suno/submit/")) {
			titles.set(`job-${++serial}`, (body as { title?: unknown }).title);
			return json({ code: "success", data: `job-${serial}` });
		}
		if (path === "/suno/fetch") {
			const data = (body as { ids: string[] }).ids.map((id) => ({
				task_id: id,
				status: "SUCCESS",
				data: [
					{ id: `clip-of-${id}`, title: titles.get(id), status: "complete", audio_url: "https://cdn.example/a.mp3" },
				],
			}));
			return json({ code: "success", data });
		}
		if (path.startsWith("/mj/submit/")) return json({ code: 1, result: `job-${++serial}` });
		if (path === "/mj/task/list-by-condition")
			return json(
				(body as { ids: string[] }).ids.map((id) => ({
					id,
					status: "SUCCESS",
					imageUrl: "https://cdn.example/i.png",
					buttons: [{ customId: `MJ::JOB::upsample::1::${id}` }],
				})),
			);
		return json({ id: `job-${++serial}`, status: "queued" });
	});
};

const upstreams = (tenancy: object) => ({
	video: [
		{ type: "kling", models: ["kling-*"], ...tenancy },
		{ type: "openai-videos", models: ["sora-*"], path: "/openai", ...tenancy },
		{ type: "veo", models: ["veo-*"], path: "/google", ...tenancy },
	],
	music: [{ type: "suno-api", models: ["chirp-*"], ...tenancy }],
	image: [
		{ type: "midjourney-proxy", models: ["midjourney"], ...tenancy },
		{ type: "openai-images", models: ["gpt-image-*"], path: "/openai", ...tenancy },
	],
});

interface Made {
	readonly id: string;
	/** The clip or button as the client is shown it. */
	readonly part: string;
}

const made = async (world: MediaWorld, key: string) => {
	const headers = { authorization: `Bearer ${key}` };
	const finished = async (path: string, body: object): Promise<string> => {
		const answer = (await world.json(path, body, { headers })).body as { data?: { task_id: string }; result?: string };
		const id = String(answer.result ?? (answer.data as { task_id?: string })?.task_id ?? answer.data);
		await until(async () => {
			await world.pass(1000);
			const { status } = (await world.json(`/v1/tasks/${id}`, undefined, { headers })).body;
			return status === "SUCCESS";
		});
		return id;
	};
	const video = await finished("/kling/v1/videos/text2video", { model_name: "kling-v1", prompt: "x" });
	const shown = (await world.json(`/kling/v1/videos/text2video/${video}`, undefined, { headers })).body as {
		data: { task_result: { videos: { id: string }[] } };
	};
	const song = await finished("/suno/submit/music", { prompt: "x", title: "x" });
	const songs = (await world.json(`/suno/fetch/${song}`, undefined, { headers })).body as {
		data: { data: { id: string }[] };
	};
	const picture = await finished("/mj/submit/imagine", { prompt: "x" });
	const pictures = (await world.json(`/mj/task/${picture}/fetch`, undefined, { headers })).body as {
		buttons: { customId: string }[];
	};
	return {
		video: { id: video, part: shown.data.task_result.videos[0]?.id ?? "" },
		song: { id: song, part: songs.data.data[0]?.id ?? "" },
		picture: { id: picture, part: pictures.buttons[0]?.customId ?? "" },
	} satisfies Record<string, Made>;
};

type AllMade = Awaited<ReturnType<typeof made>>;

const kling = (more: object): object => ({ model_name: "kling-v1", prompt: "x", ...more });

/** What names something of `of`, or of nobody here. */
const attacks: readonly (readonly [string, string, (of: AllMade) => object])[] = [
	["Kling: A's clip to extend", "/kling/v1/videos/video-extend", ({ video }) => kling({ video_id: video.part })],
	["Kling: A's task to extend", "/v1/videos/video-extend", ({ video }) => kling({ video_id: video.id })],
	["Kling: the account's own name for A's clip", "/v1/videos/video-extend", () => kling({ video_id: "clip-of-job-1" })],
	[
		"Kling: A's clip to give lips",
		"/kling/v1/videos/lip-sync",
		({ video }) => kling({ input: { mode: "text2video", text: "x", voice_id: "uk_boy1", video_id: video.part } }),
	],
	["Kling: a cloned voice", "/kling/v1/videos/lip-sync", () => kling({ input: { voice_id: "829836802793406551" } })],
	["Kling: an element", "/kling/v1/videos/omni-video", () => kling({ element_list: [{ element_id: 160 }] })],
	["Kling: a session", "/kling/v1/videos/multi-elements", () => kling({ session_id: "s-of-a" })],
	[
		"Kling: a picture's element",
		"/kling/v1/images/generations",
		() => ({ ...kling({}), model_name: "gpt-image-1", element_list: [{ element_id: "1" }] }),
	],
	["Suno: A's clip", "/suno/submit/music", ({ song }) => ({ continue_clip_id: song.part, continue_at: 5 })],
	["Suno: a clip of nobody", "/suno/generate", () => ({ prompt: "x", continue_clip_id: "clip-elsewhere" })],
	["Suno: A's task", "/suno/submit/music", ({ song }) => ({ prompt: "x", task_id: song.id })],
	[
		"Suno: A's task with its clip",
		"/suno/submit/music",
		({ song }) => ({ continue_clip_id: song.part, task_id: song.id }),
	],
	["Suno: a persona", "/suno/submit/music/custom", () => ({ prompt: "x", persona_id: "persona-of-a" })],
	["Suno: a clip for words", "/suno/submit/lyrics", ({ song }) => ({ prompt: "x", clip_id: song.part })],
	["Midjourney: a job to show", "/mj/submit/show", () => ({ jobInfo: "6f8a3b1c-0000-4000-8000-00000000000a" })],
	["Midjourney: A's picture for a video", "/mj/submit/video", ({ picture }) => ({ prompt: "x", taskId: picture.id })],
	["OpenAI: a character", "/v1/videos", () => ({ model: "sora-2", prompt: "x", characters: [{ id: "char_a" }] })],
	["OpenAI: a video", "/v1/videos", () => ({ model: "sora-2", prompt: "x", remix_video_id: "video_a" })],
	["OpenAI: a video by its bare name", "/v1/videos", () => ({ model: "sora-2", prompt: "x", video: "video_a" })],
	[
		"OpenAI: a style of pictures",
		"/v1/images/generations",
		() => ({ model: "gpt-image-1", prompt: "x", style_id: "s" }),
	],
	[
		"new-api: a field of its metadata",
		"/v1/video/generations",
		() => ({ model: "sora-2", prompt: "x", metadata: { file_id: "f" } }),
	],
	[
		"new-api: JSON in a text",
		"/v1/video/create",
		() => ({ model: "sora-2", prompt: "x", characters: '[{"id":"char_a"}]' }),
	],
	[
		"Google: where to put the clip",
		"/v1beta/models/veo-3:predictLongRunning",
		() => ({ instances: [{ prompt: "x" }], parameters: { storageUri: "gs://a" } }),
	],
	[
		"uniform: Google's file",
		"/v1/tasks",
		() => ({ kind: "video", model: "veo-3", prompt: "x", input: { video: { uri: "files/a" } } }),
	],
	[
		"uniform: A's clip",
		"/v1/tasks",
		({ song }) => ({ kind: "music", prompt: "x", input: { title: "x", continue_clip_id: song.part } }),
	],
];

describe("an account that serves several tokens", () => {
	let world: MediaWorld;
	let ofA: AllMade;
	let ofB: AllMade;
	let headers: Record<string, string>;
	beforeAll(async () => {
		world = await startMediaWorld(upstreams({}));
		script(world);
		ofA = await made(world, world.key);
		const { key } = await world.token();
		headers = { authorization: `Bearer ${key}` };
		ofB = await made(world, key);
	});
	afterAll(() => world.close());

	/** What its next submission was sent. */
	const sent = async (path: string, body: object): Promise<Record<string, unknown>> => {
		const before = world.upstream.received.length;
		expect((await world.json(path, body, { headers })).status).toBeLessThan(300);
		await until(async () => {
			await world.pass(500);
			return world.upstream.received.length > before;
		});
		return world.upstream.received[before]?.json as Record<string, unknown>;
	};

	test.each(attacks.map(([name, path, body]) => ({ name, path, body })))("$name", async ({ path, body }) => {
		const before = world.upstream.received.length;
		const answer = await world.json(path, body(ofA), { headers });
		expect([answer.status, answer.body]).toEqual([404, expect.anything()]);
		await world.pass(3000, 500);
		expect(world.upstream.received.length).toBe(before);
	});

	test("refuses in the shape of the route", async () => {
		const ofKling = await world.json("/v1/videos/video-extend", kling({ video_id: "v" }), { headers });
		expect(ofKling.body).toMatchObject({ code: 1203, message: expect.stringContaining("video_id") });
		const ofSuno = await world.json("/suno/submit/music", { continue_clip_id: "c" }, { headers });
		expect(ofSuno.body).toMatchObject({ code: "task_not_exist", data: null });
		const ofOpenAi = await world.json("/v1/videos", { model: "sora-2", prompt: "x", video_id: "v" }, { headers });
		expect(ofOpenAi.body).toMatchObject({ error: { code: "unknown_reference", param: "video_id" } });
	});

	test("a title that is another's clip makes it nobody's own", async () => {
		const title = ofA.song.part;
		await sent("/suno/submit/music", { prompt: "x", title });
		await world.pass(8000, 500);
		const { data } = (await world.json("/v1/tasks?kind=music&limit=1", undefined, { headers })).body;
		expect(data).toMatchObject([{ status: "SUCCESS", output: { title } }]);
		expect((await world.json("/suno/submit/music", { continue_clip_id: title }, { headers })).status).toBe(404);
	});

	test("another's button on one's own picture goes nowhere; one's own is pressed", async () => {
		const press = (customId: string) => ({ taskId: ofB.picture.id, customId });
		const before = world.upstream.received.length;
		expect((await world.json("/mj/submit/action", press(ofA.picture.part), { headers })).status).toBe(404);
		expect(world.upstream.received.length).toBe(before);
		const job = ofB.picture.part.split("::").at(-1);
		expect(await sent("/mj/submit/action", press(ofB.picture.part))).toEqual({
			action: "UPSCALE",
			customId: ofB.picture.part,
			prompt: "x",
			taskId: job,
		});
	});

	test("what is the caller's own goes on, by the upstream's name for it", async () => {
		const clip = await sent("/v1/videos/video-extend", kling({ video_id: ofB.video.part }));
		expect(clip.video_id).toMatch(/^clip-of-job-\d+$/);
		expect((await sent("/v1/videos/video-extend", kling({ video_id: ofB.video.id }))).video_id).toBe(clip.video_id);
		const input = { mode: "text2video", voice_id: "uk_boy1", video_id: ofB.video.part };
		const lips = await sent("/v1/videos/lip-sync", kling({ input }));
		expect(lips.input).toEqual({ ...input, video_id: clip.video_id });
		expect(lips).not.toHaveProperty("video_id");
		const named = kling({ video_id: ofB.video.id, order_id: "order 7" });
		expect(await sent("/v1/videos/video-extend", named)).toMatchObject({ order_id: "order 7" });
		const song = await sent("/suno/submit/music", { continue_clip_id: ofB.song.part, continue_at: 5 });
		expect(song).toMatchObject({ continue_clip_id: ofB.song.part, task_id: ofB.song.part.replace("clip-of-", "") });
		const both = await sent("/suno/submit/music", { continue_clip_id: ofB.song.part, task_id: ofB.song.id });
		expect(both.task_id).toBe(song.task_id);
	});
});

test("an account that is one client's alone is told every id", async () => {
	const world = await startMediaWorld(upstreams({ tenancy: "single" }));
	script(world);
	const wishes: readonly (readonly [string, object, string])[] = [
		["/v1/videos/video-extend", kling({ video_id: "v-1" }), "v-1"],
		["/v1/videos/omni-video", kling({ element_list: [{ element_id: 160 }] }), "160"],
		["/suno/submit/music", { continue_clip_id: "c-1", task_id: "t-1" }, "t-1"],
		["/mj/submit/show", { jobInfo: "j-1" }, "j-1"],
	];
	for (const [path, body, id] of wishes) {
		expect((await world.json(path, body)).status).toBe(200);
		await until(async () => {
			await world.pass(500);
			return world.upstream.received.some(({ text }) => text.includes(id));
		});
	}
	await world.close();
});
