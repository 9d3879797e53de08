/** How long a picture may take where its upstream's setting says nothing: what the settings' page tells. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

const types = ["midjourney-proxy", "openai-images", "gemini-images"];
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	upstream.answer(() => new Response(null, { status: 404 }));
	const upstreams = types.map((type) => ({ name: type, type, url: upstream.url, key: "k", models: [`model-${type}`] }));
	gateway = await startGateway({ plugins: ["tokens", "tasks", { use: "image", with: { upstreams } }] });
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

test.each(types)("ten minutes at %s", async (type) => {
	const taken = await gateway.ask("/v1/tasks", { kind: "image", model: `model-${type}`, prompt: "a cat" });
	expect(taken.status).toBe(202);
	const { id } = (await taken.json()) as { id: string };
	expect(await gateway.store.all(sql`SELECT deadline_at - submitted_at AS span FROM tasks WHERE id = ${id}`)).toEqual([
		{ span: 600_000 },
	]);
});
