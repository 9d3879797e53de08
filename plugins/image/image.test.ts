import { afterEach, describe, expect, test } from "bun:test";
import type { ReceivedRequest } from "#core/testing";
import { type MediaWorld, type MediaWorldOptions, startMediaWorld } from "../../test/support/media-world.ts";
import { until } from "../../test/support/moved-clock.ts";

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
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("Midjourney's clients", () => {
	test("submit, are called back with exactly the ten fields, and fetch", async () => {
		const at = await world();
		const { status, body } = await at.json("/mj/submit/imagine", {
			prompt: "a beautiful sunset",
			notifyHook: `${at.hook.origin}/hook`,
			state: "mine",
			base64Array: [],
		});
		expect([status, body]).toEqual([
			200,
			{ code: 1, description: "Submitted", result: expect.stringMatching(/^task_/), properties: {} },
		]);
		const id = String(body.result);
		await at.finish(id);
		await until(() => at.callbacks().length === 3);
		const [first, second, third] = at.callbacks();
		const fixed = {
			id,
			action: "IMAGINE",
			prompt: "a beautiful sunset",
			failReason: "",
			submitTime: 1_790_000_000_000,
		};
		expect(first).toEqual({ ...fixed, status: "NOT_START", imageUrl: "", progress: "0%", startTime: 0, finishTime: 0 });
		expect(second).toEqual({
			...fixed,
			status: "IN_PROGRESS",
			imageUrl: "",
			progress: expect.stringMatching(/^\d+%$/),
			startTime: expect.any(Number),
			finishTime: 0,
		});
		expect(third).toEqual({
			...fixed,
			status: "SUCCESS",
			imageUrl: expect.stringMatching(/^http:/),
			progress: "100%",
			startTime: expect.any(Number),
			finishTime: expect.any(Number),
		});
		expect(Object.keys(first ?? {})).toEqual([
			"id",
			"action",
			"status",
			"prompt",
			"imageUrl",
			"progress",
			"failReason",
			"submitTime",
			"startTime",
			"finishTime",
		]);
		const picture = await fetch(String(third?.imageUrl));
		expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
		expect((await at.json(`/mj/task/${id}/fetch`)).body).toMatchObject({
			...third,
			state: "mine",
			buttons: [],
			promptEn: "a beautiful sunset",
		});
	});

	test("are told of a failure with its reason", async () => {
		const at = await world();
		const { body } = await at.json("/mj/submit/imagine", {
			prompt: "a cat /fail out of paint",
			notifyHook: `${at.hook.origin}/hook`,
		});
		await at.finish(body.result);
		await until(() => at.callbacks().length === 3);
		expect(at.callbacks()[2]).toMatchObject({
			id: body.result,
			status: "FAILURE",
			failReason: "out of paint",
			imageUrl: "",
		});
	});

	test("go on from a picture by change, simple-change and action", async () => {
		const at = await world();
		const parent = String((await at.json("/mj/submit/imagine", { prompt: "a cat" })).body.result);
		await at.finish(parent);
		const results = [
			await at.json("/mj/submit/change", { taskId: parent, action: "UPSCALE", index: 2 }),
			await at.json("/mj/submit/simple-change", { content: `${parent} V3` }),
			await at.json("/mj/submit/simple-change", { content: `${parent} R` }),
			await at.json("/mj/submit/action", { taskId: parent, customId: "MJ::JOB::upsample::1::abc" }),
			await at.json("/mj/submit/action", { taskId: parent, customId: "MJ::Outpaint::50::1::abc::SOLO" }),
		];
		const ids = results.map(({ body }) => String(body.result));
		const found = (await at.json("/mj/task/list-by-condition", { ids })).body as unknown as {
			action: string;
			prompt: string;
		}[];
		expect(found.map(({ action, prompt }) => [action, prompt])).toEqual(
			["UPSCALE", "VARIATION", "REROLL", "UPSCALE", "ZOOM"].map((action) => [action, "a cat"]),
		);
		expect((await at.json("/mj/submit/change", { taskId: "task_unknown", action: "REROLL" })).status).toBe(404);
	});

	test.each([
		["/mj/submit/imagine", { prompt: "" }],
		["/mj/submit/imagine", { prompt: 5 }],
		["/mj/submit/change", { taskId: "x", action: "PAINT" }],
		["/mj/submit/change", { taskId: "x", action: "UPSCALE", index: 5 }],
		["/mj/submit/simple-change", { content: "x U" }],
		["/mj/submit/blend", { base64Array: ["one"] }],
		["/mj/submit/describe", {}],
		["/mj/submit/action", { taskId: "x" }],
		["/mj/submit/imagine", { prompt: "x", notifyHook: "ftp://example.org" }],
	])("are refused %s %j in their own shape", async (path, body) => {
		const at = await world();
		const answer = await at.json(path, body);
		expect(answer.status).toBe(400);
		expect(answer.body).toEqual({
			code: 4,
			description: expect.any(String),
			result: null,
			properties: {},
			type: expect.any(String),
		});
	});

	test("39: find nothing of others, in their own shape", async () => {
		const at = await world();
		const id = String((await at.json("/mj/submit/imagine", { prompt: "a cat" })).body.result);
		const headers = { authorization: (await at.token()).key };
		for (const path of [`/mj/task/${id}/fetch`, "/mj/task/unknown/fetch", `/mj/image/${id}`]) {
			const answer = await at.json(path, undefined, { headers });
			expect([path, answer.status, answer.body.code]).toEqual([path, 404, 4]);
		}
		expect((await at.json("/mj/task/list", undefined, { headers })).body).toEqual([] as never);
	});

	test("may send their key as mj-api-secret or without Bearer, and choose the mode by the path", async () => {
		const at = await world();
		for (const [path, headers] of [
			["/mj-fast/mj/submit/imagine", { "mj-api-secret": at.key }],
			["/mj-relax/submit/imagine", { authorization: at.key }],
			["/fast/mj/submit/imagine", { authorization: `Bearer ${at.key}` }],
			["/v1/mj/submit/imagine", { authorization: `Bearer ${at.key}` }],
		] as const) {
			const answer = await fetch(at.url + path, { method: "POST", headers, body: JSON.stringify({ prompt: "a cat" }) });
			expect([path, answer.status]).toEqual([path, 200]);
		}
		expect((await at.json("/somewhere/mj/submit/imagine", { prompt: "a cat" })).status).toBe(404);
	});
});

