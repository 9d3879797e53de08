/**
 * A node that is killed again and again with a thousand tasks under way: every change of state of every task arrives, no
 * task is submitted twice, and what was charged is what succeeded. ROUNDS and TASKS make it shorter or longer.
 */

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { adminHeaders, createSlowNode, type SlowNode } from "./node.ts";

const rounds = Number(process.env.ROUNDS ?? 200);
const taskCount = Number(process.env.TASKS ?? 1000);
const seed = Number(process.env.SEED ?? Date.now());
const dollarsPerSecond = 0.01;
const clipSeconds = 5;

/** A small generator, so that a run can be repeated by its seed. */
const createRandom = (start: number): (() => number) => {
	let state = start >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
};

const fractionOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32;

/** Kling as far as it is needed, which counts how often it was asked for each of our ids. */
const startKling = () => {
	const jobs = new Map<string, { submissions: number; readonly endsAt: number; readonly fails: boolean }>();
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		async fetch(request) {
			const { pathname } = new URL(request.url);
			if (request.method === "POST") {
				const { external_task_id: id } = (await request.json()) as { external_task_id: string };
				const known = jobs.get(id);
				if (known) known.submissions++;
				else
					jobs.set(id, {
						submissions: 1,
						endsAt: Date.now() + fractionOf(id) * rounds * 1500,
						fails: fractionOf(`fail ${id}`) < 0.1,
					});
				// One answer in ten is lost after the job was taken on.
				if (fractionOf(`lost ${id}`) < 0.1) return new Response("bad gateway", { status: 502 });
				return Response.json({ code: 0, data: { task_id: `k-${id}`, task_status: "submitted" } });
			}
			const id = (pathname.split("/").at(-1) ?? "").replace(/^k-/, "");
			const job = jobs.get(id);
			if (!job) return Response.json({ code: 1203, message: "not found" }, { status: 404 });
			const open = Date.now() < job.endsAt;
			const word = open ? "processing" : job.fails ? "failed" : "succeed";
			const videos = [{ id, url: `https://cdn.example/${id}.mp4`, duration: String(clipSeconds) }];
			return Response.json({
				code: 0,
				data: { task_id: `k-${id}`, task_status: word, ...(word === "succeed" && { task_result: { videos } }) },
			});
		},
	});
	return { jobs, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
};

/** A receiver that fails the first attempt of a third of the deliveries. */
const startHook = () => {
	const accepted = new Map<string, Set<string>>();
	const seen = new Map<string, number>();
	let posts = 0;
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			posts++;
			const id = request.headers.get("webhook-id") ?? "";
			const count = (seen.get(id) ?? 0) + 1;
			seen.set(id, count);
			const { id: task, status } = (await request.json()) as { id: string; status: string };
			if (count === 1 && fractionOf(`hook ${id}`) < 1 / 3) return new Response(null, { status: 500 });
			accepted.set(task, (accepted.get(task) ?? new Set()).add(status));
			return new Response(null, { status: 200 });
		},
	});
	return { accepted, posts: () => posts, url: `http://127.0.0.1:${server.port}/hook`, stop: () => server.stop(true) };
};

/** Submits task `index` until it is known that it was taken on; the key makes that safe. */
const submit = async (node: SlowNode, index: number, url: string): Promise<string> => {
	for (;;) {
		try {
			const body = {
				model_name: "kling-v1",
				prompt: `clip ${index}`,
				duration: String(clipSeconds),
				callback_url: url,
			};
			const answer = await node.ask("POST", "/kling/v1/videos/text2video", body, { "idempotency-key": `k-${index}` });
			if (answer.status === 200) return String(answer.body.task_id);
		} catch {
			// The node was killed under it.
		}
		await pause(50);
	}
};

const expected: Readonly<Record<string, readonly string[]>> = {
	SUCCESS: ["submitted", "processing", "succeed"],
	FAILURE: ["submitted", "failed"],
};

