/** A button that is pressed again is answered with the job that it began before: that is made once, and paid for once. */
import { afterEach, expect, test } from "bun:test";
import { type MediaWorld, startMediaWorld } from "../../test/support/media-world.ts";

const open: MediaWorld[] = [];
afterEach(async () => {
	for (const world of open.splice(0)) await world.close();
});

interface Scene {
	readonly at: MediaWorld;
	submit(path: string, body: object): Promise<string>;
	used(): Promise<unknown>;
	statuses(...ids: readonly string[]): Promise<unknown>;
}

/** What one proxy says of a job, by its name. */
type Job = { readonly id: string; status: string };

/** A proxy that knows which buttons were pressed, and a picture that is done. */
const start = async (): Promise<Scene & { readonly grid: string; readonly jobs: Map<string, Job> }> => {
	const at = await startMediaWorld({
		image: [{ type: "midjourney-proxy", models: ["midjourney"] }],
		more: ["quota", { use: "prices", with: { models: { midjourney: { perImage: 0.5 } } } }],
	});
	open.push(at);
	const jobs = new Map<string, Job>();
	at.upstream.answer(({ path, json }) => {
		const body = json as { readonly ids?: readonly string[]; readonly index?: number; readonly taskId?: string };
		if (path.endsWith("list-by-condition"))
			return Response.json(
				(body.ids ?? []).flatMap((id) => {
					const job = jobs.get(id);
					return job ? { ...job, imageUrl: `${at.upstream.url}/${id}.png` } : [];
				}),
			);
		const id = path.endsWith("submit/imagine") ? "grid" : `${body.taskId}-${body.index}`;
		const code = jobs.has(id) ? 21 : 1;
		if (code === 1) jobs.set(id, { id, status: id === "grid" ? "SUCCESS" : "IN_PROGRESS" });
		return Response.json({ code, description: "ok", result: id });
	});
	const submit: Scene["submit"] = async (path, body) => String((await at.json(path, body)).body.result);
	const grid = await submit("/mj/submit/imagine", { prompt: "a cat" });
	await at.finish(grid);
	return {
		at,
		jobs,
		grid,
		submit,
		used: async () => ((await at.json("/v1/me")).body as { used?: unknown }).used,
		statuses: (...ids) => Promise.all(ids.map(async (id) => (await at.json(`/v1/tasks/${id}`)).body.status)),
	};
};

const done = ({ jobs }: { readonly jobs: Map<string, Job> }): void => {
	for (const job of jobs.values()) job.status = "SUCCESS";
};

test("pressed twice while it works", async () => {
	const scene = await start();
	const press = (index: number) => scene.submit("/mj/submit/change", { taskId: scene.grid, action: "UPSCALE", index });
	const first = await press(1);
	const again = await press(1);
	await scene.at.pass(4000);
	done(scene);
	await scene.at.finish(first);
	await scene.at.finish(again);
	expect(await scene.statuses(first, again)).toEqual(["SUCCESS", "SUCCESS"]);
	expect(await scene.used()).toBe(1);
});

test("pressed again once it is done; another button is another job", async () => {
	const scene = await start();
	const press = (index: number) => scene.submit("/mj/submit/change", { taskId: scene.grid, action: "UPSCALE", index });
	for (const index of [1, 1, 1, 2]) {
		const id = await press(index);
		await scene.at.pass(4000);
		done(scene);
		await scene.at.finish(id);
		expect(await scene.statuses(id)).toEqual(["SUCCESS"]);
	}
	expect(await scene.used()).toBe(1.5);
});
