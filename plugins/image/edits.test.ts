import { afterEach, describe, expect, test } from "bun:test";
import { type MediaWorld, type MediaWorldOptions, startMediaWorld } from "../../test/support/media-world.ts";
import { until } from "../../test/support/moved-clock.ts";

const png = Buffer.from("\x89PNG\r\n\x1a\n\x00\xff one", "latin1");
const jpeg = Buffer.from("\xff\xd8\xff\xe0 two", "latin1");
const url = (bytes: Buffer, type = "image/png"): string => `data:${type};base64,${bytes.toString("base64")}`;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
});

/** What an upstream got: a form as the runtime's own parser reads it, or JSON. */
interface Got {
	readonly path: string;
	readonly form: FormData | undefined;
	readonly json: unknown;
}

const made = { created: 1, data: [{ b64_json: png.toString("base64") }], usage: { total_tokens: 9 } };

const world = async (
	type: string,
	models: readonly string[],
	answer: (got: Got) => Response = () => Response.json(made),
	demo: MediaWorldOptions["demo"] = {},
): Promise<MediaWorld & { readonly got: readonly Got[] }> => {
	const got: Got[] = [];
	const upstream = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const isForm = request.headers.get("content-type")?.startsWith("multipart/form-data") === true;
			const one: Got = {
				path: new URL(request.url).pathname,
				form: isForm ? await request.formData() : undefined,
				json: isForm ? undefined : await request.json(),
			};
			got.push(one);
			return answer(one);
		},
	});
	const started = await startMediaWorld({
		image: [{ type, models, url: `http://127.0.0.1:${upstream.port}/v1` }],
		demo,
	});
	ends.push(
		() => started.close(),
		() => upstream.stop(true),
	);
	return { ...started, got };
};

/** Moves the clock until the answer is there. */
const waited = async <T>(at: MediaWorld, answer: Promise<T>): Promise<T> => {
	let done = false;
	const watched = answer.finally(() => {
		done = true;
	});
	for (let step = 0; step < 200 && !done; step++) await at.pass(250);
	return await watched;
};

const formOf = (fields: readonly (readonly [string, string | File])[]): FormData => {
	const form = new FormData();
	for (const [name, value] of fields) form.append(name, value);
	return form;
};

const file = (bytes: Buffer, name: string, type = "application/octet-stream"): File =>
	new File([new Uint8Array(bytes)], name, { type });

const send = (at: MediaWorld, body: FormData, path = "/v1/images/edits"): Promise<Response> =>
	fetch(at.url + path, { method: "POST", headers: { authorization: `Bearer ${at.key}` }, body });

/** Every part, files as their name, type and bytes. */
const partsOf = async (form: FormData | undefined): Promise<unknown[]> =>
	await Promise.all(
		[...(form ?? [])].map(async ([name, value]) =>
			typeof value === "string"
				? [name, value]
				: [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString("latin1")],
		),
	);