/** How many tasks and deliveries have not come to their end, as far as one page shows. */
const openOf = async (node: SlowNode): Promise<number> => {
	const paths = [
		"/v1/tasks?status=NOT_START",
		"/v1/tasks?status=IN_PROGRESS",
		"/v1/deliveries?status=pending",
		"/v1/deliveries?status=sending",
	];
	const pages = await Promise.all(paths.map((path) => node.ask("GET", `${path}&limit=1`)));
	return pages.reduce((sum, { body }) => sum + (body.data as unknown[]).length, 0);
};

const settle = async (node: SlowNode): Promise<void> => {
	const until = Date.now() + 300_000;
	while (Date.now() < until && (await openOf(node)) > 0) await pause(500);
};

/** Submits every task from twenty clients at once; settles with their ids. */
const submitAll = async (node: SlowNode, url: string): Promise<readonly string[]> => {
	const ids: string[] = [];
	let next = 0;
	const client = async (): Promise<void> => {
		while (next < taskCount) {
			const index = next++;
			ids[index] = await submit(node, index, url);
		}
	};
	await Promise.all(Array.from({ length: 20 }, client));
	return ids;
};

/** What became of a task, and which of its states never arrived. */
const judge = async (
	node: SlowNode,
	id: string,
	got: ReadonlySet<string>,
): Promise<{ status: string; missing: readonly string[] }> => {
	const { body } = await node.ask("GET", `/v1/tasks/${id}`);
	const status = String(body.status);
	const words = [...(expected[status] ?? ["an end"]), ...(body.started_at === null ? [] : ["processing"])];
	return { status, missing: words.filter((word) => !got.has(word)).map((word) => `${id} ${word}`) };
};

test(`${rounds} kills with ${taskCount} tasks under way`, async () => {
	console.log(`SEED=${seed}`);
	const random = createRandom(seed);
	const kling = startKling();
	const hook = startHook();
	const upstream = { name: "kling", type: "kling", url: kling.url, key: "k", models: ["kling-*"], concurrency: 64 };
	const node = createSlowNode([
		{ use: "tokens" },
		{ use: "prices", with: { models: { "kling-v1": { perSecond: dollarsPerSecond } } } },
		{ use: "quota" },
		{ use: "webhooks", with: { allowPrivateNetworks: true } },
		{ use: "tasks" },
		{ use: "video", with: { upstreams: [upstream] } },
	]);
	try {
		await node.start();
		const token = await node.token({ quota: 10_000 });
		node.key = token.key;
		const submitting = submitAll(node, hook.url);
		for (let round = 0; round < rounds; round++) {
			await pause(100 + random() * 1400);
			await node.kill();
			await node.start();
		}
		const ids = await submitting;
		expect(new Set(ids).size).toBe(taskCount);
		await settle(node);

		const ends = await Promise.all(ids.map((id) => judge(node, id, hook.accepted.get(id) ?? new Set())));
		const successes = ends.filter(({ status }) => status === "SUCCESS").length;
		const failures = ends.filter(({ status }) => status === "FAILURE").length;
		const missing = ends.flatMap((end) => end.missing);
		const twice = [...kling.jobs.values()].filter(({ submissions }) => submissions > 1).length;
		const { body } = await node.ask("GET", `/admin/tokens/${token.id}`, undefined, adminHeaders);
		console.log({
			rounds,
			successes,
			failures,
			jobs: kling.jobs.size,
			twice,
			posts: hook.posts(),
			missing: missing.length,
			used: body.used,
		});
		expect(missing).toEqual([]);
		expect(twice).toBe(0);
		expect(successes + failures).toBe(taskCount);
		// Of a submission that a kill cut off nobody knows whether it arrived: it is never sent twice, and charged as if it had.
		const unknown = taskCount - kling.jobs.size;
		expect(Number(body.used)).toBeCloseTo((successes + unknown) * clipSeconds * dollarsPerSecond, 6);
	} finally {
		await node.close();
		kling.stop();
		hook.stop();
	}
}, 3_600_000);