describe("OpenAI's clients", () => {
	/** Moves the clock until the answer is there. */
	const waited = async <T>(at: MediaWorld, answer: Promise<T>): Promise<T> => {
		let done = false;
		const watched = answer.finally(() => (done = true));
		for (let step = 0; step < 200 && !done; step++) await at.pass(250);
		return await watched;
	};

	test("wait for their pictures, as bytes or as addresses", async () => {
		const at = await world();
		const bytes = await waited(
			at,
			at.json("/v1/images/generations", { model: "gpt-image-1", prompt: "a cat", n: 2, size: "1024x1536" }),
		);
		expect(bytes.body).toEqual({
			created: expect.any(Number),
			size: "1024x1536",
			data: [{ b64_json: expect.any(String) }, { b64_json: expect.any(String) }],
			usage: expect.objectContaining({ input_tokens: 2, total_tokens: 2 }),
		});
		const [image] = bytes.body.data as { b64_json: string }[];
		expect(
			Buffer.from(image?.b64_json ?? "", "base64")
				.subarray(1, 4)
				.toString(),
		).toBe("PNG");
		const address = await waited(at, at.json("/v1/images/generations", { model: "dall-e-3", prompt: "a cat" }));
		expect(address.body.data).toEqual([{ url: expect.stringMatching(/^http/) }]);
		const asked = await waited(
			at,
			at.json("/v1/images/generations", { model: "dall-e-3", prompt: "a cat", response_format: "b64_json" }),
		);
		expect(asked.body.data).toEqual([{ b64_json: expect.any(String) }]);
	});

	test.each([
		[{ async: true }, {}],
		[{}, { prefer: "respond-async" }],
		[{ notifyHook: "https://example.org/x" }, {}],
	])("get the task when they ask for it by %j %j", async (more, headers) => {
		const at = await world();
		const { status, body } = await at.json("/v1/images/generations", { prompt: "a cat", ...more }, { headers });
		expect(status).toBe(202);
		expect(body).toMatchObject({ object: "task", kind: "image", status: "NOT_START" });
	});

	test("are told why there is no picture, and not to try again by themselves", async () => {
		const at = await world();
		const failed = await waited(at, at.ask("/v1/images/generations", { prompt: "a cat /fail no paint" }));
		expect([failed.status, failed.headers.get("x-should-retry")]).toEqual([502, "false"]);
		expect(await failed.json()).toMatchObject({ error: { message: expect.stringContaining("no paint") } });
		expect((await at.json("/v1/images/generations", { prompt: "a cat", n: 11 })).body).toMatchObject({
			error: { param: "n" },
		});
		expect((await at.json("/v1/images/generations", { prompt: " " })).body).toMatchObject({
			error: { param: "prompt" },
		});
	});
});

