/**
 * Promise: a task's request leads nobody into the upstream's own network. Programs that operators run beside Portico
 * (midjourney-proxy, Suno-API, servers of models) read whatever address they are given.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";

const upstreams = (tenancy: object) => ({
	video: [
		{ type: "kling", models: ["kling-*"], ...tenancy },
		{ type: "openai-videos", models: ["sora-*"], path: "/openai", ...tenancy },
	],
	music: [{ type: "suno-api", models: ["chirp-*"], ...tenancy }],
	image: [
		{ type: "midjourney-proxy", models: ["midjourney"], ...tenancy },
		{ type: "openai-images", models: ["gpt-image-*"], path: "/openai", ...tenancy },
	],
});

let world: MediaWorld;
beforeAll(async () => {
	world = await startMediaWorld(upstreams({}));
});
afterAll(() => world.close());

const kling = (more: object): object => ({ model_name: "kling-v1", prompt: "x", ...more });
const image2video = "/kling/v1/videos/image2video";

test.each([
	["the cloud's metadata", image2video, kling({ image: "http://169.254.169.254/latest" })],
	["a name of this machine, hidden by blanks", image2video, kling({ image_tail: " ht\ttp://localhost/a.png" })],
	["six hundred blanks", "/suno/submit/music", { prompt: "x", upload_url: `${" ".repeat(600)}http://10.0.0.7/a` }],
	["blanks beyond ASCII", "/suno/submit/music", { prompt: "x", upload_url: "\u00a0\u2028http://10.0.0.7/a" }],
	["ends of lines", "/suno/submit/music", { prompt: "x", upload_url: `h${"\n".repeat(600)}ttp://10.0.0.7/a` }],
	["a file with one slash", "/suno/submit/music", { prompt: "x", upload_url: "file:/etc/passwd" }],
	["one slash", "/v1/videos", { model: "sora-2", prompt: "x", input_reference: "http:/10.0.0.7/a" }],
	[
		"IPv4 within IPv6",
		"/v1/images/edits",
		{ model: "gpt-image-1", prompt: "x", images: [{ image_url: "http://[::ffff:7f00:1]:9000/a" }] },
	],
	["one number", "/mj/submit/blend", { base64Array: ["http://2130706433/a", "https://nas.lan/b"] }],
	["a name without a dot", "/suno/submit/music", { prompt: "x", upload_url: "http://grafana:3000/a.mp3" }],
])("%s", async (_name, path, body) => {
	const before = world.upstream.received.length;
	const answer = await world.json(path, body);
	expect([answer.status, JSON.stringify(answer.body)]).toEqual([404, expect.stringContaining("public address")]);
	await world.pass(3000, 500);
	expect(world.upstream.received.length).toBe(before);
});

test.each([
	["a public address", {}, "https://cdn.example/a.png"],
	["one within, where the account is one client's alone", { tenancy: "single" }, "http://10.0.0.7/a.png"],
])("%s goes on", async (_name, tenancy, image) => {
	const other = await startMediaWorld(upstreams(tenancy));
	expect((await other.json(image2video, kling({ image }))).status).toBe(200);
	await until(async () => {
		await other.pass(500);
		return other.upstream.received.some(({ text }) => text.includes(image));
	});
	await other.close();
});
