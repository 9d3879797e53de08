/** Clients of long jobs, unchanged but for address and key: OpenAI's and Google's SDKs, and scripts that speak as Midjourney's, Kling's and Suno's clients do. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { GoogleGenAI } from "google-genai-1";
import OpenAI, { toFile } from "openai";
import OpenAI6 from "openai-6";
import { Webhook } from "standardwebhooks";
import { startGateway, type TestGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

let gateway: TestGateway;
let hook: Receiver;

beforeAll(async () => {
	hook = await startReceiver();
	gateway = await startGateway({
		plugins: [
			"tokens",
			{ use: "webhooks", with: { allowPrivateNetworks: true } },
			"tasks",
			"image",
			"video",
			"music",
			"generate-content",
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
			{
				use: "demo",
				with: {
					taskSeconds: 0.4,
					taskModels: ["midjourney", "sora-2", "gpt-image-1", "dall-e-3", "veo-3", "kling-*", "chirp-*"],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await hook.close();
});

/** What a promise was rejected with; SDKs' promises are not quite promises, so the runner is not asked to look at them. */
const failureOf = async (answer: PromiseLike<unknown>): Promise<unknown> => {
	try {
		await answer;
	} catch (error) {
		return error;
	}
	throw new Error("it did not fail");
};

describe.each([
	["7", OpenAI],
	["6", OpenAI6 as unknown as typeof OpenAI],
])("openai %s", (_, Client) => {
	const client = () => new Client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });

	test("videos.create, retrieve, downloadContent, remix, list, delete", async () => {
		const picture = await toFile(Buffer.from("picture"), "start.png", { type: "image/png" });
		let video = await client().videos.create({
			model: "sora-2",
			prompt: "a fox",
			seconds: "4",
			size: "1280x720",
			input_reference: picture,
		});
		expect([video.object, video.status, video.seconds, video.size]).toEqual(["video", "queued", "4", "1280x720"]);
		while (video.status === "queued" || video.status === "in_progress") {
			await pause(100);
			video = await client().videos.retrieve(video.id);
		}
		expect([video.status, video.progress, video.error]).toEqual(["completed", 100, null]);
		const content = await client().videos.downloadContent(video.id);
		expect(Buffer.from(await content.arrayBuffer()).toString("latin1", 4, 8)).toBe("ftyp");
		const thumbnail = await client().videos.downloadContent(video.id, { variant: "thumbnail" });
		expect(thumbnail.headers.get("content-type")).toBe("image/png");
		const remix = await client().videos.remix(video.id, { prompt: "a wolf" });
		expect(remix.remixed_from_video_id).toBe(video.id);
		const ids: string[] = [];
		for await (const one of client().videos.list({ limit: 1 })) ids.push(one.id);
		expect(ids.slice(0, 2)).toEqual([remix.id, video.id]);
		expect(await client().videos.delete(video.id)).toMatchObject({
			id: video.id,
			deleted: true,
			object: "video.deleted",
		});
		expect(await failureOf(client().videos.retrieve(video.id))).toMatchObject({ status: 404 });
	}, 20_000);

	test.each(["/openai/v1", "/v1beta/openai", ""])("videos.create and retrieve at %s", async (base) => {
		const there = new Client({ baseURL: gateway.url + base, apiKey: gateway.key, maxRetries: 0 });
		const { id } = await there.videos.create({ model: "sora-2", prompt: "a fox" });
		expect((await there.videos.retrieve(id)).id).toBe(id);
		expect((await there.videos.list({ limit: 1 })).data.map((video) => video.id)).toEqual([id]);
	});

	test("images.generate, by bytes, by address, as a stream, and refused", async () => {
		const bytes = await client().images.generate({ model: "gpt-image-1", prompt: "a cat", n: 2, size: "1024x1024" });
		expect(bytes.data?.map(({ b64_json }) => Buffer.from(b64_json ?? "", "base64").toString("latin1", 1, 4))).toEqual([
			"PNG",
			"PNG",
		]);
		const address = await client().images.generate({ model: "dall-e-3", prompt: "a cat" });
		expect((await fetch(address.data?.[0]?.url ?? "")).headers.get("content-type")).toBe("image/png");
		const types: string[] = [];
		for await (const event of await client().images.generate({ model: "gpt-image-1", prompt: "a cat", stream: true }))
			types.push(event.type);
		expect(types).toEqual(["image_generation.completed"]);
		const order = { model: "gpt-image-1", prompt: "a cat", stream: true, partial_images: 3 } as const;
		const pictures: string[] = [];
		for await (const event of await client().images.generate({ ...order, output_format: "jpeg" })) {
			pictures.push(event.b64_json);
			const isLast = event.type === "image_generation.completed";
			expect(isLast ? 3 : event.partial_image_index).toBe(pictures.length - 1);
			// A PNG, whatever was asked for, and called one.
			expect([event.b64_json.slice(0, 8), event.output_format]).toEqual(["iVBORw0K", "png"]);
			if (isLast) expect(event.usage).toMatchObject({ input_tokens: 2, output_tokens: 0, total_tokens: 2 });
		}
		expect(new Set(pictures).size).toBe(4);
		const refused = client().images.generate({ model: "dall-e-3", prompt: "a cat /fail no paint" });
		expect(await failureOf(refused)).toMatchObject({ status: 502, message: expect.stringContaining("no paint") });
	}, 20_000);
});