test("Kling's clients read their envelope", async () => {
	const at = await world();
	const { body } = await at.json("/kling/v1/images/generations", {
		model_name: "kling-v1",
		prompt: "a cat",
		n: 2,
		callback_url: "",
	});
	expect(body).toMatchObject({
		code: 0,
		message: "SUCCEED",
		data: { task_status: "submitted", created_at: 1_790_000_000_000 },
	});
	await at.finish(body.task_id);
	const { data } = (await at.json(`/kling/v1/images/generations/${body.task_id}`)).body as {
		data: { task_result: { images: unknown[] } };
	};
	expect(data).toMatchObject({ task_status: "succeed" });
	expect(data.task_result.images).toEqual([0, 1].map((index) => ({ index, url: expect.stringMatching(/^http/) })));
	expect((await at.json("/kling/v1/images/generations/x")).body).toMatchObject({ code: 1203 });
});

describe("upstreams", () => {
	const task = async (at: MediaWorld, path: string, body: unknown): Promise<string> => {
		const answer = await at.json(path, body);
		return String(answer.body.result ?? answer.body.id);
	};
	const show = async (at: MediaWorld, id: string) => (await at.json(`/v1/tasks/${id}`)).body;

	test("midjourney-proxy gets the client's fields without its hook, and one question for all jobs", async () => {
		const at = await world({ image: [{ type: "midjourney-proxy", models: ["midjourney"] }] });
		let serial = 0;
		const answer = ({ path, json: body }: ReceivedRequest): Response => {
			if (path === "/mj/submit/imagine")
				return json({ code: 22, description: "queued", result: String(++serial), properties: { numberOfQueues: 1 } });
			if (path === "/mj-fast/mj/submit/change") return json({ code: 1, description: "ok", result: "child" });
			const { ids } = body as { ids: string[] };
			return json(
				ids.map((id) => ({
					id,
					action: "IMAGINE",
					status: "SUCCESS",
					progress: "100%",
					imageUrl: `https://cdn.example/${id}.png`,
					buttons: [{ customId: "b" }],
				})),
			);
		};
		at.upstream.answer(answer);
		const ids = [];
		for (const prompt of ["one", "two", "three"])
			ids.push(
				await task(at, "/mj/submit/imagine", {
					prompt,
					notifyHook: `${at.hook.origin}/x`,
					state: "s",
					botType: "NIJI_JOURNEY",
				}),
			);
		// All are taken on before time moves, so that they are asked after together.
		await until(() => at.upstream.received.length === 3);
		await at.pass(20, 1);
		await at.pass(8000, 500);
		expect(at.upstream.received.slice(0, 3).map(({ json: body }) => body)).toEqual(
			["one", "two", "three"].map((prompt) => ({ prompt, botType: "NIJI_JOURNEY" })),
		);
		expect(at.upstream.received[0]?.headers.get("mj-api-secret")).toBe("key-of-image-0");
		expect(at.upstream.received).toHaveLength(4);
		expect((await at.json(`/mj/task/${ids[1]}/fetch`)).body).toMatchObject({
			status: "SUCCESS",
			imageUrl: "https://cdn.example/2.png",
			buttons: [{ customId: "b" }],
		});
		await task(at, "/mj-fast/submit/change", { taskId: ids[0], action: "UPSCALE", index: 1 });
		await at.pass(1000);
		await until(() => at.upstream.received.length === 5);
		expect(at.upstream.received[4]).toMatchObject({
			path: "/mj-fast/mj/submit/change",
			json: { taskId: "1", action: "UPSCALE", index: 1 },
		});
	});

	test.each([
		["/v1/tasks", { kind: "image", input: { mode: "turbo" } }, "/mj-turbo/mj/submit/imagine"],
		["/v1/images/generations", { mode: "relax", async: true }, "/mj-relax/mj/submit/imagine"],
		["/mj/submit/imagine", { mode: "fast" }, "/mj-fast/mj/submit/imagine"],
		["/mj-turbo/mj/submit/imagine", { mode: "relax" }, "/mj-turbo/mj/submit/imagine"],
		["/mj/submit/imagine", { mode: "fast/../../elsewhere" }, "/mj/submit/imagine"],
		["/mj/submit/imagine", { mode: ["fast"] }, "/mj/submit/imagine"],
	])("midjourney-proxy is asked in the mode of %s %j", async (path, fields, asked) => {
		const at = await world({ image: [{ type: "midjourney-proxy", models: ["midjourney"] }] });
		at.upstream.answer(() => json({ code: 1, result: "1" }));
		await at.json(path, { model: "midjourney", prompt: "a cat", ...fields });
		await until(() => at.upstream.received.length > 0, "the submission");
		expect(at.upstream.received[0]?.path).toBe(asked);
	});

	test.each([
		[{ code: 24, description: "banned: x" }, 200, "content_policy_violation"],
		[{ code: 4, description: "bad" }, 200, "upstream_refused"],
		[{ code: 4, description: "bad", type: "upstream_error" }, 400, "upstream_refused"],
		[{ error: "x" }, 401, "upstream_error"],
		[{ error: "x" }, 500, "submission_unknown"],
	])("midjourney-proxy answering %j %d fails the task as %s", async (body, status, code) => {
		const at = await world({ image: [{ type: "midjourney-proxy", models: ["midjourney"] }] });
		at.upstream.answer(() => json(body, status));
		const id = await task(at, "/mj/submit/imagine", { prompt: "x" });
		await at.pass(1000);
		expect(await show(at, id)).toMatchObject({ status: "FAILURE", error: { code } });
		expect(at.upstream.received).toHaveLength(1);
	});

	test("midjourney-proxy that knows no list is asked after each job", async () => {
		const at = await world({ image: [{ type: "midjourney-proxy", models: ["midjourney"] }] });
		at.upstream.answer(({ path }) => {
			if (path === "/mj/submit/imagine") return json({ code: 1, description: "ok", result: "7" });
			if (path === "/mj/task/7/fetch")
				return json({ id: "7", status: "SUCCESS", imageUrl: "https://cdn.example/7.png" });
			return json({ error: "no such route" }, 404);
		});
		const id = await task(at, "/mj/submit/imagine", { prompt: "x" });
		await at.finish(id);
		expect((await at.json(`/mj/task/${id}/fetch`)).body).toMatchObject({ imageUrl: "https://cdn.example/7.png" });
	});

	test("a model may have another name at its upstream", async () => {
		const at = await world({
			image: [{ type: "openai-images", models: ["midjourney"], rename: { midjourney: "gpt-image-1" }, path: "/v1" }],
		});
		at.upstream.answer(() => json({ data: [{ b64_json: pixel }] }));
		const id = await task(at, "/mj/submit/imagine", { prompt: "x" });
		await at.finish(id);
		expect(at.upstream.received[0]?.json).toMatchObject({ model: "gpt-image-1", prompt: "x" });
		expect((await show(at, id)).model).toBe("midjourney");
	});

	test.each([
		["comes", () => new Response(Buffer.from(pixel, "base64")), 200],
		["is gone", () => json({ error: "no such file" }, 404), 404],
		["leads elsewhere", () => new Response(null, { status: 302, headers: { location: "/other.png" } }), 404],
	] as const)(
		"an image that its upstream keeps and that %s is fetched for a client that wants bytes",
		async (_, file, status) => {
			const at = await world({ image: [{ type: "openai-images", models: ["dall-e-3"], path: "/v1" }] });
			at.upstream.answer(({ path }) =>
				path === "/dot.png" ? file() : json({ created: 1, data: [{ url: `${at.upstream.url}/dot.png` }] }),
			);
			const order = { model: "dall-e-3", prompt: "a dot", response_format: "b64_json" };
			const asked = at.json("/v1/images/generations", order);
			await at.pass(2000);
			const answer = await asked;
			expect(answer.status).toBe(status);
			if (status === 200) expect(answer.body["data"]).toEqual([{ b64_json: pixel }]);
			else expect(answer.body["error"]).toMatchObject({ code: "content_gone" });
		},
	);

	test("OpenAI's images are asked once and kept when they come as bytes", async () => {
		const at = await world({ image: [{ type: "openai-images", models: ["gpt-image-1"], path: "/v1" }] });
		at.upstream.answer(() =>
			json({
				created: 1,
				data: [{ b64_json: pixel, revised_prompt: "a small dot" }],
				output_format: "png",
				usage: { total_tokens: 9 },
			}),
		);
		const answer = at.json("/v1/images/generations", {
			model: "gpt-image-1",
			prompt: "a dot",
			quality: "low",
			response_format: "b64_json",
		});
		await at.pass(2000);
		expect((await answer).body).toEqual({
			created: expect.any(Number),
			quality: "low",
			usage: { total_tokens: 9 },
			data: [{ b64_json: pixel, revised_prompt: "a small dot" }],
		});
		expect(at.upstream.received.map(({ path, json: body }) => [path, body])).toEqual([
			["/v1/images/generations", { model: "gpt-image-1", prompt: "a dot", quality: "low" }],
		]);
		expect(at.upstream.received[0]?.headers.get("authorization")).toBe("Bearer key-of-image-0");
	});

	test("OpenAI's refusal of a prompt is the client's 400, without the upstream's secrets", async () => {
		const at = await world({ image: [{ type: "openai-images", models: ["*-image-*"], path: "/v1" }] });
		at.upstream.answer(() =>
			json(
				{
					error: {
						message: "rejected for org-abcdefgh by https://inner.example/x",
						code: "moderation_blocked",
						type: "image_generation_user_error",
					},
				},
				400,
			),
		);
		const answer = at.json("/v1/images/generations", { model: "gpt-image-1", prompt: "x" });
		await at.pass(2000);
		const { status, body } = await answer;
		expect([status, (body.error as { code: string }).code]).toEqual([400, "content_policy_violation"]);
		expect(JSON.stringify(body)).not.toMatch(/org-abc|inner\.example/);
	});

	test("Gemini's pictures come one to a conversation and without drafts, Imagen's together", async () => {
		const at = await world({ image: [{ type: "gemini-images", models: ["gemini-*", "imagen-*"], path: "/v1beta" }] });
		at.upstream.answer(({ path }) =>
			path.endsWith(":predict")
				? json({ predictions: [1, 2].map(() => ({ bytesBase64Encoded: pixel, mimeType: "image/png" })) })
				: json({
						candidates: [
							{
								content: {
									parts: [
										{ inlineData: { mimeType: "image/png", data: pixel }, thought: true },
										{ text: "here" },
										{ inlineData: { mimeType: "image/png", data: pixel } },
									],
								},
								finishReason: "STOP",
							},
						],
					}),
		);
		const one = at.json("/v1/images/generations", {
			model: "gemini-2.5-flash-image",
			prompt: "a dot",
			n: 2,
			size: "1792x1024",
		});
		await at.pass(1000);
		expect(((await one).body.data as unknown[]).length).toBe(2);
		expect(at.upstream.received.map(({ path }) => path)).toEqual(
			Array(2).fill("/v1beta/models/gemini-2.5-flash-image:generateContent"),
		);
		expect(at.upstream.received[0]?.json).toMatchObject({
			generationConfig: { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "16:9" } },
		});
		const two = at.json("/v1/images/generations", { model: "imagen-4", prompt: "a dot", n: 2 });
		await at.pass(1000);
		expect(((await two).body.data as unknown[]).length).toBe(2);
		expect(at.upstream.received[2]).toMatchObject({
			path: "/v1beta/models/imagen-4:predict",
			json: { instances: [{ prompt: "a dot" }], parameters: { sampleCount: 2 } },
		});
	});

	test("Gemini's picture whose answer was lost is charged with those that came before it", async () => {
		const at = await world({
			image: [{ type: "gemini-images", models: ["gemini-*"] }],
			more: ["quota", { use: "prices", with: { models: { "*": { perImage: 0.1 } } } }],
		});
		const parts = [{ inlineData: { mimeType: "image/png", data: pixel } }];
		const usual = () => json({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
		for (const [last, cost] of [
			[() => json({ candidates: [{ content: { parts: [{ text: "No" }] }, finishReason: "STOP" }] }), 0.2],
			[() => new Response("", { status: 504 }), 0.2],
			[() => json({ error: { code: 400, message: "no", status: "INVALID_ARGUMENT" } }, 400), 0.1],
		] as const) {
			let asked = 0;
			at.upstream.answer(() => (++asked === 2 ? last() : usual()));
			const { key } = await at.token({ quota: 1 });
			const headers = { authorization: `Bearer ${key}` };
			const made = at.json("/v1/images/generations", { model: "gemini-x", prompt: "a dot", n: 3 }, { headers });
			await at.pass(1000);
			expect(((await made).body.data as unknown[]).length).toBe(1);
			expect((await at.json("/v1/me", undefined, { headers })).body.used).toBe(cost);
		}
	});

	test("Gemini's blocked prompt is a violation", async () => {
		const at = await world({ image: [{ type: "gemini-images", models: ["gemini-*"] }] });
		at.upstream.answer(() => json({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }));
		const answer = at.json("/v1/images/generations", { model: "gemini-x", prompt: "x" });
		await at.pass(1000);
		expect((await answer).body).toMatchObject({ error: { code: "content_policy_violation" } });
	});
});