describe("an OpenAI-shaped upstream", () => {
	const start = (answer?: (got: Got) => Response) => world("openai-images", ["gpt-image-1", "dall-e-2"], answer);

	test("a client that cannot say how it wants the picture gets its bytes and its address", async () => {
		const at = await start();
		const order = (format: readonly (readonly [string, string])[]) =>
			formOf([["model", "dall-e-2"], ["prompt", "a hat"], ["image", file(png, "cat.png")], ...format]);
		const data = async (format: readonly (readonly [string, string])[] = []) =>
			((await (await waited(at, send(at, order(format)))).json()) as { data: unknown }).data;
		const url = expect.stringContaining("/files/0.png");
		const [{ b64_json }] = made.data as [{ b64_json: string }];
		expect(await data()).toEqual([{ b64_json, url }]);
		expect(await data([["response_format", "url"]])).toEqual([{ url }]);
		expect(await data([["response_format", "b64_json"]])).toEqual([{ b64_json }]);
	});

	test("gets one file as it was sent, with every other field", async () => {
		const at = await start();
		const body = formOf([
			["model", "gpt-image-1"],
			["prompt", "a hat on the cat"],
			["image", file(png, "cat.bin")],
			["size", "1024x1024"],
			["input_fidelity", "high"],
			["output_compression", "80"],
			["n", "2"],
			["response_format", "b64_json"],
			["user", "somebody"],
			// Another model at other prices: left out.
			["svg[model]", "gpt-6-pro"],
		]);
		const answer = await waited(at, send(at, body));
		expect([answer.status, await answer.json()]).toEqual([
			200,
			{ created: expect.any(Number), size: "1024x1024", data: made.data, usage: { total_tokens: 9 } },
		]);
		expect(at.got.map(({ path }) => path)).toEqual(["/v1/images/edits"]);
		expect(await partsOf(at.got[0]?.form)).toEqual(
			expect.arrayContaining([
				["model", "gpt-image-1"],
				["prompt", "a hat on the cat"],
				["size", "1024x1024"],
				["input_fidelity", "high"],
				["output_compression", "80"],
				["n", "2"],
				["user", "somebody"],
				["image", "picture-1.png", "image/png", png.toString("latin1")],
			]),
		);
		expect([...(at.got[0]?.form ?? [])]).toHaveLength(8);
	});

	test("gets several files in their order, and a mask", async () => {
		const at = await start();
		const body = formOf([
			["model", "gpt-image-1"],
			["prompt", "both together"],
			["image[]", file(png, "a.png", "image/png")],
			["image[]", file(jpeg, "b.jpg", "image/jpeg")],
			["mask", file(png, "m.png", "image/png")],
		]);
		expect((await waited(at, send(at, body, "/images/edits"))).status).toBe(200);
		expect((await partsOf(at.got[0]?.form)).slice(2)).toEqual([
			["image[]", "picture-1.png", "image/png", png.toString("latin1")],
			["image[]", "picture-2.jpeg", "image/jpeg", jpeg.toString("latin1")],
			["mask", "mask.png", "image/png", png.toString("latin1")],
		]);
	});

	test.each([
		["gif", "image/gif", Buffer.from("GIF89a a picture")],
		["jpg", "image/jpeg", jpeg],
	])("a picture is called what its bytes are: %s", async (extension, type, bytes) => {
		const at = await start(() =>
			Response.json({ data: [{ b64_json: bytes.toString("base64") }], output_format: "png" }),
		);
		const order = { model: "dall-e-2", prompt: "a hat", image: url(png), response_format: "url" };
		const { data } = (await waited(at, at.json("/v1/images/edits", order))).body as { data: { url: string }[] };
		const address = data[0]?.url ?? "";
		expect(address).toContain(`/files/0.${extension}`);
		const kept = await fetch(address);
		expect(kept.headers.get("content-type")).toBe(type);
		expect(Buffer.from(await kept.arrayBuffer())).toEqual(bytes);
	});

	test("gets a form for bytes that came as JSON, and JSON for an address", async () => {
		const at = await start();
		const order = { model: "dall-e-2", prompt: "a hat", n: 1 };
		const bytes = { ...order, images: [{ image_url: url(jpeg, "image/jpeg") }] };
		expect((await waited(at, at.json("/v1/images/edits", bytes))).body.data).toEqual([
			{ url: expect.stringMatching(/^http/), b64_json: made.data[0]?.b64_json },
		]);
		expect(await partsOf(at.got[0]?.form)).toContainEqual([
			"image",
			"picture-1.jpeg",
			"image/jpeg",
			jpeg.toString("latin1"),
		]);
		const address = "https://cdn.example/cat.png";
		const mixed = {
			...order,
			images: [{ image_url: address }, { image_url: url(png) }],
			mask: { image_url: url(png) },
		};
		expect((await waited(at, at.json("/v1/images/edits", { ...mixed, quality: "low" }))).status).toBe(200);
		expect(at.got[1]).toMatchObject({ path: "/v1/images/edits", json: { ...mixed, quality: "low" } });
		const masked = { ...order, images: [{ image_url: url(png) }], mask: { image_url: address } };
		expect((await waited(at, at.json("/v1/images/edits", masked))).status).toBe(200);
		expect(at.got[2]?.json).toEqual(masked);
	});

	test("gets the same from the uniform route", async () => {
		const at = await start();
		const order = { kind: "image", action: "edit", model: "gpt-image-1", prompt: "a hat" };
		const { status, body } = await at.json("/v1/tasks", { ...order, input: { image: url(png), seed: 7, user: null } });
		expect([status, body.action]).toEqual([202, "EDIT"]);
		await at.finish(body.id);
		expect(await partsOf(at.got[0]?.form)).toEqual([
			["seed", "7"],
			["model", "gpt-image-1"],
			["prompt", "a hat"],
			["image", "picture-1.png", "image/png", png.toString("latin1")],
		]);
		const none = await at.json("/v1/tasks", { ...order, input: {} });
		expect([none.status, none.body]).toMatchObject([400, { error: { param: "image" } }]);
	});

	test("is refused in words: the client's 400, without the picture", async () => {
		const at = await start(() => Response.json({ error: { message: "Invalid image" } }, { status: 400 }));
		const asked = at.json("/v1/images/edits", { model: "gpt-image-1", prompt: "a hat", image: url(png) });
		const { status, body } = await waited(at, asked);
		expect([status, body]).toMatchObject([400, { error: { message: expect.stringContaining("Invalid image") } }]);
	});
});

