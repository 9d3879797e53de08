/** A reload ends the recurring work of what it replaces at once, however long a stream goes on there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asList, asRecord, asText, sql } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { createMovedClock, until } from "../support/moved-clock.ts";
import { type Receiver, startReceiver, status } from "../support/receiver.ts";

const clock = createMovedClock();
let upstream: ScriptedUpstream;
let hook: Receiver;
let gateway: TestGateway;

const plugins = (allowPrivateNetworks: boolean, films = "/before") => [
	{ use: "tokens" },
	{ use: "chat-completions" },
	{ use: "webhooks", with: { allowPrivateNetworks } },
	{ use: "tasks" },
	{ use: "image" },
	{
		use: "video",
		with: {
			upstreams: [{ name: "films", type: "openai-videos", url: upstream.url + films, key: "k", models: ["sora-2"] }],
		},
	},
	{ use: "demo", with: { taskSeconds: 0, taskModels: ["midjourney"] } },
	{
		use: "router",
		with: {
			upstreams: [{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1` }],
			models: [{ name: "m", targets: [{ upstream: "main" }] }],
		},
	},
];

beforeAll(async () => {
	upstream = startUpstream(({ path }) => {
		if (path.includes("/videos")) return Response.json({ id: "v", status: "in_progress" });
		const piece = { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "Hello" } }] };
		const body = new ReadableStream({
			start: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(piece)}\n\n`)),
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});
	hook = await startReceiver(status(500));
	gateway = await startGateway({ clock, plugins: plugins(true) });
});
afterAll(async () => {
	await gateway.stop();
	await hook.close();
	await upstream.stop();
});

/** The attempts of each delivery. */
const attempts = async () => {
	const { data } = await gateway.admin("GET", "/admin/deliveries");
	const ids = asList(data).map((one) => asText(asRecord(one)["id"]));
	const shown = await Promise.all(ids.map((id) => gateway.admin("GET", `/admin/deliveries/${id}`)));
	return shown.map((one) => asList(one["attempts"]).map(asRecord));
};

const openStream = async (leave: AbortController): Promise<void> => {
	const question = { model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] };
	const stream = await gateway.ask("/v1/chat/completions", question, { signal: leave.signal });
	expect((await stream.body?.getReader().read())?.done).toBe(false);
};

const reloadWith = async (changed: ReturnType<typeof plugins>): Promise<void> => {
	const file = join(gateway.folder, "portico.yaml");
	const config = JSON.parse(readFileSync(file, "utf8")) as object;
	writeFileSync(file, JSON.stringify({ ...config, plugins: changed }));
	await gateway.admin("POST", "/admin/reload");
};

test("callbacks that are tried again go by the rules of now, not of a generation on which a stream is open", async () => {
	const leave = new AbortController();
	await openStream(leave);
	await gateway.ask("/mj/submit/imagine", { prompt: "cat", notifyHook: `${hook.origin}/x` });
	await until(
		async () => {
			clock.advance(5);
			await gateway.store.write([sql`UPDATE deliveries SET due_at = 0 WHERE attempts = 1 AND state = 'pending'`]);
			const all = await attempts();
			return all.length === 3 && all.every((made) => made.length === 2);
		},
		"the second attempts",
		20_000,
	);

	await reloadWith(plugins(false));
	const before = hook.received.length;
	await until(
		async () => {
			clock.advance(1_000);
			return (await attempts()).every((made) => made.length > 2);
		},
		"the third attempts",
		20_000,
	);
	for (const made of await attempts()) expect(made.at(-1)).toMatchObject({ error: "ssrf_blocked" });
	expect(hook.received).toHaveLength(before);
	leave.abort();
}, 60_000);

test("tasks are looked at where the config of now says, not that of a generation on which a stream is open", async () => {
	const leave = new AbortController();
	await openStream(leave);
	expect((await gateway.ask("/v1/videos", { model: "sora-2", prompt: "a cat" })).status).toBe(200);
	const asked = (path: string): number =>
		upstream.received.filter((one) => one.method === "GET" && one.path.startsWith(path)).length;
	await until(() => {
		clock.advance(100);
		return asked("/before/videos/v") === 1;
	}, "the first look");
	// Made due past every clock, as above.
	await until(async () => {
		await gateway.store.write([sql`UPDATE tasks SET due_at = 0 WHERE polls = 1 AND due_at > ${clock.now()}`]);
		return asked("/before/videos/v") === 2;
	}, "the second look");
	await reloadWith(plugins(false, "/after"));
	await until(() => {
		clock.advance(100);
		return asked("/after/videos/v") > 1;
	}, "looks at the new place");
	expect(asked("/before/videos/v")).toBe(2);
	leave.abort();
}, 30_000);
