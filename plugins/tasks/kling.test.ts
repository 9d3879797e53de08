/** Kling's clients ask for a task by its id or by their own name for it, as Kling's documentation tells them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type MediaWorld, startMediaWorld } from "../../test/support/media-world.ts";

let at: MediaWorld;
beforeAll(async () => {
	at = await startMediaWorld();
});
afterAll(() => at.close());

test.each([
	["/kling/v1/videos/text2video", "demo"],
	["/v1/videos/text2video", "demo"],
	["/kling/v1/images/generations", "demo"],
])("%s", async (path, model) => {
	const submit = async (external_task_id: string): Promise<unknown> =>
		(
			(await at.json(path, { model_name: model, prompt: "a cat", duration: "5", external_task_id })).body["data"] as {
				task_id: unknown;
			}
		)["task_id"];
	const name = `my task of ${path.replaceAll("/", "-")}`;
	const first = await submit(name);
	await at.pass(500);
	const other = await submit(`${name}, another`);
	const shown = async (id: unknown, key = at.key) => {
		const headers = { authorization: `Bearer ${key}` };
		return await at.json(`${path}/${encodeURIComponent(String(id))}`, undefined, { headers });
	};
	for (const id of [first, name])
		expect(await shown(id)).toMatchObject({
			status: 200,
			body: { data: { task_id: first, task_info: { external_task_id: name } } },
		});
	expect((await shown(`${name}, another`)).body).toMatchObject({ data: { task_id: other } });
	await at.pass(500);
	const again = await submit(name);
	expect((await shown(name)).body).toMatchObject({ data: { task_id: again } });
	for (const id of ["nobody's", "", "%"]) expect((await shown(id === "" ? " " : id)).status).toBe(404);
	expect((await shown(name, (await at.token()).key)).body).toMatchObject({ code: 1203 });
});

test("it is found without looking at every task of the token", async () => {
	const plan = await at.store.all(
		sql`EXPLAIN QUERY PLAN SELECT id FROM tasks t WHERE t.token_id = 'a' AND t.expires_at > 0 AND t.kind = 'video'
			AND json_extract(t.request, '$.details.externalId') = 'b' ORDER BY t.submitted_at DESC, t.id DESC LIMIT 2 OFFSET 0`,
	);
	expect(JSON.stringify(plan)).toContain("tasks_external");
});