describe("a client", () => {
	const order = { model: "gpt-image-1", prompt: "a hat", image: url(png), n: 2 };
	const two = () => Response.json({ ...made, data: [made.data[0], made.data[0]] });

	test("is given one event for each picture", async () => {
		const at = await world("openai-images", ["gpt-image-1"], two);
		const answer = await waited(at, at.ask("/v1/images/edits", { ...order, stream: true, size: "auto" }));
		expect(answer.headers.get("content-type")).toBe("text/event-stream");
		const events = (await answer.text()).trim().split("\n\n");
		expect(events).toHaveLength(2);
		for (const event of events) {
			const [first, second = ""] = event.split("\n");
			expect(first).toBe("event: image_edit.completed");
			expect(JSON.parse(second.replace(/^data: /, ""))).toEqual({
				type: "image_edit.completed",
				b64_json: made.data[0]?.b64_json,
				created_at: expect.any(Number),
				size: "auto",
				quality: "auto",
				background: "auto",
				output_format: "png",
				usage: { total_tokens: 9 },
			});
		}
	});

	test.each([
		[{ async: true }, {}],
		[{}, { prefer: "respond-async" }],
	])(
		"gets the task when it asks for it by %j %j, and neither log nor task shows what it sent",
		async (more, headers) => {
			const at = await world("openai-images", ["gpt-image-1"], two);
			const { status, body } = await at.json("/v1/images/edits", { ...order, ...more }, { headers });
			expect([status, body]).toMatchObject([202, { object: "task", kind: "image", action: "EDIT" }]);
			await at.finish(body.id);
			const shown = await at.json(`/v1/tasks/${body.id}`);
			expect(shown.body.status).toBe("SUCCESS");
			const picture = png.toString("base64");
			expect(JSON.stringify([shown.body, at.log])).not.toContain(picture);
		},
	);

	test("is called back as for any picture", async () => {
		const at = await world("openai-images", ["gpt-image-1"], two);
		const { status, body } = await at.json("/v1/images/edits", { ...order, notifyHook: `${at.hook.origin}/hook` });
		expect(status).toBe(202);
		await at.finish(body.id);
		await until(() => at.callbacks().length === 3);
		expect(at.callbacks().map(({ action, status: word }) => [action, word])).toEqual(
			["NOT_START", "IN_PROGRESS", "SUCCESS"].map((word) => ["EDIT", word]),
		);
	});

	test.each([
		["no picture", { image: undefined }, "image", "Send the picture"],
		["an empty list", { image: undefined, images: [] }, "images", "Send the picture"],
		["17 pictures", { image: undefined, images: Array(17).fill({ image_url: url(png) }) }, "images", "at most 16"],
		["an empty picture", { image: url(Buffer.alloc(0)) }, "image", "empty"],
		["text", { image: url(Buffer.from("hello"), "text/plain") }, "image", "no picture"],
		["a mask that is text", { mask: { image_url: url(Buffer.from("x"), "text/plain") } }, "mask", "no picture"],
		["a file of a store", { image: undefined, images: [{ file_id: "file-1" }] }, "images", "file_id"],
		["a mask of a store", { mask: { file_id: "file-1" } }, "mask", "file_id"],
		["no prompt", { prompt: "" }, "prompt", "prompt"],
		["11 of them", { n: 11 }, "n", "10"],
	])("is refused %s", async (_, change, param, words) => {
		const at = await world("openai-images", ["gpt-image-1"]);
		const { status, body } = await at.json("/v1/images/edits", { ...order, ...change });
		expect([status, body]).toMatchObject([400, { error: { param, message: expect.stringContaining(words) } }]);
		expect(at.got).toEqual([]);
	});

	test.each([
		["an empty file", file(Buffer.alloc(0), "x.png", "image/png"), "empty"],
		["a file of text", file(Buffer.from("hello"), "x.txt", "text/plain"), "no picture"],
	])("is refused %s", async (_, picture, words) => {
		const at = await world("openai-images", ["gpt-image-1"]);
		const answer = await send(
			at,
			formOf([
				["model", "gpt-image-1"],
				["prompt", "x"],
				["image", picture],
			]),
		);
		expect([answer.status, await answer.json()]).toMatchObject([
			400,
			{ error: { param: "image", message: expect.stringContaining(words) } },
		]);
	});

	test("is told that a model is not there when only Midjourney's service has it", async () => {
		const at = await world("midjourney-proxy", ["only-midjourney"], undefined, { taskModels: [] });
		const { status, body } = await at.json("/v1/images/edits", { ...order, model: "only-midjourney" });
		expect([status, body]).toMatchObject([404, { error: { code: "model_not_found" } }]);
		expect(at.got).toEqual([]);
	});

	test("may ask the demo, which says so", async () => {
		const at = await world("openai-images", []);
		const { status, body } = await waited(at, at.json("/v1/images/edits", { ...order, model: "demo" }));
		expect([status, (body.data as unknown[]).length]).toEqual([200, 2]);
	});
});

