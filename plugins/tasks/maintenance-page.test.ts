/** A page of HTML in an upstream's place, with 200 or 404, or a redirect: nobody's word on a job. Its task waits until the upstream is there again. */
import { expect, test } from "bun:test";
import { startUpstream } from "#core/testing";
import { type MediaWorldOptions, startMediaWorld } from "../../test/support/media-world.ts";

const page = (status: number) =>
	new Response("<html>Back soon.</html>", { status, headers: { "content-type": "text/html; charset=utf-8" } });

interface Scene {
	readonly world: MediaWorldOptions;
	readonly path: string;
	readonly body: Record<string, unknown>;
	/** What is answered to a submission, and to the last poll. */
	submitted(): unknown;
	done(): unknown;
	readonly hasList?: false;
}

const clip = "https://cdn.example/clip.mp4";
const scenes: Record<string, Scene> = {
	"openai-videos": {
		world: { video: [{ type: "openai-videos", models: ["clip"] }] },
		path: "/v1/videos",
		body: { model: "clip", prompt: "x", seconds: "4" },
		submitted: () => ({ id: "video_1", status: "queued" }),
		done: () => ({ id: "video_1", status: "completed", video_url: clip }),
	},
	veo: {
		world: { video: [{ type: "veo", models: ["clip"] }] },
		path: "/v1/videos",
		body: { model: "clip", prompt: "x", seconds: "8" },
		submitted: () => ({ name: "models/clip/operations/1" }),
		done: () => ({ done: true, response: { generatedVideos: [{ video: { encodedVideo: "AAAA" } }] } }),
	},
	kling: {
		world: { video: [{ type: "kling", models: ["clip"] }] },
		path: "/v1/videos",
		body: { model: "clip", prompt: "x", seconds: "5" },
		submitted: () => ({ code: 0, data: { task_id: "k1" } }),
		done: () => ({ code: 0, data: { task_status: "succeed", task_result: { videos: [{ url: clip }] } } }),
	},
	"midjourney-proxy": {
		world: { image: [{ type: "midjourney-proxy", models: ["midjourney"] }] },
		path: "/mj/submit/imagine",
		body: { prompt: "x" },
		submitted: () => ({ code: 1, result: "7" }),
		done: () => ({ id: "7", status: "SUCCESS", imageUrl: "https://cdn.example/1.png" }),
		hasList: false,
	},
};

test.each(Object.keys(scenes).flatMap((name) => [200, 404].map((status) => [name, status] as const)))(
	"%s, %i",
	async (name, status) => {
		const scene = scenes[name];
		if (!scene) throw new Error("no scene");
		const at = await startMediaWorld(scene.world);
		let away = true;
		at.upstream.answer(({ method, path }) => {
			if (path.endsWith("list-by-condition")) return new Response(null, { status: 404 });
			if (method === "POST") return Response.json(scene.submitted());
			return away ? page(status) : Response.json(scene.done());
		});
		const { body } = await at.json(scene.path, scene.body);
		const id = body["result"] ?? body["id"];
		await at.pass(420_000, 5000);
		expect((await at.json(`/v1/tasks/${id}`)).body).toMatchObject({ status: "NOT_START", error: null });
		away = false;
		await at.pass(60_000, 5000);
		expect((await at.json(`/v1/tasks/${id}`)).body).toMatchObject({ status: "SUCCESS" });
		await at.close();
	},
	20_000,
);

test("a redirect in its place: the task waits, the key goes nowhere else, and the status tells it", async () => {
	const at = await startMediaWorld({ image: [{ type: "openai-images", models: ["gpt-image-1"] }] });
	const elsewhere = startUpstream();
	let away = true;
	at.upstream.answer(({ path }) =>
		away
			? new Response(null, { status: 307, headers: { location: elsewhere.url + path } })
			: Response.json({ created: 1, data: [{ b64_json: "iVBORw0KGgo=" }] }),
	);
	const { body } = await at.json("/v1/tasks", { kind: "image", model: "gpt-image-1", prompt: "x" });
	await at.pass(10_000, 1000);
	expect((await at.json(`/v1/tasks/${body["id"]}`)).body).toMatchObject({ status: "NOT_START", error: null });
	expect((await at.admin("GET", "/admin/troubles"))["upstreams"]).toMatchObject([
		{
			of: "tasks",
			failing: true,
			lastFailure: {
				message: "A redirect came, something other than its answer (status 307).",
				advice: expect.stringMatching(/correct its url/),
			},
		},
	]);
	away = false;
	await at.pass(60_000, 5000);
	expect((await at.json(`/v1/tasks/${body["id"]}`)).body).toMatchObject({ status: "SUCCESS" });
	expect(elsewhere.received).toEqual([]);
	await at.close();
	await elsewhere.stop();
}, 20_000);
