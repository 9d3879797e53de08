/** Promise: what is embedded costs what its kind costs, and is held at no less. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { type AttackWorld, attackWorld } from "./world.ts";

let google: ScriptedUpstream;
let world: AttackWorld;
beforeAll(async () => {
	google = startUpstream();
	const router = {
		upstreams: [{ name: "google", protocol: "generate-content", url: `${google.url}/v1beta`, key: "k" }],
		models: [{ name: "gemini-*", targets: [{ upstream: "google" }] }],
	};
	world = await attackWorld({ plugins: ["embeddings", "prices", { use: "router", with: router }] });
});
afterAll(async () => {
	await world.stop();
	await google.stop();
});

const film = { content: { parts: [{ inlineData: { mimeType: "video/mp4", data: "AAAA" } }] } };

const embed = async (usageMetadata: object, quota?: number) => {
	google.received.length = 0;
	google.answer(() => Response.json({ embedding: { values: [1] }, usageMetadata }));
	const { key } = await world.gateway.token(quota === undefined ? {} : { quota });
	const headers = { authorization: `Bearer ${key}` };
	const path = "/v1beta/models/gemini-embedding-2:embedContent";
	const response = await world.gateway.ask(path, film, { headers });
	await response.text();
	return { status: response.status, used: await world.used(key) };
};

const kinds = [
	{ modality: "TEXT", tokenCount: 1_000 },
	{ modality: "IMAGE", tokenCount: 1_000 },
	{ modality: "AUDIO", tokenCount: 1_000 },
	{ modality: "VIDEO", tokenCount: 1_000 },
];

/** A thousand tokens of each at $0.20, $0.45, $6.50 and $12 a million. */
const charge = 200 + 450 + 6_500 + 12_000;

test.each(["promptTokenDetails", "promptTokensDetails"])("sound, pictures and films, told by `%s`", async (name) => {
	const told = { promptTokenCount: 4_000, [name]: kinds };
	expect(await embed(told)).toEqual({ status: 200, used: charge });
	expect(await embed(told, 1)).toEqual({ status: 200, used: charge });
});

test("a film is refused where the quota holds its tokens as text or sound alone", async () => {
	// 16,384 tokens of a film at $12 a million are $0.197; at $6.50 they would be $0.107.
	expect([402, 429]).toContain((await embed({}, 0.15)).status);
	expect(google.received).toEqual([]);
});
