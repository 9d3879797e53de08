/** Promise: a film that is given as a picture's address is paid for as a film, however the address is written. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ capabilities: { contextWindow: 100_000 } });
	world.upstream.answer(() =>
		Response.json({
			candidates: [{ content: { role: "model", parts: [{ text: "A" }] }, finishReason: "STOP", index: 0 }],
			usageMetadata: { promptTokenCount: 90_000, candidatesTokenCount: 1, totalTokenCount: 90_001 },
		}),
	);
});
afterAll(() => world.stop());

const model = "generate-content-a";
const films = [
	"https://www.youtube.com/watch?v=abcdefghijk",
	"https://youtu.be/abcdefghijk",
	"https://m.youtube.com/shorts/abcdefghijk",
	"HTTPS://WWW.YOUTUBE.COM/watch?v=abcdefghijk",
	"https://you@www.youtube.com:443/watch?v=abcdefghijk",
	"https://cdn.example/a.mp4?width=10",
];
const asks: readonly (readonly [string, (url: string) => object])[] = [
	[
		"/v1/chat/completions",
		(url) => ({ max_tokens: 10, messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] }),
	],
	[
		"/v1/responses",
		(url) => ({ max_output_tokens: 16, input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] }),
	],
	[
		"/v1/messages",
		(url) => ({
			max_tokens: 10,
			messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url } }] }],
		}),
	],
];

test.each(asks.flatMap(([path, bodyFor]) => films.map((film) => [path, film, bodyFor(film)] as const)))(
	"%s: %s",
	async (path, _, body) => {
		const { key } = await world.gateway.token({ quota: 10 });
		const headers = { authorization: `Bearer ${key}` };
		const response = await world.gateway.ask(path, { ...body, model }, { headers });
		await response.text();
		expect(response.status).toBe(200);
		expect(await world.used(key)).toBe(90_000 * rates.input + rates.output);
	},
);