describe("Gemini", () => {
	const start = () =>
		world("gemini-images", ["gemini-*", "imagen-*"], () =>
			Response.json({
				candidates: [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: png.toString("base64") } }] } }],
			}),
		);

	test("gets the pictures before the words", async () => {
		const at = await start();
		const images = [{ image_url: url(jpeg, "image/jpeg") }, { image_url: "https://cdn.example/cat.png" }];
		const order = { model: "gemini-2.5-flash-image", prompt: "a hat", images, response_format: "b64_json" };
		const { body } = await waited(at, at.json("/v1/images/edits", order));
		expect(body.data).toEqual([{ b64_json: png.toString("base64") }]);
		expect(at.got.map(({ path, json }) => [path, json])).toEqual([
			[
				"/v1/models/gemini-2.5-flash-image:generateContent",
				{
					contents: [
						{
							role: "user",
							parts: [
								{ inlineData: { mimeType: "image/jpeg", data: jpeg.toString("base64") } },
								{ fileData: { fileUri: "https://cdn.example/cat.png" } },
								{ text: "a hat" },
							],
						},
					],
					generationConfig: { responseModalities: ["TEXT", "IMAGE"] },
				},
			],
		]);
	});

	test.each([
		["a mask", { model: "gemini-x", mask: { image_url: url(png) } }, "mask_unsupported"],
		["an edit by Imagen", { model: "imagen-4" }, "edit_unsupported"],
	])("is not asked for %s", async (_, change, code) => {
		const at = await start();
		const asked = at.json("/v1/images/edits", { prompt: "a hat", image: url(png), ...change });
		const { status, body } = await waited(at, asked);
		expect([status, body]).toMatchObject([400, { error: { code } }]);
		expect(at.got).toEqual([]);
	});
});
