/** A button that opens a window, and what is filled in there, are two tasks of one job: it is paid for once. */
import { afterEach, expect, test } from "bun:test";
import { type MediaWorld, startMediaWorld } from "../../test/support/media-world.ts";

const open: MediaWorld[] = [];
afterEach(async () => {
	for (const world of open.splice(0)) await world.close();
});

type Job = Record<string, unknown> & { status: string };

interface Scene {
	readonly at: MediaWorld;
	readonly jobs: Map<string, Job>;
	/** How the upstream answers what is filled into the window of a job. */
	modal(id: string): Response;
	submit(path: string, body: object): Promise<string>;
	used(): Promise<unknown>;
	status(id: string): Promise<unknown>;
}

const start = async (): Promise<Scene> => {
	const at = await startMediaWorld({
		image: [{ type: "midjourney-proxy", models: ["midjourney"] }],
		more: ["quota", { use: "prices", with: { models: { midjourney: { perImage: 0.5 } } } }],
	});
	open.push(at);
	const jobs = new Map<string, Job>();
	const envelope = (code: number, result: string): Response => Response.json({ code, description: "ok", result });
	const add = (id: string, status: string): Job => {
		const job = { id, action: "IMAGINE", status, imageUrl: `${at.upstream.url}/${id}.png`, progress: "0%" };
		jobs.set(id, job);
		return job;
	};
	const scene: Scene = {
		at,
		jobs,
		modal(id) {
			add(id, "SUCCESS");
			return envelope(1, id);
		},
		submit: async (path, body) => String((await at.json(path, body)).body.result),
		used: async () => ((await at.json("/v1/me")).body as { used?: unknown }).used,
		status: async (id) => (await at.json(`/v1/tasks/${id}`)).body.status,
	};
	at.upstream.answer(({ path, json }) => {
		const body = json as { readonly ids?: readonly string[]; readonly taskId?: string } | undefined;
		if (path.endsWith("list-by-condition")) return Response.json(body?.ids?.flatMap((id) => jobs.get(id) ?? []));
		if (path.endsWith("submit/imagine")) return envelope(1, String(add("first", "SUCCESS").id));
		if (path.endsWith("submit/action")) return envelope(21, String(add("window", "MODAL").id));
		return scene.modal(String(body?.taskId));
	});
	return scene;
};

/** A picture, and a button of it that opens a window. */
const opened = async (scene: Scene): Promise<string> => {
	const picture = await scene.submit("/mj/submit/imagine", { prompt: "a cat" });
	await scene.at.finish(picture);
	expect(await scene.used()).toBe(0.5);
	const button = await scene.submit("/mj/submit/action", { taskId: picture, customId: "MJ::Inpaint::1::x::SOLO" });
	await scene.at.pass(6000);
	expect(await scene.status(button)).toBe("NOT_START");
	return button;
};

test("a window that is filled in is charged once, and both tasks show what was made", async () => {
	const scene = await start();
	const button = await opened(scene);
	const filled = await scene.submit("/mj/submit/modal", { taskId: button, prompt: "a hat" });
	await scene.at.finish(filled);
	await scene.at.finish(button);
	expect([await scene.status(button), await scene.status(filled)]).toEqual(["SUCCESS", "SUCCESS"]);
	expect(await scene.used()).toBe(1);
});

test("a window whose confirmation got no answer is charged once", async () => {
	const scene = await start();
	const button = await opened(scene);
	const modal = scene.modal.bind(scene);
	scene.modal = (id) => {
		modal(id);
		return new Response("<h1>Bad gateway</h1>", { status: 502 });
	};
	const filled = await scene.submit("/mj/submit/modal", { taskId: button, prompt: "a hat" });
	await scene.at.finish(filled);
	await scene.at.finish(button);
	expect([await scene.status(button), await scene.status(filled)]).toEqual(["SUCCESS", "SUCCESS"]);
	expect(await scene.used()).toBe(1);
});

test("what goes on under a name of its own is a job of its own", async () => {
	const scene = await start();
	const button = await opened(scene);
	scene.modal = () => {
		scene.jobs.set("other", { id: "other", status: "SUCCESS", imageUrl: `${scene.at.upstream.url}/other.png` });
		return Response.json({ code: 1, description: "ok", result: "other" });
	};
	const filled = await scene.submit("/mj/submit/modal", { taskId: button, prompt: "a hat" });
	await scene.at.finish(filled);
	expect(await scene.used()).toBe(1);
	const job = scene.jobs.get("window");
	if (job) job.status = "SUCCESS";
	await scene.at.finish(button);
	expect(await scene.used()).toBe(1.5);
});

test("a window that nobody waits for any more does not make its confirmation free", async () => {
	const scene = await start();
	const button = await opened(scene);
	const answered = Promise.withResolvers<void>();
	const seen = scene.at.upstream.received.length;
	scene.at.upstream.answer(async ({ path, json }) => {
		const { ids = [], taskId } = (json ?? {}) as { readonly ids?: readonly string[]; readonly taskId?: string };
		if (path.endsWith("/cancel")) return Response.json({ code: 1, description: "ok", result: "window", billed: false });
		if (path.endsWith("list-by-condition")) return Response.json(ids.flatMap((id) => scene.jobs.get(id) ?? []));
		await answered.promise;
		return scene.modal(String(taskId));
	});
	const filled = await scene.submit("/mj/submit/modal", { taskId: button, prompt: "a hat" });
	await scene.at.pass(1000, 100);
	expect(scene.at.upstream.received.slice(seen).some(({ path }) => path.endsWith("submit/modal"))).toBe(true);
	await scene.at.json(`/v1/tasks/${button}/cancel`, {});
	await scene.at.finish(button);
	expect(await scene.used()).toBe(0.5);
	answered.resolve();
	await scene.at.finish(filled);
	expect(await scene.status(filled)).toBe("SUCCESS");
	expect(await scene.used()).toBe(1);
});
