/** Files that an upstream names by addresses of its own network: no client is in that, and none learns what stands there. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { everyKind, type MediaWorld, startMediaWorld } from "../../test/support/media-world.ts";

let world: MediaWorld;
beforeEach(async () => {
	world = await startMediaWorld({ ...everyKind, demo: { taskModels: ["nothing"] } });
});
afterEach(() => world.close());

const made = "the bytes that were made";
const file = (): string => `${world.upstream.url}/inner/made.bin`;

/** By the path that is asked: what an upstream of each dialect answers that is done at once. */
const answers = (): Readonly<Record<string, unknown>> => ({
	"/images/generations": { data: [{ url: file() }] },
	"/mj/submit/imagine": { code: 1, result: "1" },
	"/mj/task/list-by-condition": [{ id: "1", status: "SUCCESS", imageUrl: file() }],
	"/videos": { id: "v1", status: "completed", video_url: file(), seconds: "4" },
	"/videos/v1": { id: "v1", status: "completed", video_url: file(), seconds: "4" },
	"/v1/videos/text2video": { code: 0, data: { task_id: "k1", task_status: "submitted" } },
	"/v1/videos/text2video/k1": {
		code: 0,
		data: {
			task_id: "k1",
			task_status: "succeed",
			task_result: { videos: [{ id: "c1", url: file(), duration: "5" }] },
		},
	},
	"/suno/submit/music": { code: "success", data: "s1" },
	"/suno/fetch": {
		code: "success",
		data: [{ task_id: "s1", status: "SUCCESS", data: [{ id: "c1", status: "complete", audio_url: file() }] }],
	},
});

const script = (inner: () => Response): void => {
	const known = answers();
	world.upstream.answer(({ path }) => (path === "/inner/made.bin" ? inner() : Response.json(known[path] ?? {})));
};

const submissions: readonly (readonly [kind: string, body: Record<string, unknown>])[] = [
	["openai-images", { kind: "image", model: "picture" }],
	["midjourney-proxy", { kind: "image", model: "midjourney" }],
	["openai-videos", { kind: "video", model: "clip", seconds: 4 }],
	["kling", { kind: "video", model: "kling", seconds: 5 }],
	["suno-api", { kind: "music", model: "song" }],
];

const resultOf = async (body: Record<string, unknown>): Promise<{ status: string; url: string }> => {
	const notifyHook = `${world.hook.origin}/x`;
	const { body: submitted } = await world.json("/v1/tasks", { ...body, prompt: "x", notifyHook });
	await world.finish(submitted["id"]);
	const shown = (await world.json(`/v1/tasks/${submitted["id"]}`)).body as {
		status: string;
		output: { files: { url: string }[] };
	};
	return { status: shown.status, url: shown.output?.files[0]?.url ?? "" };
};

test.each(submissions)("%s: what is made is kept and handed out by Portico", async (_, body) => {
	script(() => new Response(made, { headers: { "content-type": "application/octet-stream" } }));
	const { status, url } = await resultOf(body);
	expect([status, url]).toEqual(["SUCCESS", expect.stringContaining(`${world.url}/v1/tasks/`)]);
	expect(await (await fetch(url)).text()).toBe(made);
	expect(JSON.stringify(world.callbacks())).not.toContain(world.upstream.url);
});

const inData = `data:image/png;base64,${Buffer.from(made).toString("base64")}`;

test.each([
	["in data", { url: inData }, "SUCCESS", /\/v1\/tasks\/task_\w+\/files\/0\./],
	["at a public address", { url: "https://cdn.example.org/1.png" }, "SUCCESS", /^https:\/\/cdn\.example\.org\/1\.png$/],
	["by no address of the web", { url: "file:///etc/passwd" }, "FAILURE", /^$/],
	["without a byte", { b64_json: "" }, "FAILURE", /^$/],
] as const)("what is told %s is no file of its network", async (_, picture, status, shown) => {
	world.upstream.answer(() => Response.json({ data: [picture] }));
	expect(await resultOf({ kind: "image", model: "picture" })).toEqual({ status, url: expect.stringMatching(shown) });
	expect(world.log.filter(({ msg }) => String(msg).includes("upstream's network"))).toEqual([]);
});

test("what cannot be fetched there is passed on as it was named, and the log tells of it", async () => {
	script(() => new Response("no", { status: 401 }));
	expect(await resultOf({ kind: "image", model: "picture" })).toEqual({ status: "SUCCESS", url: file() });
	expect(world.log).toContainEqual(
		expect.objectContaining({ msg: "a result could not be fetched in its upstream's network" }),
	);
});
