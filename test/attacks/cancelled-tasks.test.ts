/** Work that an upstream has taken on is paid for, however the client gets out of it; and the upstream is told to stop. */
import { afterEach, expect, test } from "bun:test";
import { createMovedClock, type MovedClock, until } from "../support/moved-clock.ts";
import { quiet } from "../support/quiet.ts";
import { sized } from "./sized.ts";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

/** Micro-dollars of a clip of four seconds. */
const clipCost = 400_000;

/** An upstream of videos. */
interface Studio {
	/** Those it took on, and would bill unless it says otherwise. */
	readonly jobs: Set<string>;
	readonly asked: string[];
	create(id: string): Response | Promise<Response>;
	remove(id: string): Response;
	cancel(id: string): Response;
	show(id: string): Response;
}

let stop: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const one of stop.splice(0).reverse()) await one();
	stop = [];
});

interface Scene {
	readonly studio: Studio;
	readonly world: AttackWorld;
	readonly clock: MovedClock;
	/** Submits a clip; gives its id. */
	submit(key: string): Promise<string>;
	taken(count: number): Promise<void>;
	cancel(key: string, id: string): Promise<number>;
	/** Waits until the token has used this much and nothing more is held. */
	settles(key: string, used: number): Promise<void>;
	closeStudio(): Promise<void>;
}

const start = async (upstream: Readonly<Record<string, unknown>> = {}): Promise<Scene> => {
	const clock = createMovedClock();
	const studio: Studio = {
		jobs: new Set(),
		asked: [],
		create: (id) => Response.json({ id, object: "video", status: "queued" }),
		remove: (id) => Response.json({ id, object: "video.deleted", deleted: true }),
		cancel: () => new Response(null, { status: 404 }),
		show: (id) => Response.json({ id, status: "in_progress", progress: 10 }),
	};
	let count = 0;
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const { pathname } = new URL(request.url);
			const [, , , id = "", verb] = pathname.split("/");
			studio.asked.push(`${request.method} ${pathname}`);
			if (request.method === "DELETE") return studio.remove(id);
			if (verb === "cancel") return studio.cancel(id);
			if (request.method === "GET") return studio.show(id);
			await request.arrayBuffer();
			const job = `video_${++count}`;
			const answer = await studio.create(job);
			if (answer.ok) studio.jobs.add(job);
			return answer;
		},
	});
	const closeStudio = async (): Promise<void> => {
		await server.stop(true);
	};
	const url = `http://127.0.0.1:${server.port}/v1`;
	const studios = [{ name: "studio", type: "openai-videos", url, key: "k", models: ["clip"], ...upstream }];
	const world = await attackWorld({
		clock,
		plugins: [
			{ use: "prices", with: { models: { "*": rates, clip: { perSecond: 0.1 } } } },
			"tasks",
			{ use: "video", with: { upstreams: studios } },
		],
	});
	stop.push(closeStudio, async () => {
		const stopping = world.stop();
		clock.advance(10_000);
		await stopping;
	});
	const as = (key: string): RequestInit => ({ headers: { authorization: `Bearer ${key}` } });
	return {
		studio,
		world,
		clock,
		closeStudio,
		async submit(key) {
			const body = { model: "clip", prompt: "the sea", seconds: "4" };
			const answer = await world.gateway.ask("/v1/videos", body, as(key));
			expect(answer.status).toBe(200);
			return ((await answer.json()) as { id: string }).id;
		},
		taken: (wanted) => until(() => studio.jobs.size === wanted),
		cancel: async (key, id) => (await world.gateway.ask(`/v1/tasks/${id}/cancel`, {}, as(key))).status,
		async settles(key, used) {
			const held = async (): Promise<unknown> => {
				const { sql } = await import("drizzle-orm");
				return await world.gateway.store.all(sql`SELECT id FROM quota_leases WHERE kind = 'task' AND state = 'open'`);
			};
			await until(async () => {
				// What the studio was asked has its answer before time goes on: else it would run out here, and be asked again.
				await quiet(5);
				clock.advance(1_000);
				return ((await held()) as unknown[]).length === 0;
			}, "every task to be settled");
			expect(await world.used(key)).toBe(used);
		},
	};
};

const many = sized(12, 200);

test("clips that were taken on and cancelled are paid for, and the upstream is told of each", async () => {
	const scene = await start();
	const { key } = await scene.world.gateway.token({ quota: 100 });
	const ids = await Promise.all(Array.from({ length: many }, () => scene.submit(key)));
	await scene.taken(many);
	for (const id of ids) expect(await scene.cancel(key, id)).toBe(200);
	await scene.settles(key, many * clipCost);
	expect(scene.studio.asked.filter((line) => line.startsWith("DELETE")).sort()).toEqual(
		[...scene.studio.jobs].map((id) => `DELETE /v1/videos/${id}`).sort(),
	);
	expect(await scene.cancel(key, ids[0] ?? "")).toBe(409);
}, 30_000);

test("an upstream that says it billed nothing is taken at its word", async () => {
	const scene = await start();
	scene.studio.remove = (id) => Response.json({ id, object: "video.deleted", deleted: true, billed: false });
	const { key } = await scene.world.gateway.token({ quota: 1 });
	const id = await scene.submit(key);
	await scene.taken(1);
	await scene.cancel(key, id);
	await scene.settles(key, 0);
	expect(scene.studio.asked).toContain("DELETE /v1/videos/video_1");
});

