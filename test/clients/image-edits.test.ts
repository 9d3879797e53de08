/** `images.edit` of OpenAI's own SDKs, unchanged but for address and key, and what the upstream gets of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import OpenAI6 from "openai-6";
import { startGateway, type TestGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";

const cat = Buffer.from("\x89PNG\r\n\x1a\n\x00\xff the cat", "latin1");
const dog = Buffer.from("\xff\xd8\xff\xe0 the dog", "latin1");
const made = Buffer.from("\x89PNG\r\n\x1a\n made", "latin1").toString("base64");

/** What the upstream was asked: a form's fields, files as their type and bytes, or JSON. */
let asked: unknown[] = [];
let gateway: TestGateway;
let folder: string;
const upstream = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	async fetch(request) {
		const { pathname } = new URL(request.url);
		if (!request.headers.get("content-type")?.startsWith("multipart/form-data")) {
			asked.push([pathname, await request.json()]);
		} else {
			const parts = [...(await request.formData())].map(async ([name, value]) =>
				typeof value === "string"
					? [name, value]
					: [name, value.type, Buffer.from(await value.arrayBuffer()).toString("latin1")],
			);
			asked.push([pathname, await Promise.all(parts)]);
		}
		const usage = { input_tokens: 50, output_tokens: 50, total_tokens: 100 };
		return Response.json({ created: 1, data: [{ b64_json: made }], usage });
	},
});

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "portico-edits-"));
	const url = `http://127.0.0.1:${upstream.port}/v1`;
	gateway = await startGateway({
		plugins: [
			"tokens",
			"tasks",
			{ use: "image", with: { upstreams: [{ name: "up", type: "openai-images", url, models: ["gpt-image-1"] }] } },
		],
	});
});
beforeEach(() => {
	asked = [];
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop(true);
	await rm(folder, { recursive: true });
});

const file = (name: string, type: string, bytes: Buffer): unknown[] => [name, type, bytes.toString("latin1")];

describe.each([
	["7", OpenAI],
	["6", OpenAI6 as unknown as typeof OpenAI],
])("openai %s", (_, Client) => {
	const client = () => new Client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
	const order = { model: "gpt-image-1", prompt: "put a hat on it" };

	test("one file, read from the disk as the examples do", async () => {
		const path = join(folder, "cat.png");
		await writeFile(path, cat);
		const result = await client().images.edit({ ...order, image: createReadStream(path), size: "1024x1024" });
		expect(result).toMatchObject({ data: [{ b64_json: made }], size: "1024x1024", usage: { total_tokens: 100 } });
		const sent = [["size", "1024x1024"], ...Object.entries(order), file("image", "image/png", cat)];
		expect(asked).toEqual([["/v1/images/edits", sent]]);
	});

	test("two files and a mask", async () => {
		const [first, second, mask] = await Promise.all([
			toFile(cat, "cat.png", { type: "image/png" }),
			toFile(dog, "dog.jpg"),
			toFile(cat, "mask.png", { type: "image/png" }),
		]);
		const result = await client().images.edit({ ...order, image: [first, second], mask, quality: "low" });
		expect(result.data).toEqual([{ b64_json: made }]);
		expect(asked).toEqual([
			[
				"/v1/images/edits",
				[
					["quality", "low"],
					...Object.entries(order),
					file("image[]", "image/png", cat),
					file("image[]", "image/jpeg", dog),
					file("mask", "image/png", cat),
				],
			],
		]);
	});

	test("JSON with an address", async () => {
		const body = { ...order, images: [{ image_url: "https://cdn.example/cat.png" }] };
		const result = await client().post<unknown>("/images/edits", { body });
		expect(result).toMatchObject({ data: [{ b64_json: made }] });
		expect(asked).toEqual([["/v1/images/edits", body]]);
	});

	test("a stream", async () => {
		const image = await toFile(cat, "cat.png", { type: "image/png" });
		const events: unknown[] = [];
		for await (const event of await client().images.edit({ ...order, image, stream: true })) events.push(event);
		expect(events).toEqual([
			{
				type: "image_edit.completed",
				b64_json: made,
				created_at: expect.any(Number),
				size: "auto",
				quality: "auto",
				background: "auto",
				output_format: "png",
				usage: { input_tokens: 50, output_tokens: 50, total_tokens: 100 },
			},
		]);
	});

	test("a task that is asked after later", async () => {
		const image = await toFile(cat, "cat.png", { type: "image/png" });
		const headers = { prefer: "respond-async" };
		const submitted: unknown = await client().images.edit({ ...order, image }, { headers });
		expect(submitted).toMatchObject({ object: "task", action: "EDIT", id: expect.stringMatching(/^task_/) });
		await until(() => asked.length === 1, "the submission");
	});

	test("refused without a picture, and with one of the file store", async () => {
		const api = client();
		const refusals: readonly (readonly [object, object])[] = [
			[order, { param: "image" }],
			[{ ...order, images: [] }, { param: "images" }],
			[
				{ ...order, images: [{ file_id: "file-1" }] },
				{ param: "images", message: expect.stringContaining("file_id") },
			],
		];
		for (const [body, told] of refusals) {
			const failure: unknown = await api.post("/images/edits", { body }).then(
				() => undefined,
				(error: unknown) => error,
			);
			expect(failure).toMatchObject({ status: 400, ...told });
		}
		expect(asked).toEqual([]);
	});
});
