import { afterEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { type MediaWorld, type MediaWorldOptions, startMediaWorld } from "../../test/support/media-world.ts";
import { until } from "../../test/support/moved-clock.ts";
import { fileName, ownFile } from "./gemini-files.ts";
import { klingToken } from "./upstream-kling.ts";

const open: MediaWorld[] = [];
afterEach(async () => {
	for (const world of open.splice(0)) await world.close();
});
const world = async (options?: MediaWorldOptions): Promise<MediaWorld> => {
	const started = await startMediaWorld(options);
	open.push(started);
	return started;
};
const json = (value: unknown, status = 200): Response => Response.json(value, { status });
const show = async (at: MediaWorld, id: unknown) => (await at.json(`/v1/tasks/${id}`)).body;

describe("callbacks", () => {
	test("have exactly the fields, in seconds, with a decimal duration", async () => {
		const at = await world();
		const { body } = await at.json("/v1/video/generations", {
			model: "x",
			prompt: "the sea",
			duration: 3,
			notifyHook: `${at.hook.origin}/x`,
		});
		await at.finish(body.task_id);
		await until(() => at.callbacks().length === 3);
		const id = String(body.task_id);
		const texts = at.hook.received.map(({ body: bytes }) => bytes.toString());
		expect(texts[0]).toBe(
			`{"id":"${id}","status":"submitted","type":"video","output":{"video_url":"","cover_url":"","duration":0.0},"created_at":1790000000,"updated_at":1790000000}`,
		);
		expect(at.callbacks()[1]).toMatchObject({ status: "processing", output: { video_url: "", duration: 0 } });
		expect(texts[2]).toContain('"duration":3.0}');
		expect(at.callbacks()[2]).toEqual({
			id,
			status: "succeed",
			type: "video",
			output: { video_url: expect.stringMatching(/^http/), cover_url: expect.stringMatching(/^http/), duration: 3 },
			created_at: 1_790_000_000,
			updated_at: expect.any(Number),
		});
	});

	test("of a failure tell the reason in headers; the routes tell it too", async () => {
		const at = await world();
		const { body } = await at.json("/v1/videos", {
			prompt: "the sea /fail dried up: 100 % sèche",
			callback_url: `${at.hook.origin}/x`,
		});
		await at.finish(body.id);
		await until(() => at.callbacks().length === 3);
		expect(Object.keys(at.callbacks()[2] ?? {})).toEqual([
			"id",
			"status",
			"type",
			"output",
			"created_at",
			"updated_at",
		]);
		expect(at.callbacks()[2]).toMatchObject({ status: "failed" });
		const headers = at.hook.received.map((one) => one.headers);
		expect(headers[2]).toMatchObject({
			"x-failure-code": "demo_failure",
			"x-failure-reason": "dried up: 100 %25 s%C3%A8che",
		});
		for (const before of headers.slice(0, 2)) expect(before).not.toHaveProperty("x-failure-code");
		expect((await at.json(`/v1/videos/${body.id}`)).body).toMatchObject({
			status: "failed",
			error: { code: "demo_failure", message: "dried up: 100 % sèche" },
		});
	});
});

describe("dialects", () => {
	test("45: a form and JSON mean the same, seconds as text or number", async () => {
		const at = await world();
		const form = new FormData();
		for (const [name, value] of Object.entries({ prompt: "a fox", model: "sora-2", seconds: "4", size: "1280x720" }))
			form.set(name, value);
		form.set("input_reference", new Blob([new Uint8Array([1, 2])], { type: "image/png" }), "x.png");
		const sent = await fetch(`${at.url}/v1/videos`, {
			method: "POST",
			headers: { authorization: `Bearer ${at.key}` },
			body: form,
		});
		const asForm = (await sent.json()) as Record<string, unknown>;
		const asJson = (await at.json("/v1/videos", { prompt: "a fox", model: "sora-2", seconds: 4, size: "1280x720" }))
			.body;
		const { id: _a, task_id: _b, ...one } = asForm;
		const { id: _c, task_id: _d, ...two } = asJson;
		expect(one).toEqual(two);
		expect(one).toMatchObject({
			object: "video",
			status: "queued",
			progress: 0,
			seconds: "4",
			size: "1280x720",
			completed_at: null,
			error: null,
		});
		expect([(await show(at, asForm.id)).action, (await show(at, asJson.id)).action]).toEqual([
			"IMAGE_TO_VIDEO",
			"TEXT_TO_VIDEO",
		]);
	});

	test.each([
		["/v1/videos", { prompt: "" }],
		["/v1/videos", { prompt: "x", seconds: "long" }],
		["/v1/videos", { prompt: "x", seconds: -1 }],
		["/v1/videos", { prompt: ["x"] }],
		["/kling/v1/videos/text2video", { prompt: "" }],
		["/v1beta/models/veo:predictLongRunning", { instances: [] }],
		["/v1/video/generations", { model: "x" }],
	])("refuse %s %j", async (path, body) => {
		const at = await world();
		expect((await at.json(path, body)).status).toBe(400);
	});

	test("JSON that curl calls a form is JSON", async () => {
		const at = await world();
		const headers = { authorization: `Bearer ${at.key}`, "content-type": "application/x-www-form-urlencoded" };
		const sent = await fetch(`${at.url}/v1/videos`, { method: "POST", headers, body: '{"prompt":"a fox"}' });
		expect(await sent.json()).toMatchObject({ prompt: "a fox" });
		const form = await fetch(`${at.url}/v1/videos`, { method: "POST", headers, body: "prompt=a+fox&seconds=4" });
		expect(await form.json()).toMatchObject({ prompt: "a fox", seconds: "4" });
	});

	test("a body that is no form says so", async () => {
		const at = await world();
		const headers = {
			authorization: `Bearer ${at.key}`,
			"content-type": `multipart/form-data; boundary=${"x".repeat(300)}`,
		};
		expect((await fetch(`${at.url}/v1/videos`, { method: "POST", headers, body: "x" })).status).toBe(400);
	});

	test("Kling's clients see their own envelope, under both addresses", async () => {
		const at = await world();
		const { body } = await at.json("/v1/videos/image2video", {
			model_name: "kling-v1",
			image: "aGk=",
			duration: "5",
			external_task_id: "mine",
		});
		expect(body).toMatchObject({
			code: 0,
			message: "SUCCEED",
			data: { task_status: "submitted", task_info: { external_task_id: "mine" } },
		});
		const id = (body.data as { task_id: string }).task_id;
		await at.finish(id);
		for (const base of ["/kling/v1/videos", "/v1/videos"]) {
			const shown = (await at.json(`${base}/image2video/${id}`)).body;
			expect(shown).toMatchObject({
				code: 0,
				data: {
					task_status: "succeed",
					task_result: { videos: [{ url: expect.stringMatching(/^http/), duration: "5" }] },
				},
			});
		}
		expect(((await at.json("/kling/v1/videos/image2video?pageSize=1")).body.data as unknown[]).length).toBe(1);
	});

	test("Kling's lists have the clips of their own route, page by page", async () => {
		const at = await world();
		const made = async (maker: string): Promise<string> => {
			const body = { model_name: "kling-v1", prompt: "the sea", image: "aGk=", image_list: [{ image: "aGk=" }] };
			const answer = await at.json(`/v1/videos/${maker}`, body);
			at.moved.advance(1);
			return (answer.body.data as { task_id: string }).task_id;
		};
		const texts = [await made("text2video"), await made("text2video")];
		const images = [await made("image2video")];
		const several = [await made("multi-image2video")];
		await at.json("/v1/videos", { model: "kling-v1", prompt: "of another dialect" });
		const listed = async (path: string) =>
			((await at.json(path)).body.data as { task_id: string }[]).map(({ task_id: id }) => id);
		for (const base of ["/kling/v1/videos", "/v1/videos"]) {
			expect(await listed(`${base}/text2video`)).toEqual(texts.toReversed());
			expect(await listed(`${base}/image2video`)).toEqual(images);
			expect(await listed(`${base}/multi-image2video`)).toEqual(several);
			expect(await listed(`${base}/lip-sync`)).toEqual([]);
			expect(await listed(`${base}/text2video?pageNum=2&pageSize=1`)).toEqual(texts.slice(0, 1));
		}
	});

	test("Google's clients read an operation, and fetch the clip with their key", async () => {
		const at = await world();
		const begun = await at.json("/v1beta/models/veo-3:predictLongRunning", {
			instances: [{ prompt: "a river" }],
			parameters: { durationSeconds: 4 },
		});
		const name = String(begun.body.name);
		expect(name).toMatch(/^models\/veo-3\/operations\/task_/);
		expect((await at.json(`/v1beta/${name}`)).body.done).toBeUndefined();
		await at.finish(name.split("/").at(-1));
		const { body } = await at.json(`/v1beta/${name}`);
		const [sample] = (body.response as { generateVideoResponse: { generatedSamples: { video: { uri: string } }[] } })
			.generateVideoResponse.generatedSamples;
		const uri = sample?.video.uri ?? "";
		expect((await fetch(uri)).status).toBe(401);
		expect((await fetch(`${uri}&key=${at.key}`)).headers.get("content-type")).toBe("video/mp4");
		expect((await fetch(`${uri}&key=${(await at.token()).key}`)).status).toBe(404);
	});

	test("39: what belongs to another token does not exist, in each shape", async () => {
		const at = await world();
		const id = String((await at.json("/v1/videos", { prompt: "x" })).body.id);
		const headers = { authorization: `Bearer ${(await at.token()).key}` };
		const answers = await Promise.all(
			[
				`/v1/videos/${id}`,
				`/v1/videos/${id}/content`,
				`/v1/video/generations/${id}`,
				`/v1/video/query?id=${id}`,
				`/kling/v1/videos/text2video/${id}`,
				`/v1beta/models/m/operations/${id}`,
			].map((path) => at.json(path, undefined, { headers })),
		);
		expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(404));
		expect(answers[0]?.body).toMatchObject({ error: { type: "invalid_request_error" } });
		expect(answers[4]?.body).toMatchObject({ code: 1203 });
		expect(answers[5]?.body).toMatchObject({ error: { status: "NOT_FOUND" } });
		expect((await at.json(`/v1/videos/${id}`, undefined, { method: "DELETE", headers })).status).toBe(404);
		expect((await at.json(`/v1/videos/${id}/remix`, { prompt: "y" }, { headers })).status).toBe(404);
	});

	test("a finished video can be removed, an open one not", async () => {
		const at = await world();
		const id = String((await at.json("/v1/videos", { prompt: "x" })).body.id);
		expect((await at.json(`/v1/videos/${id}`, undefined, { method: "DELETE" })).status).toBe(409);
		expect((await at.json(`/v1/videos/${id}/content`)).status).toBe(400);
		await at.finish(id);
		const url = String((await at.json(`/v1/videos/${id}`)).body.video_url);
		expect((await at.json(`/v1/videos/${id}`, undefined, { method: "DELETE" })).body).toEqual({
			id,
			object: "video.deleted",
			deleted: true,
		});
		expect((await at.json(`/v1/videos/${id}`)).status).toBe(404);
		expect((await fetch(url)).status).toBe(404);
	});
});

