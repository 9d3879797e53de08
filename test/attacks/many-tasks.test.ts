/** Promise: whoever has made many tasks stops nobody with the next: what an order names is looked up, not searched for. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { sized } from "./sized.ts";

let world: MediaWorld;
let first: string;
const count = sized(5_000, 50_000);

beforeAll(async () => {
	world = await startMediaWorld({ image: [{ type: "midjourney-proxy", models: ["midjourney"] }] });
	world.upstream.answer(({ path }) =>
		Response.json(
			path.endsWith("list-by-condition")
				? [{ id: "1", status: "SUCCESS", imageUrl: "https://cdn.example/a.png", buttons: [{ customId: "MJ::first" }] }]
				: { code: 1, result: "1" },
		),
	);
	first = String((await world.json("/mj/submit/imagine", { prompt: "x" })).body.result);
	await world.finish(first);
	const buttons = Array.from({ length: 11 }, (_, index) => ({ customId: `MJ::JOB::upsample::${index}::3dd3178a` }));
	await world.store.write([
		sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
			INSERT INTO tasks (id, token_id, kind, action, model, request, status, sequence, callback_url, callback,
				base_url, submitted_at, changed_at, expires_at, upstream, upstream_id, deadline_at, fingerprint)
			SELECT 'task_many' || i, token_id, kind, action, model, request, 'IN_PROGRESS', 2, '', '', '', submitted_at - i, 1,
				expires_at, upstream, 'u' || i, 1, '' FROM tasks, n WHERE id = ${first}`,
		sql`UPDATE tasks SET result = ${JSON.stringify({ files: [], extra: { buttons, title: "MJ::mine" } })}, status = 'SUCCESS'
			WHERE id LIKE 'task_many%'`,
	]);
}, 60_000);
afterAll(() => world.close());

/** The least milliseconds of several tries: for the token of many tasks, and for one that has none, in turns. */
const leastOf = async (
	ask: (headers?: Record<string, string>) => Promise<void>,
): Promise<[many: number, none: number]> => {
	const { key } = await world.token();
	const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
	for (let round = 0; round < 10; round++) {
		const began = performance.now();
		await ask(round % 2 === 0 ? undefined : { authorization: `Bearer ${key}` });
		least[round % 2] = Math.min(least[round % 2] ?? 0, performance.now() - began);
	}
	return least;
};

test("twenty names that are nobody's cost whoever has many tasks what they cost others", async () => {
	const names = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`part${index}_id`, `of-nobody-${index}`]));
	const [many, none] = await leastOf(async (headers) => {
		const body = { prompt: "x", ...names };
		expect((await world.json("/mj/submit/imagine", body, headers && { headers })).status).toBe(404);
	});
	expect(many / none).toBeLessThan(10);
});

test("what is a part of one's own is found, a title is none, and what is removed leaves no part", async () => {
	const press = async (customId: string) =>
		(await world.json("/v1/tasks", { kind: "image", model: "midjourney", prompt: "x", input: { customId } })).status;
	expect(await press("MJ::first")).toBe(202);
	expect(await press("MJ::mine")).toBe(404);
	const { key } = await world.token();
	const input = { customId: "MJ::first" };
	const headers = { authorization: `Bearer ${key}` };
	const task = { kind: "image", model: "midjourney", prompt: "x", input };
	expect((await world.json("/v1/tasks", task, { headers })).status).toBe(404);
	const parts = async () => Number((await world.store.all(sql`SELECT count(*) AS n FROM task_parts`))[0]?.["n"]);
	expect(await parts()).toBe(1 + 11 * count);
	await world.store.write([sql`DELETE FROM tasks WHERE id LIKE 'task_many%'`]);
	expect(await parts()).toBe(1);
});

test("a list of which there is little costs whoever has many tasks what it costs others", async () => {
	const prompt = "x".repeat(20_000);
	await world.store.write([
		sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
			INSERT INTO tasks (id, token_id, kind, action, model, request, status, sequence, callback_url, callback,
				base_url, submitted_at, changed_at, expires_at, upstream, upstream_id, deadline_at, fingerprint)
			SELECT 'task_clip' || i, token_id, 'video', 'TEXT_TO_VIDEO', model,
				${JSON.stringify({ prompt, details: { maker: "text2video" } })}, 'IN_PROGRESS', 2, '', '', '', submitted_at - i, 1,
				expires_at, upstream, 'u' || i, 1, '' FROM tasks, n WHERE id = ${first}`,
	]);
	await world.store.write([sql`UPDATE tasks SET status = 'SUCCESS' WHERE id LIKE 'task_clip%'`]);
	const [many, none] = await leastOf(async (headers) => {
		const get = (path: string) => world.json(path, undefined, headers && { headers });
		expect((await get("/kling/v1/videos/lip-sync")).body.data).toEqual([]);
		expect((await get("/v1/tasks?status=FAILURE")).body.data).toEqual([]);
		expect((await get("/mj/task/queue")).status).toBe(200);
	});
	expect(many / none).toBeLessThan(10);
	expect((await world.json("/kling/v1/videos/text2video")).body.data).toHaveLength(30);
});
