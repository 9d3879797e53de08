/** What the README of `prices` shows, through the front door: pictures and clips cost by what their requests say and what was made. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { asList, asNumber, asRecord, asText, parseJson } from "#core";
import { streamOf } from "#core/testing";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";

const readme = readFileSync(new URL("../../plugins/prices/README.md", import.meta.url), "utf8");
const example: unknown = parse(/```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? "");
const { with: settings } = asRecord(asList(asRecord(example)["plugins"])[0]);

let world: MediaWorld;
/** What the upstream tells of the picture that it made. */
let told: object = {};
const b64_json = Buffer.from("picture").toString("base64");
beforeAll(async () => {
	world = await startMediaWorld({
		image: [{ type: "openai-images", models: ["gpt-image-1"] }],
		video: [{ type: "veo", models: ["veo-3"], path: "/v1beta" }],
		more: ["quota", { use: "prices", with: asRecord(settings) }],
	});
	world.upstream.answer(({ path, method, json }) => {
		const { n, stream } = asRecord(json);
		const count = asNumber(n) ?? 1;
		if (stream === true)
			return streamOf([`data: ${JSON.stringify({ type: "image_generation.completed", b64_json, ...told })}\n\n`]);
		if (path.includes("/images/")) return Response.json({ data: Array(count).fill({ b64_json }), ...told });
		if (method === "POST") return Response.json({ name: "operations/1" });
		const generatedSamples = [{ video: { bytesBase64Encoded: "AAAA" } }];
		return Response.json({
			name: "operations/1",
			done: true,
			response: { generateVideoResponse: { generatedSamples } },
		});
	});
});
beforeEach(() => {
	told = {};
});
afterAll(() => world.close());

const path = "/v1/images/generations";
const picture = { model: "gpt-image-1", prompt: "a cat" };

/** Dollars charged to a token whose quota is what must be held; one of a little less is refused. */
const costAt = async (held: number, to: string, body: unknown, more: Record<string, string> = {}): Promise<number> => {
	const [{ key }, { key: poorer }] = [await world.token({ quota: held }), await world.token({ quota: held - 0.001 })];
	const headers = { ...more, authorization: `Bearer ${key}` };
	const refused = await world.ask(to, body, { headers: { ...more, authorization: `Bearer ${poorer}` } });
	expect(refused.status).toBe(429);
	const asked = await world.ask(to, body, { headers });
	expect(asked.status).toBeLessThan(300);
	const { id, name } = asRecord(parseJson(await asked.text()));
	const task = asText(id) ?? asText(name)?.split("/").at(-1);
	if (task !== undefined)
		await until(async () => {
			await world.pass(1000, 500);
			const { status } = (await world.json(`/v1/tasks/${task}`, undefined, { headers })).body;
			return status === "SUCCESS" || status === "FAILURE";
		});
	return Number((await world.json("/v1/me", undefined, { headers })).body["used"]);
};

const later = { prefer: "respond-async" };

test.each([
	[{ quality: "low" }, 0.02],
	[{ quality: "low", size: "1536x1024", n: 3 }, 0.06],
	[{ quality: "medium", size: "1024x1024" }, 0.05],
	[{ quality: "medium", size: "1024x1536" }, 0.07],
	[{ quality: "high", size: "1024x1024", background: "opaque", output_format: "webp" }, 0.17],
	[{ quality: "high", size: "1024x1536" }, 0.25],
	[{ quality: "medium" }, 0.25],
	[{}, 0.25],
])("a picture of %j costs %p, and that is held", async (fields, dollars) => {
	expect(await costAt(dollars, path, { ...picture, ...fields }, later)).toBe(dollars);
});

test("what was left open is held at the dearest and charged as the upstream says it made it", async () => {
	told = { quality: "medium", size: "1024x1536" };
	expect(await costAt(0.25, path, picture, later)).toBe(0.07);
	expect(await costAt(0.25, path, { ...picture, quality: "auto", size: "auto" }, later)).toBe(0.07);
	told = { quality: "high", size: "1024x1024" };
	// Never more than was held.
	expect(await costAt(0.02, path, { ...picture, quality: "low" }, later)).toBe(0.02);
});

test("a stream of pictures is charged as its events tell", async () => {
	told = { quality: "medium", size: "1024x1024" };
	const stream = { ...picture, stream: true, partial_images: 1 };
	expect(await costAt(0.254, path, stream)).toBe(0.05);
});

test("who waits, sends a form, edits or calls the uniform route pays the same", async () => {
	const wish = { ...picture, quality: "medium", size: "1024x1024" };
	expect(await costAt(0.05, path, wish)).toBe(0.05);
	const form = { "content-type": "application/x-www-form-urlencoded" };
	expect(await costAt(0.05, path, new URLSearchParams(wish).toString(), form)).toBe(0.05);
	const png = Buffer.from("\x89PNG\r\n\x1a\n picture", "latin1").toString("base64");
	const images = [{ image_url: `data:image/png;base64,${png}` }];
	// And the picture that it is made of.
	expect(await costAt(0.115, "/v1/images/edits", { ...wish, images })).toBe(0.115);
	const { quality, size, ...rest } = wish;
	expect(await costAt(0.05, "/v1/tasks", { kind: "image", ...rest, input: { quality, size } })).toBe(0.05);
});

test.each([
	[{ generateAudio: false }, 0.8],
	[{ resolution: "720p", generateAudio: false, aspectRatio: "9:16" }, 0.8],
	[{ resolution: "720p", generateAudio: true }, 1.6],
	[{ resolution: "720p" }, 1.6],
	[{ resolution: "1080p", generateAudio: false }, 2.4],
	[{}, 1.6],
	[{ resolution: "4k" }, 2.4],
])("four seconds of a clip of %j cost %p", async (parameters, dollars) => {
	const body = { instances: [{ prompt: "a cat" }], parameters: { durationSeconds: 4, ...parameters } };
	expect(await costAt(dollars, "/v1beta/models/veo-3:predictLongRunning", body)).toBe(dollars);
});