test("names of files hold a task and a number, and nothing else", () => {
	const id = `task_${"0a".repeat(16)}`;
	expect([ownFile(fileName(id, 0)), ownFile(fileName(id, 3))]).toEqual([
		{ taskId: id, index: 0 },
		{ taskId: id, index: 3 },
	]);
	for (const name of ["", "x", "../x", `${"0a".repeat(16)}y1`, "0a".repeat(15)]) expect(ownFile(name)).toBeUndefined();
});

describe("upstreams", () => {
	test("46: Kling gets its own fields and our id; its duration in text is a number in the callback", async () => {
		const at = await world({ video: [{ type: "kling", models: ["kling-*"], accessKey: "ak", secretKey: "sk" }] });
		at.upstream.answer(({ method }) =>
			method === "POST"
				? json({ code: 0, message: "SUCCEED", data: { task_id: "k1", task_status: "submitted" } })
				: json({
						code: 0,
						data: {
							task_id: "k1",
							task_status: "succeed",
							task_result: { videos: [{ id: "v", url: "https://cdn.example/v.mp4", duration: "5.041" }] },
						},
					}),
		);
		const { body } = await at.json("/v1/videos", {
			model: "kling-v1",
			prompt: "the sea",
			seconds: "5",
			notifyHook: `${at.hook.origin}/x`,
			mode: "pro",
		});
		await at.pass(9000, 500);
		await until(() => at.callbacks().length === 3);
		expect(at.hook.received[2]?.body.toString()).toContain(
			'"output":{"video_url":"https://cdn.example/v.mp4","cover_url":"","duration":5.041}',
		);
		expect(at.upstream.received[0]).toMatchObject({
			path: "/v1/videos/text2video",
			json: { model_name: "kling-v1", prompt: "the sea", duration: "5", mode: "pro", external_task_id: body.id },
		});
		expect(at.upstream.received[1]?.path).toBe("/v1/videos/text2video/k1");
		const [head = "", claims = "", signature] = (at.upstream.received[0]?.headers.get("authorization") ?? "")
			.replace("Bearer ", "")
			.split(".");
		expect(signature).toBe(createHmac("sha256", "sk").update(`${head}.${claims}`).digest("base64url"));
		expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({
			iss: "ak",
			exp: 1_790_001_800,
			nbf: 1_789_999_995,
		});
		expect(klingToken("ak", "sk", 1_790_000_000)).toBe([head, claims, signature].join("."));
	});

	test("Kling's clip with no cover but an empty address is a clip all the same", async () => {
		const at = await world({ video: [{ type: "kling", models: ["kling-*"] }] });
		const videos = [{ id: "v", url: "https://cdn.example/v.mp4", cover_url: "", duration: "5" }];
		at.upstream.answer(({ method }) =>
			method === "POST"
				? json({ code: 0, data: { task_id: "k1", task_status: "submitted" } })
				: json({ code: 0, data: { task_id: "k1", task_status: "succeed", task_result: { videos } } }),
		);
		const { body } = await at.json("/v1/videos", { model: "kling-v1", prompt: "the sea" });
		await until(async () => {
			await at.pass(9000, 500);
			return (await show(at, body.id)).finished_at !== null;
		}, "an end of the task");
		expect(await show(at, body.id)).toMatchObject({ status: "SUCCESS", error: null });
	});

	test("Kling's job whose answer was lost is found by our id, not submitted again", async () => {
		const at = await world({ video: [{ type: "kling", models: ["kling-*"] }] });
		let id = "";
		at.upstream.answer(({ method, path, json: body }) => {
			if (method === "POST") {
				id = (body as { external_task_id: string }).external_task_id;
				return json({ code: 5000, message: "timeout" }, 504);
			}
			return path.endsWith(id) || path.endsWith("found")
				? json({ code: 0, data: { task_id: "found", task_status: "processing" } })
				: json({ code: 1203, message: "no" }, 404);
		});
		const { body } = await at.json("/v1/videos", { model: "kling-v1", prompt: "x" });
		await until(async () => {
			await at.pass(500);
			return (await show(at, body.id)).status === "IN_PROGRESS";
		}, "a job that is found by our id");
		expect(at.upstream.received.filter(({ method }) => method === "POST")).toHaveLength(1);
	});

	test.each([
		[{ code: 1301, message: "risk control" }, 400, "content_policy_violation"],
		[{ code: 1201, message: "bad duration" }, 400, "upstream_refused"],
		[{ code: 1000, message: "auth" }, 401, "upstream_error"],
	])("Kling answering %j fails the task as %3$s", async (answer, status, code) => {
		const at = await world({ video: [{ type: "kling", models: ["kling-*"] }] });
		at.upstream.answer(() => json(answer, status));
		const { body } = await at.json("/v1/videos", { model: "kling-v1", prompt: "x" });
		await at.pass(1000);
		expect(await show(at, body.id)).toMatchObject({ status: "FAILURE", error: { code } });
	});

	test("Veo's clip is fetched with the key and handed out by a link", async () => {
		const at = await world({ video: [{ type: "veo", models: ["veo-*"], path: "/v1beta" }] });
		at.upstream.answer(({ method, path }) => {
			if (method === "POST") return json({ name: "models/veo-3/operations/op1" });
			if (path === "/v1beta/models/veo-3/operations/op1")
				return json({
					name: "x",
					done: true,
					response: {
						generateVideoResponse: {
							generatedSamples: [{ video: { uri: `${at.upstream.url}/v1beta/files/f:download?alt=media` } }],
						},
					},
				});
			return new Response(new Uint8Array([9, 8, 7]), { headers: { "content-type": "video/mp4" } });
		});
		const { body } = await at.json("/v1/videos", { model: "veo-3", prompt: "a river", seconds: 8, size: "720x1280" });
		await at.pass(9000, 500);
		await until(async () => (await show(at, body.id)).status === "SUCCESS");
		expect(at.upstream.received[0]?.json).toEqual({
			instances: [{ prompt: "a river" }],
			parameters: { aspectRatio: "9:16", durationSeconds: 8 },
		});
		expect(at.upstream.received.map(({ headers }) => headers.get("x-goog-api-key"))).toEqual(
			Array(3).fill("key-of-video-0"),
		);
		const { video_url } = (await at.json(`/v1/videos/${body.id}`)).body;
		expect(String(video_url)).toStartWith(at.url);
		expect(new Uint8Array(await (await fetch(String(video_url))).arrayBuffer())).toEqual(new Uint8Array([9, 8, 7]));
	});

	test("Veo is sent pictures as bytes, and not at all where there is only an address", async () => {
		const at = await world({ video: [{ type: "veo", models: ["veo-*"] }] });
		at.upstream.answer(() => json({ name: "operations/1" }));
		const { body } = await at.json("/kling/v1/videos/image2video", { model_name: "veo-3", prompt: "x", image: "aGk=" });
		await at.pass(500);
		expect(at.upstream.received[0]?.json).toMatchObject({
			instances: [{ prompt: "x", image: { bytesBase64Encoded: "aGk=", mimeType: "image/png" } }],
		});
		expect(await show(at, body.task_id)).toMatchObject({ status: "NOT_START" });
		const other = (
			await at.json("/v1/videos", {
				model: "veo-3",
				prompt: "x",
				input_reference: { image_url: "https://cdn.example/x.png" },
			})
		).body;
		await at.pass(500);
		expect(await show(at, other.id)).toMatchObject({ status: "FAILURE", error: { code: "upstream_refused" } });
		expect(at.upstream.received).toHaveLength(1);
	});

	test("Veo's withheld clip is a violation, its error a failure", async () => {
		const at = await world({ video: [{ type: "veo", models: ["veo-*"] }] });
		const operations = [
			{
				done: true,
				response: { generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ["not this"] } },
			},
			{ done: true, error: { code: 13, message: "internal" } },
		];
		for (const [index, operation] of operations.entries()) {
			at.upstream.answer(({ method }) => json(method === "POST" ? { name: `operations/${index}` } : operation));
			const { body } = await at.json("/v1/videos", { model: "veo-3", prompt: "x" });
			await at.pass(9000, 500);
			expect(await show(at, body.id)).toMatchObject({
				error: { code: index === 0 ? "content_policy_violation" : "upstream_failed" },
			});
		}
	});

	test("an OpenAI-shaped upstream gets a form; its clip is fetched where it gives no address", async () => {
		const at = await world({ video: [{ type: "openai-videos", models: ["sora-*"], path: "/v1" }] });
		let polls = 0;
		at.upstream.answer(({ method, path }) => {
			if (method === "POST") return json({ id: "video_1", status: "queued", progress: 0 });
			if (path === "/v1/videos/video_1/content")
				return new Response(new Uint8Array([5, 5]), { headers: { "content-type": "video/mp4" } });
			return json(
				polls++ === 0
					? { id: "video_1", status: "in_progress", progress: 42 }
					: { id: "video_1", status: "completed", seconds: "8" },
			);
		});
		const { body } = await at.json("/v1/videos", {
			model: "sora-2",
			prompt: "a fox",
			seconds: 8,
			input_reference: "data:image/png;base64,aGk=",
		});
		await at.pass(7000, 500);
		expect(await show(at, body.id)).toMatchObject({ status: "IN_PROGRESS", progress: 42 });
		await at.pass(14_000, 500);
		await until(async () => (await show(at, body.id)).status === "SUCCESS");
		const [sent] = at.upstream.received;
		expect(sent?.headers.get("content-type")).toStartWith("multipart/form-data");
		for (const part of [
			'name="prompt"\r\n\r\na fox',
			'name="seconds"\r\n\r\n8',
			'name="input_reference"; filename="reference"',
		])
			expect(sent?.text).toContain(part);
		expect((await at.ask(`/v1/videos/${body.id}/content`)).headers.get("content-type")).toBe("video/mp4");
	});
});