test("@google/genai 1: generateVideos, its operation, and the file it names", async () => {
	const client = new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } });
	let operation = await client.models.generateVideos({
		model: "veo-3",
		prompt: "a river",
		config: { aspectRatio: "9:16", durationSeconds: 4 },
	});
	while (!operation.done) {
		await pause(100);
		operation = await client.operations.getVideosOperation({ operation });
	}
	const uri = operation.response?.generatedVideos?.[0]?.video?.uri ?? "";
	const file = await fetch(uri, { headers: { "x-goog-api-key": gateway.key } });
	expect(Buffer.from(await file.arrayBuffer()).toString("latin1", 4, 8)).toBe("ftyp");

	let failing = await client.models.generateVideos({ model: "veo-3", prompt: "a river /fail dried up" });
	while (!failing.done) {
		await pause(100);
		failing = await client.operations.getVideosOperation({ operation: failing });
	}
	expect(failing.error).toMatchObject({ message: "dried up" });
}, 20_000);

/** A client that knows only what its own service taught it. */
const speak = async (
	path: string,
	body: unknown,
	headers: Record<string, string>,
): Promise<Record<string, unknown>> => {
	const method = body === undefined ? "GET" : "POST";
	const response = await fetch(gateway.url + path, {
		method,
		headers: { "content-type": "application/json", ...headers },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
	return (await response.json()) as Record<string, unknown>;
};

test("as Midjourney's: mj-api-secret, imagine with an empty hook, poll until 100%, upscale", async () => {
	const headers = { "mj-api-secret": gateway.key };
	const imagine = await speak(
		"/mj/submit/imagine",
		{ prompt: "a cat", base64Array: [], notifyHook: "", state: "" },
		headers,
	);
	if (imagine.code !== 1 && imagine.code !== 22) throw new Error(String(imagine.description));
	let task: Record<string, unknown> = {};
	for (let poll = 0; poll < 100 && task.progress !== "100%" && task.status !== "FAILURE"; poll++) {
		await pause(100);
		task = await speak(`/mj/task/${imagine.result}/fetch`, undefined, headers);
	}
	expect(task.status).toBe("SUCCESS");
	expect((await fetch(String(task.imageUrl))).status).toBe(200);
	const upscale = await speak(
		"/mj/submit/change",
		{ taskId: imagine.result, action: "UPSCALE", index: 1, notifyHook: "" },
		headers,
	);
	expect(upscale.code).toBe(1);
}, 20_000);

test("as Kling's: numeric code, task_status until succeed, duration as text", async () => {
	const headers = { authorization: `Bearer ${gateway.key}` };
	const created = (await speak(
		"/kling/v1/videos/text2video",
		{ model_name: "kling-v1", prompt: "the sea", duration: "5", mode: "std", cfg_scale: 0.5 },
		headers,
	)) as { code: number; data: { task_id: string } };
	expect(created.code).toBe(0);
	let data: { task_status: string; task_result?: { videos: { url: string; duration: string }[] } } = {
		task_status: "",
	};
	for (let poll = 0; poll < 100 && data.task_status !== "succeed" && data.task_status !== "failed"; poll++) {
		await pause(100);
		data = (await speak(`/kling/v1/videos/text2video/${created.data.task_id}`, undefined, headers)).data as typeof data;
	}
	expect(data.task_result?.videos[0]?.duration).toBe("5");
}, 20_000);

test("as Suno's: code success, the id as data, upper-case task states and complete clips", async () => {
	const headers = { authorization: `Bearer ${gateway.key}` };
	const submitted = await speak(
		"/suno/submit/music",
		{ prompt: "la la", title: "Song", tags: "folk", mv: "chirp-v3-5" },
		headers,
	);
	expect(submitted.code).toBe("success");
	let task: { status: string; data: { status: string; audio_url: string }[] } = { status: "", data: [] };
	for (let poll = 0; poll < 100 && task.status !== "SUCCESS" && task.status !== "FAILURE"; poll++) {
		await pause(100);
		const fetched = await speak("/suno/fetch", { ids: [submitted.data] }, headers);
		task = (fetched.data as (typeof task)[])[0] ?? task;
	}
	expect(task.data.map(({ status }) => status)).toEqual(["complete", "complete"]);
	expect((await fetch(task.data[0]?.audio_url ?? "")).headers.get("content-type")).toBe("audio/wav");
}, 20_000);

describe("a receiver with the standardwebhooks library", () => {
	test("verifies every callback, with the old secret and the new while it is replaced, and no tampered body", async () => {
		const first = (await (await gateway.ask("/v1/webhooks/secret", {})).json()) as { secret: string };
		const before = hook.received.length;
		await gateway.ask("/mj/submit/imagine", { prompt: "a signed cat", notifyHook: `${hook.origin}/signed` });
		await until(() => hook.received.length === before + 3);
		for (const { body, headers } of hook.received.slice(before)) {
			expect(new Webhook(first.secret).verify(body.toString(), { ...headers })).toMatchObject({
				prompt: "a signed cat",
			});
			expect(() => new Webhook(first.secret).verify(`${body} `, { ...headers })).toThrow();
		}
		const second = (await (await gateway.ask("/v1/webhooks/secret/rotate", {})).json()) as { secret: string };
		const rotated = hook.received.length;
		await gateway.ask("/mj/submit/imagine", { prompt: "a twice signed cat", notifyHook: `${hook.origin}/signed` });
		await until(() => hook.received.length === rotated + 3);
		for (const { body, headers } of hook.received.slice(rotated))
			for (const { secret } of [first, second])
				expect(new Webhook(secret).verify(body.toString(), { ...headers })).toBeDefined();
	}, 20_000);

	test("is shown what came of a test callback", async () => {
		const answer = await gateway.ask("/v1/webhooks/test", { url: `${hook.origin}/test` });
		expect(await answer.json()).toMatchObject({ object: "webhook.test", delivered: true, status: 200, error: null });
		const refused = await gateway.ask("/v1/webhooks/test", { url: "ftp://example.org" });
		expect([refused.status, (await refused.json()) as unknown]).toMatchObject([400, { error: { param: "url" } }]);
	});
});