test("an upstream that deletes nothing that runs is asked to cancel it", async () => {
	const scene = await start();
	scene.studio.remove = () => Response.json({ error: { message: "still being made" } }, { status: 409 });
	scene.studio.cancel = (id) => Response.json({ id, status: "cancelled", usage: { seconds: 0 } });
	const { key } = await scene.world.gateway.token({ quota: 1 });
	const id = await scene.submit(key);
	await scene.taken(1);
	await scene.cancel(key, id);
	await scene.settles(key, 0);
	expect(scene.studio.asked).toContain("POST /v1/videos/video_1/cancel");
});

test("cancelled while it is being submitted: paid for when it was taken on, and stopped", async () => {
	const scene = await start();
	const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
	scene.studio.create = async (id) => {
		await held;
		return Response.json({ id, object: "video", status: "queued" });
	};
	const { key } = await scene.world.gateway.token({ quota: 1 });
	const id = await scene.submit(key);
	await until(() => scene.studio.asked.length === 1);
	expect(await scene.cancel(key, id)).toBe(200);
	expect(
		(
			await scene.world.gateway.ask(`/v1/videos/${id}`, undefined, {
				method: "DELETE",
				headers: { authorization: `Bearer ${key}` },
			})
		).status,
	).toBe(200);
	letGo();
	await scene.settles(key, clipCost);
	expect(scene.studio.asked).toEqual(["POST /v1/videos", "DELETE /v1/videos/video_1"]);
	expect(
		(await scene.world.gateway.ask(`/v1/videos/${id}`, undefined, { headers: { authorization: `Bearer ${key}` } }))
			.status,
	).toBe(404);
});

test("cancelled while it is being submitted: nothing is paid when it was refused", async () => {
	const scene = await start();
	const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
	scene.studio.create = async () => {
		await held;
		return Response.json({ error: { message: "no" } }, { status: 400 });
	};
	const { key } = await scene.world.gateway.token({ quota: 1 });
	const id = await scene.submit(key);
	await until(() => scene.studio.asked.length === 1);
	await scene.cancel(key, id);
	letGo();
	await scene.settles(key, 0);
});

test("cancelled before anything was submitted: nothing is paid, and nobody is told", async () => {
	const scene = await start({ concurrency: 1 });
	const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
	scene.studio.create = async (id) => {
		await held;
		return Response.json({ id, object: "video", status: "queued" });
	};
	const { key } = await scene.world.gateway.token({ quota: 1 });
	const first = await scene.submit(key);
	await until(() => scene.studio.asked.length === 1);
	const second = await scene.submit(key);
	await scene.cancel(key, second);
	// Though the upstream has no place free: nothing is to be asked of it.
	const { sql } = await import("drizzle-orm");
	const closed = sql`SELECT id FROM quota_leases WHERE id = ${second} AND state = 'closed'`;
	await until(async () => (await scene.world.gateway.store.all(closed)).length === 1);
	letGo();
	await scene.taken(1);
	await scene.cancel(key, first);
	await scene.settles(key, clipCost);
	expect(scene.studio.asked.filter((line) => line === "POST /v1/videos")).toHaveLength(1);
});

test("an upstream that is gone when it is to be told does not make the clip free", async () => {
	const scene = await start();
	const { key } = await scene.world.gateway.token({ quota: 1 });
	const id = await scene.submit(key);
	await scene.taken(1);
	await scene.closeStudio();
	await scene.cancel(key, id);
	await scene.settles(key, clipCost);
});

test("a clip that is not ready in time is paid for, and stopped", async () => {
	const scene = await start({ timeoutMinutes: 0.2 });
	const { key } = await scene.world.gateway.token({ quota: 1 });
	const id = await scene.submit(key);
	await scene.taken(1);
	await until(async () => {
		scene.clock.advance(1_000);
		const shown = await scene.world.gateway.ask(`/v1/tasks/${id}`, undefined, {
			headers: { authorization: `Bearer ${key}` },
		});
		return ((await shown.json()) as { status: string }).status === "FAILURE";
	});
	await scene.settles(key, clipCost);
	expect(scene.studio.asked).toContain("DELETE /v1/videos/video_1");
});

test("a submission that is broken off is paid for, for it may have been taken on", async () => {
	const scene = await start();
	scene.studio.create = () => new Promise<Response>(() => undefined);
	const { key } = await scene.world.gateway.token({ quota: 1 });
	await scene.submit(key);
	await until(() => scene.studio.asked.length === 1);
	await scene.closeStudio();
	await scene.settles(key, clipCost);
});

test.each([
	["is lost at a gateway between", () => new Response("<h1>Bad gateway</h1>", { status: 502 }), clipCost],
	[
		"ends in the upstream's own word that it failed",
		() => Response.json({ error: { message: "Internal error" } }, { status: 500 }),
		0,
	],
	["is refused", () => Response.json({ error: { message: "no" } }, { status: 400 }), 0],
] as const)("a submission that %s", async (_name, create, charged) => {
	const scene = await start();
	scene.studio.create = create;
	const { key } = await scene.world.gateway.token({ quota: 1 });
	await scene.submit(key);
	await until(() => scene.studio.asked.length === 1);
	await scene.settles(key, charged);
	expect(scene.studio.asked).toHaveLength(1);
});

test.each([
	["says that it failed", (id: string) => Response.json({ id, status: "failed", error: { message: "no" } }), 0],
	["has forgotten it", () => new Response(null, { status: 404 }), clipCost],
	["answers in words nobody knows", (id: string) => Response.json({ id, status: "pondering" }), clipCost],
] as const)(
	"a clip whose upstream %s",
	async (_name, show, charged) => {
		const scene = await start();
		scene.studio.show = show;
		const { key } = await scene.world.gateway.token({ quota: 1 });
		await scene.submit(key);
		await scene.taken(1);
		await scene.settles(key, charged);
	},
	30_000,
);
