/** What of a client's own fields reaches an upstream of tasks: nothing that moves the request, calls back, or is made uncounted. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { everyKind, type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { until } from "../support/moved-clock.ts";

let world: MediaWorld;
beforeAll(async () => {
	world = await startMediaWorld({
		...everyKind,
	});
	world.upstream.answer(() => Response.json({ error: { message: "no" } }, { status: 400 }));
});
afterAll(() => world.close());

const moved = {
	api_base: "http://evil.example",
	base_url: "http://evil.example",
	api_key: "evil-key",
	extra_headers: { authorization: "evil-key" },
	extra_body: { model: "evil-model" },
	fallbacks: ["evil-model"],
	provider: { order: ["evil"] },
	mock_response: "evil",
};
/** The same, and what is counted and chosen, as Go's readers of JSON and others that are not strict about names take it. */
const misspelt = {
	Api_Base: "http://evil.example",
	baseURL: "http://evil.example",
	"API-KEY": "evil-key",
	Extra_Headers: { authorization: "evil-key" },
	Model: "evil-model",
	modelName: "evil-model",
	Prompt: "evil-prompt",
	N: 50,
	Seconds: 900,
	DURATION: 900,
	duration_seconds: 900,
	sample_count: 50,
	Image: "http://evil.example/picture",
	webhook: "http://evil.example/hook",
	Callback_URL: "http://evil.example/hook",
	notifyUrl: "http://evil.example/hook",
};
const hook = (): string => `${world.hook.origin}/evil-hook`;

const submissions: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
	["/v1/tasks", { kind: "image", model: "picture", prompt: "x", input: moved }],
	["/v1/images/generations", { model: "picture", prompt: "x", async: true, ...moved }],
	["/v1/images/edits", { model: "picture", prompt: "x", async: true, image: "data:image/png;base64,aGk=", ...moved }],
	["/kling/v1/images/generations", { model_name: "picture", prompt: "x", ...moved }],
	["/mj/submit/imagine", { prompt: "x", ...moved }],
	["/v1/videos", { model: "clip", prompt: "x", seconds: 4, duration: 900, n: 50, ...moved }],
	["/v1/video/generations", { model: "clip", prompt: "x", seconds: 4, metadata: { ...moved, duration: 900 } }],
	["/kling/v1/videos/text2video", { model_name: "kling", prompt: "x", duration: "4", seconds: 900, ...moved }],
	[
		"/v1beta/models/clip:predictLongRunning",
		{ instances: [{ prompt: "x", ...moved }], parameters: { durationSeconds: 4, seconds: 900 } },
	],
	["/suno/submit/music", { mv: "song", prompt: "x", title: "t", ...moved }],
	["/v1/tasks", { kind: "music", model: "song", prompt: "x", input: moved }],
];

test.each(submissions)("%s", async (path, body) => {
	const before = world.upstream.received.length;
	const callbacks = { callbackUrl: hook(), callBackUrl: hook(), webhookUrl: hook(), webhook_url: hook() };
	expect((await world.ask(path, { ...body, ...callbacks })).ok).toBe(true);
	await until(() => world.upstream.received.length > before, "the submission");
	const sent = world.upstream.received[before];
	expect(sent?.text).toContain("x");
	expect(sent?.text).not.toMatch(/evil/);
	expect(sent?.text).not.toMatch(/\b(?:900|50)\b/);
	expect(sent?.path).not.toContain("evil");
});

test.each(submissions)("%s, in other spellings", async (path, { metadata, input, instances, ...body }) => {
	const before = world.upstream.received.length;
	const within = Object.entries({ metadata, input }).flatMap(([name, value]) => (value ? [[name, misspelt]] : []));
	const instance = instances === undefined ? {} : { instances: [{ prompt: "x", ...misspelt }] };
	const asked = await world.ask(path, { ...misspelt, ...body, ...Object.fromEntries(within), ...instance });
	expect(asked.ok).toBe(true);
	await until(() => world.upstream.received.length > before, "the submission");
	const sent = world.upstream.received[before];
	expect(sent?.text).toContain("x");
	expect(sent?.text).not.toMatch(/evil/);
	expect(sent?.text).not.toMatch(/\b(?:900|50)\b/);
});

test("an upstream that refuses Portico's key is told of in the log: once, and once when that is over", async () => {
	const told = (): unknown[] =>
		world.log.filter(({ msg }) => /upstream of tasks/.test(String(msg))).map(({ msg, status }) => [msg, status]);
	const submit = async (status: number): Promise<void> => {
		world.upstream.answer(() => Response.json({ error: { message: "no" } }, { status }));
		const before = world.upstream.received.length;
		await world.ask("/v1/tasks", { kind: "image", model: "picture", prompt: "x" });
		await until(() => world.upstream.received.length > before, "the submission");
	};
	for (const status of [401, 401, 400, 400]) await submit(status);
	await until(() => told().length === 2, "the log");
	expect(told()).toEqual([
		["an upstream of tasks refused Portico's own key", 401],
		["an upstream of tasks answers again", undefined],
	]);
	expect(JSON.stringify(world.log)).not.toMatch(/key-of-/);
});

test("a length that only the metadata names is the one that is asked for and counted", async () => {
	const before = world.upstream.received.length;
	const { body } = await world.json("/v1/video/generations", {
		model: "clip",
		prompt: "x",
		metadata: { seconds: 7 },
	});
	await until(() => world.upstream.received.length > before, "the submission");
	expect(world.upstream.received[before]?.text).toMatch(/name="seconds"\r\n\r\n7\r\n/);
	expect((await world.json(`/v1/videos/${body.id}`)).body).toMatchObject({ seconds: "7" });
});
